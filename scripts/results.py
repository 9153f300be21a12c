"""results.py: recorded results, and the tables that pages make of them.

    python3 scripts/results.py list PROGRAM            # which records hold agents that play differently now
    python3 scripts/results.py again PROGRAM NAME ...  # runs the studies of these records again, and records them
    python3 scripts/results.py record PROGRAM NAME DIR # records a study that was run in DIR
    python3 scripts/results.py write                   # puts every table into its page
    python3 scripts/results.py check                   # fails where a page differs from its records

A record is docs/results/NAME.csv: a row per configuration, seed and number of tasks, with the averages per task after
so many tasks, the commit of the program, the command, and the digest of a short run of the same agent in the same
environment. Two builds whose digests are equal play alike in that run. On a page a table stands between
`<!-- table NAME -->` and `<!-- end of table -->`. Errors are standard errors over the seeds; differences are paired by
seed.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import math
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "docs/results"
RUNS = ROOT / "runs/results"  # where `again` runs its studies
# what an export holds beside the configuration
MEASURES = ("task", "return", "average", "steps", "episodes", "goals", "entries", "w_error", "optimum", "places")
# what a record holds beside the configuration; `optimum` is the average over the tasks so far, `w_error`, too
FIXED = ("build", "command", "digest", "seed", "task", "average", "optimum", "entries", "places", "w_error")
# of the run behind a digest: long enough for the planner's first refits
DIGEST_RUN = ("--quick", "--steps", "3000", "--seeds", "1", "--jobs", "1", "--quiet")
# what goes into a digest, by table of the export
DIGESTED = {
    "tasks": ("return", "steps", "episodes", "goals", "entries", "w_error", "places"),
    "bins": ("reward", "episodes", "goals", "exploration", "loss", "entries", "places"),
}
DIGITS = 12  # of a digest

Row = dict[str, str]
Seeds = dict[str, float]  # a measure by seed


class Study(NamedTuple):
    """How a record is made."""

    command: str
    tasks: str = ""  #: numbers of tasks after which it is recorded; the last if empty
    agents: str = ""  #: labels; all if empty
    w_error: bool = False  #: the distance of a learned w, too


STUDIES = {
    "main": Study("sfnec run experiments/main.yaml --seeds 1-10 --tasks 10", tasks="1,10"),
    "authors": Study("sfnec run experiments/authors.yaml", tasks="1,10"),
    "main-50": Study("sfnec run experiments/main-50.yaml --seeds 1", tasks="1,10,25,40,50"),
    "one-room": Study("sfnec run experiments/one-room.yaml"),
    "sensitivity": Study("sfnec run experiments/sensitivity.yaml --tasks 5"),
    "learned-w": Study("sfnec run experiments/learned-w.yaml --seeds 301-310", agents="sfnec,nec"),
    "learned-w-sweep": Study("sfnec run experiments/learned-w-sweep.yaml", w_error=True),
    "grid-search": Study("sfnec run experiments/grid-search.yaml --seeds 401 --tasks 2", agents="sfnec,nec"),
    "grid-search-neighbours": Study("sfnec run experiments/grid-search-neighbours.yaml"),
    "plan": Study("sfnec run experiments/plan.yaml", tasks="1,3,10"),
    "plan-long": Study("sfnec run experiments/plan-long.yaml", tasks="10,40,50"),
    "plan-life": Study("sfnec run experiments/plan-life.yaml", tasks="10,60,200,250"),
    "plan-detect": Study("sfnec run experiments/plan-detect.yaml"),
    "plan-learned-w": Study("sfnec run experiments/plan-learned-w.yaml"),
    "plan-keys": Study("sfnec run experiments/plan-keys.yaml"),
}


# ---- records ----


def run(*words: str | Path) -> str:
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def export(program: Path, folder: str | Path, *options: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(run(program, "export", folder, *options, "--csv", "-"))))


def build_of(program: Path) -> str:
    """The commit of the tree, which the program must have been built from."""
    changed = run("git", "status", "--porcelain", "--untracked-files=no", "--", "src", "include")
    if changed:
        sys.exit(
            "results.py: src or include differs from the commit: commit first, so that a record can name its build"
        )
    return run("git", "rev-parse", "--short=7", "HEAD").strip()


def words_of(name: str, program: Path) -> list[str]:
    """The command of a record with PROGRAM in the place of `sfnec`."""
    return [str(program), *shlex.split(STUDIES[name].command)[1:]]


def digests(name: str, program: Path) -> dict[str, str]:
    """By label, the digest of what a short run of the record's study records."""
    words = words_of(name, program)
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "digest.yaml"
        # with the curves over steps that some studies leave out
        spec.write_text(re.sub(r"^record:.*\n", "", (ROOT / words[2]).read_text(), flags=re.MULTILINE))
        subprocess.run([*words[:2], spec, *words[3:], *DIGEST_RUN, "-o", f"{folder}/run"], check=True, cwd=ROOT)
        texts: dict[str, list[str]] = {}
        for table_name, columns in DIGESTED.items():
            for row in export(program, f"{folder}/run", "--table", table_name):
                texts.setdefault(row["agent"], []).append(",".join(row[column] for column in columns))
    return {label: hashlib.sha256("\n".join(lines).encode()).hexdigest()[:DIGITS] for label, lines in texts.items()}


