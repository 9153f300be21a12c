"""From the files of the runs to the small tables behind the page, and to the numbers on it.

`collect` adds runs to results.csv (a line per run: its score at each point) and transfer.csv (a line per task of a
life: what it earned after a change). The page is made from these two, which are in the repository; the runs themselves
are not. So the benchmark goes on where it was on another machine.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from .judge import POINTS, SHARES
from .rows import read, write
from .runs import lines
from .transfer import STEPS
from .worlds import TRANSFER, WORLDS, World

__all__ = ["Mean", "Table", "collect", "mean", "stored"]

COSTS = ("cpu_us", "wall_us", "mb")  # per step of training; megabytes that training added to the process
HERE = Path(__file__).parent
RESULTS, CHANGES = "results.csv", "transfer.csv"  # in a folder of tables

RowsOf = Callable[[list[dict[str, float]]], list[dict[str, str]]]  # the lines of a table that a run makes


class Mean(NamedTuple):
    value: float
    error: float | None  # standard error; None with one seed
    seeds: int

    def most(self) -> float:
        """What it may be within its error."""
        return self.value + (self.error or 0.0)


def mean(values: list[float]) -> Mean | None:
    if not values:
        return None
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
    return Mean(statistics.fmean(values), error, len(values))


# ---- collecting ----


def _runs(folder: Path) -> list[tuple[str, int, list[dict[str, float]]]]:
    """(agent, seed, lines) of a world's folder."""
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        agent, _, seed = path.stem.rpartition("-")
        found.append((agent, int(seed), lines(path)))
    return found


def _line(found: list[dict[str, float]]) -> dict[str, str]:
    """The scores of a run at the points whose evaluations it has all, and the costs that its last one tells."""
    by_step = {int(line["step"]): line for line in found}
    row: dict[str, str] = {}
    for point in POINTS:
        marks = [round(point * share) for share in SHARES]
        if all(mark in by_step for mark in marks):
            row[str(point)] = f"{statistics.fmean(by_step[mark]['score'] for mark in marks):.5g}"
    last = by_step[max(by_step)]
    if not row:  # naive play and the optimum are judged once
        row[str(POINTS[0])] = f"{last['score']:.5g}"
    elif "cpu" in last:
        row["cpu_us"] = f"{1e6 * last['cpu'] / last['step']:.3g}"
        row["wall_us"] = f"{1e6 * last['wall'] / last['step']:.3g}"
        row["mb"] = f"{last['mb'] - last['base_mb']:.1f}"
    row["program"] = str(last.get("program", ""))
    return row


Run = tuple[str, str, int]  # world, agent, seed


def _by_run(path: Path) -> dict[Run, list[dict[str, str]]]:
    """The lines of a table, by their run."""
    found: dict[Run, list[dict[str, str]]] = defaultdict(list)
    for row in read(path):
        found[row["world"], row["agent"], int(row["seed"])].append(row)
    return found


def _steps(rows: list[dict[str, str]]) -> int:
    """How far a run went, by its lines in either table."""
    points = [point for row in rows for point in POINTS if row.get(str(point))]
    return max([*points, *(STEPS * int(row["task"]) for row in rows if "task" in row)], default=0)


def stored(folder: Path) -> dict[Run, tuple[int, str]]:
    """The steps and the build of every run that the tables of a folder have."""
    runs = {**_by_run(folder / RESULTS), **_by_run(folder / CHANGES)}
    return {run: (_steps(rows), rows[0].get("program") or "") for run, rows in runs.items()}


