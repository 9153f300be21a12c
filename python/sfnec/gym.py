"""The library's environments for Gymnasium: `gymnasium.make("sfnec/FourRooms-v0")` and vectors of them.

Importing sfnec is enough: it registers them. Keywords of `make` are the options of the
kind (`sfnec.environments()` lists them) and those of `Env`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from . import errors
from .render import draw
from .world import World

__all__ = ["Env", "VectorEnv"]


def _check_options(options: dict[str, Any] | None) -> dict[str, Any]:
    unknown = sorted(set(options or {}) - {"task", "w"})
    if unknown:
        raise errors.OptionError(f"reset has no option '{unknown[0]}': there are task (a number) and w (weights)")
    return dict(options or {})


class Env(gymnasium.Env[NDArray[np.float32], np.int64]):
    """One environment of the library.

    The reward is phi . w: what happened, and what it is worth in the present task. info holds both, under the names
    that the agents of this package look for (`features`, `w`) and under those of MO-Gymnasium's LinearReward
    (`vector_reward`, `reward_weights`).

    Args:
        kind: the kind of environment.
        task: the number of the task whose weights w are used; they follow from the seed.
        w: the weights themselves, instead of a task.
        reward: "scalar", or "vector" for phi itself as the reward, as MO-Gymnasium has it.
        seed: of noise and tasks before the first `reset(seed=...)`.
        render_mode: "rgb_array" or None.
        **settings: options of the kind.

    `reset(options={"task": 3})` and `reset(options={"w": [...]})` change the task.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}

    def __init__(
        self,
        kind: str = "four_rooms",
        *,
        task: int = 0,
        w: ArrayLike | None = None,
        reward: str = "scalar",
        seed: int | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        if reward not in ("scalar", "vector"):
            raise errors.OptionError(f"the reward is 'scalar' or 'vector', not '{reward}'")
        if render_mode not in (None, "rgb_array"):
            raise errors.OptionError(f"the render_mode is 'rgb_array' or None, not '{render_mode}'")
        self.world = World(kind, seed=seed, **settings)
        self.render_mode = render_mode
        self._vector = reward == "vector"
        self._seeded = seed is not None
        self._task: int | None = task
        low, high = self.world.bounds()
        self.observation_space = gymnasium.spaces.Box(low, high, dtype=np.float32)
        self.action_space = gymnasium.spaces.Discrete(self.world.action_count)
        self.reward_space = gymnasium.spaces.Box(-np.inf, np.inf, (self.world.feature_count,), np.float64)
        self.reward_dim = self.world.feature_count
        self.action_names, self.feature_names = self.world.names()
        self._choose(task, w)

    def _choose(self, task: int | None, w: ArrayLike | None) -> None:
        """Takes up a task by number or by weights."""
        self._task = None if w is not None else task
        self.world.take(task, w)

    @property
    def w(self) -> NDArray[np.float64]:
        """The weights of the present task."""
        w: NDArray[np.float64] = self.world.w[0].copy()
        return w

    def task(self, number: int) -> NDArray[np.float64]:
        """The weights of a task of this seed."""
        return self.world.task(number)

    def optimum(self, steps: int, w: ArrayLike | None = None) -> float:
        """The most that so many steps can earn under w (default: the present task) if nothing is random.

        NaN where that is not known.
        """
        return self.world.optimum(self.world.w[0] if w is None else w, steps)

    def reseed(self, seed: int) -> None:
        """Begins noise and tasks of another seed; an episode begins with `reset`."""
        self.world.seed([seed])
        self._seeded = True
        self.world.take(self._task, None)

    def _info(self) -> dict[str, Any]:
        features, w = self.world.features[0].copy(), self.world.w[0].copy()
        return {"features": features, "w": w, "vector_reward": features, "reward_weights": w}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode; `options` may name another task (`task`) or other weights (`w`)."""
        super().reset(seed=seed)
        wanted = _check_options(options)
        if seed is not None or not self._seeded:
            self.reseed(int(self.np_random.integers(2**63)) if seed is None else seed)
        if wanted:
            self._choose(wanted.get("task"), wanted.get("w"))
        return self.world.reset()[0].copy(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], Any, bool, bool, dict[str, Any]]:
        """One transition: observation, reward, terminated, truncated, info."""
        world = self.world
        observation = world.step(action)[0].copy()
        info = self._info()
        reward = info["features"] if self._vector else float(world.rewards[0])
        return observation, reward, bool(world.terminated[0]), bool(world.truncated[0]), info

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        """The world as a picture; made without a display."""
        return draw(self.world) if self.render_mode == "rgb_array" else None


class VectorEnv(GymnasiumVectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """Several environments of a kind that step together in C, in one block of memory.

    An environment whose episode has ended begins the next one in the step after (autoreset mode `NextStep`); that step
    ignores the action and has reward 0.

    The arguments that are not listed are those of `Env`.

    Args:
        num_envs: how many.
        copy: hand out copies of the block; False hands out the block itself, which the next step overwrites.
    """

    metadata = {
        "render_modes": ["rgb_array"],
        "render_fps": 20,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        kind: str = "four_rooms",
        *,
        task: int = 0,
        w: ArrayLike | None = None,
        reward: str = "scalar",
        seed: int | None = None,
        render_mode: str | None = None,
        copy: bool = True,
        **settings: Any,
    ) -> None:
        if reward not in ("scalar", "vector"):
            raise errors.OptionError(f"the reward is 'scalar' or 'vector', not '{reward}'")
        self.world = World(kind, num_envs, seed=seed, **settings)
        self.num_envs, self.render_mode, self._copy = num_envs, render_mode, copy
        self._vector, self._seeded = reward == "vector", seed is not None
        low, high = self.world.bounds()
        self.single_observation_space = gymnasium.spaces.Box(low, high, dtype=np.float32)
        self.single_action_space = gymnasium.spaces.Discrete(self.world.action_count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.reward_space = gymnasium.spaces.Box(-np.inf, np.inf, (self.world.feature_count,), np.float64)
        self.reward_dim = self.world.feature_count
        self._task: int | None = task
        self._choose(task, w)

    def _choose(self, task: int | None, w: ArrayLike | None) -> None:
        self._task = None if w is not None else task
        self.world.take(task, w)

    def _out(self, block: NDArray[Any]) -> NDArray[Any]:
        return block.copy() if self._copy else block

    def _info(self) -> dict[str, Any]:
        there = np.ones(self.num_envs, np.bool_)
        return {
            "features": self._out(self.world.features),
            "_features": there,
            "w": self._out(self.world.w),
            "_w": there,
        }

    def reset(  # type: ignore[override]
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode in all environments; `options` may name `task`, `w`, and in `reset_mask` those to begin."""
        wanted = dict(options or {})
        mask = wanted.pop("reset_mask", None)
        wanted = _check_options(wanted)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(2**62))
        if seed is not None:
            seeds: list[Any] = (
                [seed + i for i in range(self.num_envs)] if isinstance(seed, (int, np.integer)) else list(seed)
            )
            self.world.seed(seeds)
            self._seeded = True
            if self._task is not None and not wanted:
                self._choose(self._task, None)
        if wanted:
            self._choose(wanted.get("task"), wanted.get("w"))
        self.world.reset(mask)
        return self._out(self.world.observations), self._info()

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """One transition in every environment, as arrays with a row for each."""
        world = self.world
        world.step(actions, autoreset=True)
        rewards = world.features if self._vector else world.rewards
        return (
            self._out(world.observations),
            self._out(rewards),
            self._out(world.terminated),
            self._out(world.truncated),
            self._info(),
        )

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:  # type: ignore[override]
        """A picture of every environment."""
        if self.render_mode != "rgb_array":
            return None
        return tuple(draw(self.world, i) for i in range(self.num_envs))

    def close_extras(self, **_: Any) -> None:
        """Nothing to close: the memory goes with the object."""
