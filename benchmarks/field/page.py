"""Makes docs/field.md from the stored tables and the text in page.md, with its figures (figures.py)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from . import figures
from .judge import POINTS
from .plan import OUR_SEEDS, OURS, PEER_SEEDS, may_plan
from .rows import read
from .table import CHANGES, HERE, RESULTS, Mean, Table, mean
from .timing import Pair, pairs
from .worlds import TRANSFER, WORLDS, World

__all__ = ["make_page", "takes_part"]

ROOT = HERE.parent.parent
PEERS = ("tabular-q", "dqn", "qr-dqn", "gpi-ls", "gpi-pd", "envelope")
CHANGING = ("sfnec-plan", "sfnec-plan-anew", "sfnec-plus", "sfnec", "gpi-ls", "gpi-pd", "dqn-anew", "random")
NOT_RUN, NOT_APPLICABLE, NO_GOAL = "not run", "n/a", "no goal"


# ---- cells ----


def number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def cell(found: Mean | None) -> str:
    if found is None:
        return NOT_RUN
    if found.error is None:
        return f"{number(found.value)} (1 run)"
    few = f" ({found.seeds})" if found.seeds < 3 else ""
    if found.error < 0.0005:
        return f"{found.value:.4g} ± 0{few}"
    digits = 0 if found.error >= 10 else 1 if found.error >= 1 else 2 if found.error >= 0.1 else 3
    return f"{found.value:.{digits}f} ± {found.error:.{digits}f}{few}"


def bold(cells: list[str], values: list[float | None]) -> list[str]:
    """The cells with the greatest value in bold; values that read alike are alike."""
    known = [value for value in values if value is not None]
    best = {text for text, value in zip(cells, values, strict=True) if value is not None and value == max(known)}
    return [f"**{text}**" if text in best else text for text in cells]


def rows(head: list[str], body: list[list[str]], right: int = 1) -> str:
    """A table whose columns from `right` on are numbers."""
    rule = ["---" if i < right else "---:" for i in range(len(head))]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *body])


def takes_part(world: World, agent: str) -> bool:
    """Whether an agent is one for this kind of world."""
    if agent == "gpi-pd":
        return may_plan(world.id)
    if agent in ("gpi-ls", "envelope"):
        return world.several
    if agent in ("dqn", "qr-dqn", "nec"):
        return not world.several
    return agent != "tabular-q" or bool(world.bound)


def kinds() -> Iterable[tuple[list[World], list[str]]]:
    """Worlds with one reward and with several, each with the agents that are for some of them."""
    for several in (False, True):
        own = [world for world in WORLDS.values() if world.several == several]
        yield own, [agent for agent in (*OURS, *PEERS) if any(takes_part(world, agent) for world in own)]


Told = Callable[[World, str], tuple[str, float | None]]  # a cell, and what it is compared by


def grids(table: Table, said: Told) -> tuple[str, str]:
    """Two tables of worlds by agents: one reward, several rewards."""
    made = []
    for own, agents in kinds():
        body = []
        for world in own:
            goal = table.goal(world)
            found = [said(world, agent) if takes_part(world, agent) else (NOT_APPLICABLE, None) for agent in agents]
            cells = bold([text for text, _ in found], [value for _, value in found])
            body.append([f"`{world.id}`", NO_GOAL if goal is None else number(goal), *cells])
        made.append(rows(["environment", "goal", *(f"`{agent}`" for agent in agents)], body))
    return made[0], made[1]


# ---- parts of the page ----


def scores(table: Table, point: int) -> tuple[str, str]:
    """Every agent at a point; one that has not come so far, at the last point that it has."""

    def said(world: World, agent: str) -> tuple[str, float | None]:
        found = table.last(world.id, agent, point)
        if found is None:
            return NOT_RUN, None
        whole = found[0] == point
        return cell(found[1]) + ("" if whole else f"<br>at {found[0]:,}"), found[1].value if whole else None

    return grids(table, said)


def steps(table: Table) -> tuple[str, str]:
    def said(world: World, agent: str) -> tuple[str, float | None]:
        found = table.steps_to(world, agent)
        if found is None:
            return NO_GOAL if table.goal(world) is None else NOT_RUN, None
        return (f"> {found[1]:,}", None) if math.isinf(found[0]) else (f"{found[0]:,.0f}", -found[0])

    return grids(table, said)


def costs(table: Table) -> str:
    """CPU time and memory, in the worlds where an agent took part."""
    body = []
    for agent in (*OURS, *PEERS):
        cpu = [found.value for world in WORLDS if (found := table.at(world, agent, "cpu_us"))]
        memory = [found.value for world in WORLDS if (found := table.at(world, agent, "mb"))]
        told = (
            [f"{min(cpu):,.0f} to {max(cpu):,.0f}", f"{min(memory):.0f} to {max(memory):.0f}"] if cpu else [NOT_RUN] * 2
        )
        body.append([f"`{agent}`", *told])
    return rows(["agent", "CPU µs per step", "MB added by training"], body)


def times(found: list[Pair]) -> str:
    """CPU time side by side."""
    if not found:
        return f"*{NOT_RUN}*"
    body = [
        [f"`{each.world}`", f"{each.steps:,}", f"{each.ours:,.0f}", f"`{each.peer}`", f"{each.theirs:,.0f}"]
        + [f"{each.theirs / each.ours:.{0 if each.theirs >= 10 * each.ours else 1}f}x"]
        for each in found
    ]
    return rows(["environment", "steps", "`sfnec-plan`, µs per step", "peer", "µs per step", "ratio"], body)


def worlds(table: Table) -> str:
    """A figure and a table for each world: agents by points."""
    parts = []
    for world in WORLDS.values():
        best, naive = table.single(world.id, "optimum"), table.naive(world.id)
        known = f"optimum {number(best)}" if best is not None else "optimum not known"
        agents = [agent for agent in (*OURS, *PEERS) if takes_part(world, agent)]
        columns = []
        for point in POINTS:
            found = [table.at(world.id, agent, point) for agent in agents]
            columns.append(bold([cell(each) for each in found], [each and each.value for each in found]))
        body = [[f"`{agent}`", *line] for agent, line in zip(agents, zip(*columns, strict=True), strict=True)]
        said = f"{known}, naive play {number(naive)}" if naive is not None else known
        picture = f"![Scores over steps in {world.id}](figures/{figures.name_of(world)})"
        table_of = rows(["agent, steps", *(f"{point:,}" for point in POINTS)], body)
        parts.append(f"### {world.id}\n\n{said}.\n\n{picture}\n\n{table_of}")
    return "\n\n".join(parts)


def bars(table: Table) -> dict[str, str]:
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
    mixed = [f"`{agent}` ({len(found)} builds)" for agent in OURS if len(found := table.programs(agent)) > 1]
    return {
        "fewer": str(len(fewer)),
        "fewer names": ", ".join(fewer) or "none",
        "worlds": str(len(WORLDS)),
        "behind": str(len(behind)),
        "behind names": ", ".join(behind) or "none",
        "open": str(len(open_)),
        "open names": ", ".join(open_) or "none",
        "mixed": f"Runs of several builds are mixed: {', '.join(mixed)}." if mixed else "One build made all our runs.",
    }


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
            told[-1] = NOT_APPLICABLE  # only peers go so far
        body.append([f"`{agent}`", str(wanted), *told])
    return rows(["agent", "runs", *(f"{point:,}" for point in points)], body)


Lives = dict[tuple[str, str], list[float]]  # by environment and agent: a run's mean over its changes


def lives_of(found: list[dict[str, str]]) -> Lives:
    """What is earned in the first 1,000 steps after a change, mean over the changes after the first task."""
    tasks: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in found:
        if int(row["task"]) > 1:
            tasks[row["world"], row["agent"], row["seed"]].append(float(row["first"]))
    lives: Lives = defaultdict(list)
    for (world, agent, _), firsts in tasks.items():
        if len(firsts) == 9:
            lives[world, agent].append(sum(firsts) / len(firsts))
    return lives


def changes(lives: Lives) -> str:
    columns = []
    for world in TRANSFER:
        known = [mean(lives[world, agent]) for agent in CHANGING]
        cells = [
            cell(each) if agent != "gpi-pd" or may_plan(world) else NOT_APPLICABLE
            for agent, each in zip(CHANGING, known, strict=True)
        ]
        columns.append(bold(cells, [each and each.value for each in known]))
    body = [[f"`{agent}`", *line] for agent, line in zip(CHANGING, zip(*columns, strict=True), strict=True)]
    return rows(["agent", *(f"`{world.removeprefix('transfer/')}`" for world in TRANSFER)], body)


def ahead(lives: Lives) -> str:
    """In how many environments sfnec-plan earns most after a change."""
    means = {key: found.value for key, values in lives.items() if (found := mean(values))}
    count = 0
    for world in TRANSFER:
        own = [value for (where, _), value in means.items() if where == world]
        count += bool(own) and means.get((world, "sfnec-plan")) == max(own)
    return f"{count} of {len(TRANSFER)}"


def make_page(page: Path = ROOT / "docs/field.md", tables: Path = HERE) -> None:
    """Writes the page, and its figures beside it under figures/."""
    table, found = Table(read(tables / RESULTS)), read(tables / CHANGES)
    text, lives = (HERE / "page.md").read_text(), lives_of(found)
    single_scores, several_scores = scores(table, 50_000)
    single_steps, several_steps = steps(table)
    parts = {
        **bars(table),
        "coverage": coverage(table),
        "scores single": single_scores,
        "scores several": several_scores,
        "steps single": single_steps,
        "steps several": several_steps,
        "costs": costs(table),
        "times": times(pairs(tables)),
        "by world": worlds(table),
        "changes": changes(lives),
        "ahead": ahead(lives),
    }
    for name, part in parts.items():
        text = text.replace("{{" + name + "}}", part)
    page.write_text(text)
    agents_of = {
        world.id: [agent for agent in (*PEERS, *reversed(OURS)) if takes_part(world, agent)]
        for world in WORLDS.values()
    }
    figures.draw(table, found, agents_of, CHANGING, page.parent / "figures")
