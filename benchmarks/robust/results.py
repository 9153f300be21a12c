"""The results: a line per run in a file, and the table made of them."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from field.runs import lines

from .cases import CASES, Case

__all__ = ["FILE", "Line", "has", "mean", "print_table", "read"]

FILE = "results.jsonl"
Line = dict[str, Any]


def read(out: Path) -> list[Line]:
    return lines(out / FILE)


def has(known: Iterable[Line], case: Case, seed: int, build: Line, limit: int) -> bool:
    """Whether the run is there; one that was stopped by a smaller limit is not."""
    wanted = {"world": case.world, "variant": case.variant, "case": case.digest, "seed": seed, **build}
    return any(
        all(line.get(key) == value for key, value in wanted.items())
        and (line["score"] is not None or line["limit"] >= limit)
        for line in known
    )


# ---- the table ----


def mean(values: list[float]) -> tuple[float, float]:
    """Mean and standard error, which is 0 for one value."""
    n = len(values)
    middle = sum(values) / n
    error = math.sqrt(sum((value - middle) ** 2 for value in values) / max(n - 1, 1) / n)
    return middle, error


def _score(line: Line, tasks: int | None = None) -> float:
    """The score; of the first tasks only, to compare with a run of fewer."""
    if tasks is None or "tasks" not in line:
        return float(line["score"])
    some = line["tasks"][:tasks]
    return 100 * sum(got for got, _ in some) / sum(most for _, most in some)


def _ratio(floor: float, own: list[Line], base: list[Line]) -> str:
    """The ratio to the base variant: of the means over the seeds that both have."""
    by_seed = {line["seed"]: line for line in base if line["score"] is not None}
    both = [(line, by_seed[line["seed"]]) for line in own if line["score"] is not None and line["seed"] in by_seed]
    if not both:
        return ""
    got = mean([_score(a) - floor for a, _ in both])[0]
    most = mean([_score(b, len(a["tasks"]) if "tasks" in a else None) - floor for a, b in both])[0]
    return f"{got / most:.2f}" if most > 0 else ""


def _shown(own: list[Line]) -> str:
    done = [line for line in own if line["score"] is not None]
    failed = len(own) - len(done)
    if not done:
        return f"- ({failed} failed)"
    if "worst_ms" in done[0]:
        worst = max(line["worst_ms"] for line in done)
        middle, high = (mean([line[key] for line in done])[0] for key in ("p50_ms", "p99.9_ms"))
        return f"p50 {middle:.3f} p99.9 {high:.2f} worst {worst:.1f} ms ({len(done)})"
    score, error = mean([_score(line) for line in done])
    digits = 3 if abs(score) < 10 else 1
    text = f"{score:.{digits}f}" + (f" ± {error:.{digits}f}" if len(done) > 1 else "") + f" ({len(done)})"
    if "tasks" in done[0]:
        text += f"; task 1 {mean([_score(line, 1) for line in done])[0]:.1f}"
    return text + (f", {failed} failed" if failed else "")


def _column(line: Line) -> tuple[str, ...]:
    changes = " ".join(f"{key}={value}" for key, value in line["set"].items())
    return (line["agent"], line["program"], changes)


def print_table(folders: list[Path], seeds: bool = False) -> None:
    """A section per build (folder, agent, options): a row per case."""
    for folder in folders:
        columns: dict[tuple[str, ...], list[Line]] = defaultdict(list)
        for line in read(folder):
            columns[_column(line)].append(line)
        for column, found in columns.items():
            print(f"\n{folder}: {' '.join(column).strip()}\n")
            print("| world | variant | steps | score: mean ± standard error (seeds) | ratio | must | µs a step |")
            print("| --- | --- | --- | --- | --- | --- | --- |")
            _rows(found, seeds)


def _rows(found: list[Line], seeds: bool) -> None:
    groups: dict[tuple[str, str, str], list[Line]] = defaultdict(list)
    latest = {(line["world"], line["variant"], line["case"], line["seed"]): line for line in found}
    for line in latest.values():
        groups[line["world"], line["variant"], line["case"]].append(line)
    order = {pair: i for i, pair in enumerate(CASES)}
    for (world, variant, _), own in sorted(groups.items(), key=lambda item: order.get(item[0][:2], len(order))):
        first, case = own[0], CASES.get((world, variant), Case(world, variant, base=""))
        same = [line for line in latest.values() if line["world"] == world and line["variant"] == case.base]
        base = [line for line in same if line["task_steps"] == first["task_steps"]]
        ratio = "" if variant == case.base else _ratio(case.floor, own, base)
        times = [1e6 * line["cpu"] / line["steps"] for line in own if line.get("steps")]
        speed = f"{mean(times)[0]:.0f}" if times else ""
        steps = f"{first['task_count']} x {first['task_steps']:,}" if "tasks" in first else f"{first['task_steps']:,}"
        print(f"| {world} | {variant} | {steps} | {_shown(own)} | {ratio} | {case.must} | {speed} |")
        if seeds:
            print("".join(f"    {json.dumps(line)}\n" for line in own), end="")
