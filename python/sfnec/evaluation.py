"""Acting without learning: by the library itself, or in Python where it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import errors
from ._native import check, ffi, lib
from .sources import Features
from .world import World

if TYPE_CHECKING:
    from ._asking import Asking

__all__ = ["Evaluation", "evaluate_env", "evaluate_native", "evaluate_world"]

Weights = NDArray[np.float64] | None


class Evaluation(NamedTuple):
    """How well an agent does without learning."""

    total: float  #: undiscounted reward over all steps
    episodes: int  #: episodes played, the last one included even if it was cut off
    goals: int  #: episodes that terminated
    per_episode: float  #: total / episodes


def evaluate_native(agent: Any, scratch: Any, world: World, w: Any, steps: int, episode_steps: int) -> Evaluation:
    """A library's agent in a world, under weights."""
    out = ffi.new("sfnec_evaluation *")
    check(lib.sfnec_run_evaluate(agent, scratch, world.handle(), w, steps, episode_steps, out))
    return Evaluation(out.total, out.episodes, out.goals, out.per_episode)


class Tally:
    """Counts steps into episodes, as sfnec_run_evaluate does: the last one counts even if it is cut off."""

    def __init__(self, steps: int, episode_steps: int) -> None:
        self._left, self._limit, self._length = steps, episode_steps, 0
        self.total, self.episodes, self.goals = 0.0, 0, 0

    def step(self, reward: float, terminated: bool, truncated: bool) -> bool:
        """Takes in a transition; whether the episode is over."""
        self._left -= 1
        self._length += 1
        self.total += reward
        over = terminated or truncated or self._length == self._limit
        if over or self._left == 0:
            self.episodes, self.goals, self._length = self.episodes + 1, self.goals + terminated, 0
        return over

    def result(self) -> Evaluation:
        return Evaluation(self.total, self.episodes, self.goals, self.total / self.episodes)


def evaluate_world(agent: Asking, world: World, paid: Weights, steps: int, episode_steps: int) -> Evaluation:
    """In a world, by the active task."""
    if paid is not None:
        world.set_weights(paid)
    tally, over = Tally(steps, episode_steps), True
    for step in range(steps):
        if over:
            world.reset()
        before = world.observations[0].copy()
        action, _ = agent.predict(before)
        world.step([action])
        reward, terminated = float(world.rewards[0]), bool(world.terminated[0])
        over = tally.step(reward, terminated, bool(world.truncated[0]))
        agent.tell(before, action, reward, world.observations[0], terminated, over or step + 1 == steps)
    return tally.result()


def evaluate_env(
    agent: Asking,
    env: Any,
    features: Features | None,
    w: Weights,
    paid: Weights,
    steps: int,
    episode_steps: int,
    seed: int,
) -> Evaluation:
    """In a Gymnasium environment."""
    if features is None:
        raise errors.ArgumentError("an agent of a world is evaluated in worlds: leave env out")
    tally = Tally(steps, episode_steps)
    before, _ = env.reset(seed=seed)
    for step in range(steps):
        action, _ = agent.predict(before, w=w)
        after, reward, terminated, truncated, info = env.step(action)
        phi, scalar = features.read(before, action, reward, after, info)
        asked = agent._reward_of(before, action, after, phi, bool(terminated))
        if scalar is None and paid is None and asked is None:
            raise errors.StateError("the environment's reward is a vector: give w, or begin tasks with their weights")
        earned = float(scalar or 0.0) if paid is None else float(sum(a * b for a, b in zip(phi, paid, strict=True)))
        earned = earned if asked is None else asked
        over = tally.step(earned, bool(terminated), bool(truncated))
        agent.tell(before, action, earned, after, bool(terminated), over or step + 1 == steps)
        before = after
        if over and step + 1 < steps:
            before, _ = env.reset()
    return tally.result()
