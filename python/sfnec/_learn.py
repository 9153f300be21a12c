"""How an agent learns: slices of transitions, between which progress is reported and Ctrl-C is handled."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from . import errors
from ._native import check, ffi, lib, pointer
from .diagnosis import STEPS
from .sources import Sight

if TYPE_CHECKING:
    from .agent import Agent
    from .loggers import Logger
    from .rewards import AskedReward
    from .sources import Features, Observations
    from .world import World


class Episode(NamedTuple):
    """An episode that has ended."""

    task: int  #: the number of its task
    steps: int  #: transitions
    total: float  #: undiscounted reward
    terminated: bool  #: False: cut off


@dataclass(frozen=True)
class Progress:
    """The argument of a callback of `Agent.learn`."""

    agent: Agent  #: the one that learns
    timesteps: int  #: transitions of this call so far
    total_timesteps: int  #: transitions that were asked for
    episode: Episode | None  #: the episode that has just ended, if one has
    log: Callable[[dict[str, float]], None] = lambda values: None  #: hands numbers to the logger, if there is one


CallbackLike = Callable[[Progress], object]

# ---- the two loops ----


class Loop(Protocol):
    """One environment and one agent in it."""

    def prepare(self, weights: NDArray[np.float64] | None, function: AskedReward | None = None) -> None:
        """Makes ready for a call of learn; `function`, or else `weights`, make the rewards (None: the environment)."""

    def run(self, most: int, cut: bool) -> int:
        """Learns from at most so many transitions, fewer if an episode ends; how many it were."""

    def ended(self) -> list[tuple[int, float, bool]]:
        """Steps, total and termination of the episodes that the last run ended with."""

    def forget(self) -> None:
        """The episode that is under way will not continue."""


def new_play(observation: NDArray[np.float32], features: NDArray[np.float64]) -> Any:
    """What the library's loop works on: arrays that stay Python's, and an agent that learns."""
    play = ffi.new("sfnec_play *")
    play.observation, play.features = pointer(observation, "float *"), pointer(features, "double *")
    play.observation_size, play.feature_count = observation.size, features.size
    return play


def set_function(play: Any, function: AskedReward | None) -> None:
    """Lets a reward function, or none, make the rewards; the caller keeps it alive."""
    play.function, play.context = (ffi.NULL, ffi.NULL) if function is None else (function.function, function.context)


def last_episode(play: Any) -> list[tuple[int, float, bool]]:
    """Steps, total and termination of the last episode, unless it continues."""
    return [] if play.in_episode else [(int(play.steps), float(play.total), bool(play.terminated))]


class NativeLoop:
    """In one of the library's own environments: all in C."""

    def __init__(self, agent: Agent, world: World) -> None:
        self._agent, self._world = agent, world
        self._done = ffi.new("int64_t *")
        self._features = np.zeros(world.feature_count)
        self._weights = np.zeros(world.feature_count)
        self._observation = np.zeros(world.observation_size, np.float32)
        self._before = np.zeros(world.observation_size, np.float32)
        self._generation = -1
        self._play = new_play(self._observation, self._features)
        self._play.w = pointer(self._weights, "double *")
        self._play.before = pointer(self._before, "float *")

    def prepare(self, weights: NDArray[np.float64] | None, function: AskedReward | None = None) -> None:
        set_function(self._play, function)
        if self._generation != self._world.generation:
            self._agent.end_episode()
        self._generation = self._world.generation
        self._env = self._world.handle()  # kept alive here
        self._play.env = self._env
        if weights is not None:
            self._world.set_weights(weights)
        self._weights[:] = self._world.w[0]

    def run(self, most: int, cut: bool) -> int:
        with self._agent.handle as handle:
            self._play.agent = handle
            check(lib.sfnec_python_play(self._play, most, cut, self._done))
        return int(self._done[0])

    def ended(self) -> list[tuple[int, float, bool]]:
        return last_episode(self._play)

    def forget(self) -> None:
        self._play.in_episode = False


class GymLoop:
    """In a Gymnasium environment: the environment steps in Python, the agent in C (one call per transition)."""

    def __init__(self, agent: Agent, env: Any, observations: Observations, features: Features) -> None:
        self._agent = agent
        self._sight = Sight(env, observations, features, agent._actions, agent._masked)
        self._weights: NDArray[np.float64] | None = None
        self._function: AskedReward | None = None
        self._own_weights = False  # the weights are the environment's: its reward should be phi . w
        self._play = new_play(self._sight.observation, self._sight.features)
        self._before = np.zeros_like(self._sight.observation)
        self._play.before = pointer(self._before, "float *")
        self._play.mask = pointer(self._sight.mask, "uint8_t *")
        self.seed: int | None = None  #: for the next reset

    def prepare(self, weights: NDArray[np.float64] | None, function: AskedReward | None = None) -> None:
        set_function(self._play, function)
        self._weights, self._function = weights, function
        self._play.w = ffi.NULL if weights is None else pointer(weights, "double *")

    def _begin(self) -> None:
        seed, self.seed = self.seed, None
        self._sight.begin(seed)
        own = None if self._weights is None else self._sight.own_weights()  # a reset may begin another task
        self._own_weights = own is not None and self._weights is not None and np.array_equal(own, self._weights)
        with self._agent.handle as handle:
            self._play.agent = handle
            check(lib.sfnec_python_begin(self._play))

    def _step(self, last: bool) -> None:
        play = self._play
        if self._function is not None:
            self._before[:] = self._sight.observation
        scalar, play.terminated, truncated = self._sight.step(play.action)
        if scalar is None and self._weights is None and self._function is None:
            raise errors.StateError(
                "the environment's reward is a vector, so the task needs its weights: give w to begin_task or add_task"
            )
        play.reward = 0.0 if scalar is None else scalar
        play.truncated = truncated or last
        with self._agent.handle as handle:
            play.agent = handle
            check(lib.sfnec_python_next(play, scalar is not None and self._own_weights))

    def run(self, most: int, cut: bool) -> int:
        done = 0
        while done < most and (done == 0 or self._play.in_episode):
            if not self._play.in_episode:
                self._begin()
            self._step(cut and done + 1 == most)
            done += 1
        return done

    def ended(self) -> list[tuple[int, float, bool]]:
        return last_episode(self._play)

    def forget(self) -> None:
        self._play.in_episode = False


