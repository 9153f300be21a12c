"""The environments: how each is made, by the package that has it. None is adapted, wrapped or tuned."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["WORLDS", "World", "version"]


class World(NamedTuple):
    """A public environment."""

    package: str  # as pip calls it
    id: str
    module: str | None = None  # to import first: it registers the ids
    make: Callable[[str], Any] | None = None  # how it is made, if not by gymnasium.make
    weights: bool = False  # its reward is a vector: the task needs weights

    @property
    def key(self) -> str:
        """The name in the record."""
        return f"{self.package}:{self.id}"


def _mo(id: str) -> Any:
    return importlib.import_module("mo_gymnasium").make(id)


def _minatar(id: str) -> Any:
    importlib.import_module("minatar.gym").register_envs()
    return importlib.import_module("gymnasium").make(id)


def _ale(id: str) -> Any:
    gymnasium = importlib.import_module("gymnasium")
    gymnasium.register_envs(importlib.import_module("ale_py"))
    return gymnasium.make(id, obs_type="ram")


def _classics(id: str) -> Any:
    importlib.import_module("gym_classics").register("gymnasium")
    return importlib.import_module("gymnasium").make(id)


def _bsuite(id: str) -> Any:
    from gymnasium import Env, spaces

    bsuite = importlib.import_module("bsuite")
    inner = bsuite.load_from_id(id)
    seen, count = inner.observation_spec(), inner.action_spec().num_values

    class Adapter(Env[Any, Any]):
        """A dm_env environment by Gymnasium's functions."""

        observation_space = spaces.Box(-float("inf"), float("inf"), seen.shape)
        action_space = spaces.Discrete(count)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            return inner.reset().observation.astype("float32"), {}

        def step(self, action: Any) -> Any:
            step = inner.step(int(action))
            ends = step.last() and step.discount == 0.0
            return step.observation.astype("float32"), float(step.reward or 0.0), ends, step.last() and not ends, {}

    return Adapter()


WORLDS: list[World] = [
    *(
        World("gymnasium", id)
        for id in [
            "CartPole-v1",
            "Acrobot-v1",
            "MountainCar-v0",
            "MountainCarContinuous-v0",
            "Pendulum-v1",
            "Blackjack-v1",
            "FrozenLake-v1",
            "FrozenLake8x8-v1",
            "CliffWalking-v1",
            "Taxi-v4",
            "LunarLander-v3",
            "BipedalWalker-v3",
        ]
    ),
    *(
        World("mo-gymnasium", id, make=_mo, weights=True)
        for id in [
            "deep-sea-treasure-v0",
            "resource-gathering-v0",
            "fishwood-v0",
            "breakable-bottles-v0",
            "fruit-tree-v0",
            "four-room-v0",
            "mo-mountaincar-v0",
            "minecart-v0",
            "mo-lunar-lander-v3",
            "water-reservoir-v0",
        ]
    ),
    *(
        World("minigrid", f"MiniGrid-{id}-v0", "minigrid")
        for id in [
            "Empty-5x5",
            "Empty-8x8",
            "FourRooms",
            "DoorKey-5x5",
            "DoorKey-8x8",
            "LavaGapS5",
            "SimpleCrossingS9N1",
            "KeyCorridorS3R1",
            "Unlock",
            "MultiRoom-N2-S4",
        ]
    ),
    *(
        World("bsuite", f"{id}/0", make=_bsuite)
        for id in ["catch", "deep_sea", "memory_len", "bandit", "umbrella_length"]
    ),
    *(
        World("gym-classics", id, make=_classics)
        for id in ["5Walk-v0", "19Walk-v0", "ClassicGridworld-v0", "CliffWalk-v0", "DynaMaze-v0", "WindyGridworld-v0"]
    ),
    *(
        World("minatar", f"MinAtar/{id}-v1", make=_minatar)
        for id in ["Asterix", "Breakout", "Freeway", "Seaquest", "SpaceInvaders"]
    ),
    *(World("highway-env", id, "highway_env") for id in ["highway-fast-v0", "merge-v0", "parking-v0"]),
    *(World("ale-py", f"ALE/{id}-v5", make=_ale) for id in ["Pong", "Breakout", "Freeway", "MsPacman"]),
]


def made(world: World) -> Any:
    """The environment itself."""
    if world.make is not None:
        return world.make(world.id)
    gymnasium = importlib.import_module("gymnasium")
    if world.module is not None:
        gymnasium.register_envs(importlib.import_module(world.module))
    return gymnasium.make(world.id)


def version(world: World) -> str:
    """The version of its package; "" if it is not installed."""
    try:
        return importlib.metadata.version(world.package)
    except importlib.metadata.PackageNotFoundError:
        return ""
