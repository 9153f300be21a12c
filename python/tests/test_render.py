"""Pictures: what is drawn is where the library has it."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import sfnec
from sfnec import render


@pytest.mark.parametrize("kind", sfnec.environments(), ids=lambda kind: kind.name)
def test_pictures_follow_the_state(kind: sfnec.EnvironmentKind) -> None:
    env = gymnasium.make(kind.gymnasium_id, render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    assert first.dtype == np.uint8 and first.ndim == 3 and first.shape[2] == 3
    for _ in range(6):
        env.step(1)
    env.step(0)
    assert not np.array_equal(first, env.render())
    assert gymnasium.make(kind.gymnasium_id).render() is None


@pytest.mark.parametrize("kind", ["four_rooms", "one_room"])
def test_objects_are_where_they_are_picked_up(kind: str) -> None:
    """A walk at random meets every object: its bit appears just when the walker is near it."""
    world = sfnec.World(kind, seed=3, max_episode_steps=400, **({"door_width": 0.6} if kind == "four_rooms" else {}))
    objects = render.objects_of(kind)
    random = np.random.default_rng(0)
    met: set[int] = set()
    for _ in range(250):
        world.reset()
        before, action = 0, 0
        while not (world.terminated[0] or world.truncated[0]):
            action = int(random.integers(4)) if random.random() < 0.2 else action
            world.step([action])
            view = world.look()
            for i, (x, y, _) in enumerate(objects):
                if view.taken >> i & 1 and not before >> i & 1:
                    assert np.hypot(view.x - x, view.y - y) <= 0.04 + 1e-12
                    met.add(i)
            before = view.taken
        if len(met) == len(objects):
            break
    assert met == set(range(len(objects)))


def test_the_grid_is_the_library_s() -> None:
    """Every cell that can be reached is walked over: walls stop, shapes set their bits, the goal ends."""
    world = sfnec.World("four_rooms_grid", observation="coordinates")
    shapes = {(row, column): i for i, (row, column, _) in enumerate(render.grid_shapes())}
    moves = [(0, -1), (-1, 0), (0, 1), (1, 0)]
    paths: dict[tuple[int, int], list[int]] = {(12, 0): []}
    todo = [(12, 0)]
    while todo:
        cell = todo.pop()
        for action, (down, right) in enumerate(moves):
            world.reset()
            for step in paths[cell]:
                world.step([step])
            world.step([action])
            wanted = (cell[0] + down, cell[1] + right)
            inside = 0 <= wanted[0] < 13 and 0 <= wanted[1] < 13
            free = inside and render.GRID[wanted[0]][wanted[1]] != "X"
            view = world.look()
            assert (view.y, view.x) == (wanted if free else cell)
            assert bool(world.terminated[0]) == (free and render.GRID[wanted[0]][wanted[1]] == "G")
            if free and wanted in shapes and not world.terminated[0]:
                assert view.taken >> shapes[wanted] & 1
            if free and wanted not in paths and not world.terminated[0]:
                paths[wanted] = [*paths[cell], action]
                todo.append(wanted)
    free_cells = sum(cell != "X" for line in render.GRID for cell in line)
    assert len(paths) == free_cells - 1  # all but the goal