def setting_of(row: Row) -> tuple[tuple[str, str], ...]:
    """The configuration and the seed of an exported row."""
    return tuple((key, value) for key, value in row.items() if key not in MEASURES)


def so_far(found: list[Row], row: Row) -> list[Row]:
    """The tasks of a row's run up to its own."""
    return [each for each in found if setting_of(each) == setting_of(row) and int(each["task"]) <= int(row["task"])]


def measures(found: list[Row], row: Row, w_error: bool) -> Row:
    values = {"average": f"{float(row['average']):.6g}", "entries": row["entries"], "places": row["places"]}
    tasks = so_far(found, row)
    if all(each["optimum"] for each in tasks):
        values["optimum"] = f"{statistics.fmean(float(each['optimum']) for each in tasks):.6g}"
    if w_error:
        values["w_error"] = f"{statistics.fmean(float(each['w_error']) for each in tasks):.3g}"
    return values


def record(name: str, program: Path, folder: str | Path, only: set[str] | None = None, build: str = "") -> None:
    """Makes a record of a study's folder; with `only`, of these labels, and keeps the others as they are."""
    study, build, digest = STUDIES[name], build or build_of(program), digests(name, program)
    found = export(program, folder)
    labels = set(study.agents.split(",")) if study.agents else {row["agent"] for row in found}
    if only is not None:
        labels &= only
    tasks = study.tasks.split(",") if study.tasks else [max((row["task"] for row in found), key=int)]
    rows = [] if only is None else [row for row in read(name) if row["agent"] not in labels]
    for row in found:
        if row["task"] in tasks and row["agent"] in labels:
            setting = {key: value for key, value in row.items() if key not in (*MEASURES, "preset", "seed")}
            head = {"build": build, "command": study.command, "digest": digest[row["agent"]]}
            key = {"seed": row["seed"], "task": row["task"]}
            rows.append({**head, **setting, **key, **measures(found, row, study.w_error)})
    settings = dict.fromkeys(key for row in rows for key in row if key not in FIXED)
    columns = [*FIXED[:3], *settings, *(key for key in FIXED[3:] if any(row.get(key) for row in rows))]
    path = RECORDS / f"{name}.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{path.relative_to(ROOT)}: {len(rows)} rows")


def read(name: str) -> list[Row]:
    path = RECORDS / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def select(rows: Iterable[Row], measure: str = "average", **setting: str) -> Seeds:
    """A measure of a configuration by seed."""
    wanted = [row for row in rows if all(row[key] == value for key, value in setting.items())]
    return {row["seed"]: float(row[measure]) for row in wanted}


def shares(rows: Iterable[Row], **setting: str) -> float:
    """The return in per cent of the optimum of the same runs' tasks (docs/statistics.md)."""
    wanted = [row for row in rows if all(row[key] == value for key, value in setting.items())]
    earned, most = (statistics.fmean(float(row[key]) for row in wanted) for key in ("average", "optimum"))
    return 100 * earned / most


# ---- which are old ----


