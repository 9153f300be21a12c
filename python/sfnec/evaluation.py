"""Acting without learning: by the library itself, or in Python where it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import errors
from ._native import check, ffi, lib, pointer
from .actions import Masks
from .sources import Features
from .world import World

if TYPE_CHECKING:
    from ._asking import Asking
    from .rewards import AskedReward

__all__ = ["Evaluation", "Limits", "evaluate_env", "evaluate_native", "evaluate_world"]

Weights = NDArray[np.float64] | None


class Evaluation(NamedTuple):
    """How well an agent does without learning."""

    total: float  #: undiscounted reward over all steps
    episodes: int  #: episodes played, the last one included even if it was cut off
    goals: int  #: episodes that terminated
    per_episode: float  #: total / episodes
    returns: tuple[float, ...] = ()  #: undiscounted reward of each episode
    lengths: tuple[int, ...] = ()  #: its transitions

    def __repr__(self) -> str:
        """Without the episodes, of which there may be thousands."""
        told = (f"{name}={getattr(self, name)!r}" for name in ("total", "episodes", "goals", "per_episode"))
        return f"Evaluation({', '.join(told)})"


class Limits(NamedTuple):
    """How long an evaluation is."""

    steps: int  #: transitions, at most
    episodes: int = 0  #: episodes; 0: as many as the steps hold
    episode_steps: int = 0  #: an episode is cut off after so many; 0: by the environment alone


# Transitions after which an episode that nothing cuts off counts as endless.
ENDLESS = 100_000


def evaluate_native(agent: Any, scratch: Any, world: World, w: Any, limits: Limits) -> Evaluation:
    """A library's agent in a world, under weights."""
    most = limits.episodes or limits.steps
    returns, lengths = np.empty(most), np.empty(most, np.int64)
    out = ffi.new("sfnec_evaluation *")
    arrays = pointer(returns, "double *"), pointer(lengths, "int64_t *")
    check(lib.sfnec_python_evaluate(agent, scratch, world.handle(), w, *limits, *arrays, out))
    found = tuple(returns[: out.episodes].tolist()), tuple(lengths[: out.episodes].tolist())
    return Evaluation(out.total, out.episodes, out.goals, out.per_episode, *found)


class Tally:
    """Counts steps into episodes, as sfnec_run_evaluate does: the last one counts even if it is cut off."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self._steps, self._length, self._earned = limits, 0, 0, 0.0
        self.total, self.goals = 0.0, 0
        self._returns: list[float] = []
        self._lengths: list[int] = []

    def done(self) -> bool:
        """Whether the evaluation is over."""
        return self._steps >= self._limits.steps or 0 < self._limits.episodes <= len(self._returns)

    def step(self, reward: float, terminated: bool, truncated: bool) -> bool:
        """Takes in a transition; whether the episode is over."""
        self._steps += 1
        self._length += 1
        self._earned += reward
        self.total += reward
        over = terminated or truncated or self._length == self._limits.episode_steps
        if not over and self._limits.episodes and self._length >= ENDLESS and not self._limits.episode_steps:
            raise errors.StateError(
                f"an episode has not ended after {ENDLESS} steps, and nothing cuts it off: give episode_steps, or "
                "steps instead of episodes"
            )
        if over or self._steps == self._limits.steps:
            self._returns.append(self._earned)
            self._lengths.append(self._length)
            self.goals, self._length, self._earned = self.goals + terminated, 0, 0.0
        return over

    def result(self) -> Evaluation:
        count = len(self._returns)
        found = tuple(self._returns), tuple(self._lengths)
        return Evaluation(self.total, count, self.goals, self.total / count, *found)


def evaluate_world(agent: Asking, world: World, paid: Weights, limits: Limits, judge: AskedReward | None) -> Evaluation:
    """In a world, by the active task; `judge` makes the rewards, if weights do not."""
    if paid is not None:
        world.set_weights(paid)
    tally, over = Tally(limits), True
    while not tally.done():
        if over:
            world.reset()
        before = world.observations[0].copy()
        action, _ = agent.predict(before)
        world.step([action])
        reward, terminated = float(world.rewards[0]), bool(world.terminated[0])
        if judge is not None:
            after, phi = world.observations[0], world.features[0]
            reward = agent._reward_of(judge, before, int(action), after, phi, terminated)
        over = tally.step(reward, terminated, bool(world.truncated[0]))
        agent.tell(before, action, reward, world.observations[0], terminated, over or tally.done())
    return tally.result()


def evaluate_env(
    agent: Asking,
    env: Any,
    features: Features | None,
    w: Weights,
    paid: Weights,
    limits: Limits,
    seed: int,
    judge: AskedReward | None,
) -> Evaluation:
    """In a Gymnasium environment."""
    if features is None:
        raise errors.ArgumentError("an agent of a world is evaluated in worlds: leave env out")
    tally = Tally(limits)
    before, info = env.reset(seed=seed)
    masks = Masks(env, agent._actions, agent._masked)
    mask = masks.read(info)
    while True:
        action, _ = agent.predict(before, w=w, action_masks=mask)
        after, reward, terminated, truncated, info = env.step(action)
        phi, scalar = features.read(before, action, reward, after, info)
        asked = None if judge is None else agent._reward_of(judge, before, action, after, phi, bool(terminated))
        if scalar is None and paid is None and asked is None:
            raise errors.StateError("the environment's reward is a vector: give w, or begin tasks with their weights")
        earned = float(scalar or 0.0) if paid is None else float(sum(a * b for a, b in zip(phi, paid, strict=True)))
        earned = earned if asked is None else asked
        over = tally.step(earned, bool(terminated), bool(truncated))
        mask = None if over else masks.read(info)
        agent.tell(before, action, earned, after, bool(terminated), over or tally.done(), action_masks=mask)
        before = after
        if tally.done():
            return tally.result()
        if over:
            before, info = env.reset()
            mask = masks.read(info)
