"""One run: an agent that learns a game from its pictures."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import time
from typing import Any

import gymnasium
from field.ours import program
from field.runs import seed_all

import sfnec

from .games import GAMES, make

__all__ = ["DQN", "build", "installed", "measure"]

DQN = "dqn"  # the agent that is not ours


def installed(agent: str) -> bool:
    """Whether the package of the agent is there."""
    return agent != DQN or importlib.util.find_spec("stable_baselines3") is not None


def build(agent: str) -> str:
    """What results belong to: a digest of the library, or the version of the other package."""
    return f"sb3-{importlib.metadata.version('stable-baselines3')}" if agent == DQN else program()


def measure(game: str, agent: str, seed: int, frames: int, changes: dict[str, str]) -> dict[str, Any]:
    """What a run found: the score, and the CPU seconds of learning with those of the game."""
    seed_all(seed)
    env = make(GAMES[game])
    learn = _dqn(env, seed, frames) if agent == DQN else _ours(env, agent, seed, changes)
    start = time.process_time()
    learn(frames)
    cpu = time.process_time() - start
    score = env.score(GAMES[game])
    if score is None:
        return {"score": None, "failed": f"no episode ended in {env.frames} frames"}
    return {"score": round(score, 3), "episodes": len(env.ended), "cpu": round(cpu, 1)}


def _ours(env: gymnasium.Env[Any, Any], agent: str, seed: int, changes: dict[str, str]) -> Any:
    """A preset with the library's own choices for pictures."""
    made = sfnec.Agent(agent, env, seed=seed, **changes)
    return lambda frames: made.learn(frames, progress_bar=False)


def _dqn(env: gymnasium.Env[Any, Any], seed: int, frames: int) -> Any:
    """rl-zoo3's settings for Atari (dqn.yml) with the network of the preset `small`: see README.md."""
    import torch
    from stable_baselines3 import DQN as Model
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    class Small(BaseFeaturesExtractor):
        """conv:16x3/1;dense:128"""

        def __init__(self, space: gymnasium.spaces.Box) -> None:
            super().__init__(space, 128)
            height, width, channels = space.shape
            self.layers = torch.nn.Sequential(
                torch.nn.Conv2d(channels, 16, 3),
                torch.nn.ReLU(),
                torch.nn.Flatten(),
                torch.nn.Linear(16 * (height - 2) * (width - 2), 128),
                torch.nn.ReLU(),
            )

        def forward(self, pictures: torch.Tensor) -> torch.Tensor:
            return self.layers(pictures.permute(0, 3, 1, 2))  # channels first

    torch.set_num_threads(1)
    model = Model(
        "MlpPolicy",
        env,
        policy_kwargs={"features_extractor_class": Small, "net_arch": []},
        seed=seed,
        device="cpu",
        buffer_size=100_000,
        learning_rate=1e-4,
        batch_size=32,
        learning_starts=1_000,
        target_update_interval=1_000,
        train_freq=4,
        gradient_steps=1,
        exploration_fraction=min(1.0, 10_000 / frames),
        exploration_final_eps=0.01,
    )
    return lambda frames: model.learn(frames)
