"""The conventions of Stable-Baselines3: its own `evaluate_policy` plays an agent. Skipped where it is not installed."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import sfnec

evaluation = pytest.importorskip("stable_baselines3.common.evaluation")
evaluate_policy = evaluation.evaluate_policy


@pytest.mark.parametrize("preset", ["sfnec-plan", "nec"])
def test_evaluate_policy(preset: str) -> None:
    agent = sfnec.Agent(preset, gymnasium.make("CartPole-v1"), seed=1)
    assert agent.learn(total_timesteps=600, progress_bar=False) is agent
    mean, deviation = evaluate_policy(agent, gymnasium.make("CartPole-v1"), n_eval_episodes=3, warn=False)
    assert mean >= 8 and deviation >= 0
    returns, lengths = evaluate_policy(
        agent, gymnasium.make("CartPole-v1"), n_eval_episodes=3, return_episode_rewards=True, warn=False
    )
    assert returns == lengths and len(returns) == 3


def test_several_environments_at_once() -> None:
    from stable_baselines3.common.env_util import make_vec_env

    agent = sfnec.Agent("nec", gymnasium.make("CartPole-v1"), seed=1)
    agent.learn(200, progress_bar=False)
    mean, _ = evaluate_policy(agent, make_vec_env("CartPole-v1", n_envs=3), n_eval_episodes=6)
    assert mean >= 8


def test_discrete_observations() -> None:
    agent = sfnec.Agent("sfnec-plan", gymnasium.make("FrozenLake-v1", is_slippery=False), seed=1)
    agent.learn(1_500, progress_bar=False)
    mean, _ = evaluate_policy(agent, gymnasium.make("FrozenLake-v1", is_slippery=False), n_eval_episodes=2, warn=False)
    assert mean == 1.0


def test_save_and_load(tmp_path: object) -> None:
    path = f"{tmp_path}/agent.sfnec"
    agent = sfnec.Agent("nec", gymnasium.make("CartPole-v1"), seed=1)
    agent.learn(300, progress_bar=False)
    agent.save(path)
    loaded = sfnec.Agent.load(path, env=gymnasium.make("CartPole-v1"))
    rows = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    assert np.array_equal(loaded.predict(rows)[0], agent.predict(rows)[0])
