"""Learning in several environments at once: one agent, one call into C per step of all of them."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import errors
from ._native import check, ffi, lib, pointer
from .actions import Actions
from .world import World

if TYPE_CHECKING:
    from .agent import Agent
    from .rewards import AskedReward
    from .sources import Observations


class Worlds:
    """A world of several environments, as Gymnasium has vectors."""

    def __init__(self, world: World) -> None:
        self._world, self.num_envs = world, world.count
        self.masks: NDArray[np.uint8] | None = None  # the library's worlds have none

    def reset(self, seed: int | None) -> Any:
        if seed is not None:
            self._world.seed([(seed + i) % 2**64 for i in range(self.num_envs)])
        return self._world.reset()

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, Any]:
        world = self._world
        world.step(actions, autoreset=True)
        return world.observations, world.features, world.rewards, world.terminated, world.truncated


class Vector:
    """A vector of Gymnasium, whose environments begin again in the step after their end (NextStep)."""

    def __init__(self, env: Any, agent: Agent) -> None:
        mode = env.metadata.get("autoreset_mode")
        if mode is not None and getattr(mode, "name", mode) != "NEXT_STEP":
            raise errors.ArgumentError(f"an agent learns from vectors with the autoreset mode NextStep, not {mode}")
        self._env, self.num_envs = env, int(env.num_envs)
        self._actions, self._masked = agent._actions, agent._masked
        if env.single_action_space != getattr(agent.env, "action_space", None):
            self._actions = Actions(env.single_action_space)
        if self._actions.count != agent.action_count:
            raise errors.ArgumentError(
                f"the agent has {agent.action_count} actions, those of the vector {self._actions.count}"
            )
        self.masks: NDArray[np.uint8] | None = None  #: (n, actions): of the present states; None: all is allowed

    def _read_masks(self, info: dict[str, Any]) -> None:
        self.masks = None
        if not self._masked:
            return
        given = info.get("action_mask")
        if given is None and hasattr(self._env, "call"):
            with contextlib.suppress(AttributeError):
                given = self._env.call("action_masks")
        if given is None:
            return
        there = info.get("_action_mask", np.ones(self.num_envs, np.bool_))
        whole = np.ones(self._actions.count, np.uint8)
        rows = [self._actions.masks(each) if said else whole for each, said in zip(given, there, strict=True)]
        self.masks = np.ascontiguousarray(rows, np.uint8)

    def reset(self, seed: int | None) -> Any:
        observations, info = self._env.reset(seed=seed)
        self._read_masks(info)
        return observations

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, Any]:
        observations, rewards, terminated, truncated, info = self._env.step(self._actions.several(actions))
        self._read_masks(info)
        if self.masks is not None:  # where an episode was cut off nothing may be left to do; its return goes on
            self.masks[np.asarray(truncated, np.bool_) & ~self.masks.any(axis=1)] = 1
        rewards = np.asarray(rewards, np.float64)
        named = info.get("features", info.get("vector_reward"))
        features = rewards.reshape(self.num_envs, -1) if named is None else np.asarray(named, np.float64)
        return observations, features, rewards if rewards.ndim == 1 else None, terminated, truncated


class VectorLoop:
    """One agent in several environments; their turns go in order, so the same seeds give the same agent."""

    def __init__(self, agent: Agent, envs: Any, observations: Observations, seed: int | None) -> None:
        self._envs = Worlds(envs) if isinstance(envs, World) else Vector(envs, agent)
        self._agent, self._rows, self._seed = agent, observations, seed
        self.count = self._envs.num_envs
        out = ffi.new("sfnec_python_vector **")
        with agent.handle as handle:
            agent.end_episode()
            check(lib.sfnec_python_vector_create(handle, self.count, out))
        self._vector = ffi.gc(out[0], lib.sfnec_python_vector_destroy)
        self._begun = False
        self._ended: list[tuple[int, float, bool]] = []
        self._steps, self._totals = np.zeros(self.count, np.int64), np.zeros(self.count)
        self._over = np.ones(self.count, np.bool_)
        self._actions = np.zeros(self.count, np.int64)
        self._turns = ffi.new("sfnec_python_turns *")
        self._turns.actions = pointer(self._actions, "int64_t *")

    def prepare(self, weights: NDArray[np.float64] | None, function: AskedReward | None = None) -> None:
        self._weights = weights

    def _learn(self, observations: Any, features: Any, rewards: Any, terminated: Any, truncated: Any) -> None:
        """Hands what happened to the agent, which puts the next actions in place."""
        rows = np.ascontiguousarray(self._rows.batch(observations)[0])
        arrays = (
            rows,
            np.ascontiguousarray(features, np.float64),
            np.ascontiguousarray(rewards, np.float64),
            np.ascontiguousarray(terminated, np.uint8),
            np.ascontiguousarray(truncated, np.uint8),
            np.ascontiguousarray(self._over, np.uint8),
        )
        shape = (self.count, self._agent.feature_count)
        if arrays[1].shape != shape:
            raise errors.ArgumentError(
                f"the features of {self.count} transitions must be {shape}, not {arrays[1].shape}"
            )
        turns = self._turns
        turns.observations, turns.features = pointer(arrays[0], "float *"), pointer(arrays[1], "double *")
        turns.rewards, turns.terminated = pointer(arrays[2], "double *"), pointer(arrays[3], "uint8_t *")
        turns.truncated, turns.fresh = pointer(arrays[4], "uint8_t *"), pointer(arrays[5], "uint8_t *")
        masks = self._envs.masks
        turns.masks = ffi.NULL if masks is None else pointer(masks, "uint8_t *")
        with self._agent.handle:
            check(lib.sfnec_python_vector_step(self._vector, turns))

    def _begin(self) -> None:
        observations, none = self._envs.reset(self._seed), np.zeros(self.count)
        self._learn(observations, np.zeros((self.count, self._agent.feature_count)), none, none, none)
        self._over[:] = False
        self._begun = True

    def _step(self) -> int:
        observations, features, rewards, terminated, truncated = self._envs.step(self._actions)
        if self._weights is not None:
            rewards = np.asarray(features) @ self._weights
        elif rewards is None:
            raise errors.StateError("the rewards are vectors, so the task needs its weights: give w to begin_task")
        # an environment that had ended began again instead of acting
        acted = ~self._over
        self._learn(observations, features, rewards, terminated, truncated)
        self._steps += acted
        self._totals += np.where(acted, rewards, 0.0)
        ended = acted & (np.asarray(terminated, np.bool_) | np.asarray(truncated, np.bool_))
        for i in np.flatnonzero(ended):
            self._ended.append((int(self._steps[i]), float(self._totals[i]), bool(terminated[i])))
        self._steps[ended], self._totals[ended] = 0, 0.0
        self._over = ended
        return int(acted.sum())

    def run(self, most: int, cut: bool) -> int:
        if not self._begun:
            self._begin()
        done = 0
        while done < most and not self._ended:
            done += self._step()
        if cut and done >= most:
            self.forget()
        return done

    def ended(self) -> list[tuple[int, float, bool]]:
        found, self._ended = self._ended, []
        return found

    def forget(self) -> None:
        with self._agent.handle:
            check(lib.sfnec_python_vector_end(self._vector))
