"""Pictures of the worlds, made with NumPy alone from what the library says of how they look."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._native import lib
from ._theme import OBJECTS, ROLES
from .world import World

__all__ = ["draw"]

SIZE = 252  # pixels of a side: 12 per cell of the paper's figure
CELL = 20  # pixels of a grid's cell

Colour = tuple[int, int, int]
# objects by their glyph: SFNEC_LOOK_CIRCLE, _SQUARE, _TRIANGLE, _CROSS, _STAR
SHAPES = list(OBJECTS)


class Canvas:
    """A square picture with coordinates x to the right and y upwards, both in [0, 1]."""

    def __init__(self, size: int = SIZE) -> None:
        self.pixels: NDArray[np.uint8] = np.full((size, size, 3), ROLES["room"], np.uint8)
        middle = (np.arange(size) + 0.5) / size
        self._x, self._y = middle[None, :], 1 - middle[:, None]

    def _fill(self, mask: NDArray[np.bool_], colour: Colour) -> None:
        self.pixels[mask] = colour

    def box(self, left: float, right: float, bottom: float, top: float, colour: Colour) -> None:
        self._fill((self._x > left) & (self._x < right) & (self._y > bottom) & (self._y < top), colour)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        self._fill((self._x - x) ** 2 + (self._y - y) ** 2 <= radius**2, colour)

    def polygon(self, x: float, y: float, corners: list[tuple[float, float]], colour: Colour) -> None:
        """The inside of a polygon around (x, y): where a ray to the right crosses an odd number of its sides."""
        inside = np.zeros(self.pixels.shape[:2], bool)
        for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
            if y0 != y1:
                between = (y + y0 > self._y) != (y + y1 > self._y)
                inside ^= between & (self._x < x + x0 + (self._y - y - y0) * (x1 - x0) / (y1 - y0))
        self._fill(inside, colour)

    def line(self, x: float, y: float, dx: float, dy: float, width: float, colour: Colour) -> None:
        """A bar from (x, y) along (dx, dy)."""
        length = float(np.hypot(dx, dy))
        along = ((self._x - x) * dx + (self._y - y) * dy) / length
        across = ((self._x - x) * dy - (self._y - y) * dx) / length
        self._fill((along >= 0) & (along <= length) & (np.abs(across) <= width / 2), colour)

    def glyph(self, x: float, y: float, glyph: int, radius: float) -> None:
        """An object, with an outline that parts it from the ground."""
        shape = SHAPES[glyph]
        for size, colour in ((radius * 1.25, ROLES["outline"]), (radius, OBJECTS[shape])):
            if shape == "circle":
                self.disc(x, y, size, colour)
            elif shape == "square":
                self.box(x - 0.88 * size, x + 0.88 * size, y - 0.88 * size, y + 0.88 * size, colour)
            else:
                self.polygon(x, y, _corners(shape, size), colour)

    def agent(self, x: float, y: float, radius: float) -> None:
        """A ring around a dot: like no object."""
        for part, role in ((1.0, "outline"), (0.85, "trail"), (0.55, "agent")):
            self.disc(x, y, part * radius, ROLES[role])


def _corners(shape: str, radius: float) -> list[tuple[float, float]]:
    if shape == "triangle":
        return [(0, 1.15 * radius), (1.1 * radius, -0.8 * radius), (-1.1 * radius, -0.8 * radius)]
    if shape == "star":
        reach = [1.15 * radius, 0.45 * radius] * 5
        return [(r * float(np.sin(np.pi / 5 * i)), r * float(np.cos(np.pi / 5 * i))) for i, r in enumerate(reach)]
    # a cross: a plus, turned by an eighth
    arm, far, half = 0.28 * radius, radius, 0.5**0.5
    plus = [(arm, arm), (arm, far), (-arm, far), (-arm, arm), (-far, arm), (-far, -arm)]
    plus += [(-u, -v) for u, v in plus]
    return [(half * (u - v), half * (u + v)) for u, v in plus]


def _mixed(colour: Colour, ground: Colour, share: float) -> Colour:
    red, green, blue = (round(share * a + (1 - share) * b) for a, b in zip(colour, ground, strict=True))
    return red, green, blue


def _draw_map(look: Any) -> Canvas:
    canvas = Canvas(CELL * look.cells or SIZE)
    x, y, radius = look.goal_x, look.goal_y, look.goal_radius
    goal = _mixed(ROLES["goal"], ROLES["room"], 0.35)
    if look.cells:
        canvas.box(x - radius, x + radius, y - radius, y + radius, goal)
    else:
        canvas.disc(x, y, radius, ROLES["goal"])
        canvas.disc(x, y, radius - 0.008, goal)
    for wall in look.walls[0 : look.wall_count]:
        canvas.box(wall.left, wall.right, wall.bottom, wall.top, ROLES["wall"])
    for i, thing in enumerate(look.objects[0 : look.object_count]):
        if not look.taken >> i & 1:
            canvas.glyph(thing.x, thing.y, look.glyphs[thing.class_index], 0.3 / look.cells if look.cells else 0.018)
    canvas.agent(look.x, look.y, 0.38 / look.cells if look.cells else 0.03)
    return canvas


def _draw_pole(look: Any) -> Canvas:
    canvas = Canvas()
    x, y = 0.5 + (look.x - 0.5) * 4.8 / 5.2, 0.3  # some room beyond the ends of the track
    canvas.box(0, 1, y - 0.035, y - 0.03, ROLES["wall"])
    canvas.box(x - 0.08, x + 0.08, y - 0.03, y + 0.03, ROLES["wall"])
    canvas.line(x, y, 0.4 * float(np.sin(look.angle)), 0.4 * float(np.cos(look.angle)), 0.03, ROLES["agent"])
    return canvas


def draw(world: World, index: int = 0) -> NDArray[np.uint8]:
    """One environment of a world as a picture (height, width, 3)."""
    look = world.look(index)
    return (_draw_pole(look) if look.view == lib.SFNEC_LOOK_POLE else _draw_map(look)).pixels
