"""The paper's figures with matplotlib, from stored results only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import errors
from ._theme import AGENTS, ROLES, STYLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .answers import Explanation
    from .experiment import Results

__all__ = ["curves", "explanation", "sweep"]


MARKS = {"circle": "o", "square": "s", "triangle": "^", "upside": "v", "pentagon": "p", "diamond": "D"}


def _axes(ax: Axes | None) -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise errors.StateError("figures need matplotlib: pip install 'sfnec[plots]'") from None
    axes = pyplot.subplots(figsize=(6, 4), layout="constrained")[1] if ax is None else ax
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=_colour("grid"))
    axes.set_axisbelow(True)
    return axes


def _colour(role: str) -> str:
    return "#{:02X}{:02X}{:02X}".format(*ROLES[role])


def _style(i: int) -> dict[str, Any]:
    """How a curve of style i looks."""
    colour, dashes, mark, is_open = STYLES[i % len(STYLES)]
    style = {"color": colour, "marker": MARKS[mark], "markersize": 5, "markerfacecolor": "white" if is_open else colour}
    return style | ({"dashes": dashes} if dashes else {})


def _styles(presets: list[str]) -> list[int]:
    """The styles of configurations, as every other figure chooses them: each its preset's if all presets differ."""
    own = len(set(presets)) == len(presets) and all(preset in AGENTS for preset in presets)
    return [AGENTS[preset] for preset in presets] if own else list(range(len(presets)))


def _count(seeds: set[int]) -> str:
    low, high = min(seeds), max(seeds)
    return f"{low} seed{'' if high == 1 else 's'}" if low == high else f"{low} to {high} seeds"


def explanation(told: Explanation, ax: Axes | None = None) -> Axes:
    """The values of all actions, one group of bars per policy; the choice is drawn dark."""
    axes: Axes = _axes(ax)
    policies, actions = told.q.shape
    width = 0.8 / policies
    for policy in range(policies):
        places = [action + (policy - (policies - 1) / 2) * width for action in range(actions)]
        chosen = [policy == told.policy and told.q[policy, action] == told.value for action in range(actions)]
        bars = axes.bar(places, told.q[policy], width, label=f"policy {policy}", color=_style(policy)["color"])
        for bar, dark in zip(bars, chosen, strict=True):
            bar.set_alpha(1.0 if dark else 0.5)
            bar.set_edgecolor(_colour("text") if dark else "none")
    axes.set_xticks(range(actions))
    axes.set_xlabel("action")
    axes.set_ylabel("value: psi . w")
    axes.set_title(f"action {told.action} by policy {told.policy}, value {told.value:.3g}")
    if policies > 1:
        axes.legend()
    return axes


