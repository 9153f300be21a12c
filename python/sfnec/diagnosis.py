"""What a user should know about an agent: warnings while it learns, once each, and a table on request.

A warning says what was seen, what it costs, and which option or wrapper helps. They are ordinary Python warnings of the
category `sfnec.LearningWarning`: `warnings.filterwarnings("ignore", category=sfnec.LearningWarning)` silences them.
"""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .agent import Agent

__all__ = ["Diagnosis", "Finding", "LearningWarning", "Watch", "diagnose"]

# ---- when something is worth a warning ----

STEPS = 1_000  # transitions before the model says something about the environment
CONTEXTS = 1_000  # contexts, and one in CONTEXT_SHARE transitions: each has values of its own, and hardly any evidence
CONTEXT_SHARE = 4
NEW_STATES = 0.8  # states per transition: nothing is seen twice, so nothing is learned of it
UNREWARDED = 5_000  # transitions in which no episode had a reward
SCALES = 100.0  # times the range of the narrowest component, what the widest has
UNBOUNDED = 1e4  # of a component, beyond which distances are between that component alone
LOOKS = 20  # observations before their scales are compared
SLOW = 0.1  # seconds of one step or question


class LearningWarning(UserWarning):
    """Something that keeps an agent from learning well, with what to do about it."""


class Finding(NamedTuple):
    """A line of a diagnosis."""

    what: str  #: what it is about
    value: str  #: as it is now
    means: str  #: what that means, and what to do


class Diagnosis(tuple[Finding, ...]):
    """What is known about an agent; printed, a table."""

    __slots__ = ()

    def __str__(self) -> str:
        widths = [max([len(row[i]) for row in self] + [0]) for i in range(2)]
        return "\n".join(f"{row.what:<{widths[0]}}  {row.value:<{widths[1]}}  {row.means}".rstrip() for row in self)


class Watch:
    """Looks at an agent while it learns, and warns once of each thing."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}  #: what was warned of, by name
        self._low: NDArray[np.float32] | None = None
        self._high: NDArray[np.float32] | None = None
        self._looks = 0

    def say(self, name: str, text: str) -> None:
        """Warns, unless it has."""
        if name not in self.said:
            self.said[name] = text
            warnings.warn(text, LearningWarning, stacklevel=2)

    def look(self, observation: NDArray[np.float32]) -> None:
        """Takes in an observation, as the agent sees it."""
        self._looks += 1
        if self._low is None or self._high is None:
            self._low, self._high = observation.copy(), observation.copy()
        np.minimum(self._low, observation, out=self._low)
        np.maximum(self._high, observation, out=self._high)

    def took(self, seconds: float, what: str) -> None:
        """A step or a question took so long."""
        if seconds > SLOW:
            self.say(
                "slow " + what,
                f"{what} took {1e3 * seconds:.0f} ms: fewer states (states=), fewer backups (backups=, step_backups=, "
                "replan_backups=) or a smaller capacity= make it faster",
            )

    def check(self, agent: Agent) -> None:
        """Looks at what was learned so far."""
        steps = sum(task.steps for task in agent.tasks)
        if steps >= STEPS:
            self._check_model(agent, steps)
            self._check_scales(agent)
        self._check_rewards(agent)

    def _check_model(self, agent: Agent, steps: int) -> None:
        model = agent.model
        if model is None or model.regime == "none":
            return
        if model.contexts > CONTEXTS and model.contexts > steps / CONTEXT_SHARE:
            self.say(
                "contexts",
                f"{model.contexts} contexts in {steps} steps, of {model.slow} slow components: each has values of its "
                "own, so little is learned of any; contexts='off', or leave out components that say nothing (pixels, "
                "counters), or give an embedding=",
            )
        if model.places > NEW_STATES * steps:
            self.say(
                "states",
                f"{model.places} states in {steps} steps: nearly every state is new, so there is nothing to plan over; "
                "an embedding= with a few numbers (embedding='pca', key_size=8), a greater radius=, or an agent with "
                "memories ('sfnec', 'nec') instead of a model",
            )

    def _check_scales(self, agent: Agent) -> None:
        planned = agent.options["psi"] == "planned"
        if self._low is None or self._high is None or self._looks < LOOKS or planned:
            return  # agents that plan scale components themselves
        ranges = self._high - self._low
        moving = ranges[ranges > 0]
        greatest = float(max(np.abs(self._low).max(), np.abs(self._high).max()))
        if moving.size > 1 and moving.max() > SCALES * moving.min():
            self.say(
                "scales",
                f"components of observations differ in scale: component {int(ranges.argmax())} has a range of "
                f"{moving.max():.3g}, another one of {moving.min():.3g}, so distances between memories are those of "
                "the first alone; unit=True scales bounded components, a wrapper (gymnasium's NormalizeObservation, "
                "RescaleObservation) all of them",
            )
        elif greatest > UNBOUNDED:
            self.say(
                "unbounded",
                f"observations reach {greatest:.3g}: distances grow with them, and memories are never near; scale them "
                "to about 1 by a wrapper (gymnasium's NormalizeObservation or TransformObservation)",
            )

    def _check_rewards(self, agent: Agent) -> None:
        steps = sum(episode.steps for episode in agent.episodes)
        if steps >= UNREWARDED and all(episode.total == 0.0 for episode in agent.episodes):
            self.say(
                "rewards",
                f"no reward in {steps} steps, so there is nothing to learn from: explore more (bonus= of an agent that "
                "plans, novelty= or the preset 'sfnec-plus' of others), shorter ways to a reward, or rewards on the "
                "way (phi= makes features of your own)",
            )


class Timer:
    """Shows a watch how long a step or a question took, as time of this thread: others on the machine do not count."""

    def __init__(self, watch: Watch, what: str) -> None:
        self._watch, self._what, self._start = watch, what, 0.0

    def __enter__(self) -> None:
        self._start = time.thread_time()

    def __exit__(self, *_: object) -> None:
        self._watch.took(time.thread_time() - self._start, self._what)


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
    watch.check(agent)
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


def mismatch(reward: float, features: Any, weights: Any) -> str | None:
    """A sentence if a reward is not phi . w; None: it is."""
    product = float(np.dot(np.asarray(features, np.float64), np.asarray(weights, np.float64)))
    if abs(reward - product) <= 1e-5 * (1.0 + abs(reward)):
        return None
    return (
        f"the environment's reward ({reward:.6g}) is not phi . w ({product:.6g}), by which the agent learns: give the "
        "weights of the task to begin_task, features that make up the reward (phi=), or features='reward'"
    )