def outdated(name: str, program: Path) -> dict[str, str]:
    """By label, what differs between a record and this build; empty: nothing."""
    rows = read(name)
    if not rows:
        return {"*": "is not recorded"}
    now = digests(name, program)
    found = {}
    for label in dict.fromkeys(row["agent"] for row in rows):
        kept = {(row["build"], row["digest"]) for row in rows if row["agent"] == label}
        if len(kept) > 1:
            found[label] = "was made by several builds"
        elif (made := kept.pop())[1] != now.get(label):
            found[label] = f"was made by {made[0]}, whose agent plays differently"
    return found


def list_records(program: Path, names: list[str]) -> None:
    for name in names or STUDIES:
        found = outdated(name, program)
        builds = sorted({row["build"] for row in read(name)})
        print(f"{name}: " + (f"as this build plays (made by {', '.join(builds)})" if not found else ""))
        for label, why in found.items():
            print(f"  {label} {why}")
    print("To run a study again: make results AGAIN=NAME, or AGAIN=old for all of these")
    if not names:
        list_comparison()


def list_comparison() -> None:
    """The builds behind the comparison with other libraries, which has a program of its own to repeat runs."""
    builds: dict[str, set[str]] = {}
    with (ROOT / "benchmarks/field/results.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["program"]:
                builds.setdefault(row["agent"], set()).add(row["program"])
    print("benchmarks/field (python -m field work ours --again repeats what another build made):")
    for agent, found in builds.items():
        print(f"  {agent} was made by {', '.join(sorted(found))}")


def spec_of(name: str, labels: set[str] | None, folder: Path) -> list[str]:
    """The command of a study, of these labels alone if not None: by a spec of its own in `folder`."""
    words = shlex.split(STUDIES[name].command)
    if labels is None:
        return words
    try:
        import yaml
    except ImportError:
        sys.exit("results.py: part of a study needs PyYAML: run it with .venv-docs/bin/python")
    spec = yaml.safe_load((ROOT / words[2]).read_text())
    label_of = lambda agent: agent if isinstance(agent, str) else agent.get("label", agent["preset"])  # noqa: E731
    spec["agents"] = [agent for agent in spec["agents"] if label_of(agent) in labels]
    if "published" in spec:
        spec["published"] = [value for value in spec["published"] if value["agent"] in labels]
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(spec, sort_keys=False))
    return [*words[:2], str(path), *words[3:]]


def again(program: Path, names: list[str], jobs: str) -> None:
    """Runs studies in runs/results and records them. NAME:LABEL is one agent, `old` all that play differently now."""
    wanted: dict[str, set[str] | None] = {}
    for word in names:
        name, _, label = word.partition(":")
        if word == "old":
            for each in STUDIES:
                if found := outdated(each, program):
                    wanted[each] = None if "*" in found else set(found)
        elif name not in STUDIES:
            sys.exit(f"results.py: there is no record '{name}': {', '.join(STUDIES)}")
        else:
            wanted[name] = {*(wanted.get(name) or ()), label} if label else None
    RUNS.mkdir(parents=True, exist_ok=True)
    for name, labels in wanted.items():
        # a folder for each build, so that the same command resumes and results of two builds are not mixed
        folder = RUNS / f"{name}-{build_of(program)}"
        words = spec_of(name, labels, RUNS)
        print("==", *words, flush=True)
        subprocess.run([program, *words[1:], "-o", folder, "--jobs", jobs, "--quiet"], check=True, cwd=ROOT)
        record(name, program, folder, labels)
    write()


# ---- cells ----


class Mean(NamedTuple):
    value: float
    error: float | None  # standard error; None with one run


def mean(values: Iterable[float]) -> Mean:
    found = list(values)
    error = statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else None
    return Mean(statistics.fmean(found), error)


def cell(found: Mean, sign: str = "") -> str:
    value = f"{found.value:{sign}.0f}"
    return value if found.error is None else f"{value} ± {found.error:.0f}"


def paired(seeds: Seeds, base: Seeds) -> Mean:
    return mean(seeds[seed] - base[seed] for seed in seeds if seed in base)


def table(head: list[str], body: Iterable[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *body])


# ---- tables ----

