"""The same seed gives the same results from C and from Python."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import sfnec
from sfnec._native import check, ffi, lib


def run_in_c(
    preset: str, kind: str, seed: int, tasks: int, steps: int, changes: dict[str, Any]
) -> list[tuple[Any, ...]]:
    """The paper's protocol by sfnec_run: total, episodes and entries of every task."""
    from sfnec import tables

    world = sfnec.World(kind, seed=seed)
    shape = ffi.new("sfnec_env_shape *", (world.observation_size, world.action_count, world.feature_count))
    agent, run = ffi.new("sfnec_agent **"), ffi.new("sfnec_run **")
    check(lib.sfnec_agent_create(shape, tables.resolve(preset, changes), seed, agent))
    options = ffi.new("sfnec_run_options *", {"tasks": tasks, "steps": steps})
    check(lib.sfnec_run_create(agent[0], world.handle(), options, run))
    check(lib.sfnec_run_advance(run[0], tasks * steps))
    count = ffi.new("uint32_t *")
    results = lib.sfnec_run_get_results(run[0], count)
    found = [(results[i].total, results[i].episodes, results[i].entries) for i in range(count[0])]
    lib.sfnec_run_destroy(run[0])
    lib.sfnec_agent_destroy(agent[0])
    return found


def learn_in_python(agent: sfnec.Agent, task: Any, tasks: int, steps: int, given: bool) -> list[tuple[Any, ...]]:
    found = []
    for t in range(tasks):
        if t > 0:
            w = task(t)
            if not given:
                agent.env.unwrapped.world.set_weights(w)
            agent.begin_task(w if given else None)
        before = len(agent.episodes)
        agent.learn(steps, progress_bar=False)
        totals = [episode.total for episode in agent.episodes[before:]]
        entries = sum(each.entries for each in agent.tasks)
        found.append((sum(totals), len(totals), entries))
    return found


@pytest.mark.parametrize("preset", ["sfnec", "sfnec-plus", "sfnec-nogpi", "nec", "sfql", "ql"])
def test_presets_learn_as_in_c(preset: str) -> None:
    expected = run_in_c(preset, "four_rooms", 5, 3, 1500, {})
    env = gymnasium.make("sfnec/FourRooms-v0")
    agent = sfnec.Agent(preset, env, seed=5)
    found = learn_in_python(agent, env.unwrapped.task, 3, 1500, True)
    assert [row[1:] for row in found] == [row[1:] for row in expected]
    assert [row[0] for row in found] == pytest.approx([row[0] for row in expected], rel=1e-12, abs=1e-12)
    assert any(row[0] != 0 for row in expected)


@pytest.mark.parametrize("kind", ["one_room", "cartpole", "four_rooms_grid", "navigation"])
def test_kinds_learn_as_in_c(kind: str) -> None:
    expected = run_in_c("sfnec", kind, 2, 2, 1000, {})
    world = sfnec.World(kind)
    agent = sfnec.Agent("sfnec", world, seed=2)
    found = learn_in_python(agent, world.task, 2, 1000, True)
    assert [row[1:] for row in found] == [row[1:] for row in expected]
    assert [row[0] for row in found] == pytest.approx([row[0] for row in expected], rel=1e-12, abs=1e-12)


def test_learned_weights_as_in_c() -> None:
    expected = run_in_c("sfnec", "four_rooms", 4, 2, 1500, {"w": "sgd"})
    env = gymnasium.make("sfnec/FourRooms-v0")
    agent = sfnec.Agent("sfnec", env, seed=4, w="sgd")
    found = learn_in_python(agent, env.unwrapped.task, 2, 1500, False)
    assert [row[1:] for row in found] == [row[1:] for row in expected]
    assert agent.tasks[0].learned


def body(path: Path) -> bytes:
    return path.read_bytes()


@pytest.mark.parametrize("kind", ["FourRooms", "CartPole"])
def test_python_loop_and_c_loop_give_the_same_agent(kind: str, tmp_path: Path) -> None:
    files = []
    for wrapped in (False, True):
        env = gymnasium.make(f"sfnec/{kind}-v0")
        agent = sfnec.Agent("sfnec", gymnasium.wrappers.OrderEnforcing(env) if wrapped else env, seed=3)
        agent.learn(700, progress_bar=False)
        agent._world = None  # so that both files have the same note
        files.append(tmp_path / str(wrapped))
        agent.save(files[-1])
    assert body(files[0]) == body(files[1])


def test_slices_do_not_matter(tmp_path: Path) -> None:
    whole = sfnec.Agent("sfnec", "four_rooms", seed=9)
    whole.learn(600, progress_bar=False)
    parts = sfnec.Agent("sfnec", "four_rooms", seed=9)
    for steps in (1, 250, 0, 99):
        parts.learn(steps, progress_bar=False, keep_episode=True)
    parts.learn(250, callback=lambda progress: None, callback_every=7, progress_bar=False)
    whole.save(tmp_path / "whole")
    parts.save(tmp_path / "parts")
    assert body(tmp_path / "whole") == body(tmp_path / "parts")
    assert whole.episodes == parts.episodes


def test_the_command_trains_the_same(command: str, tmp_path: Path) -> None:
    words = [command, "train", "--tasks", "2", "--steps", "1200", "--seed", "7", "--quiet"]
    subprocess.run([*words, "--csv", tmp_path / "a.csv", "--save", tmp_path / "c.sfnec"], check=True)
    with (tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    env = gymnasium.make("sfnec/FourRooms-v0")
    agent = sfnec.Agent("sfnec", env, seed=7)
    found = learn_in_python(agent, env.unwrapped.task, 2, 1200, True)
    assert [row[0] for row in found] == pytest.approx([float(row["return"]) for row in rows], abs=1e-9)
    assert [row[2] for row in found] == [int(row["entries"]) for row in rows]
    agent.save(tmp_path / "python.sfnec")
    assert body(tmp_path / "python.sfnec") == body(tmp_path / "c.sfnec")


def test_an_agent_crosses_over(command: str, tmp_path: Path) -> None:
    """Trained in Python, evaluated by the command; trained by the command, evaluated in Python."""
    agent = sfnec.Agent("sfnec", "one_room", seed=1, neighbours=5)
    agent.learn(3000, progress_bar=False)
    agent.save(tmp_path / "python.sfnec")
    found = agent.evaluate([-1, 1, 1], steps=400)
    words = [command, "eval", tmp_path / "python.sfnec", "--w", "-1,1,1", "--steps", "400"]
    printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()[-1].split()
    assert float(printed[1]) == pytest.approx(found.total, abs=0.01)
    assert [int(printed[2]), int(printed[3])] == [found.episodes, found.goals]

    words = [command, "train", "--env", "one_room", "--tasks", "1", "--steps", "3000", "--seed", "1", "--quiet"]
    subprocess.run([*words, "--set", "neighbours=5", "--save", tmp_path / "c.sfnec"], check=True)
    loaded = sfnec.Agent.load(tmp_path / "c.sfnec")
    assert loaded.options["neighbours"] == 5
    assert loaded.evaluate([-1, 1, 1], steps=400) == found
