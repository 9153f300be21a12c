"""What an agent answers when it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._native import Handle, check, ffi, lib, pointer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Explanation", "Memory", "Model", "Task", "read_memories", "read_model", "read_task"]


class Task(NamedTuple):
    """What an agent knows about one of its tasks."""

    w: NDArray[np.float64]  #: its reward weights, given or learned (with predict="reward": [1])
    active: bool  #: it is the one that is learned
    learned: bool  #: w is learned, not given
    steps: int  #: transitions while it was the active task
    chosen: int  #: transitions for which GPI chose this task's policy
    entries: int  #: entries of its memories


class Memory(NamedTuple):
    """One entry of a memory, as it bears on a value."""

    distance: float  #: of its key from that of the observation
    weight: float  #: its share of psi; the shares add up to 1
    key: NDArray[np.float32]  #: what it was remembered by
    psi: NDArray[np.float32]  #: the successor features that it holds


class Model(NamedTuple):
    """What the model of an agent that plans holds, for all tasks."""

    places: int  #: points that states near them share
    samples: int  #: transitions that it remembers, each for all that were like it
    contexts: int  #: contexts that transitions were seen in
    slow: int  #: components of the observation that make the context; 0: contexts are not used
    step: float  #: median length of a move, the components scaled as the model has them
    radius: float  #: of a place, in steps
    bytes: int  #: held by the model and the present plan


class Explanation(NamedTuple):
    """Why the agent would act as it would."""

    action: int  #: the greedy one
    policy: int  #: the task whose policy was chosen
    value: float  #: psi . w of that policy and action
    q: NDArray[np.float64]  #: (tasks, actions): psi . w of all of them
    memories: list[Memory]  #: the nearest behind the value, nearest first; none for linear psi

    def __repr__(self) -> str:
        tasks, actions = self.q.shape
        return (
            f"<sfnec.Explanation action {self.action} by policy {self.policy}, value {self.value:.4g}; "
            f"{tasks} policies x {actions} actions, {len(self.memories)} memories>"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """The values of all actions by all policies, as bars; the chosen one is marked."""
        from . import plots

        return plots.explanation(self, ax)


def read_task(agent: Any, number: int) -> Task:
    """What a library's agent says of one of its tasks."""
    info = ffi.new("sfnec_task_info *")
    w = np.zeros(lib.sfnec_agent_get_psi_size(agent))
    check(lib.sfnec_agent_get_task_info(agent, number, info))
    check(lib.sfnec_agent_get_task_weights(agent, number, pointer(w, "double *")))
    return Task(w, info.active, info.learned, info.steps, info.chosen, info.entries)


def read_model(agent: Any) -> Model | None:
    """The model of a library's agent; None if it does not plan."""
    if lib.sfnec_agent_get_options(agent).psi != lib.SFNEC_PSI_PLANNED:
        return None
    info = ffi.new("sfnec_model_info *")
    check(lib.sfnec_agent_get_model_info(agent, info))
    return Model(*(getattr(info, name) for name in Model._fields))


def read_memories(handle: Handle, row: NDArray[np.float32], task: int, action: int, most: int) -> list[Memory]:
    """The entries of a library's agent that are nearest to an observation, copied."""
    agent, scratch = handle.pointer, handle.scratch
    views = ffi.new("sfnec_memory_view[]", max(int(most), 1))
    count = ffi.new("size_t *")
    key = pointer(row, "float *")
    check(lib.sfnec_agent_ask_memories(agent, scratch, key, task, action, max(int(most), 0), views, count))
    size, length = lib.sfnec_agent_get_key_size(agent), lib.sfnec_agent_get_psi_size(agent)

    def copied(address: Any, n: int) -> NDArray[np.float32]:
        return np.frombuffer(ffi.buffer(address, 4 * n), np.float32).copy()

    return [Memory(v.distance, v.weight, copied(v.key, size), copied(v.psi, length)) for v in views[0 : count[0]]]
