"""What happens while an agent learns, as objects: `agent.learn(20_000, [Evaluate(every=5_000), StopAtReward(10)])`.

A callback is any callable that takes a `Progress`; learning stops when it returns False. Those of this module also say
how often they want to be called. A list of callbacks calls each of them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from . import errors
from ._learn import Progress
from ._native import whole
from .evaluation import Evaluation

__all__ = ["Callback", "Checkpoint", "Evaluate", "StopAtReward"]


class Callback:
    """One that is called after every episode, and every `every` transitions if that is not None."""

    every: int | None = None

    def __init__(self, every: int | None = None) -> None:
        self._times = self._seen = 0
        if every is not None:
            self.every = whole(every, "every")
            if self.every < 1:
                raise errors.ArgumentError(f"a callback cannot be called every {every} transitions")

    def due(self, progress: Progress) -> bool:
        """Whether as many transitions are done as it waits for."""
        # several environments pass a mark without stopping at it
        times = 0 if self.every is None else progress.timesteps // self.every
        due = times > (self._times if progress.timesteps >= self._seen else 0)
        self._times, self._seen = times, progress.timesteps
        return due

    def __call__(self, progress: Progress) -> object:
        raise NotImplementedError


class Evaluate(Callback):
    """Plays greedily during learning every so often, and keeps the best agent.

    What is learned does not depend on it: it plays in a copy of the environment, which must be given if there can be
    none.

    Args:
        every: transitions between two evaluations.
        steps: of one evaluation.
        path: where the best agent so far is saved; None: nowhere.
        w: the weights to play under; None: those of the active task.
        env: another environment than a copy of the one that is learned in.
        episode_steps: an episode is cut off after so many steps; 0: never. None: the environment's own limit.
        seed: of the environment of an evaluation; None: the agent's + 1.
    """

    def __init__(
        self,
        every: int = 5_000,
        steps: int = 2_000,
        path: str | os.PathLike[str] | None = None,
        *,
        w: ArrayLike | None = None,
        env: Any = None,
        episode_steps: int | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(every)
        self.path = None if path is None else Path(path)
        self.results: list[tuple[int, Evaluation]] = []  #: the transition after which, and what it was
        self.best: Evaluation | None = None  #: the one with the highest return per episode
        self._how: dict[str, Any] = {"w": w, "steps": steps, "env": env, "episode_steps": episode_steps, "seed": seed}

    def __call__(self, progress: Progress) -> None:
        if not self.due(progress):
            return
        agent = progress.agent
        if self._how["env"] is None and not agent.evaluates_aside:
            raise errors.ArgumentError(
                "evaluating while learning needs an environment of its own, and this one can neither be copied nor "
                "made again: give env, another one of the same kind"
            )
        found = agent.evaluate(**self._how)
        self.results.append((progress.timesteps, found))
        progress.log({"evaluation/return": found.total, "evaluation/per_episode": found.per_episode})
        if self.best is None or found.per_episode > self.best.per_episode:
            self.best = found
            if self.path is not None:
                agent.save(self.path)


class Checkpoint(Callback):
    """Saves the agent every so often: FOLDER/agent-TRANSITIONS.sfnec.

    Args:
        every: transitions between two files.
        folder: where they go; it is made if it is missing.
        keep: how many of them stay, the last ones; None: all.
    """

    def __init__(self, every: int, folder: str | os.PathLike[str], keep: int | None = None) -> None:
        super().__init__(every)
        self.folder, self.keep = Path(folder), keep
        self.paths: list[Path] = []  #: the files that are there

    def __call__(self, progress: Progress) -> None:
        if not self.due(progress):
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"agent-{progress.timesteps:012d}.sfnec"
        progress.agent.save(path)
        self.paths.append(path)
        while self.keep is not None and len(self.paths) > max(self.keep, 1):
            self.paths.pop(0).unlink(missing_ok=True)


class StopAtReward(Callback):
    """Stops when the mean return of the last episodes is high enough.

    Args:
        mean: the return that they must have on average.
        episodes: how many of the last are looked at; none stops before there are so many.
    """

    def __init__(self, mean: float, episodes: int = 100) -> None:
        super().__init__()
        self.mean = float(mean)
        self._last: deque[float] = deque(maxlen=whole(episodes, "episodes"))

    def __call__(self, progress: Progress) -> bool:
        if progress.episode is not None:
            self._last.append(progress.episode.total)
        return not (len(self._last) == self._last.maxlen and sum(self._last) / len(self._last) >= self.mean)


class _Several(Callback):
    """A list of callbacks as one: all are called, and any of them stops."""

    def __init__(self, parts: Iterable[Any]) -> None:
        super().__init__()
        self.parts = list(parts)

    def __call__(self, progress: Progress) -> bool:
        return not any([part(progress) is False for part in self.parts])


def joined(callback: Any) -> Any:
    """One callable of what `learn` was given: None, a callable, or a list of them."""
    if callback is None or callable(callback):
        return callback
    parts = list(callback)
    for part in parts:
        if not callable(part):
            raise errors.ArgumentError(f"a callback is a callable, not {type(part).__name__}")
    return _Several(parts) if parts else None


def intervals(callback: Any) -> list[int]:
    """How often the parts of a callback want to be called."""
    found = [every for part in getattr(callback, "parts", []) for every in intervals(part)]
    every = getattr(callback, "every", None)
    return [*found, every] if isinstance(every, int) else found
