"""What an agent answers when it is asked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Explanation", "Memory", "Task"]


class Task(NamedTuple):
    """What an agent knows about one of its tasks."""

    w: NDArray[np.float64]  #: its reward weights, given or learned (with predict="reward": [1])
    active: bool
    learned: bool  #: w is learned, not given
    steps: int  #: transitions while it was the active task
    chosen: int  #: transitions for which GPI chose this task's policy
    entries: int  #: entries of its memories


class Memory(NamedTuple):
    """One entry of a memory, as it bears on a value."""

    distance: float
    weight: float  #: its share of psi; the shares add up to 1
    key: NDArray[np.float32]
    psi: NDArray[np.float32]


class Explanation(NamedTuple):
    """Why the agent would act as it would."""

    action: int
    policy: int  #: the task whose policy was chosen
    value: float  #: psi . w of that policy and action
    q: NDArray[np.float64]  #: (tasks, actions): psi . w of all of them
    memories: list[Memory]  #: the nearest behind the value, nearest first; none for linear psi
