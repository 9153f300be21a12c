"""The most that a task with any reward can earn in four rooms without noise, by value iteration.

Positions are those that steps of the mean length reach; a state is a position and the set of objects that are taken. A
task is episodes one after the other, so what counts is reward per step: the gain g of the best policy is where the best
episode is worth 0 if each step costs g (found as Dinkelbach 1967 does). Sets only grow, so value iteration goes from
full sets to the empty one. The end of the task cuts off one episode at most; that is left out.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sfnec
from sfnec._native import ffi, lib, pointer
from sfnec.actions import Actions
from sfnec.rewards import AskedReward

Array = NDArray[Any]
MOVES = ((0, 1), (0, -1), (-1, 0), (1, 0))
STEP, START = 0.05, (0.05, 0.05)


class Rooms:
    """Four rooms as a graph: `next` (positions, actions), `takes` (positions) as bits, `goal` (positions)."""

    def __init__(self) -> None:
        world = sfnec.World("four_rooms", seed=1)
        self.shape = (world.observation_size, world.action_count, world.feature_count)
        look = ffi.new("sfnec_look *")
        world.reset()
        lib.sfnec_env_get_look(world.handle(), look)
        side = round(1 / STEP) + 1
        row = np.zeros(world.observation_size, np.float32)
        cells: dict[tuple[int, int], int] = {}
        rows = []
        for i, j in np.ndindex(side, side):
            if lib.sfnec_env_observe_at(world.handle(), j * STEP, min(i * STEP, 1.0), pointer(row, "float *")):
                cells[j, i] = len(rows)
                rows.append(row.copy())
        self.observations = np.array(rows)
        self.next = np.array([[cells.get((x + dx, y + dy), at) for dx, dy in MOVES] for (x, y), at in cells.items()])
        self.start = cells[round(START[0] / STEP), round(START[1] / STEP)]
        objects = [look.objects[i] for i in range(look.object_count)]
        self.classes = np.array([each.class_index for each in objects])
        radius = float(dict(line.split("=") for line in world.settings())["pickup_radius"])
        where = np.array(list(cells)) * STEP
        near = np.array([np.hypot(where[:, 0] - o.x, where[:, 1] - o.y) <= radius + 1e-12 for o in objects])
        self.takes = (near * (1 << np.arange(len(objects)))[:, None]).sum(axis=0)
        away = np.hypot(where[:, 0] - look.goal_x, where[:, 1] - look.goal_y)
        self.goal = away <= look.goal_radius + 1e-12

    @cached_property
    def sets(self) -> list[Array]:
        """All sets of objects, those of as many objects together, the fullest first."""
        every = np.arange(1 << len(self.classes))
        size = np.array([int(each).bit_count() for each in every])
        return [every[size == n] for n in range(len(self.classes), -1, -1)]

    def features(self, taken: Array) -> Array:
        """phi of steps that take these sets (n): (n, features), without the goal."""
        bits = (taken[:, None] >> np.arange(len(self.classes))) & 1
        counts = [bits[:, self.classes == c].sum(axis=1) for c in range(self.shape[2] - 1)]
        return np.stack([*counts, np.zeros(len(taken))], axis=1).astype(float)


def rewards(rooms: Rooms, reward: str) -> Array:
    """The reward of each set, position and action: (sets, positions, actions)."""
    asked = AskedReward(reward, "four_rooms", rooms.shape, Actions.numbered(rooms.shape[1]))
    n, actions, objects = len(rooms.next), rooms.shape[1], len(rooms.classes)
    before = np.repeat(rooms.observations, actions, axis=0)
    after = rooms.observations[rooms.next.reshape(-1)]
    numbers = np.tile(np.arange(actions, dtype=np.int32), n)
    ends, found = rooms.goal[rooms.next.reshape(-1)], rooms.takes[rooms.next.reshape(-1)]
    out = np.empty((1 << objects, n * actions))
    flags = slice(100, 100 + objects)
    for taken in range(1 << objects):
        new = found & ~taken
        phi = rooms.features(new)
        phi[:, -1] = ends
        before[:, flags] = (taken >> np.arange(objects)) & 1
        after[:, flags] = ((taken | new)[:, None] >> np.arange(objects)) & 1
        out[taken] = asked.several(before, numbers, after, phi, ends)
    return out.reshape(1 << objects, n, actions)


def _solve(rooms: Rooms, paid: Array, gain: float, values: Array) -> None:
    """Makes `values` (sets, positions) what is left of the best episode there, if each step costs `gain`."""
    going = np.where(rooms.goal, 0.0, 1.0)[rooms.next]
    for level in rooms.sets:
        then = level[:, None, None] | rooms.takes[rooms.next][None]
        stays = going * (then == level[:, None, None])
        fixed = paid[level] - gain + (going - stays) * values[then, rooms.next[None]]
        before, v = None, values[level]
        while before is None or np.abs(v - before).max() > 1e-9:
            before, v = v, (fixed + stays * v[:, rooms.next]).max(axis=2)
        values[level] = v


def _play(rooms: Rooms, paid: Array, gain: float, values: Array, most: int) -> tuple[float, int]:
    """Reward and steps of the best episode."""
    at, taken, total = rooms.start, 0, 0.0
    for step in range(1, most + 1):
        then = taken | rooms.takes[rooms.next[at]]
        ends = rooms.goal[rooms.next[at]]
        best = int(np.argmax(paid[taken, at] - gain + np.where(ends, 0.0, values[then, rooms.next[at]])))
        total += paid[taken, at, best]
        if ends[best]:
            return total, step
        at, taken = int(rooms.next[at, best]), int(then[best])
    return total, most


def gain(rooms: Rooms, reward: str, episode_steps: int = 500) -> float:
    """The best reward per step; a reward must not pay for waiting."""
    paid = rewards(rooms, reward)
    found, before = 0.01, 0.0
    while abs(found - before) > 1e-9:
        values = np.full(paid.shape[:2], -float(episode_steps))
        _solve(rooms, paid, found, values)
        total, steps = _play(rooms, paid, found, values, episode_steps)
        before, found = found, max(found, total / steps)
    return found
