"""Action masks: no action that an environment does not allow is taken, and an agent learns faster with them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import sfnec
from sfnec.actions import Actions

PRESETS = [preset.name for preset in sfnec.presets()]


class Strict(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Taxi that refuses what its own mask does not allow."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.mask = np.ones(6, np.int8)

    def reset(self, **keywords: Any) -> Any:
        observation, info = self.env.reset(**keywords)
        self.mask = info["action_mask"]
        return observation, info

    def step(self, action: Any) -> Any:
        assert self.mask[action], f"action {action} is not allowed by {self.mask}"
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.mask = info["action_mask"]
        return observation, reward, terminated, truncated, info


class ByMethod(Strict):
    """The same by the method that sb3-contrib asks."""

    def action_masks(self) -> Any:
        return self.mask.astype(bool)

    def reset(self, **keywords: Any) -> Any:
        return super().reset(**keywords)[0], {}

    def step(self, action: Any) -> Any:
        return *super().step(action)[:4], {}


def taxi(how: type[Strict] = Strict) -> Any:
    return how(gymnasium.make("Taxi-v4", max_episode_steps=60))


@pytest.mark.parametrize("preset", PRESETS)
def test_never_taken(preset: str) -> None:
    agent = sfnec.Agent(preset, taxi(), seed=1, **({} if preset == "sfnec-plan" else {"epsilon": 0.5}))
    agent.learn(400, progress_bar=False)
    agent.evaluate(steps=200, env=taxi(), seed=3)


def test_method_is_the_same_as_info() -> None:
    agents = [sfnec.Agent("sfnec-plan", taxi(how), seed=2) for how in (Strict, ByMethod)]
    for agent in agents:
        agent.learn(600, progress_bar=False)
        agent.evaluate(steps=100, seed=4)
    assert agents[0].episodes == agents[1].episodes


def test_learns_faster_in_taxi() -> None:
    """Mean return of an episode while learning, over 4,000 steps and three seeds."""
    found = {}
    for masks in (True, False):
        totals = []
        for seed in (1, 2, 3):
            env = gymnasium.make("Taxi-v4")
            agent = sfnec.Agent("sfnec-plan", env, seed=seed, masks=masks, terminal="zero", gamma=0.99)
            agent.learn(4000, progress_bar=False)
            totals.append(sum(each.total for each in agent.episodes))
        found[masks] = np.mean(totals)
    assert found[True] > found[False] + 500


def test_predict_goes_by_the_mask() -> None:
    agent = sfnec.Agent("nec", taxi(), seed=1)
    agent.learn(200, progress_bar=False)
    for action in range(6):
        mask = np.eye(6, dtype=np.int8)[action]
        assert agent.predict(17, action_masks=mask)[0] == action
        assert agent.predict(17, action_masks=mask, deterministic=False)[0] == action
    actions, _ = agent.predict(np.arange(6), action_masks=np.eye(6, dtype=bool))
    assert actions.tolist() == list(range(6))
    with pytest.raises(sfnec.ArgumentError, match="allows none of the 6 actions"):
        agent.predict(17, action_masks=np.zeros(6))
    with pytest.raises(sfnec.ArgumentError, match="must have 6 numbers, not 4"):
        agent.predict(17, action_masks=np.ones(4))


class Blocked(gymnasium.Env[Any, Any]):
    """After three steps nothing is allowed, though the episode goes on."""

    observation_space = spaces.Discrete(9)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.cell = 0
        return 0, {}

    def step(self, action: Any) -> Any:
        self.cell += 1
        return self.cell, 0.0, False, False, {"action_mask": np.full(2, self.cell < 3, np.int8)}


@pytest.mark.parametrize("preset", ["nec", "sfnec-plan"])
def test_nothing_allowed(preset: str) -> None:
    agent = sfnec.Agent(preset, Blocked(), seed=1)
    with pytest.raises(sfnec.ArgumentError, match="allows none of the 2 actions"):
        agent.learn(10, progress_bar=False)


def test_products() -> None:
    several = Actions(spaces.MultiDiscrete([2, 3]))
    both = several.masks([1, 0, 0, 1, 1])  # per value, as sb3-contrib has it
    assert [several.given(i).tolist() for i in np.flatnonzero(both)] == [[0, 1], [0, 2]]
    assert several.masks((np.array([1, 0]), np.array([0, 1, 1]))).tolist() == both.tolist()  # as Gymnasium samples
    assert several.masks([0, 1, 1, 0, 0, 0]).tolist() == [0, 1, 1, 0, 0, 0]  # per combination


def strict() -> Any:
    return taxi()


def test_vectors() -> None:
    envs = gymnasium.vector.SyncVectorEnv([strict] * 3, autoreset_mode=gymnasium.vector.AutoresetMode.NEXT_STEP)
    agent = sfnec.Agent("nec", taxi(), seed=1, epsilon=0.5)
    agent.learn(400, progress_bar=False, envs=envs)
    assert len(agent.episodes) >= 6
    envs = gymnasium.vector.SyncVectorEnv(
        [lambda: taxi(ByMethod)] * 2, autoreset_mode=gymnasium.vector.AutoresetMode.NEXT_STEP
    )
    agent.learn(200, progress_bar=False, envs=envs)


def test_saved_in_the_middle(tmp_path: Any) -> None:
    """A saved planner knows the masks of its states."""
    agent = sfnec.Agent("sfnec-plan", taxi(), seed=1)
    agent.learn(500, progress_bar=False)
    agent.save(tmp_path / "agent")
    again = sfnec.Agent.load(tmp_path / "agent", taxi())
    assert np.array_equal(again.q(17), agent.q(17))
    again.learn(200, progress_bar=False)
