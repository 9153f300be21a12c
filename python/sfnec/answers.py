"""What an agent answers when it is asked."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._native import Handle, check, ffi, lib, pointer, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Component",
    "Components",
    "Coverage",
    "Explanation",
    "Learned",
    "Memory",
    "Model",
    "Task",
    "read_components",
    "read_learned",
    "read_memories",
    "read_model",
    "read_task",
]


class Coverage(NamedTuple):
    """What the data of an agent that plans cover, and where a plan leaves them."""

    states: int  #: representative states in which an episode may continue
    choices: int  #: their actions
    tried: int  #: of those, tried in the very state
    near: int  #: tried there or within a step of it
    value: float  #: of the observation, by the plan
    error: float  #: its standard error by the model, of what was tried
    steps: int  #: of the planned path, as far as they count
    outside: int  #: of those, with an action that was not tried within a step


class Learned(NamedTuple):
    """Features that an agent has learned from rewards (predict="learned")."""

    features: int  #: that were found; 0: none yet, and the agent acts on the reward alone
    tasks: int  #: in whose rewards they were found
    kinds: int  #: kinds of transitions that these paid for, all that is ordinary being one
    explained: float  #: share of rewards held out that the features predict


class Task(NamedTuple):
    """A task of an agent."""

    w: NDArray[np.float64]  #: its reward weights, given or learned (with predict="reward": [1])
    active: bool  #: it is the one that is learned
    learned: bool  #: w is learned, not given
    steps: int  #: transitions while it was the active task
    chosen: int  #: transitions for which GPI chose this task's policy
    entries: int  #: entries of its memories


class Memory(NamedTuple):
    """One entry of a memory behind a value."""

    distance: float  #: of its key from the key of the observation
    weight: float  #: its weight in psi; the weights add up to 1
    key: NDArray[np.float32]  #: the key: the observation, or its embedding
    psi: NDArray[np.float32]  #: its successor features


class Model(NamedTuple):
    """The model of an agent that plans, for all tasks."""

    places: int  #: representative states
    samples: int  #: stored transitions, each standing for similar ones
    contexts: int  #: contexts that transitions were seen in
    slow: int  #: components of the observation that make the context; 0: contexts are not used
    step: float  #: median length of a move, the components scaled as the model has them
    radius: float  #: of a representative state, in steps
    bytes: int  #: held by the model and the present plan
    regime: str  #: how states are distinguished: "tabular", "cells" (tabular, no distances), "continuous"; "none" yet
    directions: int  #: directions that keys are projected on; 0: a key is the scaled components themselves
    noise: float  #: expected length of the noise in a key, in steps; 0: none was found

    def __str__(self) -> str:
        """A table that says what each number is; `Agent.diagnose` says more."""
        meanings = (
            "representative states",
            "transitions remembered, each for all that were alike",
            "contexts: values of the slow components that were seen together",
            "slow components of the observation, which make the context",
            "median length of a move, as components are scaled",
            "radius of a state, in steps",
            "bytes of the model and the present plan",
            "how states are distinguished",
            "directions that keys are projected on; 0: keys are the scaled components",
            "length of the noise in a key, in steps; 0: none was found",
        )
        shown = [f"{value:.4g}" if isinstance(value, float) else str(value) for value in self]
        return "\n".join(
            f"{name:<10}  {value:>12}  {meaning}"
            for name, value, meaning in zip(self._fields, shown, meanings, strict=True)
        )


class Component(NamedTuple):
    """How the model of an agent that plans uses a component of the observation, and why."""

    number: int  #: of the component in the observation as a vector, from 0
    role: str  #: "key", "context", "constant", "dropped", or "unused" before the model is fitted
    decided: bool  #: it was found to matter, or not to; else there is too little evidence yet, and it is used
    reason: str  #: why, as one phrase
    levels: int  #: it is rounded to so many values; 0: it is used as it is
    group: int  #: first component of its one-hot group; its own number without one
    p: float  #: p-value of the test behind the decision; 1: there was none
    z: float  #: how much predictions are better with it, in standard errors; 0: this was not tested
    name: str = ""  #: where it stands in the environment's space: "dealer_card"; "" without a name
    kind: str = "number"  #: what it is: "number", "discrete" or "pixel"

    @property
    def label(self) -> str:
        """Its name, or its number without one."""
        return self.name or str(self.number)


class Components(tuple[Component, ...]):
    """The components of an observation; printed, a table in which runs of components that are alike share a line."""

    __slots__ = ()

    def __str__(self) -> str:
        found = []
        for (role, decided, levels, reason), each in groupby(self, lambda c: (c.role, c.decided, c.levels, c.reason)):
            run = list(each)
            first, last, p = run[0].label, run[-1].label, max(component.p for component in run)
            span = first if first == last else f"{first}-{last}" if first.isdigit() else f"{first} to {last}"
            shown = role if decided else role + "?"
            rounded = f"; rounded to {levels} levels" if levels else ""
            found.append((span, f"{shown:<9} {f'{p:.1e}' if p < 1 else '-':>8}  {reason}{rounded}"))
        width = max(11, *(len(span) for span, _ in found))
        head = f"{'components':>{width}}  {'role':<9} {'p':>8}  reason"
        return "\n".join([head, *(f"{span:>{width}}  {rest}" for span, rest in found)])


class Explanation(NamedTuple):
    """Why the agent would act as it would."""

    action: int  #: the greedy one
    policy: int  #: the task whose policy was chosen
    value: float  #: psi . w of that policy and action
    q: NDArray[np.float64]  #: (tasks, actions): psi . w of all of them
    memories: list[Memory]  #: the nearest behind the value, nearest first; none for linear psi

    def __repr__(self) -> str:
        tasks, actions = self.q.shape
        return (
            f"<sfnec.Explanation action {self.action} by policy {self.policy}, value {self.value:.4g}; "
            f"{tasks} policies x {actions} actions, {len(self.memories)} memories>"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """The values of all actions by all policies, as bars; the chosen one is marked."""
        from . import plots

        return plots.explanation(self, ax)


def read_task(agent: Any, number: int) -> Task:
    """What a library's agent says of one of its tasks."""
    info = ffi.new("sfnec_task_info *")
    w = np.zeros(lib.sfnec_agent_get_psi_size(agent))
    check(lib.sfnec_agent_get_task_info(agent, number, info))
    check(lib.sfnec_agent_get_task_weights(agent, number, pointer(w, "double *")))
    return Task(w, info.active, info.learned, info.steps, info.chosen, info.entries)


