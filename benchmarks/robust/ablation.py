"""The ablation: what each mechanism of the planner earns. One at a time is switched off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from field.rows import write

from .cases import Case
from .results import Line, mean, read

__all__ = ["FIELDS", "Found", "compare", "mechanisms", "print_found", "write_csv"]

Found = dict[str, str | int | float]
FIELDS = ("world", "steps", "off", "seeds", "score", "difference", "error", "same")
# mechanisms that an option of their own switches off; the others are choices of the option `without`
_OPTIONS = {
    "relevance": "off",
    "contexts": "off",
    "bonus": "0",
    "pessimism": "0",
    "interpolation": "1",
    "sample_reach": "0",
}


def mechanisms(choices: Iterable[str]) -> dict[str, dict[str, str]]:
    """What switches each mechanism off; `choices` are those of the option `without`."""
    own = {f"{name}={value}": {name: value} for name, value in _OPTIONS.items()}
    return own | {name: {"without": name} for name in choices if name != "none"}


def _scores(lines: Iterable[Line], case: Case, program: str, off: dict[str, str]) -> dict[int, float]:
    """The score of each seed."""
    wanted = {"world": case.world, "case": case.digest, "program": program, "set": off}
    found = [line for line in lines if all(line.get(key) == value for key, value in wanted.items())]
    return {line["seed"]: float(line["score"]) for line in found if line["score"] is not None}


def compare(
    out: Path, cases: Sequence[Case], seeds: Sequence[int], program: str, switches: dict[str, dict[str, str]]
) -> list[Found]:
    """The mean of each case, and how much it changes without each mechanism, over the seeds that both have."""
    lines, found = read(out), []
    for case in cases:
        whole = _scores(lines, case, program, {})
        for name, off in switches.items():
            less = _scores(lines, case, program, off)
            both = [seed for seed in seeds if seed in whole and seed in less]
            if not both:
                continue
            difference, error = mean([less[seed] - whole[seed] for seed in both])
            row: Found = {"world": case.world, "steps": case.steps, "off": name, "seeds": len(both)}
            row["score"] = round(mean([whole[seed] for seed in both])[0], 4)
            row |= {"difference": round(difference, 4), "error": round(error, 4)}
            row["same"] = sum(less[seed] == whole[seed] for seed in both)
            found.append(row)
    return found


def write_csv(path: Path, found: Iterable[Found]) -> None:
    write(path, FIELDS, found)


def _cell(row: Found | None) -> str:
    if row is None:
        return ""
    if row["same"] == row["seeds"]:
        return "="
    digits = 3 if abs(float(row["score"])) < 10 else 1
    return f"{float(row['difference']):+.{digits}f} ± {float(row['error']):.{digits}f}"


def print_found(found: Sequence[Found]) -> None:
    """A row per mechanism, a column per world: without it less with it. "=": the same to the bit."""
    worlds = list(dict.fromkeys(str(row["world"]) for row in found))
    cells = {(row["world"], row["off"]): row for row in found}
    scores = [f"{next(row for row in found if row['world'] == world)['score']:g}" for world in worlds]
    print(f"| off | {' | '.join(worlds)} |")
    print(f"| --- |{' --- |' * len(worlds)}")
    print(f"| (score of all) | {' | '.join(scores)} |")
    for name in dict.fromkeys(str(row["off"]) for row in found):
        print(f"| {name} | {' | '.join(_cell(cells.get((world, name))) for world in worlds)} |")