CALIBRATED = (  # label in the spec, option, what it is, our value
    ("door", "door_width", "width of a door", "0.2"),
    ("wall", "wall_width", "width of the walls", "0.04"),
    ("goal", "goal_radius", "radius of the goal", "0.15"),
    ("", "max_episode_steps", "most steps of an episode", "500"),
    ("pick-up", "pickup_radius", "radius of picking up", "0.04"),
    ("layout", "layout", "walls and doors together", "calibrated"),
    ("walls", "walls", "what a wall stops", "endpoint"),
)


def sensitivity() -> str:
    rows = read("sensitivity")
    base = {agent: select(rows, agent=agent, max_episode_steps="500") for agent in ("sfnec", "nec")}
    body = [["all as in our studies", "", *(c for agent in base for c in (cell(mean(base[agent].values())), ""))]]
    for label, option, said, ours in CALIBRATED:
        own = [row for row in rows if row["agent"] == f"sfnec {label}".strip()]
        for value in dict.fromkeys(row[option] for row in own if row[option] != ours):
            cells = []
            for agent in base:
                found = select(rows, agent=f"{agent} {label}".strip(), **{option: value})
                cells += [cell(mean(found.values())), cell(paired(found, base[agent]), "+")]
            body.append([f"{said} (`{option}`, {ours})", value, *cells])
    head = ["changed (option, our value)", "to", "`sfnec`", "minus ours, paired", "`nec`", "minus ours, paired"]
    return table(head, body)


def main_50() -> str:
    rows = read("main-50")
    tasks = sorted({row["task"] for row in rows}, key=int)
    body = []
    for agent in dict.fromkeys(row["agent"] for row in rows):
        found = [select(rows, agent=agent, task=task).values() for task in tasks]
        body.append([f"`{agent}`", *(cell(mean(seeds)) if seeds else "" for seeds in found)])
    return table(["", *(f"after {task} task{'s' if task != '1' else ''}" for task in tasks)], body)


def learned_w() -> str:
    rows = read("learned-w")
    nec, sfnec = (select(rows, agent=agent) for agent in ("nec", "sfnec"))
    body = [
        ["`nec`, needs no w", cell(mean(nec.values())), ""],
        ["`sfnec`, w learned", cell(mean(sfnec.values())), cell(paired(sfnec, nec), "+")],
    ]
    return table(["", "return", "minus `nec`, paired"], body)


def learned_w_sweep() -> str:
    rows = read("learned-w-sweep")
    nec, given = (select(rows, agent=agent) for agent in ("nec", "sfnec given"))
    body = [
        ["`nec`, needs no w", "", "", cell(mean(nec.values())), "", ""],
        ["`sfnec`, w given", "", "", cell(mean(given.values())), cell(paired(given, nec), "+"), "0"],
    ]
    for w_rate, w_init_sd in sorted({(row["w_rate"], row["w_init_sd"]) for row in rows if row["w_rate"]}):
        found = select(rows, agent="sfnec", w_rate=w_rate, w_init_sd=w_init_sd)
        own = [row for row in rows if (row["w_rate"], row["w_init_sd"]) == (w_rate, w_init_sd)]
        error = statistics.fmean(float(row["w_error"]) for row in own)
        cells = [cell(mean(found.values())), cell(paired(found, nec), "+"), f"{error:.2f}"]
        body.append(["`sfnec`, w learned", w_rate, w_init_sd, *cells])
    return table(["", "`w_rate`", "`w_init_sd`", "return", "minus `nec`, paired", "distance of w"], body)


GRID = {  # the paper's grid
    "epsilon": ("0.05", "0.15"),
    "rate": ("0.01", "0.05", "0.1"),
    "neighbours": ("1", "4", "10", "20", "50"),
    "alpha": ("0.1", "0.3", "0.5"),
    "horizon": ("8", "16", "32"),
}
CHOICE = {  # the paper's choice, in the order of GRID
    "sfnec": ("0.15", "0.05", "20", "0.1", "8"),
    "nec": ("0.15", "0.01", "20", "0.1", "8"),
}
BEST_POINTS = 3  # of each agent on the page


def grid_of(agent: str) -> dict[tuple[str, ...], float]:
    """The return of each point, which was run once."""
    rows = [row for row in read("grid-search") if row["agent"] == agent]
    return {tuple(row[option] for option in GRID): float(row["average"]) for row in rows}


