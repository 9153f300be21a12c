"""Makes docs/field.md and its two figures from the stored tables and the text in page.md."""

from __future__ import annotations

import functools
import math
import runpy
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .judge import POINTS
from .plan import OUR_SEEDS, OURS, PEER_SEEDS, may_plan
from .table import CHANGES, HERE, RESULTS, Mean, Table, mean, read
from .timing import Pair, pairs
from .worlds import TRANSFER, WORLDS, World

__all__ = ["make_page"]

ROOT = HERE.parent.parent
PEERS = ("tabular-q", "dqn", "qr-dqn", "gpi-ls", "gpi-pd", "envelope")
CHANGING = ("sfnec-plan", "sfnec-plan-anew", "sfnec-plus", "sfnec", "gpi-ls", "gpi-pd", "dqn-anew", "random")
CURVES = (  # an agent's place among the theme's curves
    *("sfnec-plan", "gpi-ls", "tabular-q", "gpi-pd", "sfnec-plus", "dqn", "nec"),
    *("random", "sfnec-plan-anew", "sfnec", "envelope", "qr-dqn", "dqn-anew"),
)
MARKS = {"circle": "o", "square": "s", "triangle": "^", "upside": "v", "pentagon": "p"}


# ---- cells ----


def number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def cell(found: Mean | None) -> str:
    if found is None:
        return "missing"
    if found.error is None:
        return f"{number(found.value)} (1 seed)"
    digits = 0 if found.error >= 10 else 1 if found.error >= 1 else 2 if found.error >= 0.1 else 3
    return f"{found.value:.{digits}f} ± {found.error:.{digits}f}" + (f" ({found.seeds})" if found.seeds < 3 else "")


def steps_cell(found: tuple[float, int] | None) -> str:
    if found is None:
        return "missing"
    return f"> {found[1]:,}" if math.isinf(found[0]) else f"{found[0]:,.0f}"


def rows(head: list[str], body: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *body])


def takes_part(world: World, agent: str) -> bool:
    """Whether an agent is one for this kind of world; if not, its cells are empty instead of missing."""
    if agent == "gpi-pd":
        return may_plan(world.id)
    if agent in ("gpi-ls", "envelope"):
        return world.several
    if agent in ("dqn", "qr-dqn", "nec"):
        return not world.several
    return agent != "tabular-q" or bool(world.bound)


def grid(agents: tuple[str, ...], told: Callable[[World, str], str], table: Table) -> str:
    """A table of worlds by agents."""
    body = []
    for world in WORLDS.values():
        goal = table.goal(world)
        cells = [told(world, agent) if takes_part(world, agent) else "" for agent in agents]
        body.append([f"`{world.id}`", "" if goal is None else number(goal), *cells])
    return rows(["world", "goal", *(f"`{agent}`" for agent in agents)], body)


# ---- parts of the page ----


def scores(table: Table, point: int) -> str:
    """Every agent at a point; one that has not come so far, at the last point that it has."""

    def told(world: World, agent: str) -> str:
        found = table.last(world.id, agent, point)
        if found is None:
            return "missing"
        return cell(found[1]) + ("" if found[0] == point else f" at {found[0]:,}")

    return grid((*OURS, *PEERS), told, table)


def steps(table: Table) -> str:
    return grid((*OURS, *PEERS), lambda world, agent: steps_cell(table.steps_to(world, agent)), table)


def costs(table: Table) -> str:
    """CPU time and memory, in the worlds where an agent took part."""
    body = []
    for agent in (*OURS, *PEERS):
        cpu = [found.value for world in WORLDS if (found := table.at(world, agent, "cpu_us"))]
        memory = [found.value for world in WORLDS if (found := table.at(world, agent, "mb"))]
        told = (
            [f"{min(cpu):,.0f} to {max(cpu):,.0f}", f"{min(memory):.0f} to {max(memory):.0f}"]
            if cpu
            else ["missing"] * 2
        )
        body.append([f"`{agent}`", *told])
    return rows(["agent", "CPU µs a step", "MB added by training"], body)


