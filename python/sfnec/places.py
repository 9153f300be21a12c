"""Environments of all sorts, as an agent finds them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from . import errors, tables
from ._native import ffi, lib
from .sources import Observations
from .spaces import Component
from .world import World

__all__ = [
    "check_env",
    "component_spaces",
    "copied",
    "is_ours",
    "like",
    "make",
    "named",
    "of_kind",
    "reseed",
    "world_observations",
]


def is_ours(env: Any) -> bool:
    """Whether it is one of the library's Gymnasium environments (perhaps in wrappers)."""
    return isinstance(getattr(getattr(env, "unwrapped", None), "world", None), World)


def make(env: Any) -> Any:
    """The environment of a name; anything else is one already."""
    if env is None:
        raise errors.ArgumentError("an agent needs an environment: give a Gymnasium environment or a name")
    if not isinstance(env, str):
        return env
    known = [kind.name for kind in tables.environments()]
    if env in known:
        return World(env)
    try:
        import gymnasium
    except ImportError:
        raise errors.OptionError(
            f"there is no environment '{env}': the kinds are {', '.join(known)}; for others install gymnasium"
        ) from None
    return gymnasium.make(env)


def check_env(env: Any) -> None:
    """Refuses what is no environment."""
    if isinstance(env, type):
        raise errors.ArgumentError(f"{env.__name__} is a class: make an environment of it first, {env.__name__}(...)")
    if not hasattr(env, "action_space") or not hasattr(env, "observation_space"):
        raise errors.ArgumentError(
            f"{type(env).__name__} is no environment: it has no action_space or observation_space"
        )


def named(env: Any) -> Any:
    """The names of an environment's observed components, if it has them (`observation_names`)."""
    try:
        return env.get_wrapper_attr("observation_names")
    except AttributeError:
        return None


def component_spaces(components: tuple[Component, ...]) -> Any:
    """What the components of an observation are, for the library; NULL where there is nothing to say of them."""
    if all(each.kind != "discrete" and not each.name for each in components):
        return ffi.NULL
    found = ffi.new("sfnec_component_space[]", len(components))
    for space, (name, kind, values) in zip(found, components, strict=True):
        short = name.encode()[: lib.SFNEC_COMPONENT_NAME - 1].decode("utf-8", "ignore").encode()
        space.name, space.kind, space.values = short, getattr(lib, f"SFNEC_SPACE_{kind.upper()}"), values
    return found


def of_kind(kind: str, seed: int, settings: dict[str, Any]) -> World:
    """A world with settings as the note of a saved agent has them."""
    return World(kind, seed=seed, **settings)


def like(world: World, seed: int) -> World:
    """A new world with the settings of another one."""
    return of_kind(world.kind, seed, dict(line.split("=", 1) for line in world.settings()))


def copied(env: Any) -> Any | None:
    """An environment like this one, to play in beside it; None: it cannot be copied, nor made again."""
    try:
        return copy.deepcopy(env)
    except Exception:  # whatever an environment holds: a window, a socket, a simulator
        pass
    try:
        import gymnasium

        return None if env.spec is None else gymnasium.make(env.spec)
    except Exception:
        return None


def reseed(env: Any, seed: int) -> None:
    """Begins an environment of the library again: noise and tasks of that seed. Weights of the user's own stay."""
    if is_ours(env):
        env.unwrapped.reseed(seed)
    elif isinstance(env, World):
        first = np.array_equal(env.w[0], env.task(0))
        env.seed([seed])
        if first:
            env.set_weights(env.task(0))


class _WorldObservations(Observations):
    """Observations of a world: vectors of its size."""

    def __init__(self, world: World) -> None:
        self.size, self.shape = world.observation_size, (world.observation_size,)
        self._plain, self._layout, self._embedding, self.components = True, None, None, ()
        self.picture = world.picture


def world_observations(world: World) -> Observations:
    """The observations of a world, which need neither scaling nor embedding."""
    return _WorldObservations(world)
