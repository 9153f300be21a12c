"""Worlds: environments of the library, stepped in C; no Gymnasium needed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import errors
from ._native import c_text, check, ffi, floats, lib, pointer, seed_number, text, whole
from .spaces import Picture
from .tables import env_settings, environments, written

__all__ = ["World"]


_ARRAYS = ("observations", "features", "rewards", "terminated", "truncated", "fresh", "w")


def _restore(kind: str, settings: list[str], seeds: list[int], states: list[bytes], arrays: dict[str, Any]) -> World:
    """The world that `World.__reduce__` took apart."""
    world = World(kind, len(seeds), 0, **dict(line.split("=", 1) for line in settings))
    world.seed(seeds)
    for i, state in enumerate(states):
        check(lib.sfnec_env_set_state(world.handle(i), state, len(state)))
    for name, array in arrays.items():
        getattr(world, name)[:] = array
    return world


class World:
    """One or several environments of a kind, in one block of memory.

    All arrays have one row per environment and belong to the world: they are written again by every `reset` and `step`.
    `sfnec.environments()` lists the kinds and their options, which are keywords here.

    Args:
        kind: "four_rooms", "one_room", "cartpole", ...
        count: how many environments.
        seed: of the noise and the tasks; environment i has seed + i. None draws one.
        **settings: options of the kind.
    """

    observations: NDArray[np.float32]  #: (count, observation_size)
    features: NDArray[np.float64]  #: (count, feature_count)
    rewards: NDArray[np.float64]  #: (count,): features . w
    terminated: NDArray[np.bool_]  #: (count,)
    truncated: NDArray[np.bool_]  #: (count,)
    fresh: NDArray[np.bool_]  #: (count,): the last step began an episode instead of acting
    w: NDArray[np.float64]  #: (count, feature_count): the weights that the rewards are made with

    def __init__(self, kind: str, count: int = 1, seed: int | None = None, **settings: Any) -> None:
        self.kind = kind
        self.count = whole(count, "the number of environments")
        if self.count < 1:
            raise errors.ArgumentError(f"a world needs at least one environment, not {count}")
        self.generation = 0  #: grows whenever an episode is begun or a seed is set from Python
        self._kind = lib.sfnec_env_kind_find(c_text(kind))
        if not self._kind:
            known = ", ".join(each.name for each in environments())
            raise errors.OptionError(f"there is no environment '{kind}': the kinds are {known}")
        self._settings = [ffi.new("char[]", c_text(f"{key}={written(value)}")) for key, value in settings.items()]
        self._envs: list[Any] = [None] * self.count
        self._handles = ffi.new("sfnec_env *[]", self.count)
        self.seeds = [0] * self.count
        first = secrets.randbits(63) if seed is None else seed_number(seed)
        self.seed([(first + i) % 2**64 for i in range(self.count)])

        shape = lib.sfnec_env_get_shape(self._envs[0])
        self.observation_size: int = shape.observation_size
        self.action_count: int = shape.action_count
        self.feature_count: int = shape.feature_count
        sizes = [int(getattr(shape.picture, name)) for name in Picture._fields]
        self.picture: Picture | None = Picture(*sizes) if sizes[-1] else None  #: what an observation is a picture of
        self._make_block()
        for i in range(self.count):
            self.w[i] = self.task(0, i)

    def _make_block(self) -> None:
        self.observations = np.zeros((self.count, self.observation_size), np.float32)
        self.features = np.zeros((self.count, self.feature_count))
        self.rewards = np.zeros(self.count)
        self.terminated, self.truncated, self.fresh = (np.zeros(self.count, np.bool_) for _ in range(3))
        self.w = np.zeros((self.count, self.feature_count))
        self._batch = ffi.new("sfnec_python_batch *")
        batch = self._batch
        batch.count, batch.observation_size = self.count, self.observation_size
        batch.feature_count, batch.envs = self.feature_count, self._handles
        batch.w, batch.features = pointer(self.w, "double *"), pointer(self.features, "double *")
        batch.rewards, batch.observations = pointer(self.rewards, "double *"), pointer(self.observations, "float *")
        batch.terminated, batch.truncated = pointer(self.terminated, "uint8_t *"), pointer(self.truncated, "uint8_t *")
        batch.fresh = pointer(self.fresh, "uint8_t *")
        self._actions = np.zeros(self.count, np.int64)
        self._actions_pointer = pointer(self._actions, "int64_t *")

    def __repr__(self) -> str:
        return f"<sfnec.World {self.kind} x {self.count}>"

    # ---- copies ----

    def __reduce__(self) -> Any:
        """Pickling and copying: the copy is in the same states and continues with the same noise."""
        states = [ffi.new("unsigned char[]", lib.sfnec_env_get_state_size(env)) for env in self._envs]
        for env, state in zip(self._envs, states, strict=True):
            lib.sfnec_env_get_state(env, state)
        arrays = {name: getattr(self, name).copy() for name in _ARRAYS}
        return _restore, (self.kind, self.settings(), self.seeds, [bytes(ffi.buffer(s)) for s in states], arrays)

    # ---- seeds and tasks ----

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Begins the noise of the environments again, each with its own seed; None leaves one as it is."""
        if len(seeds) != self.count:
            raise errors.ArgumentError(f"{self.count} environments need {self.count} seeds, not {len(seeds)}")
        settings = ffi.new("char *[]", [*self._settings, ffi.NULL])
        for i, seed in enumerate(seeds):
            if seed is None:
                continue
            out = ffi.new("sfnec_env **")
            check(lib.sfnec_env_create(self._kind, settings, seed_number(seed), out))
            self._envs[i] = ffi.gc(out[0], lib.sfnec_env_destroy)
            self._handles[i] = out[0]
            self.seeds[i] = seed_number(seed)
        self.generation += 1

    def task(self, number: int, index: int = 0) -> NDArray[np.float64]:
        """The weights of task `number` (from 0): they depend on the seed and the number alone."""
        number = whole(number, "the number of a task")
        if not 0 <= number < 2**32:
            raise errors.ArgumentError(f"tasks are numbered from 0 to 2^32 - 1, not {number}")
        w = np.zeros(lib.sfnec_env_get_shape(self._envs[index]).feature_count)
        lib.sfnec_env_get_task_weights(self._envs[index], number, pointer(w, "double *"))
        return w

    def optimum(self, w: ArrayLike, steps: int, index: int = 0) -> float:
        """The optimum: the highest return of so many steps under w without noise; NaN if it is unknown."""
        weights = floats(w, np.float64, self.feature_count, "the weights of a task")
        value = ffi.new("double *")
        steps = whole(steps, "the number of steps")
        check(lib.sfnec_env_get_optimum(self._envs[index], pointer(weights, "double *"), steps, value))
        return float(value[0])

    def set_weights(self, w: ArrayLike) -> None:
        """The reward weights: one vector for all environments, or one for each."""
        size = self.w.size if np.ndim(w) == 2 else self.feature_count
        weights = floats(w, np.float64, size, "the weights of a task")
        if not np.isfinite(weights).all():
            raise errors.ArgumentError("the weights of a task must be finite numbers")
        self.w[:] = weights.reshape(-1, self.feature_count)

    def take(self, task: int | None, w: ArrayLike | None) -> None:
        """Takes up a task by weights or by number, of which each environment has its own; neither: nothing changes."""
        if w is not None:
            self.set_weights(w)
        elif task is not None:
            self.set_weights(np.stack([self.task(task, i) for i in range(self.count)]))

    # ---- episodes ----

    def reset(self, mask: ArrayLike | None = None) -> NDArray[np.float32]:
        """Begins an episode in all environments, or in those of the mask."""
        chosen = None if mask is None else np.ascontiguousarray(mask, np.bool_)
        if chosen is not None and chosen.shape != (self.count,):
            raise errors.ArgumentError(f"the mask must have {self.count} entries, not shape {chosen.shape}")
        self.generation += 1
        where = ffi.NULL if chosen is None else pointer(chosen, "uint8_t *")
        check(lib.sfnec_python_batch_reset(self._batch, where))
        return self.observations

    def step(self, actions: ArrayLike, autoreset: bool = False) -> NDArray[np.float32]:
        """One step in every environment; the results are in the arrays.

        `autoreset`: an environment whose episode has ended begins a new one instead of acting (`fresh` says which).
        """
        given = np.asarray(actions)
        if given.dtype.kind not in "iub" or given.size != self.count:
            raise errors.ArgumentError(
                f"{self.count} environments need {self.count} whole numbers as actions, "
                f"not {given.dtype} of shape {given.shape}"
            )
        self._actions[:] = given.reshape(-1)
        check(lib.sfnec_python_batch_step(self._batch, self._actions_pointer, autoreset))
        return self.observations

    # ---- for the rest of the package ----

    def handle(self, index: int = 0) -> Any:
        """The sfnec_env of one environment; valid until the next `seed`."""
        return self._envs[index]

    def settings(self) -> list[str]:
        """The resolved "key=value" of all options."""
        return env_settings(self._envs[0])

    @property
    def max_episode_steps(self) -> int:
        """Transitions after which an episode is cut off; 0: never."""
        return int(lib.sfnec_env_get_max_episode_steps(self._envs[0]))

    def names(self) -> tuple[list[str], list[str]]:
        """The names of the actions and of the features; empty if the kind has none."""
        kind = self._kind
        actions = [text(kind.action_names[i]) for i in range(self.action_count)] if kind.action_names else []
        features = [text(kind.feature_names[i]) for i in range(self.feature_count)] if kind.feature_names else []
        return actions, features

    def look(self, index: int = 0) -> Any:
        """How one environment looks now (an sfnec_look), for drawing it."""
        look = ffi.new("sfnec_look *")
        check(lib.sfnec_env_get_look(self._envs[index], look))
        return look

    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The least and the greatest observation, infinite where they are not known."""
        low, high = (np.zeros(self.observation_size, np.float32) for _ in range(2))
        lib.sfnec_env_get_bounds(self._envs[0], pointer(low, "float *"), pointer(high, "float *"))
        return low, high