def _life(found: list[dict[str, float]]) -> list[dict[str, str]]:
    """The tasks of a life."""
    return [
        {
            "task": str(int(line["step"]) // STEPS),
            "first": f"{line['score']:.5g}",
            "rest": f"{line['rest']:.5g}",
            "cpu_us": f"{1e6 * line['cpu'] / STEPS:.3g}",
            "program": str(line.get("program", "")),
        }
        for line in found
    ]


def _merge(path: Path, columns: list[str], worlds: Iterable[str], out: Path, rows_of: RowsOf) -> None:
    """Writes a table anew: a run of `out` takes the place of the stored one, unless the same build went further."""
    known = _by_run(path)
    for world in worlds:
        for agent, seed, found in _runs(out / world):
            run = world, agent, seed
            name = {"world": world, "agent": agent, "seed": str(seed)}
            rows = [{**name, **row} for row in rows_of(found)] if found else []
            same = bool(rows and known[run]) and rows[0]["program"] == (known[run][0].get("program") or "")
            if rows and not (same and _steps(known[run]) > _steps(rows)):
                known[run] = rows
    order = {world: i for i, world in enumerate(worlds)}
    runs = sorted(known, key=lambda run: (order.get(run[0], len(order)), *run))
    write(path, columns, (row for run in runs for row in known[run]))


def collect(out: Path, tables: Path = HERE) -> None:
    """Adds the runs of `out` to the two tables."""
    scores = ["world", "agent", "seed", *map(str, POINTS), *COSTS, "program"]
    _merge(tables / RESULTS, scores, WORLDS, out, lambda found: [_line(found)])
    lives = ["world", "agent", "seed", "task", "first", "rest", "cpu_us", "program"]
    _merge(tables / CHANGES, lives, TRANSFER, out, _life)


# ---- asking ----


class Table:
    """The scores of all runs, by world and agent."""

    def __init__(self, rows: list[dict[str, str]]) -> None:
        self._rows: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
        for row in rows:
            self._rows[row["world"], row["agent"]].append(row)

    def at(self, world: str, agent: str, column: int | str) -> Mean | None:
        """The mean over the seeds, at a point or of a cost; None if no run has it."""
        return mean([float(row[str(column)]) for row in self._rows[world, agent] if row.get(str(column))])

    def last(self, world: str, agent: str, most: int = POINTS[-1]) -> tuple[int, Mean] | None:
        """The greatest point up to `most` that it has, and the mean there."""
        for point in reversed(POINTS):
            if point <= most and (found := self.at(world, agent, point)):
                return point, found
        return None

    def programs(self, agent: str) -> set[str]:
        """The builds of ours that an agent's runs were made by."""
        return {row["program"] for (_, name), rows in self._rows.items() if name == agent for row in rows}

    def single(self, world: str, agent: str) -> float | None:
        """Of those that are judged once."""
        found = self.at(world, agent, POINTS[0])
        return found.value if found else None

    def goal(self, world: World) -> float | None:
        """What counts as solved: nine tenths of the way from naive play to the optimum, or Gymnasium's threshold."""
        best, naive = self.single(world.id, "optimum"), self.naive(world.id)
        return world.goal if best is None or naive is None else naive + 0.9 * (best - naive)

    def naive(self, world: str) -> float | None:
        """The better one of random play and of one action repeated for ever."""
        found = [self.single(world, agent) for agent in ("random", "constant")]
        return None if None in found else max(value for value in found if value is not None)

    def is_best(self, world: str, found: Mean) -> bool:
        """Whether nobody can be ahead by more than the error: it is at the optimum, to the digits of the table."""
        best, naive = self.single(world, "optimum"), self.naive(world)
        return best is not None and naive is not None and found.most() >= best - 1e-3 * (best - naive)

    def steps_to(self, world: World, agent: str) -> tuple[float, int] | None:
        """Steps to the goal, the median over the seeds (infinity: not reached), and how many were tried at most."""
        goal, rows = self.goal(world), self._rows[world.id, agent]
        tried = [point for point in POINTS if any(row.get(str(point)) for row in rows)]
        if goal is None or not tried:
            return None
        reached = []
        for row in rows:
            hits = [point for point in tried if row.get(str(point)) and float(row[str(point)]) >= goal]
            reached.append(float(hits[0]) if hits else math.inf)
        return statistics.median_high(reached), tried[-1]
