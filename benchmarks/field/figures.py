"""The figures of docs/field.md: steps to the goal, scores over steps in each world, rewards that change."""

from __future__ import annotations

import functools
import math
import runpy
from collections import defaultdict
from pathlib import Path
from typing import Any

from .judge import POINTS
from .table import HERE, Mean, Table, mean
from .worlds import TRANSFER, WORLDS, World

__all__ = ["draw", "name_of"]

ROOT = HERE.parent.parent
# numbers among the theme's styles that belong to no preset of ours; ours have those that they have in every figure
PEERS = {
    "sfnec-plan-anew": 0,
    "tabular-q": 1,
    "qr-dqn": 2,
    "envelope": 3,
    "gpi-ls": 4,
    "gpi-pd": 5,
    "dqn": 6,
    "dqn-anew": 6,
    "random": 7,
}
MARKS = {"circle": "o", "square": "s", "triangle": "^", "upside": "v", "pentagon": "p"}
LEGEND = 0.35  # inches for a line of it


def name_of(world: World) -> str:
    return f"field-{world.id.lower()}.svg"


def _figure(count: int, columns: int, size: tuple[float, float]) -> tuple[Any, list[Any]]:
    """A grid of axes, each so many inches wide and high."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "sfnec", "font.size": 8})
    from matplotlib import pyplot

    lines = -(-count // columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(size[0] * columns, size[1] * lines + LEGEND), squeeze=False)
    flat = list(axes.flat)
    for ax in flat[count:]:
        ax.axis("off")
    return figure, flat[:count]


def _save(figure: Any, axes: list[Any], path: Path) -> None:
    known: dict[str, Any] = {}
    for ax in axes:
        known.update({label: handle for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)})
    width, height = figure.get_size_inches()
    columns = max(1, int(width // 1.15))
    lines = -(-len(known) // columns)
    figure.tight_layout(rect=(0, 0, 1, 1 - LEGEND * lines / height))
    figure.legend(known.values(), known.keys(), loc="upper center", ncols=columns, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    figure.clear()


def _style(agent: str) -> tuple[str, tuple[int, ...], str, bool]:
    theme = _theme()
    number = theme["FREE"] + PEERS[agent] if agent in PEERS else theme["AGENTS"][agent]
    style: tuple[str, tuple[int, ...], str, bool] = theme["STYLES"][number]
    return style


def _curve(ax: Any, agent: str, xs: list[float], found: list[Mean]) -> None:
    colour, dashes, mark, empty = _style(agent)
    ys, errors = [each.value for each in found], [each.error or 0.0 for each in found]
    face = "none" if empty else colour
    width = 1.8 if agent == "sfnec-plan" else 1.0
    (line,) = ax.plot(xs, ys, color=colour, label=agent, linewidth=width, marker=MARKS[mark], ms=3, mfc=face, mew=0.7)
    if dashes:
        line.set_dashes(dashes)
    low, high = ([y + sign * e for y, e in zip(ys, errors, strict=True)] for sign in (-1, 1))
    ax.fill_between(xs, low, high, color=colour, alpha=0.15, linewidth=0)


@functools.cache
def _theme() -> dict[str, Any]:
    """The look of all figures; from its file, as the package need not be installed to make the page."""
    return runpy.run_path(str(ROOT / "python/sfnec/_theme.py"))


def _cut(ax: Any, naive: float | None) -> None:
    """Leaves out what is far worse than naive play: it would press all the rest together."""
    if naive is None:
        return
    top = max(float(y) for line in ax.get_lines() for y in line.get_ydata())
    least = naive - 0.6 * (top - naive)
    if ax.get_ylim()[0] < least:
        ax.set_ylim(least, top + 0.06 * (top - least))


def draw_world(table: Table, world: World, agents: list[str], path: Path) -> None:
    """Scores over steps; dashed: the optimum; dotted: naive play."""
    figure, (ax,) = _figure(1, 1, (5.2, 3.0))
    for agent in agents:
        found = {point: value for point in POINTS if (value := table.at(world.id, agent, point))}
        if found:
            _curve(ax, agent, [float(point) for point in found], list(found.values()))
    for level, style in ((table.single(world.id, "optimum"), "--"), (table.naive(world.id), ":")):
        if level is not None:
            colour = [part / 255 for part in _theme()["ROLES"]["optimum"]]
            ax.axhline(level, color=colour, linewidth=0.7, linestyle=style)
    ax.set(xscale="log", xlabel="steps", ylabel="score", xlim=(POINTS[0] * 0.85, POINTS[-1] * 1.15))
    if ax.get_lines():
        _cut(ax, table.naive(world.id))
    _save(figure, [ax], path)


def draw_steps(table: Table, agents_of: dict[str, list[str]], path: Path) -> None:
    """Steps to the goal: a line per world; at the right edge: not reached within the steps that were tried."""
    known = [world for world in WORLDS.values() if table.goal(world) is not None]
    figure, (ax,) = _figure(1, 1, (7.2, 0.27 * len(known) + 1.4))
    for agent in (*_theme()["AGENTS"], *PEERS):
        points = []
        for line, world in enumerate(reversed(known)):
            found = table.steps_to(world, agent) if agent in agents_of[world.id] else None
            if found and not math.isinf(found[0]):
                points.append((found[0], line))
        if points:
            colour, _, mark, empty = _style(agent)
            size = 60 if agent == "sfnec-plan" else 28
            face = "none" if empty else colour
            xs, ys = zip(*points, strict=True)
            ax.scatter(xs, ys, size, facecolors=face, edgecolors=colour, marker=MARKS[mark], label=agent, zorder=3)
    ax.set(
        xscale="log",
        xlabel="steps to the goal, median over the runs; no mark: not reached",
        ylim=(-0.6, len(known) - 0.4),
    )
    ax.set_yticks(range(len(known)), [world.id for world in reversed(known)])
    ax.grid(axis="y", linewidth=0.4, color=[part / 255 for part in _theme()["ROLES"]["grid"]])
    _save(figure, [ax], path)


def draw_changes(found: list[dict[str, str]], changing: tuple[str, ...], path: Path) -> None:
    """What is earned in the first steps of each task."""
    firsts: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for row in found:
        firsts[row["world"], row["agent"], int(row["task"])].append(float(row["first"]))
    figure, axes = _figure(len(TRANSFER), 2, (3.6, 2.4))
    for ax, world in zip(axes, TRANSFER, strict=True):
        for agent in reversed(changing):
            told = {t: m for t in range(1, 11) if (m := mean(firsts[world, agent, t]))}
            if told:
                _curve(ax, agent, [float(task) for task in told], list(told.values()))
        ax.set(title=world.removeprefix("transfer/"), xlabel="task")
    _save(figure, axes, path)


def draw(
    table: Table,
    changes: list[dict[str, str]],
    agents_of: dict[str, list[str]],
    changing: tuple[str, ...],
    folder: Path,
) -> None:
    """All figures. agents_of: the agents of a world, the last one on top."""
    draw_steps(table, agents_of, folder / "field-steps.svg")
    for world in WORLDS.values():
        draw_world(table, world, agents_of[world.id], folder / name_of(world))
    draw_changes(changes, changing, folder / "field-transfer.svg")
