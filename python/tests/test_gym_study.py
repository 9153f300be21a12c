"""Studies in Gymnasium environments and MO-Gymnasium: `sfnec run` and its Python workers."""

from __future__ import annotations

import os
import signal
import struct
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
        return [
            row["jobs"]
            for row in sfnec.Results(folder).sql(
                "SELECT count(*) AS jobs FROM job WHERE state = 'running'", frame=False
            )
        ]
    except sfnec.Error:
        return [0]


# ---- features, weights, wrappers, factories ----


def both_ends(before: Any, action: int, after: Any) -> list[float]:
    return [float(after[0]), float(after[6]), 1.0]


def small(size: int = 7, name: str = "x", flag: bool = False) -> gymnasium.Env[Any, Any]:
    assert size == 7 and name == "x y" and flag is True
    return worlds.Corridor("vector", start=1)


class Breaks(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Fails after a few steps: by an exception, by the end of its process, or by what it says to the command."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.how, self.taken, self.begun = os.environ.get("BREAK", ""), 0, 0
        if self.how == "make":
            sys.exit("no licence")

    def reset(self, **words: Any) -> Any:
        self.begun += 1
        if self.how == "reset" and self.begun > 2:
            raise SystemExit("no more episodes")
        return super().reset(**words)

    def step(self, action: Any) -> Any:
        self.taken += 1
        if self.taken > 50 and self.how != "reset":
            self._fail()
        return super().step(action)

    def _fail(self) -> None:
        line = int(sys.argv[-1])  # of the worker
        if self.how == "fork" and os.fork() == 0:
            os.closerange(0, 3)  # the test reads to the end of what the command says
            time.sleep(600)  # lives on, with the line to the command
            os._exit(0)
        if self.how in ("exit", "fork"):
            os._exit(3)
        if self.how in ("huge", "half"):
            os.write(line, struct.pack("=II", 7, 2**32 - 1 if self.how == "huge" else 1000))
            time.sleep(600)
        kinds: dict[str, type[BaseException]] = {
            "SystemExit": SystemExit,
            "KeyboardInterrupt": KeyboardInterrupt,
            "GeneratorExit": GeneratorExit,
        }
        raise kinds.get(self.how, RuntimeError)("the simulator\nhas gone")


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
    assert "is a Gymnasium environment" in tell(command, "eval", str(agent), "--random", "1")
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
        ("{gymnasium: 'worlds:Wide'}", "729 actions: choose with sfnec.discrete.Discretise"),
        ("{gymnasium: CartPole-v1, name: one_room}", "exclude each other"),
        ("{name: one_room, features: reward}", "belong to a Gymnasium environment"),
    ):
        said = tell(command, "run", write(tmp_path / "spec.yaml", env), "-o", str(tmp_path / "out"))
        assert said.startswith("2 ") and sentence in said, said
    said = tell(command, "train", "--env", "gym:CartPole-v1", "--set", "neighbors=3")
    assert said.startswith("2 ") and "neighbors" in said
    environment = {**_surroundings(), "SFNEC_PYTHON": "/nowhere/python"}
    words = [command, "train", "--env", "gym:CartPole-v1"]
    refused = subprocess.run(words, stderr=subprocess.PIPE, text=True, env=environment)
    assert refused.returncode == 2 and "SFNEC_PYTHON names another one" in refused.stderr


@pytest.mark.parametrize(
    "how, sentence",
    [
        ("raise", "RuntimeError: the simulator has gone"),
        ("SystemExit", "the world raised SystemExit (the simulator has gone)"),
        ("KeyboardInterrupt", "the world raised KeyboardInterrupt (the simulator has gone)"),
        ("GeneratorExit", "the world raised GeneratorExit (the simulator has gone)"),
        ("reset", "the world raised SystemExit (no more episodes)"),
        ("exit", "ended"),
        ("fork", "ended by itself, with status 3"),
        ("huge", "ended by"),
        ("half", "ended by"),
    ],
)
def test_world_fails(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, sentence: str) -> None:
    """A world that fails is told, and is no end of the others."""
    monkeypatch.setenv("BREAK", how)
    spec = write(tmp_path / "spec.yaml", f"{{gymnasium: CartPole-v1, wrappers: ['{HERE}Breaks']}}")
    began = time.monotonic()
    seeds = "1" if how == "half" else "1-2"  # half a frame is waited for, twice
    said = tell(command, "run", spec, "-o", str(tmp_path / "out"), "--jobs", "2", "--seeds", seeds)
    assert said.startswith("1 ") and sentence in said and f"{seeds[-1]} of {seeds[-1]} jobs failed" in said, said
    assert time.monotonic() - began < 300  # nothing waits for what a dead worker left behind


def test_describe_exits(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A world that exits while it is made is refused by a sentence of its own."""
    monkeypatch.setenv("BREAK", "make")
    spec = write(tmp_path / "spec.yaml", f"{{gymnasium: CartPole-v1, wrappers: ['{HERE}Breaks']}}")
    said = tell(command, "run", spec, "-o", str(tmp_path / "out"))
    assert said.startswith("2 ") and "the world raised SystemExit (no licence)" in said, said


def test_callbacks_answer_failures() -> None:
    """Every function that C calls is marked by callback: what did not come to its last line has failed."""
    source = Path(sfnec.__file__).parent
    for path in source.glob("*.py"):
        lines = path.read_text().splitlines()
        for before, line in zip(lines, lines[1:], strict=False):
            if line.startswith("def sfnec_python_"):
                assert before.startswith("@callback("), f"{path}: {line}"
        assert sum("ffi.def_extern" in line or "ffi.callback" in line for line in lines) <= (path.name == "_called.py")


def test_current_folder(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in the current folder is not taken for numpy; a module that the spec names is found there."""
    for name in ("numpy", "json", "gymnasium", "mo_gymnasium"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()\nraise ImportError('a stranger')\n")
    (tmp_path / "mine_only.py").write_text("def wrap(env):\n    return env\n")
    spec = write(tmp_path / "spec.yaml", "{gymnasium: CartPole-v1, wrappers: ['mine_only:wrap']}")
    monkeypatch.chdir(tmp_path)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    words = [command, "run", spec, "-o", "out", "--jobs", "1", "--quiet"]
    done = subprocess.run(
        words, stderr=subprocess.PIPE, text=True, env={**environment, "SFNEC_PYTHON": sys.executable}, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()
