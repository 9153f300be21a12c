"""One run: an agent in a world with a seed, judged on its way; what it found goes to a file, line by line.

A run's file holds a line per evaluation. A run that was cut keeps its lines; started again it begins from its
beginning, as the peers' libraries cannot go on in the middle, and adds only what is missing.
"""

from __future__ import annotations

import json
import os
import random
import resource
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from .judge import Act, Tell, evaluations, score
from .worlds import World, make

__all__ = ["Counted", "Over", "Recorder", "lines", "path_of", "put_aside", "seed_all", "write"]


class Over(Exception):
    """The run has all its steps."""


def path_of(out: Path, world: str, agent: str, seed: int) -> Path:
    return out / world / f"{agent}-{seed}.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    """What a run has found so far; a last line that was cut by a kill is left out."""
    if not path.exists():
        return []
    whole = [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return [json.loads(line) for line in whole]


def put_aside(path: Path, program: str) -> None:
    """A file that another build of ours began is not gone on with: one file, one program."""
    if any(line.get("program", program) != program for line in lines(path)):
        path.replace(path.with_suffix(".old"))


class Recorder:
    """Judges an agent when its steps have come to an evaluation, and keeps the time of training apart.

    One that does not judge writes down the times alone.
    """

    def __init__(self, world: World, path: Path, steps: int, judges: bool = True) -> None:
        self.world, self.path, self.steps = world, path, steps
        self._judges = judges
        self.act: Act | None = None  # set by the agent, once it can be asked
        self.tell: Tell | None = None
        self.program: str | None = None  # which build of ours it is
        self.marks = evaluations(steps)
        self._known = {line["step"] for line in lines(path)}
        self._env = make(world)
        self._cpu = self._wall = self._base = 0.0

    def next(self, step: int) -> int:
        """The next step after this one at which it judges."""
        return next((mark for mark in self.marks if mark > step), self.steps)

    def at(self, step: int) -> None:
        """To be called after so many steps of training; at 0 the clock starts, so that imports do not count."""
        if step == 0:
            self._cpu, self._wall, self._base = time.process_time(), time.perf_counter(), _megabytes()
        if step in self.marks and step not in self._known:
            cpu, wall = time.process_time(), time.perf_counter()
            spent = {"cpu": round(cpu - self._cpu, 4), "wall": round(wall - self._wall, 4)}
            told = {"program": self.program} if self.program else {}
            memory = {"mb": round(_megabytes(), 1), "base_mb": round(self._base, 1)}
            assert self.act is not None
            found = score(self.act, self._env, self.world, self.tell) if self._judges else None
            write(self.path, {"step": step, "score": found, **spent, **memory, **told})
            self._cpu += time.process_time() - cpu
            self._wall += time.perf_counter() - wall
        if step >= self.steps:
            raise Over


def write(path: Path, line: dict[str, Any]) -> None:
    """Adds a line; one that was cut by a kill before is taken away."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_bytes() if path.exists() else b""
    if not before.endswith(b"\n"):
        path.write_bytes(before[: before.rfind(b"\n") + 1])
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Counted(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A world to train in that tells the recorder of each step; so every library is judged at the same steps."""

    def __init__(self, env: Any, recorder: Recorder) -> None:
        super().__init__(env)
        self._recorder, self._steps = recorder, 0

    def step(self, action: Any) -> Any:
        self._recorder.at(self._steps)  # the agent has learned from the step before
        found = super().step(action)
        self._steps += 1
        return found


def seed_all(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