def grid_effects() -> str:
    """The mean over all points that have a value, less that of the points that have the paper's value instead."""
    body = []
    for agent, choice in CHOICE.items():
        found = grid_of(agent)
        for i, (option, values) in enumerate(GRID.items()):
            means, cells = [], []
            for value in values:
                points = [point for point in found if point[i] == value]
                means.append(mean(found[point] for point in points))
                cells.append(f"{value}: {means[-1].value:.0f}")
                if value != choice[i]:
                    papers = [(*point[:i], choice[i], *point[i + 1 :]) for point in points]
                    difference = mean(found[point] - found[other] for point, other in zip(points, papers, strict=True))
                    cells[-1] += f" ({cell(difference, '+')})"
            best = values[means.index(max(means))]
            body.append([f"`{agent}`", f"`{option}`", ", ".join(cells), best, choice[i]])
    head = ["agent", "option", "value: return (minus that of the paper's value, paired by point)"]
    return table([*head, "best here", "the paper's choice"], body)


def grid_points() -> str:
    """The best points of the grid, and the paper's."""
    body = []
    for agent, choice in CHOICE.items():
        found = grid_of(agent)
        ranks = sorted(found, key=found.__getitem__, reverse=True)
        for point in [*ranks[:BEST_POINTS], choice]:
            rank = f"{ranks.index(point) + 1} of {len(ranks)}"
            said = ", the paper's choice" if point == choice else ""
            body.append([f"`{agent}`{said}", *point, rank, f"{found[point]:.0f}"])
    return table(["agent", "epsilon", "rate", "neighbours", "alpha", "N", "rank", "return"], body)


def grid_neighbours() -> str:
    rows = read("grid-search-neighbours")
    body = []
    for agent in CHOICE:
        ten, twenty = (select(rows, agent=agent, neighbours=count) for count in ("10", "20"))
        body.append(
            [f"`{agent}`", cell(mean(ten.values())), cell(mean(twenty.values())), cell(paired(ten, twenty), "+")]
        )
    return table(["agent", "10 neighbours", "20 (the paper's)", "10 minus 20, paired"], body)


class Published(NamedTuple):
    agent: str
    point: dict[str, str]  #: options of a sweep
    task: str  #: empty: the last
    mean: float
    error: float | None


def published(spec: str) -> list[Published]:
    """What others published, from a spec."""
    found = []
    for line in re.findall(r"^  - \{(agent: .*)\}$", (ROOT / spec).read_text(), re.MULTILINE):
        point = re.search(r"options: \{(.*?)\}", line)
        value = dict(re.findall(r"\b(agent|task|mean|se): ([^,}]+)", line))
        options = dict(re.findall(r"(\w+): (\w+)", point[1])) if point else {}
        error = float(value["se"]) if "se" in value else None
        found.append(Published(value["agent"], options, value.get("task", ""), float(value["mean"]), error))
    return found


def distance(found: Mean, other: Published) -> float:
    """The difference of two means in standard errors of both, or of the first alone."""
    return (found.value - other.mean) / math.hypot(found.error or 0, other.error or 0)


def verdict(far: float) -> str:
    side = "higher" if far > 0 else "lower"
    return "agrees" if abs(far) <= 2 else f"somewhat {side}" if abs(far) <= 3 else side


def level(other: Published) -> str:
    return cell(Mean(other.mean, other.error))


def compared(record: str, spec: str) -> str:
    """Our means beside the published ones."""
    body = []
    for other in published(spec):
        found = mean(select(read(record), agent=other.agent, task=other.task).values())
        far = distance(found, other)
        body.append([f"`{other.agent}`", other.task, cell(found), level(other), f"{far:+.1f}", verdict(far)])
    return table(["agent", "tasks", "here", "published", "distance", ""], body)


def one_room() -> str:
    """Our levels cannot be compared with the published ones, so each has its share of the highest."""
    rows, others = read("one-room"), published("experiments/one-room.yaml")
    times = {"horizon": "after the horizon", "episode": "at the episode's end"}
    found = [mean(select(rows, agent=other.agent, **other.point).values()) for other in others]
    most, published_most = max(each.value for each in found), max(other.mean for other in others)
    body = []
    for other, ours in sorted(zip(others, found, strict=True), key=lambda pair: -pair[0].mean):
        point = f", N = {other.point['horizon']}, {times[other.point['write']]}" if other.point else ""
        share = [f"{ours.value / most:.2f}", f"{other.mean / published_most:.2f}"]
        body.append([f"`{other.agent}`{point}", cell(ours), level(other), *share])
    return table(["", "here", "published", "share here", "published"], body)


