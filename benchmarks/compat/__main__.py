"""The command: PYTHONPATH=benchmarks python -m compat [--record FILE] [--page FILE] [WORD...]; see docs/compat.md."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from field.rows import read
from field.rows import write as write_rows

from .worlds import WORLDS, World, version

FIELDS = ["package", "version", "id", "preset", "outcome", "us", "mb", "per_episode", "told"]
HERE = Path(__file__).parent


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """A record in the order of the environments."""
    order = {world.key: i for i, world in enumerate(WORLDS)}
    rows = sorted(rows, key=lambda row: (order.get(f"{row['package']}:{row['id']}", len(order)), row["preset"]))
    write_rows(path, FIELDS, rows)


def run(world: World, preset: str, limit: int) -> dict[str, Any]:
    """What an environment came to, in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", "compat.measure", world.key, preset]
    environment = dict(os.environ, PYTHONPATH=str(HERE.parent), SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        return {"outcome": "slow", "told": f"not done after {limit} s"}
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        told = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        return {"outcome": "crashed", "told": f"exit status {done.returncode}: {told}"[:300]}
    return dict(json.loads(lines[-1]))


def page(rows: list[dict[str, str]]) -> str:
    """The table for the documentation."""
    names = {"runs": "runs", "refused": "refused"}
    out = [
        "| environment | package | outcome | µs per step | MB |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        outcome = names.get(row["outcome"], f"**{row['outcome']}**")
        told = f": {row['told']}" if row["told"] else ""
        told = told.replace("|", "\\|")
        package = f"{row['package']} {row['version']}"
        out.append(f"| `{row['id']}` | {package} | {outcome}{told} | {row['us']} | {row['mb']} |")
    counts = {name: sum(row["outcome"] == name for row in rows) for name in sorted({row["outcome"] for row in rows})}
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    return f"{len(rows)} environments: {told}.\n\n" + "\n".join(out) + "\n"


def put_page(path: Path, rows: list[dict[str, str]]) -> None:
    """Puts the table between the two marks of a page."""
    begin, end = "<!-- compat -->\n", "<!-- /compat -->"
    text = path.read_text(encoding="utf-8")
    head, tail = text[: text.index(begin) + len(begin)], text[text.index(end) :]
    path.write_text(f"{head}\n{page(rows)}\n{tail}", encoding="utf-8")


def main() -> None:
    """Tries what is not in the record yet."""
    parser = argparse.ArgumentParser(prog="compat", description=__doc__)
    parser.add_argument("words", nargs="*", help="only environments with one of these words in package or id")
    parser.add_argument("--record", type=Path, default=HERE / "results.csv")
    parser.add_argument("--preset", default="sfnec-plan")
    parser.add_argument("--limit", type=int, default=300, help="seconds of one environment")
    parser.add_argument("--again", action="store_true", help="also what is in the record")
    parser.add_argument("--page", type=Path, help="puts the table into this page, and runs nothing")
    args = parser.parse_args()
    rows = read(args.record)
    if args.page:
        return put_page(args.page, rows)
    for world in WORLDS:
        own = (world.package, version(world), world.id, args.preset)
        known = [row for row in rows if (row["package"], row["version"], row["id"], row["preset"]) == own]
        if (args.words and not any(word in world.key for word in args.words)) or (known and not args.again):
            continue
        found = run(world, args.preset, args.limit) if own[1] else {"outcome": "unavailable", "told": "not installed"}
        keep = [row for row in rows if (row["package"], row["id"], row["preset"]) != (own[0], own[2], own[3])]
        row = dict.fromkeys(FIELDS, "") | dict(zip(FIELDS, own, strict=False))
        row |= {name: str(value) for name, value in found.items()}
        rows = [*keep, row]
        write(args.record, rows)
        print(f"{world.key:50} {row['outcome']:12} {row['us']:>10} {row['mb']:>8}  {row['told'][:100]}", flush=True)


if __name__ == "__main__":
    main()
