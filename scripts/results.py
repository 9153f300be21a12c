"""results.py: the tables of docs/results.md that come from recorded runs.

    python3 scripts/results.py record DIR NAME --build COMMIT --command TEXT [--tasks 1,10]
    python3 scripts/results.py write    # puts every table into the page
    python3 scripts/results.py check    # fails where the page differs from its records

A record is docs/results/NAME.csv: a row per configuration, seed and number of tasks, with the average return per task
after so many tasks, the commit of the program and the command. On the page a table stands between `<!-- table NAME -->`
and `<!-- end of table -->`. Errors are standard errors over the seeds; differences are paired by seed.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGE, RECORDS = ROOT / "docs/results.md", ROOT / "docs/results"
# what an export holds beside the configuration; `average` and these columns are recorded
MEASURES = ("task", "return", "average", "steps", "episodes", "goals", "entries", "w_error", "optimum", "places")
FIXED = ("build", "command", "seed", "task", "average", "w_error")

Row = dict[str, str]
Seeds = dict[str, float]  # average return by seed


# ---- records ----


def run_of(row: Row) -> list[str]:
    return [value for key, value in row.items() if key not in MEASURES]


def record(args: argparse.Namespace) -> None:
    """Adds the runs of an experiment's folder to a record, or makes it."""
    export = [args.sfnec, "export", args.folder, "--csv", "-"]
    told = subprocess.run(export, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = list(csv.DictReader(io.StringIO(told)))
    if args.agents:
        found = [row for row in found if row["agent"] in args.agents.split(",")]
    if args.seeds:
        found = [row for row in found if row["seed"] in args.seeds.split(",")]
    wanted = args.tasks.split(",") if args.tasks else [max((row["task"] for row in found), key=int)]
    rows = []
    for row in found:
        if row["task"] in wanted:
            setting = {key: value for key, value in row.items() if key not in (*MEASURES, "preset", "seed")}
            run = {"seed": row["seed"], "task": row["task"], "average": f"{float(row['average']):.6g}"}
            if args.w_error:
                # at the end of each of the tasks so far
                tasks = [
                    each for each in found if run_of(each) == run_of(row) and int(each["task"]) <= int(row["task"])
                ]
                run["w_error"] = f"{statistics.fmean(float(each['w_error']) for each in tasks):.3g}"
            rows.append({"build": args.build, "command": args.command, **setting, **run})
    path = RECORDS / f"{args.name}.csv"
    if args.append and path.exists():
        rows = [*read(args.name), *rows]
    settings = dict.fromkeys(key for row in rows for key in row if key not in FIXED)
    with path.open("w", newline="") as file:
        measures = [key for key in FIXED[2:] if any(key in row for row in rows)]
        writer = csv.DictWriter(file, [*FIXED[:2], *settings, *measures], restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{path.relative_to(ROOT)}: {len(rows)} rows")


def read(name: str) -> list[Row]:
    with (RECORDS / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def select(rows: Iterable[Row], **setting: str) -> Seeds:
    """The average returns of a configuration by seed."""
    wanted = [row for row in rows if all(row[key] == value for key, value in setting.items())]
    return {row["seed"]: float(row["average"]) for row in wanted}


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


TABLES: dict[str, Callable[[], str]] = {
    "sensitivity": sensitivity,
    "learned-w": learned_w,
    "learned-w-sweep": learned_w_sweep,
    "grid-effects": grid_effects,
    "grid-points": grid_points,
    "grid-neighbours": grid_neighbours,
}

# ---- the page ----


def made(text: str) -> str:
    """The page with its tables made again."""
    for name, make in TABLES.items():
        parts = re.split(rf"(?<=<!-- table {name} -->\n).*?(?=<!-- end of table -->)", text, flags=re.DOTALL)
        if len(parts) != 2:
            sys.exit(f"{PAGE}: the table {name} must stand there once, between its two comments")
        text = f"{parts[0]}\n{make()}\n\n{parts[1]}"
    return text


def write(args: argparse.Namespace) -> None:
    PAGE.write_text(made(PAGE.read_text()))


def check(args: argparse.Namespace) -> None:
    old = PAGE.read_text().splitlines()
    new = made(PAGE.read_text()).splitlines()
    if old != new:
        line = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        sys.exit(f"{PAGE}:{line + 1}: differs from its record in docs/results: python3 scripts/results.py write")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("record")
    one.add_argument("folder")
    one.add_argument("name")
    one.add_argument("--build", required=True)
    one.add_argument("--command", required=True)
    one.add_argument("--tasks", help="numbers of tasks, separated by commas; the last that is there if left out")
    one.add_argument("--append", action="store_true", help="keep the rows that are there")
    one.add_argument("--agents", help="labels, separated by commas; all if left out")
    one.add_argument("--seeds", help="seeds, separated by commas; all if left out")
    one.add_argument("--w-error", action="store_true", help="the distance of a learned w, too: the mean over the tasks")
    one.add_argument("--sfnec", default="build/sfnec")
    one.set_defaults(run=record)
    commands.add_parser("write").set_defaults(run=write)
    commands.add_parser("check").set_defaults(run=check)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