def main_published() -> str:
    return compared("main", "experiments/main.yaml")


def main_agents() -> str:
    rows, body = read("main"), []
    for agent in dict.fromkeys(row["agent"] for row in rows):
        one, ten = (cell(mean(select(rows, agent=agent, task=task).values())) for task in ("1", "10"))
        entries = middle(rows, "entries", agent=agent, task="10")
        share = f"{shares(rows, agent=agent, task='10'):.1f}"
        body.append([f"`{agent}`", one, ten, share, many(entries) if entries else "none"])
    return table(["agent", "after 1 task", "after 10 tasks", "% of the optimum", "entries in memory"], body)


def authors() -> str:
    rows = read("authors")
    level = {(other.agent, other.task): other for other in published("experiments/authors.yaml")}
    labels = {
        "sfnec": "`sfnec`",
        "sfnec inverse": "`sfnec`, `kernel=inverse`",
        "sfnec-authors": "`sfnec-authors`",
        "sfnec-authors squared": "`sfnec-authors`, `kernel=inverse_squared`",
    }
    body = []
    for label, said in labels.items():
        one, ten = (mean(select(rows, agent=label, task=task).values()) for task in ("1", "10"))
        body.append([said, cell(one), cell(ten), f"{distance(ten, level[label, '10']):+.1f}"])
    return table(["", "after 1 task", "after 10 tasks", "distance from the published 687 ± 49"], body)


def many(value: float) -> str:
    """A size, to three digits."""
    digits = 2 - math.floor(math.log10(value)) if value else 0
    return f"{round(value, digits):,.0f}"


def middle(rows: list[Row], measure: str, **setting: str) -> float:
    return statistics.fmean(select(rows, measure, **setting).values())


def plan() -> str:
    rows, body = read("plan"), []
    for agent in ("sfnec-plan", "sfnec-plus"):
        cells = [f"{shares(rows, agent=agent, task=task):.1f}" for task in ("1", "3", "10")]
        earned = cell(mean(select(rows, agent=agent, task="10").values()))
        body.append([f"`{agent}`", *cells, earned, many(middle(rows, "entries", agent=agent, task="10"))])
    head = ["% of the optimum after", "1 task", "3 tasks", "10 tasks", "return per task", "entries in memory"]
    return table(head, body)


def plan_memory() -> str:
    body = []
    for name, task in (("plan", "10"), ("plan-long", "50"), ("plan-life", "250")):
        rows = read(name)
        states, samples = (middle(rows, key, agent="sfnec-plan", task=task) for key in ("places", "entries"))
        entries = "" if name != "plan" else many(middle(rows, "entries", agent="sfnec-plus", task=task))
        body.append([f"{task} tasks", many(states), many(samples), entries])
    return table(["after", "`sfnec-plan`: states", "samples", "`sfnec-plus`: entries"], body)


def against(name: str, base: str, said: dict[str, str]) -> str:
    """Configurations of a study of 10 tasks, and their differences from the first, paired by seed."""
    rows = read(name)
    first = select(rows, agent=base, task="10")
    body = []
    for label, words in said.items():
        found = select(rows, agent=label, task="10")
        share = f"{100 * mean(found.values()).value / mean(first.values()).value:.1f}"
        difference = ["", ""] if label == base else [cell(paired(found, first), "+"), share]
        body.append([words, cell(mean(found.values())), f"{shares(rows, agent=label, task='10'):.1f}", *difference])
    return table(["", "return per task", "% of the optimum", "difference, paired", "% of the first row"], body)


def plan_detect() -> str:
    said = {"given, w given": "switches and w given", "detected, w by rls": "switches detected, w learned"}
    return against("plan-detect", "given, w given", said)


def plan_learned_w() -> str:
    return against("plan-learned-w", "w given", {"w given": "w given", "w by rls": "w learned (`w=rls`)"})


def plan_keys() -> str:
    said = {"observation": "none", "random projection": "`embedding=random`", "pca": "`embedding=pca`"}
    return against("plan-keys", "observation", said)