def read_model(agent: Any) -> Model | None:
    """The model of a library's agent; None if it does not plan."""
    if lib.sfnec_agent_get_options(agent).psi != lib.SFNEC_PSI_PLANNED:
        return None
    info = ffi.new("sfnec_model_info *")
    check(lib.sfnec_agent_get_model_info(agent, info))
    facts = {name: getattr(info, name) for name in Model._fields}
    return Model(**{**facts, "regime": _enum_name("sfnec_regime", info.regime)})


def read_learned(agent: Any) -> Learned | None:
    """What a library's agent has learned of features; None if it learns none."""
    if lib.sfnec_agent_get_options(agent).predict != lib.SFNEC_PREDICT_LEARNED:
        return None
    info = ffi.new("sfnec_learned_info *")
    check(lib.sfnec_agent_get_learned_info(agent, info))
    return Learned(*(getattr(info, name) for name in Learned._fields))


def read_components(agent: Any) -> Components | None:
    """The components of the observations of a library's agent; None if it does not plan."""
    if lib.sfnec_agent_get_options(agent).psi != lib.SFNEC_PSI_PLANNED:
        return None
    info, spaces = ffi.new("sfnec_component_info *"), lib.sfnec_agent_get_components(agent)
    found: list[Component] = []
    for number in range(lib.sfnec_agent_get_shape(agent).observation_size):
        check(lib.sfnec_agent_get_component_info(agent, number, info))
        role = _enum_name("sfnec_component_role", info.role)
        name, kind = "", "number"
        if spaces != ffi.NULL:
            name, kind = text(spaces[number].name), _enum_name("sfnec_space_kind", spaces[number].kind)
        reason = text(info.reason)
        found.append(Component(number, role, info.decided, reason, info.levels, info.group, info.p, info.z, name, kind))
    return Components(found)


def _enum_name(enum: str, number: int) -> str:
    """The last word of a constant of the library, in lower case."""
    name: str = ffi.typeof(enum).elements[number]
    return name.rsplit("_", 1)[1].lower()


def read_memories(handle: Handle, row: NDArray[np.float32], task: int, action: int, most: int) -> list[Memory]:
    """The entries of a library's agent that are nearest to an observation, copied."""
    agent, scratch = handle.pointer, handle.scratch
    views = ffi.new("sfnec_memory_view[]", max(int(most), 1))
    count = ffi.new("size_t *")
    key = pointer(row, "float *")
    check(lib.sfnec_agent_ask_memories(agent, scratch, key, task, action, max(int(most), 0), views, count))
    size, length = lib.sfnec_agent_get_key_size(agent), lib.sfnec_agent_get_psi_size(agent)

    def copied(address: Any, n: int) -> NDArray[np.float32]:
        return np.frombuffer(ffi.buffer(address, 4 * n), np.float32).copy()

    return [Memory(v.distance, v.weight, copied(v.key, size), copied(v.psi, length)) for v in views[0 : count[0]]]
