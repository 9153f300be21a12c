"""What is done to an environment: observation noise, irrelevant components, reward noise; and clocks that measure it.

Every wrapper draws from a generator of its own, which `reset(seed=...)` seeds, so that runs and evaluations repeat.
"""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

__all__ = [
    "JUNK",
    "FullGrid",
    "Goals",
    "Junk",
    "Numbers",
    "ObservationNoise",
    "RewardNoise",
    "StepTimes",
    "TrueReturn",
    "flat",
]

JUNK = 10  # components that Junk adds: four of noise, three random bits, two constants and a clock
_SHUFFLE = 20_261  # seed of the order of components, the same for all runs
_CLOCK = 100.0  # steps in which the clock advances by 1


def flat(env: Any) -> Any:
    """The environment with its observation as the vector of floats that an agent makes of it."""
    space = env.observation_space
    if isinstance(space, spaces.Box) and len(space.shape) == 1 and space.dtype == np.float32:
        return env
    box = spaces.flatten_space(space)
    box = spaces.Box(box.low.astype(np.float32), box.high.astype(np.float32), dtype=np.float32)
    return gymnasium.wrappers.TransformObservation(
        env, lambda observation: spaces.flatten(space, observation).astype(np.float32), box
    )


class _Random(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A wrapper with a random generator of its own."""

    stream = 0  # tells apart the generators of nested wrappers

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.rng = np.random.default_rng(self.stream)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            self.rng = np.random.default_rng([self.stream, seed])
        return self.env.reset(seed=seed, options=options)


class ObservationNoise(_Random):
    """Adds Gaussian noise to the observation; sd is a number, or one for each component."""

    stream = 1

    def __init__(self, env: Any, sd: Any) -> None:
        super().__init__(flat(env))
        self._sd = np.asarray(sd, np.float64)
        shape = self.env.observation_space.shape
        self.observation_space = spaces.Box(-np.inf, np.inf, shape, np.float32)

    def _noisy(self, observation: Any) -> Any:
        noise = self.rng.standard_normal(observation.shape) * self._sd
        return (observation + noise).astype(np.float32)

    def reset(self, **how: Any) -> Any:
        observation, info = super().reset(**how)
        return self._noisy(observation), info

    def step(self, action: Any) -> Any:
        observation, *rest = self.env.step(action)
        return self._noisy(observation), *rest


class Junk(_Random):
    """Adds components that mean nothing, in a fixed random order among the others."""

    stream = 2

    def __init__(self, env: Any) -> None:
        super().__init__(flat(env))
        size = self.env.observation_space.shape[0] + JUNK
        self._order = np.random.default_rng(_SHUFFLE).permutation(size)
        self._steps = 0
        self.observation_space = spaces.Box(-np.inf, np.inf, (size,), np.float32)

    def _with(self, observation: Any) -> Any:
        noise, bits = self.rng.standard_normal(4), self.rng.integers(0, 2, 3)
        junk = [*noise, *bits, 0.0, 1.0, self._steps / _CLOCK]
        return np.concatenate([observation, junk])[self._order].astype(np.float32)

    def reset(self, **how: Any) -> Any:
        observation, info = super().reset(**how)
        self._steps = 0
        return self._with(observation), info

    def step(self, action: Any) -> Any:
        observation, *rest = self.env.step(action)
        self._steps += 1
        return self._with(observation), *rest


class Numbers(gymnasium.ObservationWrapper[Any, Any, Any]):
    """A tuple of discrete values as that many numbers, instead of one-hot."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        most = [float(each.n - 1) for each in env.observation_space.spaces]
        self.observation_space = spaces.Box(np.zeros(len(most), np.float32), np.array(most, np.float32))

    def observation(self, observation: Any) -> Any:
        return np.array(observation, np.float32)


class FullGrid(gymnasium.ObservationWrapper[Any, Any, Any]):
    """MiniGrid's whole map: type, colour and state of every cell, the agent as one; most of it means nothing."""

    def __init__(self, env: Any) -> None:
        from minigrid.wrappers import FullyObsWrapper

        super().__init__(FullyObsWrapper(env))
        size = int(np.prod(self.env.observation_space["image"].shape))
        self.observation_space = spaces.Box(0.0, 255.0, (size,), np.float32)

    def observation(self, observation: Any) -> Any:
        return observation["image"].reshape(-1).astype(np.float32)


class RewardNoise(_Random):
    """Adds Gaussian noise to the reward phi . w, where it is not zero or at every step.

    An agent that is given w computes the reward from phi itself. For such an agent the noise is on the features, as
    much on each as makes the reward's noise sd.
    """

    stream = 3

    def __init__(self, env: Any, sd: float, *, on_features: bool, every: bool) -> None:
        super().__init__(env)
        self._sd, self._on_features, self._every = sd, on_features, every

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self._every or reward != 0:
            if self._on_features:
                features, w = info["features"], info["w"]
                scale = self._sd / max(float(np.linalg.norm(w)), 1e-12)
                features = features + scale * self.rng.standard_normal(len(features))
                info = {**info, "features": features, "vector_reward": features}
                reward = float(features @ w)
            else:
                reward = float(reward) + self._sd * float(self.rng.standard_normal())
        return observation, reward, terminated, truncated, info


class TrueReturn(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds up what was earned, before any noise; innermost."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.total, self.steps = 0.0, 0

    def step(self, action: Any) -> Any:
        found = self.env.step(action)
        self.total += float(found[1])
        self.steps += 1
        return found


class Goals(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Counts the steps whose first feature fired."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.goals = 0

    def step(self, action: Any) -> Any:
        found = self.env.step(action)
        self.goals += int(found[4]["features"][0] > 0)
        return found


class StepTimes(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Measures the CPU time that the agent takes between two calls of the environment, in seconds; outermost."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.times: list[float] = []
        self._since: float | None = None

    def reset(self, **how: Any) -> Any:
        self._note()
        found = self.env.reset(**how)
        self._since = time.thread_time()
        return found

    def step(self, action: Any) -> Any:
        self._note()
        found = self.env.step(action)
        self._since = time.thread_time()
        return found

    def _note(self) -> None:
        if self._since is not None:
            self.times.append(time.thread_time() - self._since)

    def forget(self) -> None:
        """The time until the next call is not the agent's."""
        self._since = None
