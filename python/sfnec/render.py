"""Pictures of the worlds, made with NumPy alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .world import World

__all__ = ["draw"]

SIZE = 252  # pixels of a side: 12 per cell of the paper's figure

WHITE, GREY, BLACK = (255, 255, 255), (120, 120, 120), (0, 0, 0)
CLASSES = [(31, 119, 180), (44, 160, 44), (214, 39, 40)]  # circles, squares, triangles
GOAL, AGENT = (255, 215, 120), (60, 60, 60)

# Objects are where src/env has them; python/tests/test_render.py walks over each of them to check it.
FOUR_ROOMS = [
    *[((9, 11), 0), ((3, 10), 0), ((20, 9), 0), ((11, 0), 0)],
    *[((0, 20), 1), ((10, 16), 1), ((16, 10), 1), ((20, 0), 1)],
    *[((9, 20), 2), ((0, 11), 2), ((11, 9), 2), ((10, 4), 2)],
]
ONE_ROOM = [((0.1, 0.9), 2), ((0.9, 0.1), 1)]
GRID = [
    "1....2X.....G",
    "......X......",
    "......1......",
    ".............",
    "......X......",
    "2....3X......",
    "XX3.XXXXX.1XX",
    "......X2....3",
    "......X......",
    ".............",
    "......2......",
    "......X......",
    "_.....X3....1",
]


class Canvas:
    """A square picture with coordinates x to the right and y upwards, both in [0, 1]."""

    def __init__(self, size: int = SIZE) -> None:
        self.pixels: NDArray[np.uint8] = np.full((size, size, 3), 255, np.uint8)
        middle = (np.arange(size) + 0.5) / size
        self._x, self._y = middle[None, :], 1 - middle[:, None]

    def _fill(self, mask: NDArray[np.bool_], colour: tuple[int, int, int]) -> None:
        self.pixels[mask] = colour

    def box(self, left: float, right: float, bottom: float, top: float, colour: tuple[int, int, int]) -> None:
        self._fill((self._x > left) & (self._x < right) & (self._y > bottom) & (self._y < top), colour)

    def disc(self, x: float, y: float, radius: float, colour: tuple[int, int, int]) -> None:
        self._fill((self._x - x) ** 2 + (self._y - y) ** 2 <= radius**2, colour)

    def triangle(self, x: float, y: float, radius: float, colour: tuple[int, int, int]) -> None:
        height = self._y - (y - radius)
        inside = (height >= 0) & (height <= 2 * radius) & (np.abs(self._x - x) <= radius - height / 2)
        self._fill(inside, colour)

    def line(self, x: float, y: float, dx: float, dy: float, width: float, colour: tuple[int, int, int]) -> None:
        """A bar from (x, y) along (dx, dy)."""
        length = float(np.hypot(dx, dy))
        along = ((self._x - x) * dx + (self._y - y) * dy) / length
        across = ((self._x - x) * dy - (self._y - y) * dx) / length
        self._fill((along >= 0) & (along <= length) & (np.abs(across) <= width / 2), colour)

    def shape(self, x: float, y: float, kind: int, radius: float) -> None:
        if kind == 0:
            self.disc(x, y, radius, CLASSES[0])
        elif kind == 1:
            self.box(x - radius, x + radius, y - radius, y + radius, CLASSES[1])
        else:
            self.triangle(x, y, radius, CLASSES[2])


def objects_of(kind: str) -> list[tuple[float, float, int]]:
    """Place and class of the objects of a room world."""
    if kind == "one_room":
        return [(x, y, which) for (x, y), which in ONE_ROOM]
    return [((column + 0.5) / 21, (row + 0.5) / 21, which) for (column, row), which in FOUR_ROOMS]


def grid_shapes() -> list[tuple[int, int, int]]:
    """Row, column and class of the grid's shapes, in the order of their bits: column by column."""
    cells = ((row, column, GRID[row][column]) for column in range(13) for row in range(13))
    return [(row, column, int(cell) - 1) for row, column, cell in cells if cell.isdigit()]


def _draw_rooms(world: World, view: Any) -> Canvas:
    canvas = Canvas()
    canvas.disc(0.86, 0.86, view.goal_radius, GOAL)
    for i in range(view.wall_count):
        left, right, bottom, top = (view.walls[4 * i + j] for j in range(4))
        canvas.box(left, right, bottom, top, GREY)
    for i, (x, y, which) in enumerate(objects_of(world.kind)):
        if not view.taken >> i & 1:
            canvas.shape(x, y, which, 0.018)
    canvas.disc(view.x, view.y, 0.022, AGENT)
    return canvas


def _draw_grid(view: Any) -> Canvas:
    canvas = Canvas(13 * 20)
    side = 1 / 13
    for row in range(13):
        for column in range(13):
            colour = {"X": GREY, "G": GOAL}.get(GRID[row][column])
            if colour is not None:
                canvas.box(column * side, (column + 1) * side, 1 - (row + 1) * side, 1 - row * side, colour)
    for i, (row, column, which) in enumerate(grid_shapes()):
        if not view.taken >> i & 1:
            canvas.shape((column + 0.5) * side, 1 - (row + 0.5) * side, which, 0.3 * side)
    canvas.disc((view.x + 0.5) * side, 1 - (view.y + 0.5) * side, 0.3 * side, AGENT)
    return canvas


def _draw_cartpole(view: Any) -> Canvas:
    canvas = Canvas()
    x, y = 0.5 + view.x / 5.2, 0.3  # the track is 4.8 wide
    canvas.box(0, 1, y - 0.035, y - 0.03, BLACK)
    canvas.box(x - 0.08, x + 0.08, y - 0.03, y + 0.03, GREY)
    canvas.line(x, y, 0.4 * float(np.sin(view.angle)), 0.4 * float(np.cos(view.angle)), 0.03, CLASSES[2])
    return canvas


def draw(world: World, index: int = 0) -> NDArray[np.uint8]:
    """One environment of a world as a picture (height, width, 3)."""
    view = world.look(index)
    if world.kind == "four_rooms_grid":
        return _draw_grid(view).pixels
    if world.kind == "cartpole":
        return _draw_cartpole(view).pixels
    return _draw_rooms(world, view).pixels
