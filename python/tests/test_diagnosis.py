"""Warnings that teach, and the table of a diagnosis."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
from worlds import Corridor

import sfnec
from sfnec._native import lib
from sfnec.diagnosis import HINTS


class World(gymnasium.Env[Any, Any]):
    """Observations drawn from a box, episodes of 50 steps, and a reward that is given."""

    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, scale: Any, reward: float = 0.0, flags: int = 0) -> None:
        self._scale, self._reward, self._flags, self._steps = np.asarray(scale, np.float32), reward, flags, 0
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (len(self._scale) + flags,), np.float32)

    def _see(self) -> Any:
        flags = np.float32(self.np_random.random(self._flags) < 0.5)
        return np.concatenate([np.float32(self.np_random.random(len(self._scale))) * self._scale, flags])

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self._steps = 0
        return self._see(), {}

    def step(self, action: Any) -> Any:
        self._steps += 1
        return self._see(), self._reward, False, self._steps == 50, {}


def heard(preset: str, env: Any, steps: int, **options: Any) -> tuple[sfnec.Agent, list[str]]:
    """What was warned of while an agent learned, but for the time that it took."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        agent = sfnec.Agent(preset, env, seed=1, **options)
        agent.learn(steps, progress_bar=False)
        agent.learn(50, progress_bar=False)
    said = [str(each.message) for each in caught if issubclass(each.category, sfnec.LearningWarning)]
    return agent, [each for each in said if " ms: " not in each]


def test_nothing_is_said_where_all_is_well() -> None:
    assert heard("sfnec-plan", gymnasium.make("CartPole-v1"), 1_200)[1] == []
    assert heard("sfnec", "one_room", 1_200)[1] == []


def test_states_that_are_all_new() -> None:
    agent, said = heard("sfnec-plan", World(np.ones(12), 1.0), 1_200, relevance="off", filter="off", radius=1e-3)
    assert len(said) == 1 and "nearly every state is new" in said[0] and "embedding=" in said[0]
    assert "states" in [row.value for row in agent.diagnose() if row.what == "warning"]


def test_scales_and_bounds() -> None:
    _, said = heard("sfnec", World([1.0, 1000.0], 1.0), 1_200)
    assert len(said) == 1 and "component 1 has a range of" in said[0] and "unit=True" in said[0]
    _, said = heard("sfnec", World([1e6, 1e6], 1.0), 1_200)
    assert len(said) == 1 and "observations reach" in said[0]


def test_no_reward() -> None:
    _, said = heard("sfnec", World([1.0]), 5_100)
    assert len(said) == 1 and "no reward in 5" in said[0]


def test_a_reward_that_is_not_phi_w() -> None:
    class Off(Corridor):
        """Says its weights, and pays something else."""

        w = np.array([-1.0, 1.0])

        def step(self, action: Any) -> Any:
            seen, _, terminated, truncated, info = super().step(action)
            return seen, 7.0, terminated, truncated, info

    _, said = heard("sfnec", Off(), 200)
    assert len(said) == 1 and "is not phi . w" in said[0] and "begin_task" in said[0]


def test_each_thing_is_said_once() -> None:
    agent, said = heard("sfnec", World([1.0, 1000.0], 1.0), 1_200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.learn(1_000, progress_bar=False)
        table = agent.diagnose()
    assert [row.means for row in table if row.what == "warning"] == said


def test_hints_are_of_findings_that_there_are() -> None:
    kinds = {name.removeprefix("SFNEC_FINDING_").lower() for name in dir(lib) if name.startswith("SFNEC_FINDING_")}
    assert set(HINTS) <= kinds


def test_a_diagnosis_is_a_table() -> None:
    agent, _ = heard("sfnec-plan", gymnasium.make("CartPole-v1"), 400)
    table = str(agent.diagnose())
    for word in ("agent", "steps", "450", "regime", "continuous", "terminal", "zero", "by default here"):
        assert word in table, word
    assert agent.model is not None and "representative states" in str(agent.model)
    assert "regime" not in str(sfnec.Agent("nec", "one_room", seed=1).diagnose())
