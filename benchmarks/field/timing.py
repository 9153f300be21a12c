"""CPU time per step side by side: for a machine that does nothing else.

Agents take turns in the same worlds, each run in a process of its own; what the turns took is kept in timing.csv, and
the page shows their medians.
"""

from __future__ import annotations

import csv
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from .rows import read
from .runs import lines, path_of

__all__ = ["TIMED", "TIMES", "Pair", "measure", "pairs"]

OURS = "sfnec-plan"
TIMED = [  # world, peer, steps
    ("CartPole-v1", "dqn", 10_000),
    ("MountainCar-v0", "dqn", 10_000),
    ("Acrobot-v1", "dqn", 10_000),
    ("Taxi-v4", "dqn", 10_000),
    ("four-room-v0", "gpi-ls", 2_000),
    ("minecart-v0", "gpi-ls", 2_000),
]
TIMES = "timing.csv"  # in a folder of tables
COLUMNS = ["world", "agent", "steps", "turn", "cpu_us"]


def _cpu(world: str, agent: str, seed: int, steps: int) -> float:
    """Microseconds of CPU time per step of training."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["run", world, agent, str(seed), "--steps", str(steps), "--times", "--out", folder]
        subprocess.run([sys.executable, "-m", "field", *words], check=True, stdout=subprocess.DEVNULL)
        last = lines(path_of(Path(folder), world, agent, seed))[-1]
    return 1e6 * last["cpu"] / last["step"]


def measure(turns: int, tables: Path) -> None:
    """Writes the table anew, turn by turn."""
    with (tables / TIMES).open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for turn in range(1, turns + 1):
            for world, peer, steps in TIMED:
                for agent in (OURS, peer):
                    writer.writerow([world, agent, steps, turn, f"{_cpu(world, agent, turn, steps):.3g}"])
                    file.flush()


class Pair(NamedTuple):
    """Ours and a peer in a world, microseconds a step."""

    world: str
    peer: str
    steps: int
    ours: float
    theirs: float


def pairs(tables: Path) -> list[Pair]:
    """What was measured, the median of the turns."""
    rows = read(tables / TIMES)

    def median(world: str, agent: str) -> float | None:
        found = [float(row["cpu_us"]) for row in rows if (row["world"], row["agent"]) == (world, agent)]
        return statistics.median(found) if found else None

    found = []
    for world, peer, steps in TIMED:
        ours, theirs = median(world, OURS), median(world, peer)
        if ours and theirs:
            found.append(Pair(world, peer, steps, ours, theirs))
    return found
