"""Golden runs: what `sfnec-plan` does and answers in eight worlds, compared with digests of an earlier build.

Every other test of exactness compares runs of one build. These compare builds: a refactoring leaves every digest as it
is (but `file`, if the format of agent files changes), and a commit that changes what an agent does says so. After that:

    python python/tests/test_golden.py >python/tests/golden.json
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import gymnasium
import mo_gymnasium
import numpy as np
import pytest

import sfnec

RECORD = Path(__file__).with_name("golden.json")

# name: (environment, options, steps of each task, weights of the tasks)
WORLDS: dict[str, tuple[str, dict[str, Any], int, list[Any]]] = {
    "four_rooms": ("sfnec/FourRooms-v0", {}, 2500, [[1.0, -0.5, 0.3, 1.0], [-0.4, 1.0, 0.2, 0.5]]),
    "one_room": ("sfnec/OneRoom-v0", {}, 2000, [None]),
    "four_rooms_grid": ("sfnec/FourRoomsGrid-v0", {}, 1500, [[1.0, 0.2, 0.5], [0.1, 1.0, -0.5]]),
    "resource-gathering": ("mo:resource-gathering-v0", {"terminal": "zero"}, 1000, [[0.4, 0.3, 0.3], [0.1, 0.8, 0.1]]),
    "CartPole": ("CartPole-v1", {"terminal": "zero", "gamma": 0.99}, 1500, [None]),
    "MountainCar": ("MountainCar-v0", {"terminal": "zero", "gamma": 0.99}, 4000, [None]),
    "Taxi": ("Taxi-v4", {"terminal": "zero", "gamma": 0.99}, 3000, [None]),
    "FrozenLake": ("FrozenLake-v1", {"terminal": "zero", "gamma": 0.99}, 2000, [None]),
}


class Recorded(gymnasium.Wrapper):
    """Keeps what was done and paid. Observations are rounded, since cos() differs in its last bit between machines."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.actions: list[int] = []
        self.rewards: list[float] = []
        self.seen: list[Any] = []

    def _round(self, observation: Any) -> Any:
        if isinstance(observation, np.ndarray) and observation.dtype.kind == "f":
            return np.round(observation * 2**16) / np.float32(2**16)
        return observation

    def reset(self, **how: Any) -> Any:
        observation, info = self.env.reset(**how)
        return self._round(observation), info

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.actions.append(int(action))
        self.rewards.append(np.round(reward, 6).sum())
        observation = self._round(observation)
        if len(self.actions) % 97 == 0:
            self.seen.append(observation)
        return observation, reward, terminated, truncated, info


def digest(*arrays: Any) -> str:
    """A short digest of numbers, bit for bit."""
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()[:16]


def play(name: str) -> dict[str, Any]:
    """What a run does, is paid and answers afterwards."""
    world, options, steps, tasks = WORLDS[name]
    made = mo_gymnasium.make(world[3:]) if world.startswith("mo:") else gymnasium.make(world)
    env = Recorded(made)
    agent = sfnec.Agent("sfnec-plan", env, seed=5, **options)
    env.actions, env.rewards = [], []  # an agent tries one random step to see what features are like
    for w in tasks:
        if w is not None:
            agent.begin_task(w)
        agent.learn(steps, progress_bar=False)
    answers = [agent.q(state) for state in env.seen] + [agent.psi(state) for state in env.seen[:3]]
    if tasks[0] is not None:
        answers += [agent.q(state, w=np.ones(agent.feature_count)) for state in env.seen[:5]]
    chosen = [agent.predict(state)[0] for state in env.seen]
    with tempfile.TemporaryDirectory() as folder:
        agent.save(Path(folder) / "agent.sfnec")
        saved = (Path(folder) / "agent.sfnec").read_bytes()
    return {
        "return": round(float(np.sum(env.rewards)), 3),
        "actions": digest(np.array(env.actions, np.int32)),
        "answers": digest(*answers),
        "choices": digest(np.array(chosen, np.int32)),
        "file": digest(np.frombuffer(saved, np.uint8)),
    }


@pytest.mark.parametrize("name", list(WORLDS))
def test_plays_as_the_last_build(name: str) -> None:
    assert play(name) == json.loads(RECORD.read_text())[name]


if __name__ == "__main__":
    json.dump({name: play(name) for name in WORLDS}, sys.stdout, indent=2)
    print()
