"""How every agent is judged: one function for ours and for the peers.

Gymnasium's worlds: the mean undiscounted return of greedy episodes. Worlds with several rewards: the expected utility,
the mean discounted return w . sum gamma^t r_t of greedy episodes under 15 fixed weights. Episodes begin with the same
seeds for every agent, seed and number of steps. Nothing is learned from them, and the random streams that the
libraries share are left as they were.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from .worlds import World, weights

__all__ = ["POINTS", "Act", "Tell", "evaluations", "score"]

Act = Callable[[Any, "np.ndarray | None"], int]  # (observation, w) to an action; w is None where there is one reward

Tell = Callable[
    [Any, int, float, Any, bool, bool], None
]  # observation, action, reward, next one, terminated, truncated

POINTS = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
SHARES = (0.9, 0.95, 1.0)  # a point is the mean of evaluations at these shares of its steps: single ones swing
FIRST = 900_000  # seed of the first episode


def evaluations(steps: int) -> list[int]:
    """After which steps an agent is judged, in a run of so many."""
    return sorted({round(point * share) for point in POINTS if point <= steps for share in SHARES})


def episode(act: Act, env: Any, w: np.ndarray | None, gamma: float, seed: int, tell: Tell | None = None) -> float:
    """The return of one greedy episode, undiscounted for gamma 1; an agent may want to be told what followed."""
    random.seed(seed)  # four-room-v0 draws from Python's own generator
    observation, _ = env.reset(seed=seed)
    total, factor, over = 0.0, 1.0, False
    while not over:
        before, action = observation, act(observation, w)
        observation, reward, terminated, truncated, _ = env.step(action)
        paid = float(reward if w is None else np.dot(w, reward))
        total, factor, over = total + factor * paid, factor * gamma, terminated or truncated
        if tell is not None:
            tell(before, action, paid, observation, terminated, truncated)
    return total


def score(act: Act, env: Any, world: World, tell: Tell | None = None) -> float:
    """The score of an agent, by how it acts now."""
    before = random.getstate(), np.random.get_state()
    tried = [(w, world.gamma) for w in weights(world.rewards)] if world.several else [(None, 1.0)]
    seeds = range(FIRST, FIRST + world.episodes)
    found = [episode(act, env, w, gamma, seed, tell) for w, gamma in tried for seed in seeds]
    random.setstate(before[0])
    np.random.set_state(before[1])
    return float(np.mean(found))