# ---- between the slices ----


class Slices:
    """How many transitions to take before looking up again: about a twentieth of a second of them."""

    def __init__(self) -> None:
        self._size = 16.0

    def size(self) -> int:
        return int(self._size)

    def took(self, steps: int, seconds: float) -> None:
        wanted = 0.05 * steps / max(seconds, 1e-6)
        self._size = min(max(1.0, wanted), 2.0 * self._size, 4096.0)


class Interrupts:
    """Ctrl-C as a flag, so that it is obeyed between two transitions; the second one is obeyed at once."""

    def __init__(self) -> None:
        self.pending = False
        self._ours = False

    def __enter__(self) -> Interrupts:
        on_main = threading.current_thread() is threading.main_thread()
        if on_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._ours = True
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.pending:
            raise KeyboardInterrupt
        self.pending = True

    def __exit__(self, *_: object) -> None:
        if self._ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def obey(self) -> None:
        if self.pending:
            raise KeyboardInterrupt


class Bar:
    """A line of progress on a terminal; nothing elsewhere."""

    def __init__(self, total: int, wanted: bool) -> None:
        self._on = wanted and sys.stderr is not None and sys.stderr.isatty()
        self._total, self._start, self._drawn = total, time.monotonic(), 0.0

    def draw(self, done: int) -> None:
        now = time.monotonic()
        if not self._on or (now - self._drawn < 0.1 and done < self._total):
            return
        self._drawn = now
        share = done / self._total
        rate = done / max(now - self._start, 1e-9)
        filled = "#" * int(30 * share)
        sys.stderr.write(f"\r[{filled:<30}] {done}/{self._total} steps  {rate:.0f} steps/s ")
        sys.stderr.flush()

    def close(self) -> None:
        if self._on:
            sys.stderr.write("\n")


def _abandon(agent: Agent) -> None:
    """Leaves no episode half done behind an exception."""
    with contextlib.suppress(errors.Error):
        agent.end_episode()


class Log:
    """What is logged while an agent learns; `before` transitions were observed in earlier calls."""

    def __init__(self, logger: Logger, before: int) -> None:
        self._logger, self._before, self._start = logger, before, time.monotonic()
        self._returns: deque[float] = deque(maxlen=100)

    def write(self, timesteps: int, values: dict[str, float]) -> None:
        self._logger.write(self._before + timesteps, values)

    def note(self, progress: Progress) -> None:
        episode = progress.episode
        if episode is not None:
            self._returns.append(episode.total)
            mean = sum(self._returns) / len(self._returns)
            told = {"episode/return": episode.total, "episode/steps": float(episode.steps), "episode/mean_return": mean}
            self.write(progress.timesteps, told)
            return
        rate = progress.timesteps / max(time.monotonic() - self._start, 1e-9)
        entries = float(sum(task.entries for task in progress.agent.tasks))
        self.write(
            progress.timesteps,
            {"agent/entries": entries, "agent/bytes": float(progress.agent.bytes), "speed/steps_per_second": rate},
        )


@dataclass(frozen=True)
class Learning:
    """One call of `Agent.learn`."""

    total: int  # transitions
    callback: CallbackLike | None
    callback_every: int
    keep_episode: bool
    log: Log | None = None

    def _tell(self, progress: Progress) -> bool:
        """Tells the logger and the callback; whether the latter says stop."""
        if self.log is not None:
            self.log.note(progress)
            progress = replace(progress, log=partial(self.log.write, progress.timesteps))
        return self.callback is not None and self.callback(progress) is False

    def go(self, agent: Agent, loop: Loop, task: int, progress_bar: bool) -> None:
        """Learns the active task, slice by slice."""
        checked = STEPS
        done, slices, bar = 0, Slices(), Bar(max(self.total, 1), progress_bar)
        stopped = False
        with Interrupts() as interrupts:
            try:
                while done < self.total and not stopped:
                    most = min(slices.size(), self.total - done)
                    if self.callback is not None or self.log is not None:
                        most = min(most, self.callback_every - done % self.callback_every)
                    start = time.monotonic()
                    steps = loop.run(most, not self.keep_episode and done + most == self.total)
                    slices.took(steps, time.monotonic() - start)
                    crossed = done // self.callback_every < (done + steps) // self.callback_every
                    done += steps
                    ended = [Episode(task, *each) for each in loop.ended()]
                    agent.episodes += ended
                    bar.draw(done)
                    if done >= checked:  # seldom: it looks at all episodes
                        agent._watch.check(agent.handle)
                        checked = 2 * done
                    told: list[Episode | None] = [*ended]
                    for episode in told or ([None] if crossed else []):
                        stopped = self._tell(Progress(agent, done, self.total, episode)) or stopped
                    interrupts.obey()
            except BaseException:
                _abandon(agent)
                raise
            finally:
                bar.close()
        if stopped and not self.keep_episode:
            _abandon(agent)
