"""Where an agent gets its observations and features from, in an environment that lives in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import errors
from ._native import floats

__all__ = ["Features", "Observations", "Sight"]

Embedding = Callable[[Any], Any]
Phi = Callable[[Any, int, Any], Any]


class Observations:
    """From the environment's observations to the vectors that the agent remembers.

    Without an embedding: the observation, flattened (pixels of type uint8 are scaled to [0, 1]); `unit`: with every
    bounded component scaled to [0, 1]. With one: whatever it returns for an observation (an array, a torch tensor).
    """

    def __init__(self, space: Any, embedding: Embedding | None, unit: bool) -> None:
        from gymnasium import spaces

        self.space = space
        self.shape: tuple[int, ...] | None = space.shape if isinstance(space, spaces.Box) else None
        self._embedding = embedding
        self._shift: Any = 0.0
        self._scale: Any = 1.0
        if embedding is not None and not callable(embedding):
            raise errors.ArgumentError(f"an embedding is a callable, not {type(embedding).__name__}")
        if unit and (self.shape is None or embedding is not None):
            raise errors.ArgumentError(f"unit scales a Box of observations without an embedding, not {space}")
        if unit:
            self._unit(space)
        elif self.shape is not None and space.dtype == np.uint8:
            self._scale = 1.0 / 255.0
        self._scaled = unit or (self.shape is not None and space.dtype == np.uint8)
        self._plain = self._embedding is None and self.shape is not None
        self.size: int = int(np.prod(self.shape)) if self._plain and self.shape is not None else self._measure()

    def _unit(self, space: Any) -> None:
        low, high = (np.asarray(bound, np.float64).reshape(-1) for bound in (space.low, space.high))
        bounded = np.isfinite(low) & np.isfinite(high) & (high > low) & (high - low < 1e30)
        self._shift = np.where(bounded, low, 0.0)
        self._scale = 1.0 / np.where(bounded, np.where(bounded, high, 1.0) - np.where(bounded, low, 0.0), 1.0)

    def _measure(self) -> int:
        """How long the vectors are: tried out on an observation of the space."""
        return int(self.vector(self.space.sample()).size)

    def vector(self, observation: Any) -> NDArray[np.float32]:
        """One observation as a vector."""
        if self._plain:
            if np.shape(observation) != self.shape:
                raise errors.ArgumentError(f"an observation must have shape {self.shape}, not {np.shape(observation)}")
            if not self._scaled:
                return floats(observation, np.float32, None, "an observation")
            array = floats(observation, np.float64, None, "an observation")
            with np.errstate(over="ignore"):
                scaled: NDArray[np.float32] = ((array - self._shift) * self._scale).astype(np.float32)
            return scaled
        if self._embedding is None:
            from gymnasium.spaces import utils

            return floats(utils.flatten(self.space, observation), np.float32, None, "an observation")
        found = self._embedding(observation)
        # a torch tensor, without needing torch
        if hasattr(found, "detach"):
            found = found.detach().cpu()
        size = getattr(self, "size", None)
        return floats(found, np.float32, size, "what the embedding returns")

    def batch(self, observations: Any) -> tuple[NDArray[np.float32], bool]:
        """One observation or several as rows; whether there were several."""
        if self.shape is not None:
            array = np.asarray(observations)
            if array.shape != self.shape and array.shape[1:] == self.shape:
                if self._plain and not self._scaled and array.dtype == np.float32:
                    return np.ascontiguousarray(array).reshape(len(array), self.size), True
                rows = [self.vector(each) for each in array]
                return np.stack(rows) if rows else np.zeros((0, self.size), np.float32), True
        return self.vector(observations)[None], False


class Features:
    """From a transition to its features phi and its reward.

    Taken, in this order, from: the user's phi(s, a, s2); info["features"]; a vector reward; info["vector_reward"] (as
    the wrapper LinearReward of MO-Gymnasium leaves it); the reward itself (one feature with weight 1).
    """

    def __init__(self, env: Any, phi: Phi | None, source: str | None) -> None:
        self.phi = phi
        self.source = "phi" if phi is not None else source or ""
        known = ("phi", "info", "vector", "linear", "reward")
        if self.source and self.source not in known:
            raise errors.ArgumentError(f"features come from one of {', '.join(known)}, not '{self.source}'")
        if self.source == "phi" and phi is None:
            raise errors.ArgumentError("features from 'phi' need the argument phi, a callable phi(s, a, s2)")
        self.count = 1
        if self.source != "reward":
            self._try_out(env)

    def _try_out(self, env: Any) -> None:
        """One transition tells what the environment offers; the next reset makes it forgotten."""
        before, _ = env.reset()
        action = env.action_space.sample()
        after, reward, _, _, info = env.step(action)
        if not self.source:
            self.source = self._find(reward, info)
        self.count = int(self.read(before, action, reward, after, info)[0].size)
        if self.count < 1:
            raise errors.ArgumentError("the features of a transition are empty: phi must return at least one number")

    @staticmethod
    def _find(reward: Any, info: dict[str, Any]) -> str:
        if "features" in info:
            return "info"
        if np.ndim(reward) > 0:
            return "vector"
        return "linear" if "vector_reward" in info else "reward"

    def read(
        self, before: Any, action: int, reward: Any, after: Any, info: dict[str, Any]
    ) -> tuple[NDArray[np.float64], float | None]:
        """The features of a transition, and its scalar reward (None if the environment gives a vector)."""
        scalar = float(reward) if isinstance(reward, float) or np.ndim(reward) == 0 else None
        values: Any
        if self.source == "phi" and self.phi is not None:
            values = self.phi(before, action, after)
            if hasattr(values, "detach"):
                values = values.detach().cpu()
        elif self.source in ("info", "linear"):
            key = "features" if self.source == "info" else "vector_reward"
            if key not in info:
                raise errors.ArgumentError(f"the environment's info lacks '{key}', which the features come from")
            values = info[key]
        else:
            values = reward
        return floats(values, np.float64, None, "the features of a transition"), scalar

    def default_weights(self, env: Any) -> NDArray[np.float64] | None:
        """The weights of the task that the environment itself is in, if it says so."""
        if self.source == "reward":
            return np.ones(1)
        try:
            w = env.get_wrapper_attr("w")
        except AttributeError:
            return None
        array = np.asarray(w, np.float64).reshape(-1)
        return array.copy() if array.size == self.count else None


class Sight:
    """An environment that lives in Python, and the arrays by which the library sees it."""

    def __init__(self, env: Any, observations: Observations, features: Features) -> None:
        self.env, self._observations, self._features = env, observations, features
        self.observation = np.zeros(observations.size, np.float32)
        self.features = np.zeros(features.count)
        self._first = int(getattr(env.action_space, "start", 0))
        self._before: Any = None

    def begin(self, seed: int | None) -> None:
        """Begins an episode; with a seed, the environment's noise begins again."""
        self._before, _ = self.env.reset(seed=seed) if seed is not None else self.env.reset()
        self.observation[:] = self._observations.vector(self._before)

    def step(self, action: int) -> tuple[float | None, bool, bool]:
        """Takes an action, counted from 0: the scalar reward if there is one, terminated, truncated."""
        action += self._first
        after, reward, terminated, truncated, info = self.env.step(action)
        phi, scalar = self._features.read(self._before, action, reward, after, info)
        if phi.size != self.features.size:
            raise errors.ArgumentError(
                f"the features of a transition must be {self.features.size} numbers, not {phi.size}"
            )
        self.features[:] = phi
        self.observation[:] = self._observations.vector(after)
        self._before = after
        return scalar, bool(terminated), bool(truncated)
