"""What a user should know about an agent: warnings while it learns, once each, and a table on request.

A warning says what was seen, what it costs, and which option or wrapper helps. They are ordinary Python warnings of the
category `sfnec.LearningWarning`: `warnings.filterwarnings("ignore", category=sfnec.LearningWarning)` silences them.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ._native import Handle, check, ffi, lib, text

if TYPE_CHECKING:
    from .agent import Agent

__all__ = ["Diagnosis", "Finding", "LearningWarning", "Watch", "diagnose"]

STEPS = 1_000  # transitions after which learning looks for what to warn of, and twice as many, ...
SLOW = 0.1  # seconds of questions after which it does

# What helps in Python, besides the options that the library names.
HINTS = {
    "contexts": "an embedding= of a few numbers leaves out what says nothing",
    "states": "embedding= takes a function that makes a few numbers of an observation",
    "scales": "unit=True scales bounded components, a wrapper (NormalizeObservation, RescaleObservation) all of them",
    "unbounded": "a wrapper (gymnasium's NormalizeObservation or TransformObservation) scales them",
    "rewards": "phi= makes features of your own",
    "weights": "begin_task takes the weights; phi= makes other features, features='reward' is the reward alone",
}


class LearningWarning(UserWarning):
    """A cause that keeps an agent from learning well, with its remedy."""


class Finding(NamedTuple):
    """A line of a diagnosis."""

    what: str  #: what it is about
    value: str  #: as it is now
    means: str  #: what that means, and what to do


class Diagnosis(tuple[Finding, ...]):
    """Findings about an agent; `print` shows a table."""

    __slots__ = ()

    def __str__(self) -> str:
        widths = [max([len(row[i]) for row in self] + [0]) for i in range(2)]
        return "\n".join(f"{row.what:<{widths[0]}}  {row.value:<{widths[1]}}  {row.means}".rstrip() for row in self)


class Watch:
    """Looks at an agent while it learns and is asked, and warns once of each thing that the library finds."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}  #: what was warned of, by name

    def say(self, name: str, text: str) -> None:
        """Warns, unless it has."""
        if name not in self.said:
            self.said[name] = text
            warnings.warn(text, LearningWarning, stacklevel=2)

    def check(self, agent: Handle) -> None:
        """Warns of what `sfnec_agent_diagnose` finds now."""
        found, count = ffi.new("sfnec_finding[]", lib.SFNEC_FINDINGS_MOST), ffi.new("size_t *")
        with agent as handle:
            check(lib.sfnec_agent_diagnose(handle, agent.scratch, found, count))
        for i in range(count[0]):
            name = text(found[i].name)
            hint = HINTS.get(name)
            self.say(name, text(found[i].text) + (f". In Python: {hint}" if hint else ""))


# ---- on request ----

_REGIMES = {
    "none": "not fitted yet: it begins after 100 steps, until then actions are random",
    "cells": "states come again to the bit, and of the key components at most one is lit: distances mean nothing",
    "tabular": "states come again to the bit: each is one of its own",
    "continuous": "a state is all that is within a radius of it",
}


def _model_findings(agent: Agent) -> list[Finding]:
    model, components = agent.model, agent.components
    if model is None or components is None:
        return []
    roles = {role: sum(each.role == role for each in components) for role in ("key", "context", "constant", "dropped")}
    used = ", ".join(f"{count} {role}" for role, count in roles.items() if count)
    keys = f"keys are projected on {model.directions} directions" if model.directions else "print(agent.components)"
    return [
        Finding("regime", model.regime, _REGIMES[model.regime]),
        Finding("states", str(model.places), "representative states; radius makes more or fewer, states bounds them"),
        Finding("samples", str(model.samples), "transitions remembered, each for all that were alike"),
        Finding(
            "contexts", str(model.contexts), f"values of {model.slow} slow components seen together; option contexts"
        ),
        Finding("components", used or "-", f"how the observation is used; {keys}"),
        Finding("noise", f"{model.noise:.3g}", "length of the noise in a key, in steps; 0: none was found"),
    ]


def diagnose(agent: Agent, watch: Watch) -> Diagnosis:
    """The table of `Agent.diagnose`."""
    watch.check(agent.handle)
    options, tasks = agent.options, agent.tasks
    last = [episode.total for episode in agent.episodes[-20:]]
    played = f"{np.mean(last):.4g}" if last else "-"
    rows: list[Finding] = [
        Finding("agent", repr(agent), f"gamma={options['gamma']}; sfnec.options() explains all options"),
        Finding("steps", str(sum(task.steps for task in tasks)), f"of {len(tasks)} tasks"),
        Finding("return", played, f"mean of the last {len(last)} of {len(agent.episodes)} episodes, while learning"),
        Finding("memory", f"{agent.bytes / 1e6:.1f} MB", "held by the agent; capacity= or states= bounds it"),
        *_model_findings(agent),
        *(Finding(name, str(each.value), f"by default here: {each.reason}") for name, each in agent.defaults.items()),
        *(Finding("warning", name, text) for name, text in watch.said.items()),
    ]
    return Diagnosis(rows)
