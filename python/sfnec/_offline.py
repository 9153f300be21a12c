"""Learning from a log: its rows as the library takes them, and the loop over them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import errors
from ._learn import Bar, Interrupts, Slices
from ._native import check, ffi, lib, pointer
from .actions import Actions
from .logs import Transitions
from .sources import Features, Observations

if TYPE_CHECKING:
    from .agent import Agent
    from .rewards import AskedReward

Array = NDArray[Any]


def _observation_rows(observations: Observations, array: Array) -> NDArray[np.float32]:
    """A log's observations as the agent remembers them; those that are flat already stay as they are."""
    flat = array.ndim == 2 and array.shape[1] == observations.size
    if flat and (observations.shape is None or array.shape[1:] != observations.shape):
        return np.ascontiguousarray(array, np.float32)
    if array.shape[1:] != (observations.shape or array.shape[1:]):
        raise errors.ArgumentError(
            f"an observation of the log has shape {array.shape[1:]}, one of the agent {observations.shape}"
        )
    try:
        rows = [observations.vector(each) for each in array]
    except (TypeError, ValueError, IndexError) as error:
        raise errors.ArgumentError(
            f"the log's observations (shape {array.shape}, {array.dtype}) are none of {observations.space}: {error}"
        ) from None
    return np.stack(rows) if rows else np.zeros((0, observations.size), np.float32)


def _action_numbers(array: Array, known: Actions) -> NDArray[np.int32]:
    first, count = known.first, known.count
    if known.is_product and array.ndim > 1:
        return np.array([known.number(each) for each in array], np.int32)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    whole = array.ndim == 1 and (array.dtype.kind in "iub" or bool(np.all(array == np.floor(array))))
    if not whole:
        raise errors.ArgumentError(
            f"the log's actions (shape {array.shape}, {array.dtype}) are no numbers of discrete actions: record "
            "through sfnec.discrete.Discretise, or replace each by the number of the nearest action"
        )
    actions = array.astype(np.int64) - first
    if len(actions) and not (actions.min() >= 0 and actions.max() < count):
        raise errors.ArgumentError(
            f"the log's actions are {array.min()} to {array.max()}, those of the agent {first} to {first + count - 1}"
        )
    return actions.astype(np.int32)


def _feature_rows(features: Features | None, log: Transitions, count: int) -> NDArray[np.float64]:
    """phi of every transition, from where the agent has its features from."""
    if features is not None and features.source == "phi" and features.phi is not None:
        triples = zip(log.observations, log.actions, log.next_observations, strict=True)
        found = np.array([np.asarray(features.phi(*each), np.float64).reshape(-1) for each in triples])
    elif features is not None and features.source in ("reward", "vector"):
        found = np.asarray(log.rewards, np.float64).reshape(len(log), -1)
    elif log.features is not None:
        found = np.asarray(log.features, np.float64).reshape(len(log), -1)
    elif log.rewards.ndim == 2:
        found = np.asarray(log.rewards, np.float64)
    else:
        raise errors.ArgumentError(
            "the log has no array features, and the agent's rewards are phi . w: give the agent a callable "
            "phi(s, a, s2), or make it with features='reward'"
        )
    if found.shape != (len(log), count):
        raise errors.ArgumentError(f"the log's features have shape {found.shape}, the agent takes {(len(log), count)}")
    return np.ascontiguousarray(found)


class Rows:
    """A log as the library takes it; the arrays live as long as this."""

    def __init__(
        self, agent: Agent, log: Transitions, w: NDArray[np.float64] | None, function: AskedReward | None
    ) -> None:
        features = agent._shape[2]
        self.count = len(log)
        phi = _feature_rows(agent._features, log, features)
        before = _observation_rows(agent._observations, log.observations)
        after = _observation_rows(agent._observations, log.next_observations)
        actions = _action_numbers(log.actions, agent._actions)
        if function is not None:
            rewards = function.several(before, actions, after, phi, log.terminated)
        elif w is not None:
            rewards = phi @ w
        elif log.rewards.ndim == 1:
            rewards = np.asarray(log.rewards, np.float64)
        else:
            raise errors.StateError(
                "the log's rewards are vectors, so the task needs its weights: give w to begin_task"
            )
        self._arrays: dict[str, tuple[Array, str]] = {
            "observations": (before, "float *"),
            "next_observations": (after, "float *"),
            "actions": (actions, "int32_t *"),
            "features": (phi, "double *"),
            "rewards": (np.ascontiguousarray(rewards), "double *"),
            "terminated": (np.ascontiguousarray(log.terminated, np.uint8), "uint8_t *"),
            "truncated": (np.ascontiguousarray(log.truncated, np.uint8), "uint8_t *"),
        }
        self.pointer = ffi.new("sfnec_python_log *")
        self.pointer.count = self.count
        for name, (array, ctype) in self._arrays.items():
            setattr(self.pointer, name, pointer(array, ctype))


def learn_log(agent: Agent, rows: Rows, progress_bar: bool) -> None:
    """Learns every row in turn, and ends the last episode; Ctrl-C is obeyed between slices."""
    done, learned, slices, bar = 0, ffi.new("int64_t *"), Slices(), Bar(max(rows.count, 1), progress_bar)
    with Interrupts() as interrupts:
        try:
            while done < rows.count:
                start, last = time.monotonic(), min(done + slices.size(), rows.count)
                with agent.handle as handle:
                    status = lib.sfnec_python_learn_log(handle, rows.pointer, done, last, learned)
                if status:
                    row = done + int(learned[0])
                    try:
                        check(status)
                    except errors.Error as error:
                        raise type(error)(f"row {row} of the log: {error}") from None
                slices.took(last - done, time.monotonic() - start)
                done = last
                bar.draw(done)
                interrupts.obey()
        finally:
            bar.close()
            agent.end_episode()
