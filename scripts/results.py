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
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tables import RECORDS, ROOT, TABLES, Row, read

Setting = tuple[tuple[str, str], ...]  # columns and their values

RUNS = ROOT / "runs/results"  # where `again` runs its studies
# what an export holds beside the configuration
MEASURES = (
    *("task", "return", "average", "steps", "episodes", "goals", "entries", "w_error", "optimum", "places"),
    *("episode", "terminated"),
)
# what a record holds beside the configuration; `optimum` is the average over the tasks so far, `w_error`, too
FIXED = (
    *("build", "command", "digest", "seed", "task", "average", "optimum", "entries", "places", "w_error"),
    *("episodes", "solved"),
)
WINDOW = 100  # episodes in a row whose mean return must reach the criterion of a solved environment
# of the run behind a digest: long enough for the planner's first refits
DIGEST_RUN = ("--quick", "--steps", "3000", "--seeds", "1", "--jobs", "1", "--quiet")
# what goes into a digest, by table of the export
DIGESTED = {
    "tasks": ("return", "steps", "episodes", "goals", "entries", "w_error", "places"),
    "bins": ("reward", "episodes", "goals", "exploration", "loss", "entries", "places"),
}
DIGITS = 12  # of a digest


class Study(NamedTuple):
    """How a record is made."""

    command: str
    tasks: str = ""  #: numbers of tasks after which it is recorded; the last if empty
    agents: str = ""  #: labels; all if empty
    w_error: bool = False  #: the distance of a learned w, too
    solved: float = 0.0  #: of a study of one task by episodes: the mean return of a solved environment


STUDIES = {
    "main": Study("sfnec run experiments/main.yaml --seeds 1-10 --tasks 10", tasks="1,10"),
    "authors": Study("sfnec run experiments/authors.yaml", tasks="1,10"),
    "main-50": Study("sfnec run experiments/main-50.yaml --seeds 1", tasks="1,10,25,40,50"),
    "one-room": Study("sfnec run experiments/one-room.yaml"),
    "episode-limit": Study("sfnec run experiments/episode-limit.yaml", tasks="1,10"),
    "capacity": Study("sfnec run experiments/capacity.yaml"),
    "capacity-total": Study("sfnec run experiments/capacity-total.yaml --seeds 411-414"),
    "neighbours": Study("sfnec run experiments/neighbours.yaml"),
    "cartpole-horizon": Study("sfnec run experiments/cartpole-horizon.yaml", solved=195.0),
    "cartpole-pole": Study("sfnec run experiments/cartpole-pole.yaml", solved=195.0),
    "cartpole-update": Study("sfnec run experiments/cartpole-update.yaml", solved=195.0),
    "sensitivity": Study("sfnec run experiments/sensitivity.yaml --tasks 5"),
    "learned-w-published": Study("sfnec run experiments/learned-w.yaml"),
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
    "learned-features": Study("sfnec run experiments/learned-features.yaml", tasks="8,18"),
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


def setting_of(row: Row) -> Setting:
    """The configuration and the seed of an exported row."""
    return tuple((key, value) for key, value in row.items() if key not in MEASURES)


def so_far(found: list[Row], row: Row) -> list[Row]:
    """The tasks of a row's run up to its own."""
    return [each for each in found if setting_of(each) == setting_of(row) and int(each["task"]) <= int(row["task"])]


def solved_after(episodes: list[Row], criterion: float) -> dict[Setting, int]:
    """By configuration and seed, the episode that ends the first window whose mean reaches the criterion, or 0."""
    returns: dict[Setting, list[float]] = {}
    for row in episodes:
        returns.setdefault(setting_of(row), []).append(float(row["return"]))
    found = {}
    for setting, each in returns.items():
        ends = range(WINDOW, len(each) + 1)
        found[setting] = next((end for end in ends if sum(each[end - WINDOW : end]) >= WINDOW * criterion), 0)
    return found


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
    solved = solved_after(export(program, folder, "--table", "episodes"), study.solved) if study.solved else {}
    rows = [] if only is None else [row for row in read(name) if row["agent"] not in labels]
    for row in found:
        if row["task"] in tasks and row["agent"] in labels:
            setting = {key: value for key, value in row.items() if key not in (*MEASURES, "preset", "seed")}
            head = {"build": build, "command": study.command, "digest": digest[row["agent"]]}
            key = {"seed": row["seed"], "task": row["task"]}
            rows.append({**head, **setting, **key, **measures(found, row, study.w_error)})
            if study.solved:
                rows[-1] |= {"episodes": row["episodes"], "solved": str(solved[setting_of(row)])}
    settings = dict.fromkeys(key for row in rows for key in row if key not in FIXED)
    columns = [*FIXED[:3], *settings, *(key for key in FIXED[3:] if any(row.get(key) for row in rows))]
    path = RECORDS / f"{name}.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{path.relative_to(ROOT)}: {len(rows)} rows")


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


# ---- pages ----

BLOCK = re.compile(r"(<!-- table ([\w-]+) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)
# what the table of a study without a record says of itself
UNRECORDED = re.compile(r"^\*No record: reported with commit [0-9a-f]{7}, \d+ \w+ \d{4}\.\*$", re.MULTILINE)


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def made(page: Path, used: set[str]) -> str:
    """A page with its tables made again; those without a record stay, and must name their commit and date."""

    def again(match: re.Match[str]) -> str:
        name = match[2]
        if name not in TABLES:
            sys.exit(f"{page}: there is no table '{name}'")
        used.add(name)
        records, make = TABLES[name]
        if all(map(read, records)):
            return f"{match[1]}\n{make()}\n\n{match[4]}"
        if not UNRECORDED.search(match[3]):
            sys.exit(f"{page}: table '{name}' has no record, and no line that matches {UNRECORDED.pattern}")
        return match[0]

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
