"""Where an agent gets its observations and features from, in an environment that lives in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import errors
from ._native import floats
from .actions import Actions, Masks
from .spaces import Component, Layout, Picture

__all__ = ["Features", "Observations", "Sight"]

Embedding = Callable[[Any], Any]
Phi = Callable[[Any, Any, Any], Any]


class Observations:
    """From the environment's observations to the vectors that the agent remembers.

    Without an embedding: the numbers of the space (`sfnec.spaces`; only pictures are scaled, to [0, 1]); `unit`: with
    every bounded component scaled to [0, 1]; `one_hot`: a Discrete as indicators. With one: whatever it returns for an
    observation (an array, a torch tensor).
    """

    def __init__(
        self, space: Any, embedding: Embedding | None, unit: bool, names: Any = None, one_hot: bool = False
    ) -> None:
        from gymnasium import spaces

        self.space = space
        self.shape: tuple[int, ...] | None = space.shape if isinstance(space, spaces.Box) else None
        self._embedding = embedding
        if embedding is not None and not callable(embedding):
            raise errors.ArgumentError(f"an embedding is a callable, not {type(embedding).__name__}")
        if unit and embedding is not None:
            raise errors.ArgumentError(f"unit scales observations without an embedding, not those of {space}")
        self._layout = Layout(space, names, unit, one_hot) if embedding is None else None
        #: what each number of a vector is; none with an embedding
        self.components: tuple[Component, ...] = self._layout.components if self._layout is not None else ()
        #: what a vector is a picture of; None: it is none
        self.picture: Picture | None = self._layout.picture if self._layout is not None else None
        # as it is: without a look at its parts
        self._plain = self._layout is not None and self.shape is not None and not self._layout.scales
        self.size: int = self._layout.size if self._layout is not None else self._measure()

    def _measure(self) -> int:
        """How long the vectors are: tried out on an observation of the space."""
        return int(self.vector(self.space.sample()).size)

    def vector(self, observation: Any) -> NDArray[np.float32]:
        """One observation as a vector."""
        if self._plain:
            if np.shape(observation) != self.shape:
                raise errors.ArgumentError(f"an observation must have shape {self.shape}, not {np.shape(observation)}")
            return floats(observation, np.float32, None, "an observation")
        if self._layout is not None:
            return self._layout.vector(observation)
        assert self._embedding is not None
        found = self._embedding(observation)
        # a torch tensor, without needing torch
        if hasattr(found, "detach"):
            found = found.detach().cpu()
        size = getattr(self, "size", None)
        return floats(found, np.float32, size, "what the embedding returns")

    def batch(self, observations: Any) -> tuple[NDArray[np.float32], bool]:
        """One observation or several as rows; whether there were several."""
        if self._layout is not None and not self._plain:
            return self._layout.batch(observations)
        if self.shape is not None:
            array = np.asarray(observations)
            if array.shape != self.shape and array.shape[1:] == self.shape:
                if self._plain and array.dtype == np.float32:
                    return np.ascontiguousarray(array).reshape(len(array), self.size), True
                rows = [self.vector(each) for each in array]
                return np.stack(rows) if rows else np.zeros((0, self.size), np.float32), True
        return self.vector(observations)[None], False


class Features:
    """From a transition to its features phi and its reward.

    Taken, in this order, from: the user's phi(s, a, s2); info["features"]; a vector reward; info["vector_reward"] (as
    the wrapper LinearReward of MO-Gymnasium leaves it); the reward itself (one feature with weight 1).
    """

    def __init__(self, env: Any, phi: Phi | None, source: str | None, actions: Actions | None = None) -> None:
        self.phi = phi
        self.source = "phi" if phi is not None else source or ""
        known = ("phi", "info", "vector", "linear", "reward")
        if self.source and self.source not in known:
            raise errors.ArgumentError(f"features come from one of {', '.join(known)}, not '{self.source}'")
        if self.source == "phi" and phi is None:
            raise errors.ArgumentError("features from 'phi' need the argument phi, a callable phi(s, a, s2)")
        self.count = 1
        if self.source != "reward":
            self._try_out(env, Actions(env.action_space) if actions is None else actions)

    def _try_out(self, env: Any, actions: Actions) -> None:
        """One transition tells what the environment offers; the next reset makes it forgotten."""
        before, info = env.reset()
        mask = Masks(env, actions).read(info)
        action = env.action_space.sample() if mask is None else actions.given(int(np.argmax(mask)))
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
        self, before: Any, action: Any, reward: Any, after: Any, info: dict[str, Any]
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

    def __init__(
        self, env: Any, observations: Observations, features: Features, actions: Actions, masks: bool = True
    ) -> None:
        self.env, self._observations, self._features, self._actions = env, observations, features, actions
        self.components, self.picture = observations.components, observations.picture
        self.observation = np.zeros(observations.size, np.float32)
        self.features = np.zeros(features.count)
        self.mask = np.ones(actions.count, np.uint8)  #: of the present state
        self._masks = Masks(env, actions, masks)
        self._before: Any = None

    def _look(self, observation: Any, info: dict[str, Any]) -> None:
        self.observation[:] = self._observations.vector(observation)
        mask = self._masks.read(info)
        self.mask[:] = 1 if mask is None else mask

    def own_weights(self) -> NDArray[np.float64] | None:
        """The weights of the task that the environment itself is in, if it says so."""
        return self._features.default_weights(self.env)

    def begin(self, seed: int | None) -> None:
        """Begins an episode; with a seed, the environment's noise begins again."""
        self._before, info = self.env.reset(seed=seed) if seed is not None else self.env.reset()
        self._look(self._before, info)

    def step(self, number: int) -> tuple[float | None, bool, bool]:
        """Takes an action, counted from 0: the scalar reward if there is one, terminated, truncated."""
        action = self._actions.given(number)
        after, reward, terminated, truncated, info = self.env.step(action)
        phi, scalar = self._features.read(self._before, action, reward, after, info)
        if phi.size != self.features.size:
            raise errors.ArgumentError(
                f"the features of a transition must be {self.features.size} numbers, not {phi.size}"
            )
        self.features[:] = phi
        self._look(after, info)
        if truncated and not self.mask.any():
            self.mask[:] = 1  # nothing was left to do there; the return goes on all the same
        self._before = after
        return scalar, bool(terminated), bool(truncated)
