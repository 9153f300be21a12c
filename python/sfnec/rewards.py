"""Rewards that are not phi . w, for questions to agents that plan: a function of transitions, or an expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import errors
from ._called import callback
from ._native import c_text, check, ffi, lib, pointer
from .actions import Actions

__all__ = ["AskedReward", "Reward", "RewardFunction"]

#: rewards of n transitions: (observations, actions, next_observations, features, terminated) -> n numbers
RewardFunction = Callable[
    [NDArray[np.float32], NDArray[np.int64], NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_]], ArrayLike
]
Reward = str | RewardFunction


class AskedReward:
    """A reward in the form that the library asks: `function` and `context`."""

    def __init__(self, reward: Reward, kind: str | None, shape: tuple[int, int, int], actions: Actions) -> None:
        self._actions = actions
        self.given = reward  #: as it was given
        self.function: Any
        self.context: Any
        if callable(reward):
            self._call: RewardFunction = reward
            self._keep = ffi.new_handle(self)
            self.function, self.context = lib.sfnec_python_reward, self._keep
            return
        if not isinstance(reward, str):
            raise errors.ArgumentError(
                f"a reward is an expression or a function of transitions, not {type(reward).__name__}"
            )
        found = lib.sfnec_env_kind_find(c_text(kind)) if kind else ffi.NULL
        out = ffi.new("sfnec_reward_expression **")
        check(lib.sfnec_reward_parse(c_text(reward), found, ffi.new("sfnec_env_shape *", shape), out))
        self._keep = ffi.gc(out[0], lib.sfnec_reward_destroy)
        self.function, self.context = ffi.addressof(lib, "sfnec_reward_evaluate"), self._keep

    def rewards(self, transitions: Any) -> NDArray[np.float64]:
        """Of the library's transitions, by the user's function."""

        def view(address: Any, size: int, dtype: Any) -> NDArray[Any]:
            # a copy: the function may keep what it is given
            return np.frombuffer(ffi.buffer(address, size * np.dtype(dtype).itemsize), dtype).copy()

        n, d, k = transitions.count, transitions.observation_size, transitions.feature_count
        given = self._call(
            view(transitions.observations, n * d, np.float32).reshape(n, d),
            self._actions.several(view(transitions.actions, n, np.int32).astype(np.int64)),
            view(transitions.next_observations, n * d, np.float32).reshape(n, d),
            view(transitions.features, n * k, np.float64).reshape(n, k),
            view(transitions.terminated, n, np.bool_),
        )
        rewards = np.asarray(given, np.float64)
        if rewards.shape != (n,):
            raise errors.ArgumentError(
                f"the reward function returned an array of shape {rewards.shape} for {n} transitions; it takes ({n},)"
            )
        return rewards

    def several(self, before: Any, actions: Any, after: Any, phi: Any, ends: Any) -> NDArray[np.float64]:
        """The rewards of n transitions; the actions are counted from 0."""
        before, after = np.ascontiguousarray(before, np.float32), np.ascontiguousarray(after, np.float32)
        actions, ends = np.ascontiguousarray(actions, np.int32), np.ascontiguousarray(ends, np.bool_)
        phi, rewards = np.ascontiguousarray(phi, np.float64), np.zeros(len(actions))
        asked = ffi.new("sfnec_transitions *")
        asked.count, asked.observation_size, asked.feature_count = len(actions), before.shape[1], phi.shape[1]
        asked.observations, asked.next_observations = pointer(before, "float *"), pointer(after, "float *")
        asked.actions, asked.features = pointer(actions, "int32_t *"), pointer(phi, "double *")
        asked.terminated = pointer(ends, "bool *")
        check(self.function(self.context, asked, pointer(rewards, "double *")))
        return rewards

    def of(
        self, before: NDArray[np.float32], action: int, after: NDArray[np.float32], phi: NDArray[np.float64], end: bool
    ) -> float:
        """The reward of one transition."""
        return float(self.several(before[None], [action], after[None], phi[None], [end])[0])


@callback(lib.SFNEC_ERROR_STATE, "the reward function")
def sfnec_python_reward(context: Any, transitions: Any, rewards: Any) -> int:
    found = ffi.from_handle(context).rewards(transitions)
    ffi.memmove(rewards, np.ascontiguousarray(found), found.nbytes)
    return int(lib.SFNEC_OK)
