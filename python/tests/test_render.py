"""Pictures: what is drawn is where the library has it."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import sfnec
from sfnec._native import lib
from sfnec._theme import OBJECTS, ROLES
from sfnec.render import Canvas


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
    look = world.look()
    objects = [(thing.x, thing.y) for thing in look.objects[0 : look.object_count]]
    random = np.random.default_rng(0)
    met: set[int] = set()
    for _ in range(250):
        world.reset()
        before, action = 0, 0
        while not (world.terminated[0] or world.truncated[0]):
            action = int(random.integers(4)) if random.random() < 0.2 else action
            world.step([action])
            view = world.look()
            for i, (x, y) in enumerate(objects):
                if view.taken >> i & 1 and not before >> i & 1:
                    assert np.hypot(view.x - x, view.y - y) <= 0.04 + 1e-12
                    met.add(i)
            before = view.taken
        if len(met) == len(objects):
            break
    assert met == set(range(len(objects)))


def test_the_grid_is_what_can_be_walked() -> None:
    """Every cell that can be reached is walked over: walls stop, shapes set their bits, the goal ends."""
    world = sfnec.World("four_rooms_grid", observation="coordinates")
    look = world.look()
    assert look.cells == 13

    def cell_of(x: float, y: float) -> tuple[int, int]:
        return 12 - int(13 * y), int(13 * x)

    walls = {cell_of((w.left + w.right) / 2, (w.bottom + w.top) / 2) for w in look.walls[0 : look.wall_count]}
    shapes = {cell_of(thing.x, thing.y): i for i, thing in enumerate(look.objects[0 : look.object_count])}
    goal = cell_of(look.goal_x, look.goal_y)
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
            free = 0 <= wanted[0] < 13 and 0 <= wanted[1] < 13 and wanted not in walls
            look = world.look()
            assert cell_of(look.x, look.y) == (wanted if free else cell)
            assert bool(world.terminated[0]) == (free and wanted == goal)
            if free and wanted in shapes and not world.terminated[0]:
                assert look.taken >> shapes[wanted] & 1
            if free and wanted not in paths and not world.terminated[0]:
                paths[wanted] = [*paths[cell], action]
                todo.append(wanted)
    assert len(paths) == 13 * 13 - len(walls) - 1  # all but the goal


@pytest.mark.parametrize("kind", sfnec.environments(), ids=lambda kind: kind.name)
def test_things_are_drawn_where_they_are(kind: sfnec.EnvironmentKind) -> None:
    """The pixel at the middle of an object is not that of the ground, and it is in the colour of its class."""
    env = gymnasium.make(kind.gymnasium_id, render_mode="rgb_array")
    env.reset(seed=1)
    picture, look = env.render(), env.unwrapped.world.look()
    if look.view != lib.SFNEC_LOOK_MAP:
        return
    colours: dict[int, set[tuple[int, ...]]] = {}
    for thing in look.objects[0 : look.object_count]:
        pixel = picture[int((1 - thing.y) * len(picture)), int(thing.x * len(picture))]
        colours.setdefault(thing.class_index, set()).add(tuple(int(c) for c in pixel))
    assert len(colours) == look.class_count and all(len(found) == 1 for found in colours.values())
    wanted = [list(OBJECTS.values())[look.glyphs[i]] for i in range(look.class_count)]
    assert {i: found.pop() for i, found in colours.items()} == dict(enumerate(wanted))
    at = picture[int((1 - look.y) * len(picture)), int(look.x * len(picture))]
    assert tuple(int(c) for c in at) == ROLES["agent"]


def test_every_shape_has_its_own_outline() -> None:
    """No two kinds of objects are the same picture, also without their colours."""
    masks = set()
    for glyph in range(len(OBJECTS)):
        canvas = Canvas()
        canvas.glyph(0.5, 0.5, glyph, 0.1)
        masks.add((canvas.pixels == ROLES["room"]).all(axis=2).tobytes())
    assert len(masks) == len(OBJECTS)
