"""Registers the library's environments with Gymnasium, when this package is imported."""

from __future__ import annotations

from .tables import environments


def register() -> None:
    """Registers every kind of environment, unless it is there already; without Gymnasium there is nothing to do."""
    try:
        from gymnasium.envs.registration import register as register_one
        from gymnasium.envs.registration import registry
    except ImportError:
        return

    for kind in environments():
        if kind.gymnasium_id not in registry:
            register_one(
                kind.gymnasium_id,
                entry_point="sfnec.gym:Env",
                vector_entry_point="sfnec.gym:VectorEnv",
                kwargs={"kind": kind.name},
                # wrappers would only slow it down: the library refuses wrong actions and steps after the end itself
                order_enforce=False,
                disable_env_checker=True,
            )
