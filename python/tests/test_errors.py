"""What is refused raises an exception with the library's sentence, and leaves the agent usable."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from worlds import Corridor, Wide

import sfnec


@pytest.fixture
def agent() -> sfnec.Agent:
    agent = sfnec.Agent("sfnec", "one_room", seed=1)
    agent.begin_task([-1, 1, 1])
    return agent


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (lambda a: a.predict(np.zeros(5)), ValueError, r"shape \(103,\), not \(5,\)"),
        (lambda a: a.predict(np.full(103, np.nan)), ValueError, "finite"),
        (lambda a: a.predict(np.full(103, 1e300)), ValueError, "finite"),
        (lambda a: a.predict(np.array(["x"] * 103)), ValueError, "array of numbers"),
        (lambda a: a.psi(np.zeros((103, 1))), ValueError, "shape"),
        (lambda a: a.q(np.zeros(103), [1, 2]), ValueError, "3 numbers, not 2"),
        (lambda a: a.q(np.zeros(103), [1, 2, np.inf]), ValueError, "finite"),
        (lambda a: a.begin_task([1, np.nan, 0]), ValueError, "finite"),
        (lambda a: a.begin_task("abc"), ValueError, "array of numbers"),
        (lambda a: a.begin_task(), ValueError, "needs its reward weights"),
        (lambda a: a.set_task(3), ValueError, "task"),
        (lambda a: a.set_task(-1), ValueError, "no task -1"),
        (lambda a: a.learn(-1), ValueError, "-1 transitions"),
        (lambda a: a.learn(np.nan), ValueError, "whole number, not nan"),
        (lambda a: a.learn(2.5), ValueError, "whole number, not 2.5"),
        (lambda a: a.learn(10, callback_every=1.5), ValueError, "whole number, not 1.5"),
        (lambda a: a.evaluate(steps=np.inf), ValueError, "whole number, not inf"),
        (lambda a: a.set_task(0.5), ValueError, "whole number, not 0.5"),
        (lambda a: a.begin_task([10**400, 0, 0]), ValueError, "array of numbers"),
        (lambda a: a.save("a\0b"), ValueError, "NUL"),
        (lambda a: sfnec.Agent.load("a\0b"), ValueError, "NUL"),
        (lambda a: sfnec.World("one_room", count=2.5), ValueError, "whole number, not 2.5"),
        (lambda a: sfnec.World("one_room\0x"), ValueError, "NUL"),
        (lambda a: sfnec.World("one_room").task(1.5), ValueError, "whole number, not 1.5"),
        (lambda a: a.save("/nowhere/at/all.sfnec"), OSError, "/nowhere/at/all"),
        (lambda a: a.set_env("four_rooms"), ValueError, "103 observations"),
    ],
)
def test_refusals(agent: sfnec.Agent, error: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        error(agent)
    assert isinstance(caught.value, sfnec.Error)
    agent.learn(20, progress_bar=False)  # and it goes on
    assert agent.tasks[0].steps == 20


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sfnec.Agent("sfnek", "one_room"), "sfnec"),
        (lambda: sfnec.Agent("sfnec", "one_room", neighbors=3), "neighbours"),
        (lambda: sfnec.Agent("sfnec", "one_room", neighbours=0), "from 1"),
        (lambda: sfnec.Agent("sfnec", "one_room", neighbours=2.5), "whole number"),
        (lambda: sfnec.Agent("sfnec", "one_room", neighbours=[1]), "number or a word"),
        (lambda: sfnec.Agent("sfnec", "one_room", psi="deep"), "episodic"),
        (lambda: sfnec.Agent("sfnec", "one_room", seed=-1), "seed"),
        (lambda: sfnec.Agent("sfnec", "one_room", seed=1.5), "seed"),
        (lambda: sfnec.Agent("sfnec", None), "needs an environment"),
        (lambda: sfnec.Agent("sfnec", object()), "no environment"),
        (lambda: sfnec.Agent("sfnec", Corridor), r"make an environment of it first, Corridor\(...\)"),
        (lambda: sfnec.Agent("sfnec", "one_room", phi=lambda s, a, t: [1]), "its own features"),
        (lambda: sfnec.Agent("sfnec", Corridor(), features="magic"), "magic"),
        (lambda: sfnec.Agent("sfnec", Wide()), "729 actions: choose with sfnec.discrete.Discretise"),
        (lambda: sfnec.World("five_rooms"), "four_rooms"),
        (lambda: sfnec.World("four_rooms", walls="paper"), "endpoint"),
        (lambda: sfnec.World("four_rooms", 0), "at least one"),
    ],
)
def test_refused_at_birth(make: Any, message: str) -> None:
    with pytest.raises(sfnec.Error, match=message):
        make()


def test_closed_agents() -> None:
    with sfnec.Agent("sfnec", "one_room", seed=1) as agent:
        agent.learn(10, progress_bar=False)
    for call in (
        lambda: agent.learn(1),
        lambda: agent.predict(np.zeros(103)),
        lambda: agent.save("x"),
        lambda: agent.tasks,
    ):
        with pytest.raises(sfnec.StateError, match="closed"):
            call()
    agent.close()
    assert "closed" in repr(agent)


def test_files(tmp_path: Path) -> None:
    agent = sfnec.Agent("sfnec", "one_room", seed=1)
    agent.learn(100, progress_bar=False)
    path = tmp_path / "agent.sfnec"
    agent.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(sfnec.FormatError):
        sfnec.Agent.load(path)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(sfnec.FormatError):
        sfnec.Agent.load(path)
    with pytest.raises(sfnec.FileError, match="missing"):
        sfnec.Agent.load(tmp_path / "missing.sfnec")
    stranger = sfnec.Agent("nec", Corridor("reward"), seed=1)
    stranger.save(path)
    with pytest.raises(sfnec.ArgumentError, match="give env"):
        sfnec.Agent.load(path)
    assert sfnec.Agent.load(path, Corridor("reward")).options == stranger.options


class Broken(Corridor):
    """Goes wrong in its tenth step."""

    def __init__(self, how: str) -> None:
        super().__init__("info")
        self.how, self.count = how, -1

    def step(self, action: Any) -> Any:
        self.count += 1
        observation, reward, terminated, truncated, info = super().step(action)
        if self.count == 10:
            if self.how == "raise":
                raise RuntimeError("the simulator died")
            if self.how == "nan":
                observation = observation * np.nan
            if self.how == "features":
                info["features"] = np.array([np.inf, 0])
            if self.how == "length":
                info["features"] = np.zeros(3)
            if self.how == "interrupt":
                os.kill(os.getpid(), signal.SIGINT)
        return observation, reward, terminated, truncated, info


@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        ("raise", RuntimeError, "simulator died"),
        ("nan", sfnec.ArgumentError, "finite"),
        ("features", sfnec.ArgumentError, "finite"),
        ("length", sfnec.ArgumentError, "2 numbers, not 3"),
        ("interrupt", KeyboardInterrupt, "^$"),
    ],
)
def test_broken_environments_leave_a_whole_agent(how: str, kind: type[BaseException], message: str) -> None:
    agent = sfnec.Agent("sfnec", Broken(how), seed=1)
    agent.begin_task([-1, 1])
    with pytest.raises(kind, match=message):
        agent.learn(100, progress_bar=False)
    steps = agent.tasks[0].steps
    assert steps == (10 if how == "interrupt" else 9)
    agent.learn(50, progress_bar=False)
    agent.begin_task([1, -1])
    agent.learn(50, progress_bar=False)
    assert [task.steps for task in agent.tasks] == [steps + 50, 50]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


INTERRUPTED = """
import sys, time
import sfnec
agent = sfnec.Agent("sfnec", "four_rooms", seed=1)
print("ready", flush=True)
try:
    agent.learn(10**9, progress_bar=False)
except KeyboardInterrupt:
    stopped = time.time()
    steps = agent.tasks[0].steps
    assert sum(episode.steps for episode in agent.episodes) <= steps
    agent.learn(100, progress_bar=False)
    assert agent.tasks[0].steps == steps + 100
    agent.begin_task([1, 0, 0, 1])
    agent.learn(100, progress_bar=False)
    agent.save(sys.argv[1])
    print("stopped", stopped, steps, flush=True)
"""


def test_ctrl_c_stops_within_a_second(tmp_path: Path) -> None:
    words = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "agent.sfnec")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        word, stopped, steps = process.stdout.readline().split()
        assert process.wait(60) == 0
    assert word == "stopped" and float(stopped) - sent < 1.0 and int(steps) > 1000
    assert sfnec.Agent.load(tmp_path / "agent.sfnec").task_count == 2
