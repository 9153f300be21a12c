"""results.py: the tables of docs/results.md that come from recorded runs.

    python3 scripts/results.py record DIR NAME --build COMMIT --command TEXT [--tasks 1,10] [--append] [--sfnec FILE]
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
FIXED = ("build", "command", "seed", "task", "average")

Row = dict[str, str]
Seeds = dict[str, float]  # average return by seed


# ---- records ----


def record(args: argparse.Namespace) -> None:
    """Adds the runs of an experiment's folder to a record, or makes it."""
    export = [args.sfnec, "export", args.folder, "--csv", "-"]
    told = subprocess.run(export, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = list(csv.DictReader(io.StringIO(told)))
    wanted = args.tasks.split(",") if args.tasks else [max((row["task"] for row in found), key=int)]
    rows = []
    for row in found:
        if row["task"] in wanted:
            setting = {key: value for key, value in row.items() if key not in (*MEASURES, "preset", "seed")}
            run = {"seed": row["seed"], "task": row["task"], "average": f"{float(row['average']):.6g}"}
            rows.append({"build": args.build, "command": args.command, **setting, **run})
    path = RECORDS / f"{args.name}.csv"
    if args.append and path.exists():
        rows = [*read(args.name), *rows]
    settings = dict.fromkeys(key for row in rows for key in row if key not in FIXED)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*FIXED[:2], *settings, *FIXED[2:]], restval="", lineterminator="\n")
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


TABLES: dict[str, Callable[[], str]] = {
    "sensitivity": sensitivity,
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
    one.add_argument("--append", action="store_true")
    one.add_argument("--sfnec", default="build/sfnec")
    one.set_defaults(run=record)
    commands.add_parser("write").set_defaults(run=write)
    commands.add_parser("check").set_defaults(run=check)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
