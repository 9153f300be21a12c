"""The greatest score that the judge could give, where it can be computed.

Tables of Gymnasium: value iteration, and its policy is judged like any agent. Worlds of MO-Gymnasium: the expected
utility of the known front, or value iteration per weight vector (four-room-v0). MiniGrid: the shortest way in each
episode. None where nobody knows.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from .judge import FIRST, score
from .worlds import World, make, weights

__all__ = ["optimum"]


def optimum(world: World) -> float | None:
    env = make(world)
    if world.known is not None:
        return world.known
    if hasattr(env.unwrapped, "P"):
        policy = _policy(env.unwrapped.P, world.gamma)
        return score(lambda observation, w: policy[int(observation)], env, world)
    if world.symbols:
        return float(np.mean([_shortest(env, FIRST + i) for i in range(world.episodes)]))
    if hasattr(env.unwrapped, "pareto_front"):
        front = np.array(env.unwrapped.pareto_front(gamma=world.gamma))
        found = float((weights(world.rewards) @ front.T).max(axis=1).mean())
        return found / world.gamma if world.id.startswith("resource") else found  # it discounts the first step too
    if world.id.startswith("four-room"):
        return float(np.mean([_collect(env.unwrapped, w, world.gamma) for w in weights(world.rewards)]))
    return None


def _policy(table: dict[int, dict[int, list[tuple[float, int, float, bool]]]], gamma: float) -> list[int]:
    """Value iteration over (probability, next, reward, terminated)."""

    def value(outcomes: list[tuple[float, int, float, bool]], v: np.ndarray) -> float:
        return sum(p * (reward + (0.0 if over else gamma * v[after])) for p, after, reward, over in outcomes)

    v, change = np.zeros(len(table)), 1.0
    while change > 1e-9:
        new = np.array([max(value(outcomes, v) for outcomes in table[state].values()) for state in range(len(table))])
        v, change = new, float(np.abs(new - v).max())
    return [int(np.argmax([value(table[state][a], v) for a in sorted(table[state])])) for state in range(len(table))]


def _collect(room: Any, w: np.ndarray, gamma: float) -> float:
    """four-room-v0: values over what was taken (a mask) and positions; from the start."""
    free = [(r, c) for r in range(room.height) for c in range(room.width) if (r, c) not in room.occupied]
    number = {cell: i for i, cell in enumerate(free)}
    moves = [(0, -1), (-1, 0), (0, 1), (1, 0)]
    after = np.array([[number.get((r + dr, c + dc), number[r, c]) for r, c in free] for dr, dc in moves])  # (4, cells)
    shape = np.array([room.shape_ids.get(cell, -1) for cell in free])
    worth = np.array([w[room.all_shapes[room.maze[cell]]] if cell in room.shape_ids else 0.0 for cell in free])
    masks = np.arange(1 << len(room.shape_ids))[:, None]
    bit = np.where(shape >= 0, 1 << np.maximum(shape, 0), 0)[None]  # (1, cells)
    taken = masks | bit  # the mask after stepping on a cell
    gain = np.where((masks & bit) == 0, worth[None], 0.0)
    goal = number[room.goal]
    v, change = np.zeros((len(masks), len(free))), 1.0
    while change > 1e-6:
        arrived = gain + gamma * v[taken, np.arange(len(free))[None]]
        arrived[:, goal] = w.sum()
        new = np.max(
            [np.where(after[a] != np.arange(len(free)), arrived[:, after[a]], gamma * v) for a in range(4)], axis=0
        )
        v, change = new, float(np.abs(new - v).max())
    return float(np.mean([v[0, number[cell]] for cell in room.initial]))


def _shortest(env: Any, seed: int) -> float:
    """MiniGrid: the return of the shortest way to the goal, by search over copies of the world."""
    env.reset(seed=seed)
    world = env.unwrapped

    def key(state: Any) -> bytes:
        carried = state.carrying.type if state.carrying else ""
        return repr((tuple(state.agent_pos), int(state.agent_dir), carried)).encode() + state.grid.encode().tobytes()

    seen, edge = {key(world)}, [world]
    for _ in range(world.max_steps):
        ahead = []
        for state in edge:
            for action in range(6):  # "done" does nothing
                copied = _copy(state)
                _, reward, terminated, _, _ = copied.step(action)
                if terminated and reward > 0:
                    return float(reward)
                if not terminated and key(copied) not in seen:
                    seen.add(key(copied))
                    ahead.append(copied)
        edge = ahead
    return 0.0


def _copy(state: Any) -> Any:
    """A world that can be stepped without changing this one; what stands still is shared."""
    copied = copy.copy(state)
    copied.grid = copy.copy(state.grid)
    copied.grid.grid = [
        copy.copy(cell) if cell is not None and cell.type == "door" else cell for cell in state.grid.grid
    ]
    return copied
