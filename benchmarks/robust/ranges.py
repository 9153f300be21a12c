"""Measures the ranges of components by a random policy: how the numbers of cases.RANGES were found."""

from __future__ import annotations

import numpy as np

from .cases import CASES, RANGES, make
from .wrappers import flat

__all__ = ["measure_ranges"]


def measure_ranges(steps: int = 20_000) -> None:
    for name in RANGES:
        env = flat(make(CASES[name, "clean"], 0))
        env.action_space.seed(0)
        observation, _ = env.reset(seed=0)
        low = high = observation
        for _ in range(steps):
            observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
            low, high = np.minimum(low, observation), np.maximum(high, observation)
            if terminated or truncated:
                observation, _ = env.reset()
        print(name, [round(float(each), 4) for each in (high - low)[:20]])
