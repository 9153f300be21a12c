"""What is to be run, the cheap and the telling first; and the queue that runs what is missing.

A job is an agent in a world with a seed, up to a number of steps. It is done when its file has the evaluation at its
last step, or when the stored tables have it, from whichever machine. Each job is a process of its own, so that its
memory is its own and a failure ends nothing else.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .judge import POINTS
from .runs import lines, path_of
from .table import stored
from .worlds import TRANSFER, WORLDS

__all__ = ["Job", "Known", "is_ours", "jobs", "may_plan", "missing", "work"]

LIFE = 20_000  # steps of a life in transfer.py: 10 tasks of 2,000
OURS = ("sfnec-plan", "sfnec-plus", "sfnec", "nec")
OUR_SEEDS = (11, 12, 13, 14, 15)
PEER_SEEDS = (11, 12, 13)
SINGLE = [world.id for world in WORLDS.values() if not world.several]
SEVERAL = [world.id for world in WORLDS.values() if world.several]
FEW = [world.id for world in WORLDS.values() if world.bound]  # states
CLASSIC = ["CartPole-v1", "MountainCar-v0", "FrozenLake-v1", "CliffWalking-v1", "Taxi-v4", "Acrobot-v1"]
FIRST_SEVERAL = ["four-room-v0", "deep-sea-treasure-v0", "minecart-v0", "resource-gathering-v0"]
DEAR = "MiniGrid-FourRooms-v0"  # 727 numbers an observation
LAST = "fruit-tree-v0"  # six rewards: GPI-LS takes long to choose its weights
UNKNOWN = ["Acrobot-v1", "MountainCar-v0", "LunarLander-v3", "mo-reacher-v5"]  # nobody knows the greatest score


def may_plan(world: str) -> bool:
    """Whether GPI-PD can be run: morl-baselines 1.3.0 has to know when imagined episodes end."""
    return "minecart" in world or "mo-reacher" in world


def is_ours(agent: str) -> bool:
    return agent.removesuffix("-anew") in OURS


class Job(NamedTuple):
    world: str
    agent: str
    seed: int
    steps: int


def _ours() -> Iterator[Job]:
    """Seed by seed: the worlds, and the lives with changing rewards; the dear world at last."""
    cheap = [*FEW, *(world for world in SINGLE + SEVERAL if world not in (*FEW, DEAR))]
    several = ("sfnec-plan", "sfnec-plus", "sfnec")  # nec predicts one reward, and has no answer to another w
    for seed in OUR_SEEDS:
        for agent in (*several, "sfnec-plan-anew"):
            yield from (Job(world, agent, seed, LIFE) for world in TRANSFER)
        for agent in OURS:
            yield from (Job(world, agent, seed, 50_000) for world in cheap if agent in several or world in SINGLE)
    for agent in OURS:
        yield from (Job(DEAR, agent, seed, 50_000) for seed in OUR_SEEDS)


def _peers() -> Iterator[Job]:
    first, rest = PEER_SEEDS[:1], PEER_SEEDS[1:]
    changing = list(TRANSFER)
    supported = [world for world in SEVERAL if world != LAST]
    cheap = [
        world for world in SINGLE if world not in (DEAR, "LunarLander-v3")
    ]  # of QR-DQN: 50 ms a step in the latter
    planned = [world for world in SEVERAL if may_plan(world)]
    planned_changing = [world for world in TRANSFER if may_plan(world)]
    stages: list[tuple[str, list[str], tuple[int, ...], int]] = [
        ("optimum", [world for world in SINGLE + SEVERAL if world not in UNKNOWN], (0,), POINTS[0]),
        ("random", SINGLE + SEVERAL, PEER_SEEDS, POINTS[0]),
        ("constant", SINGLE + SEVERAL, (0,), POINTS[0]),
        ("tabular-q", FEW, PEER_SEEDS, 100_000),
        ("random", changing, PEER_SEEDS, LIFE),
        ("dqn-anew", changing, first, LIFE),
        ("dqn", CLASSIC, first, 50_000),
        ("gpi-ls", FIRST_SEVERAL, first, 10_000),
        ("gpi-ls", changing, first, LIFE),
        ("dqn-anew", changing, rest, LIFE),
        ("dqn", SINGLE, PEER_SEEDS, 50_000),
        ("gpi-pd", planned, first, 5_000),
        ("envelope", SEVERAL, first, 10_000),
        ("qr-dqn", cheap, first, 50_000),
        # three seeds of each as far as an hour allows, then as far as a day does, before any of them goes further
        ("qr-dqn", SINGLE, PEER_SEEDS, 5_000),
        ("envelope", SEVERAL, PEER_SEEDS, 5_000),
        ("gpi-pd", planned, PEER_SEEDS, 5_000),
        ("gpi-ls", SEVERAL, PEER_SEEDS, 10_000),
        ("qr-dqn", cheap, PEER_SEEDS, 50_000),
        ("envelope", SEVERAL, PEER_SEEDS, 10_000),
        ("gpi-ls", changing, rest, LIFE),
        ("dqn", SINGLE, PEER_SEEDS, 100_000),
        ("qr-dqn", SINGLE, PEER_SEEDS, 50_000),
        ("gpi-pd", planned_changing, PEER_SEEDS, LIFE),
        ("gpi-ls", FIRST_SEVERAL, PEER_SEEDS, 20_000),
        ("gpi-ls", supported, PEER_SEEDS, 50_000),
        ("gpi-pd", planned, PEER_SEEDS, 20_000),
        ("envelope", SEVERAL, PEER_SEEDS, 20_000),
        ("qr-dqn", SINGLE, PEER_SEEDS, 100_000),
        ("gpi-pd", planned, PEER_SEEDS, 50_000),
        ("envelope", SEVERAL, PEER_SEEDS, 50_000),
        ("gpi-ls", supported, PEER_SEEDS, 100_000),
    ]
    for agent, worlds, seeds, steps in stages:
        for seed in seeds:
            for world in worlds:
                yield Job(world, agent, seed, steps)


def jobs(whose: str) -> list[Job]:
    """Those of `ours`, of `peers`, or of `all`; `quick`: a few small ones of each."""
    if whose == "quick":
        tiny = [("CartPole-v1", "dqn"), ("FrozenLake-v1", "tabular-q"), ("deep-sea-treasure-v0", "gpi-ls")]
        names = [("optimum", 0), ("constant", 0), ("random", 11), ("sfnec-plan", 11), ("sfnec", 11)]
        simple = [Job(world, name, seed, 1_000) for world, _ in tiny for name, seed in names]
        lives = [Job("transfer/four-room-v0", name, 11, LIFE) for name in ("sfnec-plan", "sfnec", "random")]
        return [*simple, *lives, *(Job(world, agent, 11, 1_000) for world, agent in tiny)]
    return [*(_ours() if whose != "peers" else ()), *(_peers() if whose != "ours" else ())]


class Known:
    """What there is already: the files of the runs, and the tables, which hold what was run on other machines.

    With `program` runs of ours by another build do not count, so that they are made again.
    """

    def __init__(self, out: Path, tables: Path | None, program: str | None = None) -> None:
        self._out, self._program = out, program
        self._stored = stored(tables) if tables else {}

    def has(self, job: Job) -> bool:
        found = lines(path_of(self._out, job.world, job.agent, job.seed))
        told = [(int(line["step"]), str(line.get("program", ""))) for line in found]
        told.append(self._stored.get((job.world, job.agent, job.seed), (0, "")))
        return any(steps >= job.steps and self._counts(job, program) for steps, program in told)

    def _counts(self, job: Job, program: str) -> bool:
        return self._program in (None, program) or not is_ours(job.agent)


def missing(whose: str, known: Known) -> list[Job]:
    return [job for job in dict.fromkeys(jobs(whose)) if not known.has(job)]


def _claim(path: Path) -> bool:
    """Whether the run is ours to make: no living process has its lock."""
    lock = path.with_suffix(".lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    if lock.exists():
        try:
            os.kill(int(lock.read_text() or 0), 0)
            return False
        except (OSError, ValueError):
            lock.unlink(missing_ok=True)
    try:
        with lock.open("x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return False
    return True


def _next(whose: str, out: Path, known: Known, failed: set[Job]) -> Job | None:
    """The first job that is missing, and not another process's; it is claimed."""
    for job in jobs(whose):
        if job not in failed and not known.has(job) and _claim(path_of(out, job.world, job.agent, job.seed)):
            return job
    return None


def work(whose: str, out: Path, tables: Path, program: str | None = None) -> int:
    """Runs what is missing, job by job; several such processes share the work. How many failed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # its job ends with it
    failed: set[Job] = set()
    known = Known(out, tables, program)
    while job := _next(whose, out, known, failed):
        path = path_of(out, job.world, job.agent, job.seed)
        words = [sys.executable, "-m", "field", "run", job.world, job.agent, str(job.seed), "--steps", str(job.steps)]
        print(*job, flush=True)
        try:
            with path.with_suffix(".log").open("w") as log:
                subprocess.run([*words, "--out", str(out)], stdout=log, stderr=log)
        finally:
            path.with_suffix(".lock").unlink(missing_ok=True)
        if not known.has(job):
            failed.add(job)
            print(f"{job.world} {job.agent} {job.seed}: failed, see {path.with_suffix('.log')}", flush=True)
    return len(failed)
