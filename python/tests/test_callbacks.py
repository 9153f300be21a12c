"""Callbacks as objects and lists, and where numbers are logged while an agent learns."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest

import sfnec
from sfnec.callbacks import Callback, Checkpoint, Evaluate, StopAtReward
from sfnec.loggers import CSV, TensorBoard


def made(**options: Any) -> sfnec.Agent:
    return sfnec.Agent("sfnec", "four_rooms", seed=3, **options)


def content(agent: sfnec.Agent, path: Path) -> bytes:
    agent.save(path)
    return path.read_bytes()


def test_a_list_is_called_and_any_of_it_stops() -> None:
    seen: list[int] = []
    agent = made()
    agent.learn(5_000, [lambda p: seen.append(p.timesteps), lambda p: p.timesteps < 2_000], False)
    assert seen[-1] == 2_000 and seen[0] <= 1_000
    with pytest.raises(sfnec.ArgumentError, match="a callback is a callable, not int"):
        agent.learn(10, [3])  # type: ignore[list-item]
    with pytest.raises(sfnec.ArgumentError, match="every 0"):
        Callback(0)


def test_evaluation_keeps_the_best_and_changes_nothing(tmp_path: Path) -> None:
    best = Evaluate(every=700, steps=300, path=tmp_path / "best.agent")
    watched, plain = made(), made()
    watched.learn(3_000, [best], False)
    plain.learn(3_000, None, False)
    assert [step for step, _ in best.results] == [700, 1400, 2100, 2800]
    assert best.best == max((each for _, each in best.results), key=lambda each: each.per_episode)
    # what was drawn for ties of questions is saved; nothing else differs
    assert watched.episodes == plain.episodes
    assert [task.entries for task in watched.tasks] == [task.entries for task in plain.tasks]
    kept = sfnec.Agent.load(tmp_path / "best.agent")
    assert kept.task_count == 1


class Unique(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment that there is only once, as a robot is."""

    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError("there is only one")

    @property
    def spec(self) -> None:
        return None


def test_evaluation_plays_in_a_copy() -> None:
    agents = [sfnec.Agent("sfnec", gymnasium.make("CartPole-v1"), seed=1) for _ in range(2)]
    aside = Evaluate(every=100, steps=50)
    agents[0].learn(200, aside, False)
    agents[1].learn(200, None, False)
    assert len(aside.results) == 2
    assert agents[0].episodes == agents[1].episodes
    assert np.array_equal(agents[0].q(np.zeros(4, np.float32)), agents[1].q(np.zeros(4, np.float32)))


def test_evaluation_of_what_cannot_be_copied_needs_another() -> None:
    agent = sfnec.Agent("sfnec", Unique(gymnasium.make("CartPole-v1")), seed=1)
    assert not agent.evaluates_aside
    with pytest.raises(sfnec.ArgumentError, match="an environment of its own"):
        agent.learn(200, Evaluate(every=100, steps=50), False)
    aside = Evaluate(every=100, steps=50, env=gymnasium.make("CartPole-v1"))
    agent.learn(200, aside, False)
    assert len(aside.results) == 2


def test_checkpoints(tmp_path: Path) -> None:
    saving = Checkpoint(400, tmp_path / "saved", keep=2)
    agent = made()
    agent.learn(1_600, saving, False)
    assert sorted(path.name for path in (tmp_path / "saved").iterdir()) == [
        "agent-000000001200.sfnec",
        "agent-000000001600.sfnec",
    ]
    assert sfnec.Agent.load(saving.paths[-1]).tasks[0].steps == 1_600


def test_stop_at_reward() -> None:
    agent = sfnec.Agent("nec", gymnasium.make("CartPole-v1"), seed=1)
    agent.learn(5_000, StopAtReward(1.0, episodes=3), False)
    assert len(agent.episodes) == 3
    agent.learn(300, StopAtReward(1e9, episodes=3), False)
    assert sum(episode.steps for episode in agent.episodes) >= 300


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    agent = made()
    agent.learn(2_000, Evaluate(every=1_000, steps=100), False, logger=path)
    agent.learn(500, None, False, logger=str(path))
    rows = list(csv.DictReader(path.open()))
    assert set(rows[0]) == {"step", "name", "value"}
    names = {row["name"] for row in rows}
    assert {"agent/entries", "speed/steps_per_second", "episode/return", "evaluation/return"} <= names
    steps = [int(row["step"]) for row in rows]
    assert steps == sorted(steps) and steps[-1] == 2_500
    returns = [float(row["value"]) for row in rows if row["name"] == "episode/return"]
    assert returns == [episode.total for episode in agent.episodes]


def test_tensorboard(tmp_path: Path) -> None:
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    agent = made()
    agent.learn(2_000, None, False, logger=tmp_path / "board")
    found = reader.EventAccumulator(str(tmp_path / "board"))
    found.Reload()
    scalars = found.Scalars("episode/return")
    assert [each.value for each in scalars] == pytest.approx([episode.total for episode in agent.episodes], rel=1e-6)
    assert scalars[-1].step == 2_000


def test_a_logger_of_ones_own_and_wandb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    logged: list[tuple[int, dict[str, float]]] = []
    fake: Any = ModuleType("wandb")
    fake.run, fake.init = None, lambda **settings: setattr(fake, "run", settings)
    fake.log = lambda values, step: logged.append((step, values))
    monkeypatch.setitem(sys.modules, "wandb", fake)
    made().learn(1_000, None, False, logger="wandb")
    assert fake.run == {"project": "sfnec"} and logged[-1][0] == 1_000
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(sfnec.StateError, match="pip install wandb"):
        made().learn(10, logger="wandb")
    with pytest.raises(sfnec.ArgumentError, match="a logger is a path"):
        made().learn(10, logger=3)  # type: ignore[arg-type]
    # one that is given stays open
    own = CSV(tmp_path / "own.csv")
    agent = made()
    agent.learn(1_000, None, False, logger=own)
    agent.learn(1_000, None, False, logger=own)
    own.close()
    TensorBoard(tmp_path / "empty").close()
