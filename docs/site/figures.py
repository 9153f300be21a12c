"""figures.py: figures in the colours of the dark theme.

Figures are drawn for print, in the light colours of src/show/theme/theme.c. The same table has the dark colour of each;
greys that are not in it keep their distance from the ground. A figure that follows the system's theme by a media query
of its own is bound to the site's instead.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEDIA = re.compile(r"@media \(prefers-color-scheme: ?dark\)")
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b|rgb\( *(\d+), *(\d+), *(\d+)\)|(?<=[\"':;\s])(?:black|white)(?=[\"';\s])")
NEUTRAL = 24  # greatest difference of the parts of a grey


def _parts(text: str) -> tuple[int, ...]:
    names = {"black": "#000000", "white": "#FFFFFF"}
    if text.startswith("rgb"):
        return tuple(map(int, re.findall(r"\d+", text)))
    code = names.get(text, text)[1:]
    return tuple(int(code[i : i + 2], 16) for i in (0, 2, 4))


def _table() -> dict[tuple[int, ...], tuple[int, ...]]:
    """Light and dark colours, from the source of the theme."""
    text = (ROOT / "src/show/theme/theme.c").read_text(encoding="utf-8")
    return {_parts(light): _parts(dark) for light, dark in re.findall(r'"(#\w{6})", "(#\w{6})"', text)}


_dark = _table()
# a role may use black or white for a ground that is light in both; here they are words and ground
_dark[0, 0, 0] = _dark[_parts("#1C2127")] = _parts("#E7EAEE")
_dark[255, 255, 255] = BACK = _parts("#1E2129")  # the ground of the site's dark theme, so that no figure is a slab


def _change(match: re.Match[str]) -> str:
    light = _parts(match[0])
    dark = _dark.get(light)
    if dark is None and max(light) - min(light) <= NEUTRAL:
        # a grey between words and ground stays as far between them
        dark = tuple(round(b + (t - b) * (255 - x) / 255) for x, b, t in zip(light, BACK, _dark[0, 0, 0], strict=True))
    return "#{:02X}{:02X}{:02X}".format(*(dark or light))


def variants(svg: str) -> tuple[str, str]:
    """A figure for the light theme and for the dark one."""
    if MEDIA.search(svg):
        return MEDIA.sub("@media not all", svg), MEDIA.sub("@media all", svg)
    dark = COLOUR.sub(_change, svg)
    # what has no colour of its own is black
    return svg, re.sub(r"<svg(?=\s)", '<svg fill="#E7EAEE"', dark, count=1)
