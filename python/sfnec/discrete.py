"""Continuous actions for an agent that chooses among a few: `sfnec.discrete.Discretise`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from . import errors
from .actions import MOST, grid

__all__ = ["Discretise"]


class Discretise(gymnasium.ActionWrapper[Any, Any, Any]):
    """An environment with a Box of actions as one with a few discrete ones.

        agent = sfnec.Agent("sfnec", Discretise(gymnasium.make("Pendulum-v1"), bins=5))

    Each component of the action takes `bins` values from its least to its greatest, both included, and every
    combination is an action: bins ** components of them. More than a few dozen make an agent slow to learn; `actions`
    then names the ones that are worth having.

    Args:
        env: an environment whose action space is a bounded Box; with `actions` any.
        bins: values per component, a number or one for each.
        actions: the actions themselves, one per row, instead of a grid; of a Dict, Tuple or Text a list of them.
    """

    MOST = MOST  #: actions of a grid

    def __init__(self, env: Any, bins: int | ArrayLike = 5, actions: ArrayLike | list[Any] | None = None) -> None:
        super().__init__(env)
        space = env.action_space
        if actions is None and not isinstance(space, spaces.Box):
            raise errors.ArgumentError(
                f"bins divide a Box: name the actions that are worth having (actions=...) for {space}"
            )
        self.actions: NDArray[Any] | list[Any] = grid(space, bins) if actions is None else self._given(space, actions)
        self.action_space = spaces.Discrete(len(self.actions))

    @staticmethod
    def _given(space: Any, actions: Any) -> NDArray[Any] | list[Any]:
        if not isinstance(space, (spaces.Box, spaces.MultiDiscrete, spaces.MultiBinary)):
            for each in actions:
                if not space.contains(each):
                    raise errors.ArgumentError(f"{each!r} is no action of {space}")
            if not len(actions):
                raise errors.ArgumentError("actions must be a list of at least one")
            return list(actions)
        rows = np.asarray(actions, space.dtype)
        if rows.ndim < 1 or rows.shape[1:] != space.shape or not len(rows):
            raise errors.ArgumentError(f"actions must be rows of shape {space.shape}, not {rows.shape}")
        return rows

    def action(self, action: Any) -> Any:
        return self.actions[int(action)]
