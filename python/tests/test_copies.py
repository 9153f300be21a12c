"""Agents and worlds are pickled and copied; a copy goes on as the original does."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from worlds import Corridor

import sfnec


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


copies = pytest.mark.parametrize("again", [pickled, copy.deepcopy])


def trained(env: Any) -> sfnec.Agent:
    agent = sfnec.Agent("sfnec", env, seed=3)
    agent.begin_task(np.ones(agent.feature_count))
    agent.learn(300, progress_bar=False)
    return agent


@copies
@pytest.mark.parametrize(
    "place", [lambda: "one_room", lambda: gymnasium.make("sfnec/OneRoom-v0").unwrapped, lambda: Corridor()]
)
def test_agent(again: Callable[[Any], Any], place: Callable[[], Any], tmp_path: Path) -> None:
    agent = trained(place())
    twin = again(agent)
    assert twin.options == agent.options and twin.task_count == 1
    assert twin.episodes == agent.episodes and twin.env is not agent.env
    for each, name in ((agent, "a"), (twin, "b")):
        each.learn(200, progress_bar=False)
        each.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    agent.close()
    twin.learn(10, progress_bar=False)  # nothing is shared


@copies
def test_world(again: Callable[[Any], Any]) -> None:
    world = sfnec.World("cartpole", count=3, seed=5)
    world.reset()
    world.step([0, 1, 0])
    twin = again(world)
    assert twin.seeds == world.seeds and np.array_equal(twin.observations, world.observations)
    for _ in range(30):
        assert np.array_equal(world.step([1, 0, 1], autoreset=True), twin.step([1, 0, 1], autoreset=True))
    twin.w[:] = 7
    assert not np.array_equal(twin.w, world.w)


def test_refusals() -> None:
    agent = trained("one_room")
    parts = agent.__reduce__()
    damaged = bytearray(parts[1][1])
    damaged[len(damaged) // 2] ^= 1
    with pytest.raises(sfnec.FormatError, match="damaged|checksum|corrupt"):
        parts[0](parts[1][0], bytes(damaged), *parts[1][2:])
    agent.close()
    with pytest.raises(sfnec.StateError, match="closed"):
        pickle.dumps(agent)
