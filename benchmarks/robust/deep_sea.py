"""Deep sea, after bsuite (Osband et al., 2020): exploration that dithering does not find in reasonable time."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

__all__ = ["DeepSea"]


class DeepSea(gymnasium.Env[Any, Any]):
    """A diver sinks one row a step through size x size cells, to the left or to the right, and has size steps.

    Going right costs 0.01 / size, and the treasure at the bottom right is worth 1: the best return is 0.99. Which
    action goes right is drawn for each column from the seed of the sea. Unlike bsuite's, the draw is by column and not
    by cell, so that the observation (row, column) also allows generalisation.
    """

    def __init__(self, size: int, sea: int, one_hot: bool = True) -> None:
        self._size, self._one_hot = size, one_hot
        self._right = np.random.default_rng([size, sea]).integers(0, 2, size)
        self._row = self._column = 0
        shape = (size * size,) if one_hot else (2,)
        self.observation_space = spaces.Box(0.0, 1.0, shape, np.float32)
        self.action_space = spaces.Discrete(2)

    def _observe(self) -> Any:
        if not self._one_hot:
            return np.array([self._row, self._column], np.float32) / self._size
        cells = np.zeros(self._size * self._size, np.float32)
        if self._row < self._size:
            cells[self._row * self._size + self._column] = 1.0
        return cells

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self._row = self._column = 0
        return self._observe(), {}

    def step(self, action: Any) -> Any:
        right = int(action) == self._right[self._column]
        reward = -0.01 / self._size if right else 0.0
        if right and self._column == self._size - 1:
            reward += 1.0  # as in bsuite: the last step goes right from the last column
        self._column = min(self._column + 1, self._size - 1) if right else max(self._column - 1, 0)
        self._row += 1
        return self._observe(), reward, self._row == self._size, False, {}
