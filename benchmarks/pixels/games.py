"""The games, and how an agent's play is scored while it learns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

__all__ = ["GAMES", "Game", "Scores", "make"]

LIMIT = 10_000  # frames of an episode, after which it is truncated
EPISODES = 100  # whose mean return is the score


@dataclass(frozen=True)
class Game:
    """A row of the table."""

    id: str  # Gymnasium's
    window: int = 0  # the score is of the episodes that end in so many last frames, or of the last EPISODES if 0


# -v1: the minimal actions of the game. Difficulty ramping and sticky actions of 0.1 are MinAtar's defaults.
GAMES = {
    "breakout": Game("MinAtar/Breakout-v1"),
    "freeway": Game("MinAtar/Freeway-v1", window=10_000),  # an episode has 2,501 frames, so a run has 39
    "space_invaders": Game("MinAtar/SpaceInvaders-v1"),
    "asterix": Game("MinAtar/Asterix-v1"),
    "seaquest": Game("MinAtar/Seaquest-v1"),
}


class Scores(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Records what episodes earn; the observations and rewards stay as they are."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.frames = 0
        self.ended: list[tuple[int, float]] = []  # frames at the end of an episode, its return
        self._earned = 0.0

    def reset(self, **how: Any) -> Any:
        self._earned = 0.0
        return self.env.reset(**how)

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.frames += 1
        self._earned += float(reward)
        if terminated or truncated:
            self.ended.append((self.frames, self._earned))
        return observation, reward, terminated, truncated, info

    def score(self, game: Game) -> float | None:
        """The mean return of the game's last episodes; None if none has ended."""
        if game.window:
            last = [earned for frame, earned in self.ended if frame > self.frames - game.window]
        else:
            last = [earned for _, earned in self.ended[-EPISODES:]]
        return float(np.mean(last)) if last else None


def make(game: Game) -> Scores:
    """The game with a limit of frames, as every agent plays it."""
    if game.id.startswith("MinAtar/") and game.id not in gymnasium.registry:
        import minatar.gym

        minatar.gym.register_envs()
    return Scores(gymnasium.make(game.id, max_episode_steps=LIMIT))
