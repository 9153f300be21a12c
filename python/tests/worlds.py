"""Small environments for the tests: a corridor whose ends hold prizes, in several dresses."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np


class Corridor(gymnasium.Env[Any, Any]):
    """Seven cells; the walker starts in the middle. Features: left end reached, right end reached."""

    def __init__(self, dress: str = "info", start: int = 0, image: bool = False) -> None:
        self.dress, self.image = dress, image
        self.action_space = gymnasium.spaces.Discrete(2, start=start)
        shape: tuple[int, ...] = (64, 70, 1) if image else (7,)
        high, dtype = (255, np.uint8) if image else (1, np.float32)
        self.observation_space = gymnasium.spaces.Box(0, high, shape, dtype)
        if dress == "vector":
            self.reward_space = gymnasium.spaces.Box(0, 1, (2,), np.float32)
            self.reward_dim = 2
        self.cell = 3

    def _observation(self) -> Any:
        seen = np.zeros(self.observation_space.shape, self.observation_space.dtype)
        if self.image:
            seen[:, 10 * self.cell : 10 * self.cell + 10] = 255
        else:
            seen[self.cell] = 1
        return seen

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.cell = 3
        return self._observation(), {}

    def step(self, action: Any) -> Any:
        assert self.action_space.contains(action), action
        self.cell += 1 if action - self.action_space.start == 1 else -1
        features = np.array([self.cell == 0, self.cell == 6], float)
        terminated = bool(features.any())
        reward: Any = features[1] - features[0]
        info = {}
        if self.dress == "info":
            info["features"] = features
        elif self.dress == "vector":
            reward = features.astype(np.float32)
        return self._observation(), reward, terminated, False, info


class Wide(Corridor):
    """Actions of more numbers than a grid can have."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = gymnasium.spaces.Box(-1, 1, (6,))
