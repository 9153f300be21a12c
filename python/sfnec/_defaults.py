"""Options that follow from an environment of Gymnasium, unless they are given: each with the reason, which is logged.

The library's own worlds keep the defaults of the command, so that the same words make the same agent.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import tables
from ._native import lib

__all__ = ["Default", "defaults_for", "log", "picture_defaults"]

log = logging.getLogger("sfnec")

# What environments call their discount factor, where they publish one.
_NAMES = ("gamma", "discount", "discount_factor")


class Default(NamedTuple):
    """An option that was chosen for an environment."""

    value: float | str  #: the option's value
    reason: str  #: why


def _published_gamma(env: Any) -> tuple[float, str] | None:
    """The discount factor that an environment publishes, and where; None: it says nothing."""
    spec = getattr(env, "spec", None)
    places: list[tuple[str, Mapping[str, Any]]] = [
        ("metadata", getattr(env, "metadata", None) or {}),
        ("spec", getattr(spec, "kwargs", None) or {}),
        ("attribute", vars(getattr(env, "unwrapped", env)) if hasattr(env, "__dict__") else {}),
    ]
    for where, values in places:
        for name in _NAMES:
            found = values.get(name)
            if isinstance(found, (int, float)) and not isinstance(found, bool) and 0.0 < found < 1.0:
                return float(found), f"{where} {name}"
    return None


def defaults_for(env: Any, options: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Default]:
    """The options that an environment decides, for an agent with these options of which some were given."""
    chosen: dict[str, Default] = {}
    if options["psi"] == "planned" and "terminal" not in given:
        chosen["terminal"] = Default(
            "zero",
            "Gymnasium judges by the return of an episode, so nothing is worth anything after its end; give "
            "terminal='restart' for an environment that is judged by the reward per step",
        )
    published = _published_gamma(env) if "gamma" not in given else None
    if published is not None and not math.isclose(published[0], float(options["gamma"])):
        chosen["gamma"] = Default(published[0], f"the environment publishes it ({published[1]})")
    return _logged(chosen)


def picture_defaults(shape: Any, found: Any, given: Mapping[str, Any]) -> dict[str, Default]:
    """The options that the library chooses for pictures, for an agent with these options of which some were given."""
    before = tables.as_dict(found)
    lib.sfnec_agent_options_for(shape, found)
    changed = {name: value for name, value in tables.as_dict(found).items() if value != before[name]}
    reason = "observations are pictures, so keys are learned; give embedding='random' for a projection"
    return _logged({name: Default(value, reason) for name, value in changed.items() if name not in given})


def _logged(chosen: dict[str, Default]) -> dict[str, Default]:
    for name, default in chosen.items():
        log.info("%s=%s: %s", name, default.value, default.reason)
    return chosen
