"""Defaults that follow from the environment, and evaluations that end by episodes."""

from __future__ import annotations

import logging
from typing import Any

import gymnasium
import numpy as np
import pytest
from worlds import Corridor

import sfnec


class Discounted(Corridor):
    """A corridor that publishes its discount factor."""

    metadata: dict[str, Any] = {"render_modes": [], "gamma": 0.9}


class Endless(gymnasium.Env[Any, Any]):
    """Nothing ever ends here, and nothing cuts an episode off."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> Any:
        return np.zeros(1, np.float32), 0.0, False, False, {}


def test_terminal_follows_from_gymnasium(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "sfnec"):
        agent = sfnec.Agent("sfnec-plan", gymnasium.make("FrozenLake8x8-v1"), seed=1)
    assert agent.options["terminal"] == "zero" and "terminal=zero" in caplog.text
    assert "return of an episode" in agent.defaults["terminal"].reason
    given = sfnec.Agent("sfnec-plan", gymnasium.make("FrozenLake-v1"), seed=1, terminal="restart")
    assert given.options["terminal"] == "restart" and "terminal" not in given.defaults
    # agents that do not plan have no such option to choose, and the library's worlds keep the command's defaults
    assert not sfnec.Agent("sfnec", gymnasium.make("CartPole-v1"), seed=1).defaults
    for world in ("one_room", "sfnec/OneRoom-v0"):
        assert sfnec.Agent("sfnec-plan", world, seed=1).options["terminal"] == "restart"


def test_a_published_gamma_is_taken() -> None:
    agent = sfnec.Agent("sfnec", Discounted(), seed=1)
    assert agent.options["gamma"] == 0.9 and "metadata gamma" in agent.defaults["gamma"].reason
    assert sfnec.Agent("sfnec", Discounted(), seed=1, gamma=0.8).options["gamma"] == 0.8
    assert sfnec.Agent("sfnec", Corridor(), seed=1).options["gamma"] == 0.95


def test_evaluate_counts_episodes() -> None:
    agent = sfnec.Agent("sfnec-plan", gymnasium.make("CartPole-v1", max_episode_steps=30), seed=1)
    agent.learn(300, progress_bar=False)
    found = agent.evaluate(episodes=7)
    assert found.episodes == len(found.returns) == len(found.lengths) == 7
    assert sum(found.returns) == found.total and list(found.returns) == list(found.lengths)
    assert max(found.lengths) <= 30
    # the library's own worlds as well, by C and by Python
    for preset in ("sfnec", "nec"):
        agent = sfnec.Agent(preset, "one_room", seed=1, ties="first")
        agent.learn(500, progress_bar=False)
        found = agent.evaluate(episodes=4)
        again = agent.evaluate(steps=sum(found.lengths))
        assert found.episodes == 4 and again.returns == found.returns and again.lengths == found.lengths


def test_an_endless_episode_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfnec.evaluation.ENDLESS", 200)
    agent = sfnec.Agent("sfnec", Endless(), seed=1)
    agent.learn(50, progress_bar=False)
    with pytest.raises(sfnec.StateError, match="episode_steps"):
        agent.evaluate(episodes=2)
    assert agent.evaluate(episodes=2, episode_steps=20).lengths == (20, 20)
    assert agent.evaluate(steps=300).lengths == (300,)


def test_evaluations_leave_learning_alone() -> None:
    agents = [sfnec.Agent("sfnec", gymnasium.make("CartPole-v1"), seed=2) for _ in range(2)]
    for agent in agents:
        agent.learn(100, progress_bar=False, keep_episode=True)
    agents[0].evaluate(episodes=3)
    for agent in agents:
        agent.learn(100, progress_bar=False)
    assert agents[0].episodes == agents[1].episodes


class Frames(Endless):
    """A black picture, for ever; two frames at a time."""

    observation_space = gymnasium.spaces.Box(0, 255, (2, 40, 40), np.uint8)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return np.zeros((2, 40, 40), np.uint8), {}

    def step(self, action: Any) -> Any:
        return np.zeros((2, 40, 40), np.uint8), 0.0, False, False, {}


def test_pictures_get_learned_keys() -> None:
    agent = sfnec.Agent("nec", Frames(), seed=1, batch=8, train_start=8)
    assert (agent.options["embedding"], agent.options["training"], agent.options["horizon"]) == ("conv", "batch", 100)
    assert agent.options["batch"] == 8 and "batch" not in agent.defaults
    assert "pictures" in agent.defaults["embedding"].reason
    agent.learn(150, progress_bar=False)
    # who says how keys are made has said all
    assert not sfnec.Agent("nec", Frames(), seed=1, embedding="random").defaults
    assert not sfnec.Agent("mfec", Frames(), seed=1).defaults
    layers = sfnec.Agent("nec", Frames(), seed=1, layers="conv:4x8/4;dense:8").options
    assert layers["embedding"] == "conv" and layers["layers"] == "conv:4x8/4;dense:8"
    with pytest.raises(sfnec.errors.OptionError, match="layers=conv:4x99/1"):
        sfnec.Agent("nec", Frames(), seed=1, layers="conv:4x99/1")
