"""Continuous actions for an agent that chooses among a few: `sfnec.discrete.Discretise`."""

from __future__ import annotations

import itertools
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import errors

__all__ = ["Discretise"]


class Discretise(gymnasium.ActionWrapper[Any, Any, Any]):
    """An environment with a Box of actions as one with a few discrete ones.

        agent = sfnec.Agent("sfnec", Discretise(gymnasium.make("Pendulum-v1"), bins=5))

    Each component of the action takes `bins` values from its least to its greatest, both included, and every
    combination is an action: bins ** components of them. More than a few dozen make an agent slow to learn; `actions`
    then names the ones that are worth having.

    Args:
        env: an environment whose action space is a bounded Box.
        bins: values per component, a number or one for each.
        actions: the actions themselves, one per row, instead of a grid.
    """

    MOST = 1024  #: actions of a grid

    def __init__(self, env: Any, bins: int | ArrayLike = 5, actions: ArrayLike | None = None) -> None:
        super().__init__(env)
        box = env.action_space
        if not isinstance(box, gymnasium.spaces.Box):
            raise errors.ArgumentError(f"only a Box of actions can be discretised, not {box}")
        self.actions: NDArray[Any] = self._grid(box, bins) if actions is None else self._given(box, actions)
        self.action_space = gymnasium.spaces.Discrete(len(self.actions))

    def _grid(self, box: Any, bins: int | ArrayLike) -> NDArray[Any]:
        low, high = box.low.reshape(-1).astype(np.float64), box.high.reshape(-1).astype(np.float64)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise errors.ArgumentError(f"a Box without bounds cannot be divided: name the actions for {box}")
        counts = np.broadcast_to(np.asarray(bins, np.int64), low.shape)
        if (counts < 1).any() or np.prod(counts.astype(float)) > self.MOST:
            raise errors.ArgumentError(
                f"bins={bins!r} makes no grid of 1 to {self.MOST} actions: use fewer, or actions="
            )
        axes = [np.linspace(a, b, n) if n > 1 else [(a + b) / 2] for a, b, n in zip(low, high, counts, strict=True)]
        return np.array(list(itertools.product(*axes)), box.dtype).reshape(-1, *box.shape)

    @staticmethod
    def _given(box: Any, actions: ArrayLike) -> NDArray[Any]:
        rows = np.asarray(actions, box.dtype)
        if rows.ndim < 1 or rows.shape[1:] != box.shape or not len(rows):
            raise errors.ArgumentError(f"actions must be rows of shape {box.shape}, not {rows.shape}")
        return rows

    def action(self, action: Any) -> Any:
        return self.actions[int(action)]
