"""The agents of this library: a preset each, one configuration for all worlds."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

import sfnec
from sfnec import _sfnec

from .runs import Recorder
from .worlds import make

__all__ = ["OURS", "options_of", "program", "train"]

TURN = 500  # steps of a task in worlds with several rewards
OURS: dict[str, dict[str, Any]] = {
    "sfnec-plan": {"terminal": "zero"},  # these worlds are judged by the episode
    "sfnec-plus": {},
    "sfnec": {},
    "nec": {},
}


def program() -> str:
    """A digest of the library, so that results of different programs can be told apart."""
    return hashlib.sha256(Path(_sfnec.__file__).read_bytes()).hexdigest()[:8]


def options_of(name: str, gamma: float) -> dict[str, Any]:
    return {**OURS[name], "gamma": gamma}


class Tasks:
    """Which weights are trained in which turn: corners and middle; then the one that plans gets new ones for ever."""

    def __init__(self, agent: sfnec.Agent, seed: int) -> None:
        size = agent.feature_count
        self._agent, self._rng = agent, np.random.default_rng(seed)
        self._fixed = [*np.eye(size), np.full(size, 1 / size)]
        self._drawn = agent.model is not None  # the others keep a policy per task, and their cost grows with each

    def begin(self, turn: int) -> None:
        if turn < len(self._fixed):
            self._agent.begin_task(self._fixed[turn])
        elif self._drawn:
            self._agent.begin_task(self._rng.dirichlet(np.ones(len(self._fixed) - 1)))
        else:
            self._agent.set_task(turn % len(self._fixed))


def train(name: str, recorder: Recorder, seed: int) -> None:
    world = recorder.world
    # without action masks, as the others play
    agent = sfnec.Agent(name, make(world), seed=seed, masks=False, **options_of(name, world.gamma))
    recorder.program = program()
    recorder.tell = agent.tell  # as Agent.evaluate does; it learns nothing from it
    recorder.act = lambda observation, w: agent.predict(observation, w=w)[0]
    tasks = Tasks(agent, seed) if world.several else None
    done = 0
    while True:
        recorder.at(done)
        stop = recorder.next(done)
        if tasks is not None:
            if done % TURN == 0:
                tasks.begin(done // TURN)
            stop = min(stop, (done // TURN + 1) * TURN)
        agent.learn(stop - done, progress_bar=False, keep_episode=True)
        done = stop
