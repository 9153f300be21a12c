"""The paper's figures with matplotlib, from stored results only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import errors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .answers import Explanation
    from .experiment import Results

__all__ = ["curves", "explanation", "sweep"]


def _axes(ax: Axes | None) -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise errors.StateError("figures need matplotlib: pip install 'sfnec[plots]'") from None
    return pyplot.subplots(figsize=(6, 4))[1] if ax is None else ax


def explanation(told: Explanation, ax: Axes | None = None) -> Axes:
    """The values of all actions, one group of bars per policy; the choice is drawn dark."""
    axes: Axes = _axes(ax)
    policies, actions = told.q.shape
    width = 0.8 / policies
    for policy in range(policies):
        places = [action + (policy - (policies - 1) / 2) * width for action in range(actions)]
        chosen = [policy == told.policy and told.q[policy, action] == told.value for action in range(actions)]
        bars = axes.bar(places, told.q[policy], width, label=f"policy {policy}", alpha=0.6)
        for bar, dark in zip(bars, chosen, strict=True):
            bar.set_alpha(1.0 if dark else 0.5)
            bar.set_edgecolor("black" if dark else "none")
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

    Marks show what was published, in the colour of the agent it belongs to.
    """
    axes: Axes = _axes(ax)
    colours: dict[int, Any] = {}
    by_name: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(results, "SELECT * FROM curves ORDER BY name, task"):
        by_name.setdefault(row["name"], []).append(row)
    for configuration in _rows(results, "SELECT configuration, name FROM configuration ORDER BY configuration"):
        name = configuration["name"]
        rows = by_name.get(name, [])
        if not rows:
            continue
        tasks, means = [row["task"] for row in rows], [row["mean"] for row in rows]
        errors_ = [((row["variance"] or 0.0) / row["seeds"]) ** 0.5 for row in rows]
        (line,) = axes.plot(tasks, means, label=name, marker="o" if len(tasks) == 1 else None)
        low, high = ([mean + sign * se for mean, se in zip(means, errors_, strict=True)] for sign in (-1, 1))
        axes.fill_between(tasks, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        colours[configuration["configuration"]] = line.get_color()
    if published:
        _mark_published(results, axes, colours)
    facts = results.experiment
    axes.set_xlabel("tasks")
    axes.set_ylabel("average return per task")
    axes.set_title(str(facts.get("title") or facts.get("name", "")))
    axes.legend()
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
                [task], [row["mean"]], yerr=row["se"], fmt="x", color=colour, label=None if told else "published"
            )
            told = True


BOXES = """
SELECT configuration.configuration AS configuration, configuration.label AS label, value, average
FROM returns JOIN configuration USING (name) JOIN setting ON setting.configuration = configuration.configuration
WHERE kind = 'sweep' AND key = ? AND task = ? ORDER BY configuration.configuration
"""


def sweep(results: Results, key: str | None = None, ax: Axes | None = None, *, task: int | None = None) -> Axes:
    """Boxes of the average return after a task (the last, if left out) over the seeds, for each value of an option.

    key: the option; it can be left out when only one was swept. With several agents there is a box for each. Crosses
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
    axes.boxplot(list(values.values()))
    for row in _rows(results, PUBLISHED):
        for place, name in enumerate(values, 1):
            if row["configuration"] in configurations[name] and row["task"] in (0, chosen):
                axes.plot([place], [row["mean"]], "x", color="black")
    axes.set_xticks(range(1, len(values) + 1), list(values))
    axes.set_xlabel(key)
    axes.set_ylabel(f"average return after {chosen} tasks")
    axes.set_title(str(results.experiment.get("title") or results.experiment.get("name", "")))
    return axes
