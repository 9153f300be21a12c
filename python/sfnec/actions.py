"""Action spaces of Gymnasium as a numbered list of actions, and masks of them."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import errors

__all__ = ["MOST", "Actions", "Masks", "grid"]

MOST = 1024  #: actions that a product or a grid may have: an agent tries each in every state
_AUTOMATIC = {1: 5, 2: 5, 3: 3, 4: 3}  #: values per number of a Box with so many: 5, 25, 27 and 81 actions


def grid(box: Any, bins: int | ArrayLike) -> NDArray[Any]:
    """Every combination of evenly spaced values of a bounded Box, one per row."""
    low, high = box.low.reshape(-1).astype(np.float64), box.high.reshape(-1).astype(np.float64)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise errors.ArgumentError(
            f"a Box without bounds cannot be divided: name the actions that are worth having, with "
            f"sfnec.discrete.Discretise(env, actions=...), for {box}"
        )
    counts = np.broadcast_to(np.asarray(bins, np.int64), low.shape)
    if (counts < 1).any() or np.prod(counts.astype(float)) > MOST:
        raise errors.ArgumentError(f"bins={bins!r} makes no grid of 1 to {MOST} actions: use fewer, or actions=")
    axes = [np.linspace(a, b, n) if n > 1 else [(a + b) / 2] for a, b, n in zip(low, high, counts, strict=True)]
    return np.array(list(itertools.product(*axes)), box.dtype).reshape(-1, *box.shape)


def _product(space: Any, counts: NDArray[np.int64], start: NDArray[np.int64]) -> NDArray[Any]:
    """Every combination of the values of several discrete numbers, one per row; the last number changes fastest."""
    count = math.prod(int(n) for n in counts.reshape(-1))
    if count > MOST:
        raise errors.ArgumentError(
            f"{space} has {count} combinations, and an agent chooses among at most {MOST}: name those that are worth "
            "having, with sfnec.discrete.Discretise(env, actions=...)"
        )
    rows = np.indices(tuple(counts.reshape(-1))).reshape(counts.size, -1).T
    return (rows.reshape(-1, *counts.shape) + start).astype(space.dtype)


def _automatic(space: Any) -> NDArray[Any]:
    size = int(np.prod(space.shape))
    bins = _AUTOMATIC.get(size)
    if bins is None:
        raise errors.ArgumentError(
            f"{space} has {size} numbers, and a grid of even 3 values each would have {3**size} actions: choose with "
            "sfnec.discrete.Discretise(env, bins=...), or name the actions with actions="
        )
    rows = grid(space, bins)
    each = ", ".join(f"{x:g}" for x in np.unique(rows.reshape(len(rows), -1)[:, 0]))
    warnings.warn(
        f"the agent chooses among {len(rows)} actions of {space}: {bins} values of each number"
        f"{f' ({each})' if size == 1 else ''}; sfnec.discrete.Discretise(env, bins=...) takes others",
        UserWarning,
        stacklevel=5,  # where the agent was made
    )
    return rows


class Actions:
    """The actions of an environment, counted from 0.

    Discrete as it is; MultiDiscrete and MultiBinary as every combination; a small bounded Box as a grid, with a
    warning that says which.
    """

    def __init__(self, space: Any) -> None:
        from gymnasium import spaces

        self.first = 0  #: the number that the environment has for action 0
        self.rows: NDArray[Any] | None = None  #: (count, ...): the environment's actions; None: they are numbers
        self._counts: list[int] | None = None  # values of each number of a product
        if isinstance(space, spaces.Discrete):
            self.first, self.count = int(space.start), int(space.n)
            return
        if isinstance(space, spaces.MultiDiscrete):
            counts = np.asarray(space.nvec, np.int64)
            self.rows = _product(space, counts, np.asarray(getattr(space, "start", np.zeros_like(counts)), np.int64))
            self._counts = [int(n) for n in counts.reshape(-1)]
        elif isinstance(space, spaces.MultiBinary):
            counts = np.full(space.shape, 2, np.int64)
            self.rows = _product(space, counts, np.zeros_like(counts))
            self._counts = [2] * counts.size
        elif isinstance(space, spaces.Box):
            self.rows = _automatic(space)
        else:
            raise errors.ArgumentError(
                f"an agent needs actions that it can number (Discrete, MultiDiscrete, MultiBinary or a small Box), "
                f"not {space}: name those that are worth having, with sfnec.discrete.Discretise(env, actions=...)"
            )
        self.count = len(self.rows)  #: how many there are

    @classmethod
    def numbered(cls, count: int) -> Actions:
        """Actions that are numbers, as the library's worlds have them."""
        actions = cls.__new__(cls)
        actions.first, actions.rows, actions._counts, actions.count = 0, None, None, count
        return actions

    @property
    def is_product(self) -> bool:
        """Whether they are every combination of several discrete numbers."""
        return self._counts is not None

    def given(self, number: int) -> Any:
        """The environment's action of a number."""
        if self.rows is None:
            return int(number) + self.first
        return np.array(self.rows[number])

    def several(self, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """The environment's actions of several numbers."""
        return numbers + self.first if self.rows is None else self.rows[numbers]

    def number(self, action: Any) -> int:
        """The number of an action of the environment; of a Box, that of the nearest one."""
        if self.rows is None:
            return int(action) - self.first
        wanted = np.asarray(action, np.float64).reshape(-1)
        rows = self.rows.reshape(self.count, -1).astype(np.float64)
        if wanted.size != rows.shape[1]:
            raise errors.ArgumentError(f"an action must have {rows.shape[1]} numbers, not {wanted.size}")
        return int(np.argmin(((rows - wanted) ** 2).sum(axis=1)))

    def masks(self, given: Any, several: int | None = None) -> NDArray[np.uint8]:
        """A mask as the library has it: a byte for each action.

        A mask has a number per action; for a product also one per value of each of its numbers in a row, as
        sb3-contrib has it, or a tuple of these. `several`: so many masks, as rows.
        """
        if isinstance(given, tuple):
            given = np.concatenate([np.asarray(each) for each in given], axis=-1)
        array = np.asarray(given)
        rows = array.reshape(1, -1) if several is None else array.reshape(several, -1)
        if self._counts is not None and rows.shape[1] == sum(self._counts):
            parts = np.split(rows != 0, np.cumsum(self._counts)[:-1], axis=1)
            rows = parts[0]
            for part in parts[1:]:
                rows = (rows[:, :, None] & part[:, None, :]).reshape(len(rows), -1)
        if rows.shape[1] != self.count:
            raise errors.ArgumentError(f"an action mask must have {self.count} numbers, not {rows.shape[1]}")
        found: NDArray[np.uint8] = np.ascontiguousarray(rows != 0).astype(np.uint8)
        return found if several is not None else found[0]


class Masks:
    """Where an environment says which actions are allowed: `info["action_mask"]`, or its method `action_masks()`."""

    def __init__(self, env: Any, actions: Actions, wanted: bool = True) -> None:
        self._actions, self._wanted, self._method = actions, wanted, None
        if not wanted:
            return
        try:
            method = env.get_wrapper_attr("action_masks")
        except AttributeError:
            method = getattr(env, "action_masks", None)
        self._method = method if callable(method) else None

    def read(self, info: dict[str, Any]) -> NDArray[np.uint8] | None:
        """The mask after a reset or a step; None: all actions are allowed."""
        if not self._wanted:
            return None
        given = info.get("action_mask")
        if given is None:
            given = self._method() if self._method is not None else None
        return None if given is None else self._actions.masks(given)
