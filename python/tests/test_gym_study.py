"""Studies in worlds of Gymnasium and MO-Gymnasium: `sfnec run` and its Python workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import worlds

import sfnec
from sfnec.experiment import _surroundings

SPEC: dict[str, Any] = {"name": "small", "tasks": 2, "steps": 400, "seeds": "1-2", "agents": ["sfnec"]}
RECORD = {"episodes": True}


def start(command: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([command, *words], stderr=subprocess.PIPE, text=True, env=_surroundings())


def tell(command: str, *words: str) -> str:
    process = start(command, *words)
    said: str = process.communicate()[1]
    return f"{process.returncode} {said}"


def write(path: Path, env: str, more: str = "") -> str:
    path.write_text(f"name: small\nenv: {env}\ntasks: 2\nsteps: 400\nseeds: 1-2\nagents: [sfnec]\n{more}")
    return str(path)


# ---- the same as in one process ----


def test_as_learn(command: str, tmp_path: Path) -> None:
    """A job does what Agent.learn does, to the step."""
    spec = {**SPEC, "env": "gym:CartPole-v1", "tasks": 1, "steps": 1500, "agents": ["sfnec", "nec"], "record": RECORD}
    results = sfnec.run(spec, tmp_path / "out", jobs=2, quiet=True)
    episodes = results.episodes()
    for preset in ("sfnec", "nec"):
        for seed in (1, 2):
            agent = sfnec.Agent(preset, gymnasium.make("CartPole-v1"), seed=seed).learn(1500, progress_bar=False)
            found = episodes[(episodes.name == preset) & (episodes.seed == seed)]
            assert list(found.steps) == [episode.steps for episode in agent.episodes]


@pytest.mark.parametrize("world", ["CartPole-v1", "four-room-v0", "deep-sea-treasure-v0"])
def test_killed_and_resumed(command: str, tmp_path: Path, world: str) -> None:
    """The real worlds: a study that is killed goes on to the same results, and says what it cannot save."""
    spec = write(tmp_path / "spec.yaml", f"{{gymnasium: {world}}}", "record: {episodes: yes}\n")
    said = tell(command, "run", spec, "-o", str(tmp_path / "whole"), "--steps", "3000", "--jobs", "2")
    assert said.startswith("0 ") and "a job that is stopped starts from its beginning" in said
    words = ["run", spec, "-o", str(tmp_path / "killed"), "--steps", "3000", "--jobs", "1"]
    process = start(command, *words)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list((tmp_path / "killed").glob("jobs/*.result")):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert tell(command, *words).startswith("0 ")
    tables = [sfnec.Results(tmp_path / name).episodes() for name in ("whole", "killed")]
    assert len(tables[0]) > 4 and tables[0].equals(tables[1])


def test_interrupted(command: str, tmp_path: Path) -> None:
    words = ["run", write(tmp_path / "spec.yaml", "gym:CartPole-v1"), "-o", str(tmp_path / "out"), "--jobs", "1"]
    process = start(command, *words, "--steps", "200000")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not sum(_running(tmp_path / "out")):
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode == 130 and "the running ones start from their beginning" in said
    assert not list((tmp_path / "out").glob("jobs/*"))


def _running(folder: Path) -> list[int]:
    try:
        return [row["jobs"] for row in sfnec.Results(folder).sql(
            "SELECT count(*) AS jobs FROM job WHERE state = 'running'", frame=False)]
    except sfnec.Error:
        return [0]


# ---- features, weights, wrappers, factories ----


def both_ends(before: Any, action: int, after: Any) -> list[float]:
    return [float(after[0]), float(after[6]), 1.0]


def small(size: int = 7, name: str = "x", flag: bool = False) -> gymnasium.Env[Any, Any]:
    assert size == 7 and name == "x y" and flag is True
    return worlds.Corridor("vector", start=1)


class Breaks(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Fails after a few steps: by an exception, or by the end of its process."""

    def step(self, action: Any) -> Any:
        self.taken = getattr(self, "taken", 0) + 1
        if self.taken > 50:
            if os.environ.get("BREAK") == "exit":
                os._exit(3)
            raise RuntimeError("the simulator\nhas gone")
        return super().step(action)


HERE = f"{__name__}:"


def test_weights_as_tasks(command: str, tmp_path: Path) -> None:
    env = {"gymnasium": "deep-sea-treasure-v0", "weights": [[1, 0], [0.3, 0.7], [0, 1]]}
    results = sfnec.run({**SPEC, "env": env, "tasks": 4}, tmp_path / "out", quiet=True)
    returns = results.returns()
    # the second objective is -1 a step, and tasks repeat after three
    assert (returns[returns.task == 3].total == -400).all()
    assert (returns[returns.task == 4].total > 0).all()


def test_factory_and_options(command: str, tmp_path: Path) -> None:
    env = {"gymnasium": small, "options": {"size": 7, "name": "x y", "flag": True}}
    results = sfnec.run({**SPEC, "env": env}, tmp_path / "out", quiet=True)
    assert results.experiment["env"] == f"gym:{HERE}small"
    assert (results.returns().total > 0).all()
    # drawn weights add up to 1, and are those of the seed
    again = sfnec.run({**SPEC, "env": env}, tmp_path / "again", quiet=True)
    assert again.returns().total.equals(results.returns().total)
    assert len(set(results.returns().total)) == 4