def plan_long() -> str:
    """Shares of the optimum in ranges of tasks, from averages per task so far."""
    body = []
    for name, ranges in (("plan-long", ((0, 10), (40, 50), (0, 50))), ("plan-life", ((10, 60), (200, 250)))):
        rows = read(name)
        for after, last in ranges:
            sums = []
            for key in ("average", "optimum"):
                so_far = [middle(rows, key, task=str(task)) * task if task else 0 for task in (after, last)]
                sums.append(so_far[1] - so_far[0])
            seeds = len({row["seed"] for row in rows})
            body.append([f"{after + 1} to {last}", f"{100 * sums[0] / sums[1]:.1f}", str(seeds)])
    return table(["tasks", "% of the optimum", "runs"], body)


# name of the table: the records that it is made of, and how
TABLES: dict[str, tuple[tuple[str, ...], Callable[[], str]]] = {
    "main": (("main",), main_agents),
    "main-published": (("main",), main_published),
    "authors": (("authors",), authors),
    "one-room": (("one-room",), one_room),
    "main-50": (("main-50",), main_50),
    "sensitivity": (("sensitivity",), sensitivity),
    "learned-w": (("learned-w",), learned_w),
    "learned-w-sweep": (("learned-w-sweep",), learned_w_sweep),
    "grid-effects": (("grid-search",), grid_effects),
    "grid-points": (("grid-search",), grid_points),
    "grid-neighbours": (("grid-search-neighbours",), grid_neighbours),
    "plan": (("plan",), plan),
    "plan-memory": (("plan", "plan-long", "plan-life"), plan_memory),
    "plan-detect": (("plan-detect",), plan_detect),
    "plan-learned-w": (("plan-learned-w",), plan_learned_w),
    "plan-keys": (("plan-keys",), plan_keys),
    "plan-long": (("plan-long", "plan-life"), plan_long),
}

# ---- pages ----

BLOCK = re.compile(r"(<!-- table ([\w-]+) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def made(page: Path, used: set[str]) -> str:
    """A page with its tables made again; those without a record stay as they are."""

    def again(match: re.Match[str]) -> str:
        name = match[2]
        if name not in TABLES:
            sys.exit(f"{page}: there is no table '{name}'")
        used.add(name)
        records, make = TABLES[name]
        return f"{match[1]}\n{make()}\n\n{match[4]}" if all(map(read, records)) else match[0]

    return BLOCK.sub(again, page.read_text(encoding="utf-8"))


def write() -> None:
    for page in pages():
        new = made(page, set())
        if new != page.read_text(encoding="utf-8"):
            page.write_text(new, encoding="utf-8")
            print(f"{page.relative_to(ROOT)}: written")


def check() -> None:
    used: set[str] = set()
    for page in pages():
        old, new = page.read_text(encoding="utf-8").splitlines(), made(page, used).splitlines()
        if old != new:
            line = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
            sys.exit(f"{page}:{line + 1}: differs from its record in docs/results: python3 scripts/results.py write")
    if lost := TABLES.keys() - used:
        sys.exit(f"no page has the tables {', '.join(sorted(lost))}, between two comments (see scripts/results.py)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("list", "again", "record"):
        one = commands.add_parser(name)
        one.add_argument("program", type=Path)
        if name == "record":
            one.add_argument("name", choices=STUDIES)
            one.add_argument("folder")
            one.add_argument("--agents", help="only these labels, separated by commas; the other rows stay")
            one.add_argument("--build", default="", help="the commit of PROGRAM, if it is not the tree's")
        else:
            one.add_argument("names", nargs="*" if name == "list" else "+")
        if name == "again":
            one.add_argument("--jobs", default="1", help="at the same time")
    commands.add_parser("write")
    commands.add_parser("check")
    args = parser.parse_args()
    if "program" in args:
        args.program = args.program.resolve()
    if args.command == "list":
        list_records(args.program, args.names)
    elif args.command == "again":
        again(args.program, args.names, args.jobs)
    elif args.command == "record":
        only = set(args.agents.split(",")) if args.agents else None
        record(args.name, args.program, Path(args.folder).resolve(), only, args.build)
    else:
        {"write": write, "check": check}[args.command]()


if __name__ == "__main__":
    main()
