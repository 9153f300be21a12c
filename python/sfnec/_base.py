"""What the parts of an agent share: its handle and its environment."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import errors, tables
from ._native import Handle, ffi, floats, lib, pointer
from .actions import Actions
from .diagnosis import Watch
from .rewards import AskedReward
from .sources import Features, Observations
from .world import World


class Base:
    """The state of an agent; `Agent` puts the parts together."""

    handle: Handle  #: for the rest of the package
    env: Any  #: the environment that it learns in; `set_env` changes it
    _label: str
    _shape: tuple[int, int, int]  # observation, actions, features
    _world: World | None  # None: a Gymnasium environment
    _observations: Observations
    _features: Features | None  # None: those of the world
    _how: dict[str, Any]  # how observations and features are made: the arguments of `Agent`
    _rewards: dict[int, NDArray[np.float64]]  # by task: the weights that make its rewards...
    _functions: dict[int, AskedReward]  # ...or what does, if it is no weights
    _noise: np.random.Generator
    _watch: Watch
    _asked: AskedReward | None  # that questions are about, instead of weights
    _actions: Actions
    _masked: bool  # the environment's masks are read

    @property
    def options(self) -> dict[str, int | float | str]:
        """All options of the agent by name, with the values that it has."""
        with self.handle as handle:
            return tables.as_dict(lib.sfnec_agent_get_options(handle))

    @property
    def seed(self) -> int:
        """The seed that the agent was made with, given or drawn."""
        with self.handle as handle:
            return int(lib.sfnec_agent_get_seed(handle))

    @property
    def feature_count(self) -> int:
        """Features of a transition, and weights of a task."""
        return self._shape[2]

    @property
    def action_count(self) -> int:
        """Actions that there are to choose from."""
        return self._shape[1]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the whole agent to a file."""
        raise NotImplementedError

    def end_episode(self) -> None:
        """Ends an episode that is still open."""
        raise NotImplementedError

    def _weights(self, w: ArrayLike | None) -> tuple[NDArray[np.float64] | None, Any]:
        if w is None:
            return None, ffi.NULL
        array = floats(w, np.float64, self.feature_count, "the weights of a task").copy()
        if not np.isfinite(array).all():
            raise errors.ArgumentError("the weights of a task must be finite numbers")
        return array, pointer(array, "double *")
