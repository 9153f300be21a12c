"""Writing logs of what happens in an environment: `sfnec.recording.RecordLog`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from . import errors
from .logs import Transitions
from .sources import Observations

__all__ = ["RecordLog"]

Array = NDArray[Any]


class RecordLog(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A wrapper that records all transitions of an environment, for `Agent.learn_from`.

        env = RecordLog(gymnasium.make("CartPole-v1"), "cartpole.npz")
        ...  # whoever acts
        env.close()  # writes the file

    Args:
        env: a Gymnasium environment.
        path: the file, .npz; None: `transitions()` alone.
    """

    def __init__(self, env: Any, path: str | os.PathLike[str] | None = None) -> None:
        super().__init__(env)
        self._path = None if path is None else Path(path)
        if self._path is not None and self._path.suffix != ".npz":
            raise errors.ArgumentError(f"a log is written to a file .npz, not {self._path}")
        arrays = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)
        known = isinstance(env.observation_space, arrays)
        self._numbers = None if known else Observations(env.observation_space, None, False)
        self._rows: list[tuple[Any, ...]] = []
        self._before: Any = None

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        if self._rows and not (self._rows[-1][4] or self._rows[-1][5]):
            self._rows[-1] = (*self._rows[-1][:5], True, self._rows[-1][6])  # it was broken off
        observation, info = self.env.reset(**arguments)
        self._before = self._flat(observation)
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        after = self._flat(observation)
        features = info.get("features", info.get("vector_reward"))
        self._rows.append((self._before, action, reward, after, bool(terminated), bool(truncated), features))
        self._before = after
        return observation, reward, bool(terminated), bool(truncated), info

    def _flat(self, observation: Any) -> Array:
        """An array of the space as it is, else the numbers that an agent sees of it."""
        if self._numbers is None:
            return np.array(observation)
        return self._numbers.vector(observation)

    def transitions(self) -> Transitions:
        """The log so far."""
        if not self._rows:
            raise errors.StateError("nothing was recorded yet")
        before, actions, rewards, after, terminated, truncated, features = zip(*self._rows, strict=True)
        return Transitions(
            np.array(before),
            np.array(actions),
            np.array(rewards),
            np.array(after),
            np.array(terminated),
            np.array(truncated),
            None if any(each is None for each in features) else np.array(features, np.float64),
        )

    def close(self) -> None:
        if self._path is not None and self._rows:
            log = self.transitions()
            named: dict[str, Any] = {
                "observations": log.observations,
                "actions": log.actions,
                "rewards": log.rewards,
                "next_observations": log.next_observations,
                "terminals": log.terminated,
                "timeouts": log.truncated,
            }
            if log.features is not None:
                named["features"] = log.features
            aside = self._path.with_name(f".{self._path.name}.part")
            with aside.open("wb") as file:
                np.savez(file, **named)
            os.replace(aside, self._path)
        super().close()
