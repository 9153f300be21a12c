"""Observations and features from all sorts of environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import mo_gymnasium
import mo_gymnasium.wrappers
import numpy as np
import pytest
from worlds import Corridor

import sfnec


def learned(agent: sfnec.Agent, steps: int = 500) -> float:
    agent.learn(steps, progress_bar=False)
    return float(np.mean([episode.total for episode in agent.episodes[-20:]]))


def test_features_from_info() -> None:
    agent = sfnec.Agent("sfnec", Corridor("info"), seed=1, epsilon=0.1)
    agent.begin_task([-1, 1])
    assert agent.feature_count == 2 and learned(agent) > 0.8
    agent.begin_task([1, -1])  # negative weights are fine
    assert learned(agent) > 0.8


def test_features_from_a_vector_reward() -> None:
    agent = sfnec.Agent("sfnec", Corridor("vector"), seed=1, epsilon=0.1)
    with pytest.raises(sfnec.StateError, match="begin_task"):
        agent.learn(10)
    agent.begin_task([-1, 1])
    assert agent.feature_count == 2 and learned(agent) > 0.8


def test_features_from_linear_reward() -> None:
    env = mo_gymnasium.wrappers.LinearReward(Corridor("vector"), np.array([-1.0, 1.0]))
    agent = sfnec.Agent("sfnec", env, seed=1, epsilon=0.1)
    assert learned(agent) > 0.8
    assert agent.tasks[0].w.tolist() == [-1, 1]


def test_features_from_phi() -> None:
    def phi(before: Any, action: int, after: Any) -> Any:
        assert before.shape == after.shape == (7,) and action in (0, 1)
        return [after[0], after[6], 1.0]

    agent = sfnec.Agent("sfnec", Corridor("reward"), phi=phi, seed=1, epsilon=0.1)
    agent.begin_task([-1, 1, -0.01])
    assert agent.feature_count == 3 and learned(agent) > 0.7


def test_weights_learned_from_the_reward() -> None:
    agent = sfnec.Agent("sfnec", Corridor("info"), seed=1, epsilon=0.2, w="rls")
    assert learned(agent, 800) > 0.6
    assert agent.tasks[0].learned and agent.tasks[0].w == pytest.approx([-1, 1], abs=0.2)
    vector = sfnec.Agent("sfnec", Corridor("vector"), seed=1, w="rls")
    with pytest.raises(sfnec.StateError, match="vector"):
        vector.learn(10)


@pytest.mark.parametrize("preset", ["nec", "ql", "sfnec"])
def test_the_reward_itself(preset: str) -> None:
    rate = {"rate": 0.3} if preset == "ql" else {}
    agent = sfnec.Agent(preset, Corridor("reward"), seed=1, epsilon=0.1, **rate)
    assert agent.feature_count == 1 and learned(agent) > 0.7


def test_actions_that_do_not_start_at_zero() -> None:
    agent = sfnec.Agent("nec", Corridor("reward", start=5), seed=1, epsilon=0.1)
    assert learned(agent) > 0.7
    observation, _ = agent.env.reset()
    assert agent.predict(observation)[0] == 6 and agent.explain(observation).action == 6


def test_images() -> None:
    agent = sfnec.Agent("nec", Corridor("reward", image=True), embedding="identity", seed=1, epsilon=0.1)
    assert learned(agent) > 0.7
    observation, _ = agent.env.reset()
    assert agent.explain(observation).memories[0].key.max() == 1.0
    assert agent.predict(np.stack([observation] * 3))[0].shape == (3,)


def test_embeddings() -> None:
    seen: list[tuple[int, ...]] = []

    def embedding(observation: Any) -> Any:
        seen.append(observation.shape)
        return observation[0, ::10, 0].astype(float) / 255

    agent = sfnec.Agent("nec", Corridor("reward", image=True), embedding=embedding, seed=1, epsilon=0.1)
    assert learned(agent) > 0.7
    assert set(seen) == {(64, 70, 1)}
    wrong = sfnec.Agent("nec", Corridor("reward"), embedding=lambda s: np.ones(3 if s[3] else 2), seed=1)
    with pytest.raises(sfnec.ArgumentError, match="embedding returns"):
        wrong.learn(20)


def test_unit_scaling() -> None:
    env = mo_gymnasium.make("four-room-v0")
    agent = sfnec.Agent("sfnec", env, unit=True, seed=1)
    agent.begin_task([1, 1, 1])
    agent.learn(30, progress_bar=False)
    first, _ = env.reset(seed=1)
    assert agent.explain(first).memories[0].key[:2] == pytest.approx([12 / 13, 0])


def test_discrete_observations() -> None:
    agent = sfnec.Agent("nec", gymnasium.make("FrozenLake-v1", is_slippery=False), seed=1)
    agent.learn(200, progress_bar=False)
    assert agent.explain(3).memories[0].key.tolist() == [3]


@pytest.mark.parametrize("name", ["deep-sea-treasure-v0", "minecart-v0", "four-room-v0", "resource-gathering-v0"])
def test_mo_gymnasium(name: str) -> None:
    env = mo_gymnasium.make(name)
    agent = sfnec.Agent("sfnec", env, seed=1)
    assert agent.feature_count == env.unwrapped.reward_dim
    for w in np.eye(agent.feature_count):
        agent.begin_task(w)
        agent.learn(150, progress_bar=False)
    assert agent.task_count == agent.feature_count
    assert agent.evaluate(np.ones(agent.feature_count), steps=50).episodes >= 1


def test_a_foreign_scalar_environment() -> None:
    agent = sfnec.Agent("nec", "CartPole-v1", seed=1)
    agent.learn(2000, progress_bar=False)
    assert agent.episodes[0].total == agent.episodes[0].steps