def times(found: list[Pair]) -> str:
    """CPU time side by side."""
    if not found:
        return "*missing*"
    body = [
        [f"`{each.world}`", f"{each.steps:,}", f"{each.ours:,.0f}", f"`{each.peer}`", f"{each.theirs:,.0f}"]
        + [f"{each.theirs / each.ours:.{0 if each.theirs >= 10 * each.ours else 1}f}x"]
        for each in found
    ]
    return rows(["world", "steps", "`sfnec-plan`, µs a step", "peer", "µs a step", "ratio"], body)


def worlds(table: Table) -> str:
    """A table for each world: agents by points."""
    parts = []
    for world in WORLDS.values():
        best, naive = table.single(world.id, "optimum"), table.naive(world.id)
        known = f"optimum {number(best)}" if best is not None else "optimum not known"
        body = []
        for agent in (*OURS, *PEERS):
            if takes_part(world, agent):
                body.append([f"`{agent}`", *(cell(table.at(world.id, agent, point)) for point in POINTS)])
        said = f"{known}, naive play {number(naive)}" if naive is not None else known
        parts.append(f"### {world.id}\n\n{said}.\n\n" + rows(["steps", *(f"{point:,}" for point in POINTS)], body))
    return "\n\n".join(parts)


def bars(table: Table) -> str:
    """What can be counted: steps against DQN or GPI-LS, and who is ahead at 50,000 steps."""
    fewer, behind, open_ = [], [], []
    for world in WORLDS.values():
        peer = "gpi-ls" if world.several else "dqn"
        own, theirs = table.steps_to(world, "sfnec-plan"), table.steps_to(world, peer)
        if own and theirs and not math.isinf(own[0]):
            bound = theirs[1] if math.isinf(theirs[0]) else theirs[0]
            if own[0] * 10 <= bound:
                fewer.append(world.id)
        mine = table.at(world.id, "sfnec-plan", 50_000)
        others = [found for agent in PEERS if (found := table.at(world.id, agent, 50_000))]
        late = [agent for agent in PEERS if takes_part(world, agent) and not table.at(world.id, agent, 50_000)]
        if mine and others and max(other.value for other in others) > mine.most():
            behind.append(world.id)
        elif mine and late and not table.is_best(world.id, mine):
            open_.append(f"{world.id} ({', '.join(late)})")

    def listed(names: list[str]) -> str:
        return f"{len(names)}" + (f": {', '.join(names)}" if names else "")

    mixed = [f"`{agent}` ({len(found)} builds)" for agent in OURS if len(found := table.programs(agent)) > 1]
    return "\n".join(
        [
            *([f"- Runs of different builds are mixed: {', '.join(mixed)}."] if mixed else []),
            f"- Worlds on which `sfnec-plan` needs at most a tenth of the steps of DQN or GPI-LS: {listed(fewer)}.",
            f"- Worlds on which it is behind the best peer at 50,000 steps, by more than its error: {listed(behind)}.",
            "- Worlds where it is not behind, nor at the optimum within its error, and peers are missing at 50,000 "
            f"steps: {listed(open_)}.",
        ]
    )


def coverage(table: Table) -> str:
    """In how many of its worlds an agent has all its seeds, up to a point."""
    points = (5_000, 10_000, 20_000, 50_000, 100_000)
    body = []
    for agent in (*OURS, *PEERS):
        wanted = len(OUR_SEEDS if agent in OURS else PEER_SEEDS)
        own = [world.id for world in WORLDS.values() if takes_part(world, agent)]
        full = [
            sum((found := table.at(world, agent, point)) is not None and found.seeds >= wanted for world in own)
            for point in points
        ]
        told = [f"{count} of {len(own)}" if count < len(own) else "all" for count in full]
        if agent in OURS:
            told[-1] = ""  # only peers go so far
        body.append([f"`{agent}`", str(wanted), *told])
    return rows(["agent", "seeds", *(f"{point:,}" for point in points)], body)


