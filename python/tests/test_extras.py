"""What is around the agent: typed options, explanations, value maps, films, discretised actions, other processes."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import gymnasium
import matplotlib.pyplot as plt
import numpy as np
import pytest

import sfnec
from sfnec.discrete import Discretise


@pytest.fixture(scope="module")
def agent() -> sfnec.Agent:
    made = sfnec.Agent("sfnec", "four_rooms", seed=1)
    for w in ([1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]):
        made.begin_task(w)
        made.learn(1_500, None, False)
    return made


def test_no_leaked_names() -> None:
    assert set(dir(sfnec)) == {*sfnec.__all__, "__doc__", "__version__"}
    assert all(hasattr(sfnec, name) for name in sfnec.__all__)


def test_options_are_typed(root: Path) -> None:
    path = root / "python" / "tools" / "make_options.py"
    spec = importlib.util.spec_from_file_location("make_options", path)
    assert spec is not None and spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    assert (root / "python" / "sfnec" / "_options.py").read_text() == maker.text(), "run python/tools/make_options.py"


def test_mypy_refuses_misspelt_options(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "good.py").write_text('import sfnec\nsfnec.Agent("sfnec", "four_rooms", neighbours=3, psi="linear")\n')
    (tmp_path / "bad.py").write_text('import sfnec\nsfnec.Agent("sfnec", "four_rooms", neighbors=3)\n')
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    good = subprocess.run([*words, "good.py"], capture_output=True, text=True, cwd=tmp_path)
    assert good.returncode == 0, good.stdout
    bad = subprocess.run([*words, "bad.py"], capture_output=True, text=True, cwd=tmp_path)
    assert bad.returncode == 1 and 'did you mean "neighbours"' in bad.stdout


def test_mypy_accepts_what_users_write(tmp_path: Path, root: Path) -> None:
    pytest.importorskip("mypy")
    program = root / "python" / "tests" / "users_program.py"
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), program]
    checked = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    path = os.pathsep.join([str(Path(os.environ.get("SFNEC", sys.executable)).parent), os.environ["PATH"]])
    ran = subprocess.run(
        [sys.executable, program, tmp_path],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
    )
    assert ran.returncode == 0, ran.stderr


def test_explanation(agent: sfnec.Agent) -> None:
    told = agent.explain(sfnec.World("four_rooms", seed=1).reset()[0])
    assert len(repr(told)) < 150 and f"action {told.action} by policy {told.policy}" in repr(told)
    axes = told.plot()
    assert len(axes.patches) == told.q.size
    plt.close("all")


def test_value_map(agent: sfnec.Agent) -> None:
    values = agent.value_map(9, w=[0.0, 0.0, 0.0, 1.0])
    assert values.shape == (9, 9) and np.isfinite(values).sum() > 40
    behind = sfnec.Agent("sfnec", gymnasium.make("sfnec/FourRooms-v0"), seed=1)
    behind.learn(300, None, False)
    assert np.isfinite(behind.value_map(5)).any()
    pole = sfnec.Agent("nec", gymnasium.make("CartPole-v1"), seed=1)
    with pytest.raises(sfnec.ArgumentError, match="one of the library's worlds"):
        pole.value_map()


def test_film(agent: sfnec.Agent, command: str, tmp_path: Path) -> None:
    try:
        path = agent.film(tmp_path / "film.png", w=[-1.0, 0.0, 0.0, 1.0], steps=20, seed=3)
    except sfnec.StateError as error:
        assert "built without cairo" in str(error) and "--no-binary" in str(error)
        pytest.skip(str(error))  # as in the wheels of a release
    assert path.read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(sfnec.OptionError, match="gif"):
        agent.film(tmp_path / "film.txt")


def test_stats_and_report(command: str, tmp_path: Path) -> None:
    spec = {"name": "small", "env": "four_rooms", "tasks": 1, "steps": 50, "seeds": "1-2", "agents": ["ql", "sfql"]}
    results = sfnec.run(spec, tmp_path / "small", quiet=True)
    stats = results.stats(against="sfql")
    assert [each["configuration"] for each in stats["configurations"]] == ["ql", "sfql"]
    assert stats["against"] == "sfql" and stats["configurations"][0]["runs"] == 2
    with pytest.raises(sfnec.OptionError, match="there are 'ql' and 'sfql'"):
        results.stats(against="zzzzzz")
    try:
        page = results.report(tmp_path / "page.html")
    except sfnec.StateError as error:
        assert "npm" in str(error)  # built where there was none
        pytest.skip(str(error))
    assert page.read_text(encoding="utf-8").startswith("<!")


def test_discretised_actions() -> None:
    env = Discretise(gymnasium.make("Pendulum-v1"), bins=5)
    assert env.action_space == gymnasium.spaces.Discrete(5)
    assert env.actions[:, 0].tolist() == [-2.0, -1.0, 0.0, 1.0, 2.0]
    learner = sfnec.Agent("nec", env, seed=1)
    learner.learn(250, None, False)
    assert learner.action_count == 5 and learner.episodes[0].steps == 200
    named = Discretise(gymnasium.make("Pendulum-v1"), actions=[[-2.0], [2.0]])
    named.reset(seed=1)
    assert named.action(1).tolist() == [2.0] and named.action_space.n == 2
    with pytest.raises(sfnec.ArgumentError, match="bins divide a Box"):
        Discretise(gymnasium.make("CartPole-v1"))
    with pytest.raises(sfnec.ArgumentError, match="1 to 1024"):
        Discretise(gymnasium.make("Pendulum-v1"), bins=2000)
    with pytest.raises(sfnec.ArgumentError, match="shape"):
        Discretise(gymnasium.make("Pendulum-v1"), actions=[1.0])


class Levers(gymnasium.Env[Any, Any]):
    """Pays for one of the actions of a Dict."""

    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Dict(lever=gymnasium.spaces.Discrete(3), hard=gymnasium.spaces.MultiBinary(1))

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return 0, {}

    def step(self, action: Any) -> Any:
        return 1, float(action["lever"] == 2), True, False, {}


def test_any_actions_can_be_named() -> None:
    pulls = [{"lever": i, "hard": np.zeros(1, np.int8)} for i in range(3)]
    with pytest.raises(sfnec.ArgumentError, match="Discretise.env, actions="):
        sfnec.Agent("nec", Levers(), seed=1)
    learner = sfnec.Agent("nec", Discretise(Levers(), actions=pulls), seed=1)
    learner.learn(200, progress_bar=False)
    assert learner.evaluate(episodes=3).returns == (1.0, 1.0, 1.0)
    with pytest.raises(sfnec.ArgumentError, match="'lever': 7.* is no action of Dict"):
        Discretise(Levers(), actions=[{"lever": 7, "hard": np.zeros(1, np.int8)}])


def _learned(learner: sfnec.Agent) -> sfnec.Agent:
    return learner.learn(500, None, False)


def test_other_processes(tmp_path: Path) -> None:
    agents = [sfnec.Agent("sfnec", "four_rooms", seed=seed) for seed in (1, 2)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        back = list(pool.map(_learned, agents))
    for here, there in zip(agents, back, strict=True):
        _learned(here).save(tmp_path / "here")
        there.save(tmp_path / "there")
        assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()
