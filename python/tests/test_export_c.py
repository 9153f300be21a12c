"""What an agent does as C: `Agent.export_c`."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from worlds import Corridor

import sfnec

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


def compiled(source: Path) -> ctypes.CDLL:
    """The policy as a library that can be called."""
    library = source.with_suffix(".so")
    subprocess.run(["cc", "-std=c99", "-O1", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    return ctypes.CDLL(str(library))


def test_the_policy_answers_as_the_agent(tmp_path: Path) -> None:
    agent = sfnec.Agent("sfnec", "one_room", seed=2, ties="first")
    agent.learn(300, progress_bar=False)
    agent.export_c(tmp_path / "arm.c", [0.5, -1, 0.25], name="arm")
    policy = compiled(tmp_path / "arm.c")
    state = ctypes.create_string_buffer(1 << 20)
    policy.arm_begin(state)
    random = np.random.default_rng(0)
    for _ in range(20):
        observation = random.random(agent._observations.size, np.float32)
        value, row = ctypes.c_double(), observation.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        action = policy.arm_act(state, row, ctypes.byref(value))
        explained = agent.explain(observation, [0.5, -1, 0.25])
        assert (action, value.value) == (explained.action, explained.value)


def test_callable_embeddings_are_refused(tmp_path: Path) -> None:
    def embed(observation: object) -> np.ndarray:
        return np.asarray(observation, np.float32).ravel()

    agent = sfnec.Agent("sfnec", Corridor(), seed=1, embedding=embed)
    agent.begin_task([1, 0])
    agent.learn(20, progress_bar=False)
    with pytest.raises(sfnec.ArgumentError, match="embedded=True"):
        agent.export_c(tmp_path / "policy.c")
    agent.export_c(tmp_path / "policy.c", embedded=True)
    assert "policy_act" in (tmp_path / "policy.c").read_text()


def test_a_name_that_is_none_is_refused(tmp_path: Path) -> None:
    agent = sfnec.Agent("ql", "one_room", seed=1)
    agent.learn(20, progress_bar=False)
    with pytest.raises(sfnec.ArgumentError, match="a-z"):
        agent.export_c(tmp_path / "policy.c", name="2 arms")
