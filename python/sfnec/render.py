"""Pictures of the worlds, made with NumPy alone from what the library says of how they look."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._native import lib
from .world import World

__all__ = ["draw"]

SIZE = 252  # pixels of a side: 12 per cell of the paper's figure
CELL = 20  # pixels of a grid's cell

GREY, BLACK = (120, 120, 120), (0, 0, 0)
BLUE, GREEN, RED = (31, 119, 180), (44, 160, 44), (214, 39, 40)
GOAL, AGENT = (255, 215, 120), (60, 60, 60)


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

    def glyph(self, x: float, y: float, glyph: int, radius: float) -> None:
        """An object; crosses and stars, one to avoid and one to fetch, are a red triangle and a green square."""
        if glyph == lib.SFNEC_LOOK_CIRCLE:
            self.disc(x, y, radius, BLUE)
        elif glyph in (lib.SFNEC_LOOK_SQUARE, lib.SFNEC_LOOK_STAR):
            self.box(x - radius, x + radius, y - radius, y + radius, GREEN)
        else:
            self.triangle(x, y, radius, RED)


def _draw_map(look: Any) -> Canvas:
    canvas = Canvas(CELL * look.cells or SIZE)
    x, y, radius = look.goal_x, look.goal_y, look.goal_radius
    if look.cells:
        canvas.box(x - radius, x + radius, y - radius, y + radius, GOAL)
    else:
        canvas.disc(x, y, radius, GOAL)
    for wall in look.walls[0 : look.wall_count]:
        canvas.box(wall.left, wall.right, wall.bottom, wall.top, GREY)
    for i, thing in enumerate(look.objects[0 : look.object_count]):
        if not look.taken >> i & 1:
            canvas.glyph(thing.x, thing.y, look.glyphs[thing.class_index], 0.3 / look.cells if look.cells else 0.018)
    canvas.disc(look.x, look.y, 0.3 / look.cells if look.cells else 0.022, AGENT)
    return canvas


def _draw_pole(look: Any) -> Canvas:
    canvas = Canvas()
    x, y = 0.5 + (look.x - 0.5) * 4.8 / 5.2, 0.3  # some room beyond the ends of the track
    canvas.box(0, 1, y - 0.035, y - 0.03, BLACK)
    canvas.box(x - 0.08, x + 0.08, y - 0.03, y + 0.03, GREY)
    canvas.line(x, y, 0.4 * float(np.sin(look.angle)), 0.4 * float(np.cos(look.angle)), 0.03, RED)
    return canvas


def draw(world: World, index: int = 0) -> NDArray[np.uint8]:
    """One environment of a world as a picture (height, width, 3)."""
    look = world.look(index)
    return (_draw_pole(look) if look.view == lib.SFNEC_LOOK_POLE else _draw_map(look)).pixels