def test_sweep_wrappers_and_phi(command: str, tmp_path: Path) -> None:
    env = {
        "gymnasium": "worlds:Corridor",
        "options": {"dress": "vector"},
        "wrappers": ["mo_gymnasium.wrappers:LinearReward"],
        "features": "linear",
    }
    spec = {**SPEC, "env": env, "sweep": {"start": [0, 1]}, "record": RECORD}
    results = sfnec.run(spec, tmp_path / "out", set={"max_episode_steps": 4}, quiet=True)
    assert set(results.returns().name) == {"sfnec start=0", "sfnec start=1"}
    assert results.episodes().steps.max() == 4
    # LinearReward says its weights, 1 for each end
    ended = results.episodes()[results.episodes().terminated == 1]
    assert len(ended) > 9 and set(ended.total) == {1.0}
    phi = {"gymnasium": "worlds:Corridor", "features": f"{HERE}both_ends", "weights": [[0, 0, 1]]}
    results = sfnec.run({**SPEC, "env": phi}, tmp_path / "phi", quiet=True)
    assert (results.returns().total == 400).all()


def test_by_env(command: str, tmp_path: Path) -> None:
    spec = {**SPEC, "env": "one_room"}
    results = sfnec.run(spec, tmp_path / "id", env="CartPole-v1", quiet=True, set={"sutton_barto_reward": True})
    assert (results.returns().total < 0).all()
    results = sfnec.run(spec, tmp_path / "own", env=worlds.Corridor, quiet=True)
    assert results.experiment["env"] == "gym:worlds:Corridor"
    assert sfnec.run(spec, tmp_path / "built", env="four_rooms_grid", quiet=True).experiment["env"] == "four_rooms_grid"
    with pytest.raises(sfnec.ArgumentError, match="a function or class of a module"):
        sfnec.run(spec, tmp_path / "lambda", env=lambda: None)


def test_script(command: str, tmp_path: Path) -> None:
    """A function of the script itself, and a saved agent of a study."""
    script = tmp_path / "script.py"
    script.write_text(
        "import gymnasium, sfnec\n"
        "def make(): return gymnasium.make('CartPole-v1')\n"
        "if __name__ == '__main__':\n"
        f"    spec = {{**{SPEC!r}, 'env': 'one_room', 'record': {{'agents': True}}}}\n"
        f"    sfnec.run(spec, {str(tmp_path / 'out')!r}, env=make, quiet=True)\n"
    )
    subprocess.run([sys.executable, str(script)], check=True, timeout=120)
    agent = next((tmp_path / "out" / "agents").glob("*.sfnec"))
    assert "is a world of Gymnasium" in tell(command, "eval", str(agent), "--random", "1")
    with pytest.raises(sfnec.Error):
        sfnec.Agent.load(agent)
    assert sfnec.Agent.load(agent, gymnasium.make("CartPole-v1")).task_count == 2


def test_evaluated(command: str, tmp_path: Path) -> None:
    """Evaluations on the side begin the world anew each time, and change nothing."""
    spec = {**SPEC, "env": "gym:CartPole-v1", "record": RECORD}
    plain = sfnec.run(spec, tmp_path / "plain", quiet=True)
    evaluate = {"every": 200, "episodes": 2}
    aside = sfnec.run({**spec, "evaluate": evaluate}, tmp_path / "aside", quiet=True)
    assert plain.episodes().equals(aside.episodes())
    assert len(aside.sql("SELECT * FROM evaluation")) == 2 * 2 * 2


# ---- what goes wrong ----


def test_refusals(command: str, tmp_path: Path) -> None:
    for env, sentence in (
        ("{gymnasium: Nothing-v3}", "spec.yaml:2: env: NameNotFound"),
        ("{gymnasium: 'worlds:nothing'}", "env: "),
        ("{gymnasium: CartPole-v1, weights: [[1, 2]]}", "the weights of a task must be 1 finite numbers"),
        ("{gymnasium: CartPole-v1, features: psi}", "features come from one of"),
        ("{gymnasium: CartPole-v1, wrappers: [nothing]}", "it takes module:attribute"),
        ("{gymnasium: CartPole-v1, options: {gravitas: 3}}", "gravitas"),
        ("{gymnasium: Pendulum-v1}", "an agent needs discrete actions"),
        ("{gymnasium: CartPole-v1, name: one_room}", "exclude each other"),
        ("{name: one_room, features: reward}", "belong to a world of Gymnasium"),
    ):
        said = tell(command, "run", write(tmp_path / "spec.yaml", env), "-o", str(tmp_path / "out"))
        assert said.startswith("2 ") and sentence in said, said
    said = tell(command, "train", "--env", "gym:CartPole-v1", "--set", "neighbors=3")
    assert said.startswith("2 ") and "neighbors" in said
    environment = {**_surroundings(), "SFNEC_PYTHON": "/nowhere/python"}
    words = [command, "train", "--env", "gym:CartPole-v1"]
    refused = subprocess.run(words, stderr=subprocess.PIPE, text=True, env=environment)
    assert refused.returncode == 2 and "SFNEC_PYTHON names another one" in refused.stderr


@pytest.mark.parametrize("how, sentence", [("raise", "RuntimeError: the simulator has gone"), ("exit", "ended")])
def test_world_fails(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, sentence: str) -> None:
    """A world that fails is told, and is no end of the others."""
    monkeypatch.setenv("BREAK", how)
    spec = write(tmp_path / "spec.yaml", f"{{gymnasium: CartPole-v1, wrappers: ['{HERE}Breaks']}}")
    said = tell(command, "run", spec, "-o", str(tmp_path / "out"), "--jobs", "2")
    assert said.startswith("1 ") and sentence in said and "2 of 2 jobs failed" in said, said