def _rows(results: Results, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = results.sql(query, frame=False)
    return found


def curves(results: Results, ax: Axes | None = None, *, published: bool = True) -> Axes:
    """Average return over the tasks so far, mean and standard error over the seeds, one line per configuration.

    Open diamonds show what was published, in the colour of the agent it belongs to.
    """
    axes: Axes = _axes(ax)
    colours: dict[int, Any] = {}
    seeds: set[int] = set()
    by_name: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(results, "SELECT * FROM curves ORDER BY name, task"):
        by_name.setdefault(row["name"], []).append(row)
    configurations = _rows(results, "SELECT configuration, name, preset FROM configuration ORDER BY configuration")
    styles = _styles([configuration["preset"] for configuration in configurations])
    for style, configuration in zip(styles, configurations, strict=True):
        name = configuration["name"]
        rows = by_name.get(name, [])
        if not rows:
            continue
        tasks, means = [row["task"] for row in rows], [row["mean"] for row in rows]
        errors_ = [((row["variance"] or 0.0) / row["seeds"]) ** 0.5 for row in rows]
        seeds |= {row["seeds"] for row in rows}
        every = max(1, (len(tasks) + 7) // 8) if len(tasks) > 12 else 1
        (line,) = axes.plot(tasks, means, label=name, markevery=every, **_style(style))
        low, high = ([mean + sign * se for mean, se in zip(means, errors_, strict=True)] for sign in (-1, 1))
        axes.fill_between(tasks, low, high, color=line.get_color(), alpha=0.18, linewidth=0)
        colours[configuration["configuration"]] = line.get_color()
    if published:
        _mark_published(results, axes, colours)
    facts = results.experiment
    axes.set_xlabel("task")
    axes.set_ylabel("average return over tasks")
    axes.set_title(str(facts.get("title") or facts.get("name", "")))
    said = f"mean and standard error, {_count(seeds)}" if seeds else None
    axes.legend(title=said, title_fontsize="small", fontsize="small", frameon=False)
    return axes


# what was published, with the configuration that it is about: the same agent, at the same point of the sweep
PUBLISHED = """
SELECT configuration, published.task AS task, mean, se FROM published JOIN configuration USING (label)
WHERE mean IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM published_setting AS wanted WHERE wanted.published = published.published AND NOT EXISTS (
    SELECT 1 FROM setting WHERE setting.configuration = configuration.configuration AND kind = 'sweep'
    AND setting.key = wanted.key AND setting.value = wanted.value))
ORDER BY configuration, task
"""


def _mark_published(results: Results, axes: Axes, colours: dict[int, Any]) -> None:
    last = results.experiment.get("tasks", 0)
    told = False
    for row in _rows(results, PUBLISHED):
        task, colour = row["task"] or last, colours.get(row["configuration"])
        if colour is not None and task <= last:
            axes.errorbar(
                [task],
                [row["mean"]],
                yerr=row["se"],
                fmt=MARKS["diamond"],
                color=colour,
                markerfacecolor="white",
                markersize=8,
                label=None if told else "published",
            )
            told = True


BOXES = """
SELECT configuration.configuration AS configuration, configuration.label AS label, value, average
FROM returns JOIN configuration USING (name) JOIN setting ON setting.configuration = configuration.configuration
WHERE kind = 'sweep' AND key = ? AND task = ? ORDER BY configuration.configuration
"""


def sweep(results: Results, key: str | None = None, ax: Axes | None = None, *, task: int | None = None) -> Axes:
    """Boxes of the average return after a task (the last, if left out) over the seeds, for each value of an option.

    key: the option; it can be left out when only one was swept. With several agents there is a box for each. Diamonds
    show what was published.
    """
    axes: Axes = _axes(ax)
    swept = sorted({row["key"] for row in _rows(results, "SELECT key FROM setting WHERE kind = 'sweep'")})
    if key is None and len(swept) != 1:
        raise errors.ArgumentError(f"say which option: the experiment sweeps {', '.join(swept) or 'none'}")
    if key is not None and key not in swept:
        raise errors.ArgumentError(f"the experiment does not sweep '{key}' but {', '.join(swept) or 'nothing'}")
    key = key or swept[0]
    chosen = task or results.sql("SELECT max(task) AS task FROM task", frame=False)[0]["task"]
    rows: list[dict[str, Any]] = results.sql(BOXES, (key, chosen), frame=False)
    labels = {row["label"] for row in rows}
    values: dict[str, list[float]] = {}
    configurations: dict[str, list[int]] = {}
    for row in rows:
        name = row["value"] if len(labels) == 1 else f"{row['label']}\n{row['value']}"
        values.setdefault(name, []).append(row["average"])
        configurations.setdefault(name, []).append(row["configuration"])
    if not values:
        raise errors.StateError(f"{results.folder} has no results after task {chosen} yet")
    ink, (first, *_) = _colour("text"), STYLES[0]
    axes.boxplot(
        list(values.values()),
        patch_artist=True,
        boxprops={"facecolor": first + "40", "edgecolor": first},
        medianprops={"color": ink, "linewidth": 2},
        whiskerprops={"color": first},
        capprops={"color": first},
        flierprops={"marker": "o", "markersize": 4, "markeredgecolor": _colour("soft")},
    )
    for row in _rows(results, PUBLISHED):
        for place, name in enumerate(values, 1):
            if row["configuration"] in configurations[name] and row["task"] in (0, chosen):
                axes.plot([place], [row["mean"]], MARKS["diamond"], color=ink, markerfacecolor="white", markersize=8)
    axes.set_xticks(range(1, len(values) + 1), list(values))
    axes.set_xlabel(key)
    axes.set_ylabel(f"average return after {chosen} tasks ({_count({len(runs) for runs in values.values()})})")
    axes.set_title(str(results.experiment.get("title") or results.experiment.get("name", "")))
    return axes
