"""Recorded transitions, for `Agent.learn_from`; `sfnec.recording.RecordLog` writes them.

A log is a set of arrays with one row a transition, named as in D4RL: observations, actions, rewards, terminals,
timeouts, and, where they are there, next_observations and features (or a reward vector per transition). They come from

- a mapping of arrays, or a file .npz of them;
- an HDF5 file with these arrays (D4RL), or with a group per episode (Minari's main_data.hdf5), by h5py;
- a `minari.MinariDataset`, or anything with `iterate_episodes()`;
- a replay buffer of Stable-Baselines3.

Nothing of a file is executed: pickled objects are refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import errors
from ._log_files import hdf5_log, npz_log

__all__ = ["Transitions", "read_log"]

Array = NDArray[Any]


@dataclass
class Transitions:
    """Transitions in the order in which they were made: a row each."""

    observations: Array  #: before
    actions: Array
    rewards: Array  #: (n), or (n, k): a vector each
    next_observations: Array
    terminated: Array  #: the return ends here
    truncated: Array  #: the episode ends here, and the return continues
    features: Array | None = None  #: (n, k)

    def __post_init__(self) -> None:
        n = len(self.observations)
        for field in fields(self):
            array = getattr(self, field.name)
            if array is not None and len(array) != n:
                raise errors.ArgumentError(f"the log has {n} observations, but {len(array)} {field.name}")

    def __len__(self) -> int:
        return len(self.observations)


def _numbers(found: Any, name: str, where: str) -> Array:
    """A column of a log: an array of numbers with a row a transition."""
    try:
        array = np.asarray(found)
    except ValueError as error:
        raise errors.ArgumentError(f"{name} of {where} are no array: {error}") from None
    # observations that are no array each are read by their space
    kinds = "biufO" if name.endswith(("observations", "obs")) else "biuf"
    if array.ndim and array.dtype.kind in kinds:
        return array
    raise errors.ArgumentError(
        f"{name} of {where} must be an array of numbers with a row a transition, "
        f"not {array.dtype} of shape {array.shape}"
    )


def _of_arrays(named: Mapping[str, Any], where: str) -> Transitions:
    """From D4RL's names; also Gymnasium's for the ends."""

    def find(*names: str) -> Array | None:
        return next((_numbers(named[name], name, where) for name in names if name in named), None)

    def need(*names: str) -> Array:
        found = find(*names)
        if found is None:
            raise errors.ArgumentError(f"{where} has no array '{names[0]}'; there are {', '.join(named) or 'none'}")
        return found

    observations, actions = need("observations", "obs"), need("actions", "action")
    features = find("features", "phi")
    rewards = find("rewards", "reward")
    if rewards is None and features is None:
        rewards = need("rewards")
    rewards = np.zeros(len(observations)) if rewards is None else rewards
    terminated = find("terminals", "terminations", "terminated", "dones")
    truncated = find("timeouts", "truncations", "truncated")
    terminated = np.zeros(len(observations), bool) if terminated is None else terminated.astype(bool).reshape(-1)
    truncated = np.zeros(len(observations), bool) if truncated is None else truncated.astype(bool).reshape(-1)
    after = find("next_observations", "next_obs")
    if rewards.ndim == 2 and rewards.shape[1] == 1:
        rewards = rewards[:, 0]
    if after is not None:
        return Transitions(observations, actions, rewards, after, terminated, truncated, features)
    return _shifted(Transitions(observations, actions, rewards, observations, terminated, truncated, features))


def _shifted(log: Transitions) -> Transitions:
    """Where the next observations are not recorded: those of the next rows.

    What followed the last transition of an episode is not known then. One that terminated is kept, as nothing is
    learned from where it led; one that was cut off is left out.
    """
    after = np.concatenate([log.observations[1:], log.observations[-1:]])
    after[log.terminated] = log.observations[log.terminated]
    known = log.terminated | ~log.truncated
    if len(known):
        known[-1] = log.terminated[-1]
    # the transition before one that is left out is the last of its piece
    truncated = log.truncated.copy()
    truncated[:-1] |= ~known[1:]
    return Transitions(
        log.observations[known],
        log.actions[known],
        log.rewards[known],
        after[known],
        log.terminated[known],
        truncated[known],
        None if log.features is None else log.features[known],
    )


def _of_episodes(episodes: Iterator[Any], where: str) -> Transitions:
    """From episodes with one observation more than actions, as Minari has them."""
    parts: dict[str, list[Array]] = {field.name: [] for field in fields(Transitions)}
    for episode in episodes:
        get = episode.get if isinstance(episode, Mapping) else lambda name, of=episode: getattr(of, name, None)

        def column(name: str, get: Any = get) -> Array:
            return _numbers(get(name), name, f"an episode of {where}")

        observations, actions = column("observations"), column("actions")
        if len(observations) != len(actions) + 1:
            raise errors.ArgumentError(
                f"an episode of {where} has {len(observations)} observations for {len(actions)} actions; "
                "it takes one more"
            )
        parts["observations"].append(observations[:-1])
        parts["next_observations"].append(observations[1:])
        parts["actions"].append(actions)
        parts["rewards"].append(column("rewards"))
        parts["terminated"].append(column("terminations").astype(bool))
        cut = column("truncations").astype(bool).copy()
        if len(cut):
            cut[-1] |= not parts["terminated"][-1][-1]
        parts["truncated"].append(cut)
        infos = get("infos")
        if isinstance(infos, Mapping) and "features" in infos:
            parts["features"].append(_numbers(infos["features"], "features", where)[-len(actions) :])
    if not parts["actions"]:
        raise errors.ArgumentError(f"{where} has no episodes")
    try:
        whole = {name: np.concatenate(list_) for name, list_ in parts.items() if list_}
    except ValueError as error:
        raise errors.ArgumentError(f"the episodes of {where} do not fit together: {error}") from None
    return Transitions(**whole)


def _of_hdf5(file: Mapping[str, Any], where: str) -> Transitions:
    """From the root of an HDF5 file: arrays, or a group per episode."""
    numbered = [key for key in file if key.startswith("episode_")]
    if not numbered:
        return _of_arrays(file, where)
    numbered.sort(key=lambda key: int(key.removeprefix("episode_")))
    return _of_episodes((file[key] for key in numbered), where)


def _of_replay_buffer(buffer: Any) -> Transitions:
    """Of Stable-Baselines3: (size, environments, ...); the oldest first, one environment after the other."""
    size = int(buffer.buffer_size if buffer.full else buffer.pos)
    order = (np.arange(size) + (int(buffer.pos) if buffer.full else 0)) % max(size, 1)

    def rows(array: Any) -> Array:
        taken = np.asarray(array)[order]
        return np.swapaxes(taken, 0, 1).reshape(-1, *taken.shape[2:])

    observations = rows(buffer.observations)
    if getattr(buffer, "optimize_memory_usage", False):
        raise errors.ArgumentError(
            "a replay buffer with optimize_memory_usage has no next observations: make it without that"
        )
    done = rows(buffer.dones).astype(bool).reshape(-1)
    cut = rows(buffer.timeouts).astype(bool).reshape(-1)
    after = rows(buffer.next_observations)
    return Transitions(observations, rows(buffer.actions), rows(buffer.rewards).reshape(-1), after, done & ~cut, cut)


def _read(data: Any) -> Transitions:
    if isinstance(data, Transitions):
        return data
    if isinstance(data, Mapping):
        return _of_arrays(data, "the log")
    if isinstance(data, str | os.PathLike):
        path = os.fspath(data)
        if path.endswith(".npz"):
            return npz_log(path, lambda file: _of_arrays(file, path))
        if path.endswith((".hdf5", ".h5")):
            return hdf5_log(path, lambda file: _of_hdf5(file, path))
        raise errors.ArgumentError(f"a log is a file .npz, .hdf5 or .h5, not {path}")
    if hasattr(data, "iterate_episodes"):
        return _of_episodes(data.iterate_episodes(), "the data set")
    if hasattr(data, "next_observations") and hasattr(data, "buffer_size"):
        return _of_replay_buffer(data)
    raise errors.ArgumentError(
        f"a log is a mapping of arrays, a file, a Minari data set or a replay buffer, not {type(data).__name__}"
    )


def read_log(data: Any) -> Transitions:
    """The transitions of a log; see this module."""
    log = _read(data)
    if not len(log):
        raise errors.ArgumentError("the log has no transitions: record some first")
    return log
