"""Questions about rewards that are not phi . w."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import sfnec
from sfnec._native import check, ffi, lib, pointer


@pytest.fixture(scope="module")
def agent() -> sfnec.Agent:
    made = sfnec.Agent("sfnec-plan", "four_rooms_grid", seed=3)
    made.begin_task([1, 1, 1])
    made.learn(3_000)
    return made


def test_expression_and_function(agent: sfnec.Agent) -> None:
    by_weights = agent.evaluate([1, -0.5, 0], steps=500)
    agent.set_reward("phi[0] - 0.5 * phi[1]")
    by_text = agent.evaluate(steps=500)

    def linear(before: Any, action: Any, after: Any, phi: Any, end: Any) -> Any:
        assert before.shape == after.shape == (len(action), before.shape[1]) and end.dtype == bool
        return phi[:, 0] - 0.5 * phi[:, 1]

    agent.set_reward(linear)
    by_function = agent.evaluate(steps=500)
    agent.set_reward(None)
    assert by_text == by_function
    assert by_text.total == pytest.approx(by_weights.total, rel=0.15)
    assert by_text.total > 5
    assert agent.evaluate([1, -0.5, 0], steps=500) == by_weights


def test_beyond_weights(agent: sfnec.Agent) -> None:
    """What is paid for standing somewhere is no weight of what is taken there."""
    row = np.zeros(agent._shape[0], np.float32)
    agent.set_reward("1 if action == 2 else 0")
    assert agent.predict(row)[0] == 2
    agent.set_reward("1 if action == 1 else 0")
    assert agent.predict(row)[0] == 1
    agent.set_reward(None)


def test_gymnasium() -> None:
    agent = sfnec.Agent("sfnec-plan", gymnasium.make("FrozenLake-v1", is_slippery=False), seed=1, terminal="zero")
    agent.learn(2_000)
    agent.set_reward("1 if terminated and phi[0] == 0 else 0")  # into the holes
    found = agent.evaluate(steps=200, episode_steps=50)
    agent.set_reward(None)
    assert found.goals > 10
    assert found.total == found.goals


def test_errors(agent: sfnec.Agent) -> None:
    row = np.zeros(agent._shape[0], np.float32)
    with pytest.raises(sfnec.OptionError, match="no feature and no action of four_rooms_grid"):
        agent.set_reward("gold")
    with pytest.raises(sfnec.ArgumentError, match="expression or a function"):
        agent.set_reward(3)  # type: ignore[arg-type]
    agent.set_reward(lambda *_: 1 / 0)
    with pytest.raises(sfnec.StateError, match="ZeroDivisionError: division by zero"):
        agent.predict(row)

    def leaves(*_: Any) -> Any:
        raise SystemExit("bye")

    agent.set_reward(leaves)
    with pytest.raises(sfnec.StateError, match=r"the reward function raised SystemExit \(bye\)"):
        agent.predict(row)
    agent.set_reward(lambda *_: [1.0])
    with pytest.raises(sfnec.StateError, match=r"shape \(1,\) for"):
        agent.predict(row)
    agent.set_reward(lambda s, a, s2, phi, end: np.full(len(a), np.nan))
    with pytest.raises(sfnec.ArgumentError, match="must be finite"):
        agent.predict(row)
    with pytest.raises(sfnec.ArgumentError, match="takes no reward weights"):
        agent.predict(row, w=[1, 0, 0])
    agent.set_reward(None)
    agent.predict(row)
    with pytest.raises(sfnec.StateError, match="only an agent that plans"):
        sfnec.Agent("sfnec", "four_rooms_grid", seed=1).set_reward("1")


STAY = "1 if action == 2 else 0"


def test_learns() -> None:
    """Tasks that are no weights: what is remembered serves the next one, and what comes is learned."""
    agent = sfnec.Agent("sfnec-plan", "four_rooms_grid", seed=3, rewards="any")
    agent.begin_task([1, 1, 1])
    agent.learn(2_000)
    agent.learn(500, reward=STAY)
    assert agent.active_task == 1
    agent.learn(500, reward=STAY)  # the same task
    assert agent.task_count == 2 and agent.tasks[1].steps == 1_000
    assert agent.evaluate(steps=100).total > 90
    seen: list[int] = []

    def up(before: Any, action: Any, after: Any, phi: Any, end: Any) -> Any:
        seen.append(len(action))
        return (action == 0) * 1.0

    agent.begin_task(reward=up)
    assert sum(seen) > 1_000  # of what it remembers
    assert agent.evaluate(steps=100).total > 90
    agent.set_task(1)  # its reward is known here
    assert agent.evaluate(steps=100).total > 90
    agent.set_task(1, reward="1 if action == 3 else 0")
    assert agent.evaluate(steps=100).total > 90
    weights = agent.evaluate([1, 1, 1], steps=500).total
    agent.set_task(0)
    assert agent.evaluate(steps=500).total == pytest.approx(weights, rel=0.2)


def test_learns_in_gymnasium(tmp_path: Any) -> None:
    place = gymnasium.make("FrozenLake-v1", is_slippery=False)
    agent = sfnec.Agent("sfnec-plan", place, seed=1, terminal="zero", rewards="any")
    agent.learn(1_500, reward="1 if terminated and phi[0] == 0 else 0")  # into the holes
    assert agent.evaluate(steps=200, episode_steps=50).total > 10
    assert sum(each.total for each in agent.episodes) == sum(
        each.terminated and each.total > 0 for each in agent.episodes
    )
    agent.save(tmp_path / "a.sfnec")
    loaded = sfnec.Agent.load(tmp_path / "a.sfnec", place)
    with pytest.raises(sfnec.errors.StateError, match=r"give it again, with set_task\(0, reward=...\)"):
        loaded.learn(10)
    loaded.set_task(0, reward="1 if terminated and phi[0] == 0 else 0")
    assert loaded.evaluate(steps=200, episode_steps=50).total > 10


def test_indicators() -> None:
    """Policies of weights serve a reward that is linear in no features of theirs."""
    agent = sfnec.Agent("sfnec", "four_rooms_grid", seed=3, rewards="any", joint_values=12)
    agent.learn(1_000)
    row = np.zeros(agent._shape[0], np.float32)
    by_weights = agent.q(row, [2, 0, -1])
    assert np.ptp(by_weights) > 0
    agent.set_reward("phi[0] * 2 - phi[2]")
    np.testing.assert_allclose(agent.q(row), by_weights)
    agent.set_reward("1 if phi[0] == 1 and phi[1] == 0 else -0.01")
    agent.evaluate(steps=100)
    with pytest.raises(sfnec.errors.ArgumentError, match="more than the features"):
        agent.set_reward("observation[0]")
        agent.predict(row)
    agent.set_reward(None)
    agent.learn(200, reward="phi[0] - phi[1] ** 2")
    rewarded = sfnec.Agent("nec", "four_rooms_grid", seed=3)
    rewarded.learn(500, reward=STAY)  # takes any reward as it comes
    assert rewarded.evaluate(steps=50).total > 25


def test_learning_errors(agent: sfnec.Agent) -> None:
    with pytest.raises(sfnec.errors.StateError, match="rewards=any"):
        agent.begin_task(reward=STAY)
    with pytest.raises(sfnec.errors.ArgumentError, match="not both"):
        agent.begin_task([1, 1, 1], reward=STAY)


def test_optimum_of_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a reward that is linear it is the library's own."""
    root = Path(__file__).resolve().parents[2]
    if not (root / "benchmarks/rewards").exists():
        pytest.skip("the benchmark is not there")
    monkeypatch.syspath_prepend(str(root))
    optimum = importlib.import_module("benchmarks.rewards.optimum")
    w = np.array([-1.0, -1.0, -1.0, 1.0])
    world, exact = sfnec.World("four_rooms", seed=1), ffi.new("double *")
    check(lib.sfnec_env_get_optimum(world.handle(), pointer(w, "double *"), 20_000, exact))
    found = 20_000 * optimum.gain(optimum.Rooms(), "goal - circle - square - triangle")
    assert found == pytest.approx(exact[0], rel=2e-3)
