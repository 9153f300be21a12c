"""One agent in several environments at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import sfnec
from sfnec.callbacks import Evaluate


def saved(agent: sfnec.Agent, path: Path) -> bytes:
    agent.save(path)
    return path.read_bytes()


def test_a_vector_of_one_is_the_environment() -> None:
    plain = sfnec.Agent("sfnec", sfnec.World("four_rooms", max_episode_steps=80), seed=5)
    plain.learn(2_000, None, False)
    vector = sfnec.Agent("sfnec", sfnec.World("four_rooms", max_episode_steps=80), seed=5)
    vector.begin_task(plain.tasks[0].w)
    vector.learn(2_000, None, False, envs=sfnec.World("four_rooms", 1, max_episode_steps=80))
    assert len(plain.episodes) > 20
    # the last episode of the one is cut off by its last transition
    assert vector.episodes[:20] == plain.episodes[:20]
    assert vector.tasks[0].steps == 2_000


@pytest.mark.parametrize("preset", ["sfnec", "sfnec-plus", "sfnec-plan", "nec", "sfql"])
def test_the_same_seeds_give_the_same_agent(preset: str, tmp_path: Path) -> None:
    contents = []
    for _ in range(2):
        agent = sfnec.Agent(preset, "four_rooms", seed=2)
        for w in ([1.0, 0.0, 0.0, 1.0], [0.0, 1.0, -1.0, 1.0]):
            agent.begin_task(w)
            agent.learn(1_200, None, False, envs=sfnec.World("four_rooms", 6, max_episode_steps=50))
        contents.append(saved(agent, tmp_path / "agent"))
        assert [task.steps for task in agent.tasks] == [1_200, 1_200]
        assert all(1 <= episode.steps <= 50 for episode in agent.episodes)
    assert contents[0] == contents[1]
    # and the agent goes on alone
    agent.learn(200, None, False)
    assert agent.tasks[1].steps == 1_400


def test_gymnasium_vectors() -> None:
    agent = sfnec.Agent("nec", gymnasium.make("CartPole-v1"), seed=1)
    aside = Evaluate(every=300, steps=100, env=gymnasium.make("CartPole-v1"))
    agent.learn(1_000, aside, False, envs=gymnasium.make_vec("CartPole-v1", num_envs=4))
    steps = agent.tasks[0].steps
    assert 1_000 <= steps < 1_004 and len(aside.results) == 3
    assert sum(episode.steps for episode in agent.episodes) <= steps
    assert all(episode.total == episode.steps for episode in agent.episodes)


def test_a_planner_learns_from_several() -> None:
    """The transitions of four environments make one model, whose plan is as good as that of as many from one."""
    agent = sfnec.Agent("sfnec-plan", gymnasium.make("CartPole-v1"), seed=1, gamma=0.99)
    agent.learn(2_000, None, False, envs=gymnasium.make_vec("CartPole-v1", num_envs=4))
    found = agent.evaluate(episodes=5)
    assert agent.tasks[0].steps >= 2_000 and agent.model is not None and agent.model.places > 50
    assert found.per_episode > 150


def test_ours_by_gymnasium(tmp_path: Path) -> None:
    agents = [sfnec.Agent("sfnec", gymnasium.make("sfnec/FourRooms-v0"), seed=4) for _ in range(2)]
    made: list[Any] = [
        gymnasium.make_vec(
            "sfnec/FourRooms-v0", num_envs=3, vectorization_mode="vector_entry_point", max_episode_steps=60
        ),
        sfnec.World("four_rooms", 3, max_episode_steps=60),
    ]
    for agent, envs in zip(agents, made, strict=True):
        agent.begin_task([1.0, -1.0, 0.0, 1.0])
        agent.learn(600, None, False, envs=envs)
    assert agents[0].episodes == agents[1].episodes


def test_refusals() -> None:
    agent = sfnec.Agent("nec", gymnasium.make("CartPole-v1"), seed=1)
    same_step = gymnasium.make_vec(
        "CartPole-v1", 2, "sync", vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}
    )
    with pytest.raises(sfnec.ArgumentError, match="NextStep"):
        agent.learn(10, None, False, envs=same_step)
    with pytest.raises(sfnec.ArgumentError, match="2 actions, those of the vector 5"), pytest.warns(UserWarning):
        agent.learn(10, None, False, envs=gymnasium.make_vec("Pendulum-v1", num_envs=2))
    agent.learn(50, None, False)
    assert np.isfinite(agent.evaluate(steps=50).total)