def changes(found: list[dict[str, str]]) -> str:
    """What is earned in the first 1,000 steps after a change, mean over the changes after the first task."""
    lives: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in found:
        if int(row["task"]) > 1:
            lives[row["world"], row["agent"], row["seed"]].append(float(row["first"]))
    body = []
    for agent in CHANGING:
        cells = []
        for world in TRANSFER:
            values = [
                sum(life) / len(life)
                for (w, a, _), life in lives.items()
                if (w, a) == (world, agent) and len(life) == 9
            ]
            cells.append(cell(mean(values)) if agent != "gpi-pd" or may_plan(world) else "")
        body.append([f"`{agent}`", *cells])
    return rows(["agent", *(f"`{world.removeprefix('transfer/')}`" for world in TRANSFER)], body)


# ---- figures ----


def _figure(count: int, columns: int) -> tuple[Any, list[Any]]:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "sfnec", "font.size": 8})
    from matplotlib import pyplot

    lines = -(-count // columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(3.1 * columns, 2.2 * lines), squeeze=False)
    flat = list(axes.flat)
    for ax in flat[count:]:
        ax.axis("off")
    return figure, flat[:count]


def _save(figure: Any, axes: list[Any], path: Path) -> None:
    known: dict[str, Any] = {}
    for ax in axes:
        known.update({label: handle for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)})
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.3 / figure.get_figheight()))  # room for the legend
    figure.legend(known.values(), known.keys(), loc="upper center", ncols=min(len(known), 10), frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def _curve(ax: Any, agent: str, xs: list[float], found: list[Mean]) -> None:
    colour, dashes, mark, empty = _theme()["STYLES"][CURVES.index(agent)]
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


def draw_scores(table: Table, path: Path) -> None:
    figure, axes = _figure(len(WORLDS), 4)
    for ax, world in zip(axes, WORLDS.values(), strict=True):
        for agent in (*PEERS, *reversed(OURS)):
            told = {point: found for point in POINTS if (found := table.at(world.id, agent, point))}
            if told:
                _curve(ax, agent, [float(point) for point in told], list(told.values()))
        for level, style in ((table.single(world.id, "optimum"), "--"), (table.naive(world.id), ":")):
            if level is not None:
                ax.axhline(
                    level, color=[part / 255 for part in _theme()["ROLES"]["optimum"]], linewidth=0.7, linestyle=style
                )
        ax.set(xscale="log", title=world.id, xlim=(POINTS[0] * 0.85, POINTS[-1] * 1.15))
        _cut(ax, table.naive(world.id))
    _save(figure, axes, path)


def draw_changes(found: list[dict[str, str]], path: Path) -> None:
    firsts: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for row in found:
        firsts[row["world"], row["agent"], int(row["task"])].append(float(row["first"]))
    figure, axes = _figure(len(TRANSFER), 4)
    for ax, world in zip(axes, TRANSFER, strict=True):
        for agent in reversed(CHANGING):
            told = {t: m for t in range(1, 11) if (m := mean(firsts[world, agent, t]))}
            if told:
                _curve(ax, agent, [float(task) for task in told], list(told.values()))
        ax.set(title=world.removeprefix("transfer/"), xlabel="task")
    _save(figure, axes, path)


def make_page(page: Path = ROOT / "docs/field.md", tables: Path = HERE) -> None:
    """Writes the page, and its figures beside it under figures/."""
    table, found = Table(read(tables / RESULTS)), read(tables / CHANGES)
    text = (HERE / "page.md").read_text()
    parts = {
        "bars": bars(table),
        "coverage": coverage(table),
        "scores": scores(table, 50_000),
        "steps": steps(table),
        "costs": costs(table),
        "times": times(pairs(tables)),
        "worlds": worlds(table),
        "changes": changes(found),
    }
    for name, part in parts.items():
        text = text.replace("{{" + name + "}}", part)
    page.write_text(text)
    draw_scores(table, page.parent / "figures/field.svg")
    draw_changes(found, page.parent / "figures/field-transfer.svg")
