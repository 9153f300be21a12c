"""The look of pictures and plots, made from src/show/theme/theme.c by tests/show/tool_theme.c. Do not edit it;
tests/show/one_theme.sh says when and how to make it again.
"""

from __future__ import annotations

# of the curve of each configuration: colour, dashes in widths of the line, mark, and whether that is open
STYLES: list[tuple[str, tuple[int, ...], str, bool]] = [
    ("#0072B2", (), "circle", False),
    ("#D55E00", (4, 2), "square", False),
    ("#009E73", (5, 2, 1, 2), "triangle", False),
    ("#CC79A7", (1, 2), "upside", False),
    ("#E69F00", (8, 3), "pentagon", False),
    ("#56B4E9", (), "circle", True),
    ("#000000", (4, 2), "square", True),
    ("#7F7F7F", (), "triangle", True),
    ("#0072B2", (1, 2), "square", True),
    ("#D55E00", (), "circle", True),
    ("#009E73", (4, 2), "upside", True),
    ("#CC79A7", (), "triangle", True),
    ("#E69F00", (1, 2), "circle", True),
    ("#56B4E9", (5, 2, 1, 2), "pentagon", True),
    ("#000000", (8, 3), "triangle", False),
    ("#7F7F7F", (5, 2, 1, 2), "square", False),
]

# the style of each preset, a number of that list
AGENTS: dict[str, int] = {
    "sfnec-plan": 0,
    "sfnec": 1,
    "sfnec-nogpi": 2,
    "nec": 3,
    "sfql": 4,
    "sfnec-plus": 5,
    "ql": 6,
    "sfnec-authors": 7,
}
# styles from this one on belong to no preset
FREE = 8

# red, green and blue of roles
ROLES: dict[str, tuple[int, int, int]] = {
    "back": (255, 255, 255),
    "panel": (246, 247, 249),
    "text": (28, 33, 39),
    "soft": (85, 96, 108),
    "rule": (215, 220, 226),
    "grid": (227, 230, 234),
    "accent": (0, 90, 156),
    "calm": (140, 158, 179),
    "good": (0, 105, 76),
    "near": (122, 75, 0),
    "off": (160, 60, 0),
    "good-back": (223, 243, 236),
    "near-back": (255, 241, 214),
    "off-back": (253, 230, 218),
    "optimum": (85, 85, 85),
    "room": (238, 240, 243),
    "wall": (43, 49, 57),
    "agent": (213, 94, 0),
    "goal": (0, 158, 115),
    "trail": (255, 255, 255),
    "outline": (28, 33, 39),
    "memory": (28, 33, 39),
}

# and of objects, by their shape, in the order of SFNEC_LOOK_CIRCLE and so on
OBJECTS: dict[str, tuple[int, int, int]] = {
    "circle": (230, 159, 0),
    "square": (86, 180, 233),
    "triangle": (204, 121, 167),
    "cross": (77, 77, 77),
    "star": (240, 228, 66),
}
