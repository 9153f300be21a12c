"""tables.py: the tables that pages make of recorded results (docs/results/*.csv, see results.py)."""

from __future__ import annotations

import csv
import math
import re
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "docs/results"

Row = dict[str, str]
Seeds = dict[str, float]  # a measure by seed


# ---- records ----


def read(name: str) -> list[Row]:
    path = RECORDS / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def select(rows: Iterable[Row], measure: str = "average", **setting: str) -> Seeds:
    """A measure of a configuration by seed."""
    wanted = [row for row in rows if all(row[key] == value for key, value in setting.items())]
    return {row["seed"]: float(row[measure]) for row in wanted}


def shares(rows: Iterable[Row], **setting: str) -> float:
    """The return in per cent of the optimum of the same runs' tasks (docs/statistics.md)."""
    wanted = [row for row in rows if all(row[key] == value for key, value in setting.items())]
    earned, most = (statistics.fmean(float(row[key]) for row in wanted) for key in ("average", "optimum"))
    return 100 * earned / most


# ---- cells ----


class Mean(NamedTuple):
    value: float
    error: float | None  # standard error; None with one run


def mean(values: Iterable[float]) -> Mean:
    found = list(values)
    error = statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else None
    return Mean(statistics.fmean(found), error)


def cell(found: Mean, sign: str = "") -> str:
    value = f"{found.value:{sign}.0f}"
    return value if found.error is None else f"{value} ± {found.error:.0f}"


def paired(seeds: Seeds, base: Seeds) -> Mean:
    return mean(seeds[seed] - base[seed] for seed in seeds if seed in base)


def table(head: list[str], body: Iterable[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *body])


# ---- tables ----

CALIBRATED = (  # label in the spec, option, what it is, our value
    ("door", "door_width", "width of a door", "0.2"),
    ("wall", "wall_width", "width of the walls", "0.04"),
    ("goal", "goal_radius", "radius of the goal", "0.15"),
    ("", "max_episode_steps", "most steps of an episode", "500"),
    ("pick-up", "pickup_radius", "radius of picking up", "0.04"),
    ("layout", "layout", "walls and doors together", "calibrated"),
    ("walls", "walls", "what a wall stops", "endpoint"),
)


def sensitivity() -> str:
    rows = read("sensitivity")
    base = {agent: select(rows, agent=agent, max_episode_steps="500") for agent in ("sfnec", "nec")}
    body = [["all as in our studies", "", *(c for agent in base for c in (cell(mean(base[agent].values())), ""))]]
    for label, option, said, ours in CALIBRATED:
        own = [row for row in rows if row["agent"] == f"sfnec {label}".strip()]
        for value in dict.fromkeys(row[option] for row in own if row[option] != ours):
            cells = []
            for agent in base:
                found = select(rows, agent=f"{agent} {label}".strip(), **{option: value})
                cells += [cell(mean(found.values())), cell(paired(found, base[agent]), "+")]
            body.append([f"{said} (`{option}`, {ours})", value, *cells])
    head = ["changed (option, our value)", "to", "`sfnec`", "minus ours, paired", "`nec`", "minus ours, paired"]
    return table(head, body)


def main_50() -> str:
    rows = read("main-50")
    tasks = sorted({row["task"] for row in rows}, key=int)
    body = []
    for agent in dict.fromkeys(row["agent"] for row in rows):
        found = [select(rows, agent=agent, task=task).values() for task in tasks]
        body.append([f"`{agent}`", *(cell(mean(seeds)) if seeds else "" for seeds in found)])
    return table(["", *(f"after {task} task{'s' if task != '1' else ''}" for task in tasks)], body)


def learned_w() -> str:
    rows = read("learned-w")
    nec, sfnec = (select(rows, agent=agent) for agent in ("nec", "sfnec"))
    body = [
        ["`nec`, needs no w", cell(mean(nec.values())), ""],
        ["`sfnec`, w learned", cell(mean(sfnec.values())), cell(paired(sfnec, nec), "+")],
    ]
    return table(["", "return", "minus `nec`, paired"], body)


def learned_w_sweep() -> str:
    rows = read("learned-w-sweep")
    nec, given = (select(rows, agent=agent) for agent in ("nec", "sfnec given"))
    body = [
        ["`nec`, needs no w", "", "", cell(mean(nec.values())), "", ""],
        ["`sfnec`, w given", "", "", cell(mean(given.values())), cell(paired(given, nec), "+"), "0"],
    ]
    for w_rate, w_init_sd in sorted({(row["w_rate"], row["w_init_sd"]) for row in rows if row["w_rate"]}):
        found = select(rows, agent="sfnec", w_rate=w_rate, w_init_sd=w_init_sd)
        own = [row for row in rows if (row["w_rate"], row["w_init_sd"]) == (w_rate, w_init_sd)]
        error = statistics.fmean(float(row["w_error"]) for row in own)
        cells = [cell(mean(found.values())), cell(paired(found, nec), "+"), f"{error:.2f}"]
        body.append(["`sfnec`, w learned", w_rate, w_init_sd, *cells])
    return table(["", "`w_rate`", "`w_init_sd`", "return", "minus `nec`, paired", "distance of w"], body)


GRID = {  # the paper's grid
    "epsilon": ("0.05", "0.15"),
    "rate": ("0.01", "0.05", "0.1"),
    "neighbours": ("1", "4", "10", "20", "50"),
    "alpha": ("0.1", "0.3", "0.5"),
    "horizon": ("8", "16", "32"),
}
CHOICE = {  # the paper's choice, in the order of GRID
    "sfnec": ("0.15", "0.05", "20", "0.1", "8"),
    "nec": ("0.15", "0.01", "20", "0.1", "8"),
}
BEST_POINTS = 3  # of each agent on the page


def grid_of(agent: str) -> dict[tuple[str, ...], float]:
    """The return of each point, which was run once."""
    rows = [row for row in read("grid-search") if row["agent"] == agent]
    return {tuple(row[option] for option in GRID): float(row["average"]) for row in rows}


def grid_effects() -> str:
    """The mean over all points that have a value, less that of the points that have the paper's value instead."""
    body = []
    for agent, choice in CHOICE.items():
        found = grid_of(agent)
        for i, (option, values) in enumerate(GRID.items()):
            means, cells = [], []
            for value in values:
                points = [point for point in found if point[i] == value]
                means.append(mean(found[point] for point in points))
                cells.append(f"{value}: {means[-1].value:.0f}")
                if value != choice[i]:
                    papers = [(*point[:i], choice[i], *point[i + 1 :]) for point in points]
                    difference = mean(found[point] - found[other] for point, other in zip(points, papers, strict=True))
                    cells[-1] += f" ({cell(difference, '+')})"
            best = values[means.index(max(means))]
            body.append([f"`{agent}`", f"`{option}`", ", ".join(cells), best, choice[i]])
    head = ["agent", "option", "value: return (minus that of the paper's value, paired by point)"]
    return table([*head, "best here", "the paper's choice"], body)


def grid_points() -> str:
    """The best points of the grid, and the paper's."""
    body = []
    for agent, choice in CHOICE.items():
        found = grid_of(agent)
        ranks = sorted(found, key=found.__getitem__, reverse=True)
        for point in [*ranks[:BEST_POINTS], choice]:
            rank = f"{ranks.index(point) + 1} of {len(ranks)}"
            said = ", the paper's choice" if point == choice else ""
            body.append([f"`{agent}`{said}", *point, rank, f"{found[point]:.0f}"])
    return table(["agent", "epsilon", "rate", "neighbours", "alpha", "N", "rank", "return"], body)


def grid_neighbours() -> str:
    rows = read("grid-search-neighbours")
    body = []
    for agent in CHOICE:
        ten, twenty = (select(rows, agent=agent, neighbours=count) for count in ("10", "20"))
        body.append(
            [f"`{agent}`", cell(mean(ten.values())), cell(mean(twenty.values())), cell(paired(ten, twenty), "+")]
        )
    return table(["agent", "10 neighbours", "20 (the paper's)", "10 minus 20, paired"], body)


class Published(NamedTuple):
    agent: str
    point: dict[str, str]  #: options of a sweep
    task: str  #: empty: the last
    mean: float
    error: float | None


def published(spec: str) -> list[Published]:
    """What others published, from a spec."""
    found = []
    for line in re.findall(r"^  - \{(agent: .*)\}$", (ROOT / spec).read_text(), re.MULTILINE):
        point = re.search(r"options: \{(.*?)\}", line)
        value = dict(re.findall(r"\b(agent|task|mean|se): ([^,}]+)", line))
        options = dict(re.findall(r"(\w+): (\w+)", point[1])) if point else {}
        error = float(value["se"]) if "se" in value else None
        found.append(Published(value["agent"], options, value.get("task", ""), float(value["mean"]), error))
    return found


def distance(found: Mean, other: Published) -> float:
    """The difference of two means in standard errors of both, or of the first alone."""
    return (found.value - other.mean) / math.hypot(found.error or 0, other.error or 0)


def verdict(far: float) -> str:
    side = "higher" if far > 0 else "lower"
    return "agrees" if abs(far) <= 2 else f"somewhat {side}" if abs(far) <= 3 else side


def level(other: Published) -> str:
    return cell(Mean(other.mean, other.error))


def compared(record: str, spec: str) -> str:
    """Our means beside the published ones."""
    body = []
    for other in published(spec):
        found = mean(select(read(record), agent=other.agent, task=other.task).values())
        far = distance(found, other)
        body.append([f"`{other.agent}`", other.task, cell(found), level(other), f"{far:+.1f}", verdict(far)])
    return table(["agent", "tasks", "here", "published", "distance", ""], body)


def swept(name: str, option: str, base: str) -> str:
    """`sfnec` by one option: our means and the published ones, and both as shares of those with the value `base`."""
    rows, others = read(name), published(f"experiments/{name}.yaml")
    levels = {other.point[option]: other for other in others}
    found = {value: select(rows, agent="sfnec", **{option: value}) for value in levels}
    means = {value: mean(seeds.values()) for value, seeds in found.items()}
    lines: dict[str, Callable[[str], str]] = {
        "here": lambda value: cell(means[value]),
        "published": lambda value: level(levels[value]),
        "distance": lambda value: f"{distance(means[value], levels[value]):+.1f}",
        f"share of {int(base):,}: here": lambda value: f"{means[value].value / means[base].value:.2f}",
        f"share of {int(base):,}: published": lambda value: f"{levels[value].mean / levels[base].mean:.2f}",
        f"minus {int(base):,}, paired": lambda value: "" if value == base else cell(paired(found[value], found[base])),
    }
    return table(
        [f"`{option}`", *(f"{int(value):,}" for value in levels)],
        [[said, *map(make, levels)] for said, make in lines.items()],
    )


def capacity() -> str:
    return swept("capacity", "capacity", "10000")


def capacity_total() -> str:
    """`sfnec` by the budget of entries, as shares of the same agent without one."""
    rows = read("capacity-total")
    found = {budget: select(rows, agent="sfnec", capacity_total=budget) for budget in ("0", "45000", "18000")}
    free, body = found["0"], []
    for budget, seeds in found.items():
        entries = middle(rows, "entries", agent="sfnec", capacity_total=budget)
        line = [
            f"{int(budget):,}" if budget != "0" else "0: no limit",
            f"{round(entries, -2):,.0f}",
            cell(mean(seeds.values())),
        ]
        share = mean(seeds.values()).value / mean(free.values()).value
        body.append([*line, f"{share:.2f}", cell(paired(seeds, free)) if budget != "0" else ""])
    return table(
        ["`capacity_total`", "entries after 10 tasks", "return per task", "share", "minus no limit, paired"], body
    )


def neighbours() -> str:
    return swept("neighbours", "neighbours", "20")


def learned_w_published() -> str:
    return compared("learned-w-published", "experiments/learned-w.yaml")


def episode_limit() -> str:
    """The main study by the limit of an episode's steps, judged by the distances from the published values."""
    rows, others = read("episode-limit"), published("experiments/episode-limit.yaml")
    limits = ("0", "200", "500")
    body: list[list[str]] = []
    distances: dict[str, list[float]] = {limit: [] for limit in limits}
    for other in (other for other in others if other.point["max_episode_steps"] == limits[0]):
        cells = []
        for limit in limits:
            found = mean(select(rows, agent=other.agent, task=other.task, max_episode_steps=limit).values())
            distances[limit].append(distance(found, other))
            cells.append(cell(found))
        body.append([f"`{other.agent}`", other.task, *cells, level(other)])
    squares = [f"{sum(far**2 for far in distances[limit]):.1f}" for limit in limits]
    agree = [f"{sum(verdict(far) == 'agrees' for far in distances[limit])} of {len(body)}" for limit in limits]
    body += [["sum of squared distances", "", *squares, ""], ["values that agree", "", *agree, ""]]
    return table(["agent", "tasks", "no limit", "200 steps", "500 steps", "published"], body)


KEYS = {"observation": "the observation as key", "learned": "learned keys of 4 numbers"}


def per_episode(rows: list[Row], **setting: str) -> Seeds:
    sums, episodes = select(rows, **setting), select(rows, "episodes", **setting)
    return {seed: sums[seed] / episodes[seed] for seed in sums}


def solved(rows: list[Row], **setting: str) -> str:
    """How many runs solved the environment, and after how many episodes."""
    after = [value for value in select(rows, "solved", **setting).values() if value]
    return f"{len(after)}, {cell(mean(after))}" if after else "0"


def by_horizon(name: str) -> str:
    """NEC on CartPole: the mean return of an episode by the horizon N, and which runs solve it."""
    rows, body = read(name), []
    horizons = list(dict.fromkeys(row["horizon"] for row in rows))
    for label, said in KEYS.items():
        found = {value: per_episode(rows, agent=label, horizon=value) for value in horizons}
        base = found["16"]
        body += [
            [said, *(cell(mean(found[value].values())) for value in horizons)],
            ["solved", *(solved(rows, agent=label, horizon=value) for value in horizons)],
            ["minus N = 16, paired", *("" if v == "16" else cell(paired(found[v], base), "+") for v in horizons)],
        ]
    return table(["N", *horizons], body)


def cartpole_horizon() -> str:
    return by_horizon("cartpole-horizon")


def cartpole_pole() -> str:
    return by_horizon("cartpole-pole")


def cartpole_update() -> str:
    rows, body = read("cartpole-update"), []
    horizons = list(dict.fromkeys(row["horizon"] for row in rows))
    for label, said in KEYS.items():
        late, end = (
            [per_episode(rows, agent=label, horizon=value, write=write) for value in horizons]
            for write in ("horizon", "episode")
        )
        body += [
            [f"{said}, written after the horizon", *(cell(mean(each.values())) for each in late)],
            ["at the episode's end", *(cell(mean(each.values())) for each in end)],
            ["the second minus the first, paired", *(cell(paired(b, a), "+") for a, b in zip(late, end, strict=True))],
        ]
    return table(["", *(f"N = {value}" for value in horizons)], body)


def one_room() -> str:
    """Our levels cannot be compared with the published ones, so each has its share of the highest."""
    rows, others = read("one-room"), published("experiments/one-room.yaml")
    times = {"horizon": "after the horizon", "episode": "at the episode's end"}
    found = [mean(select(rows, agent=other.agent, **other.point).values()) for other in others]
    most, published_most = max(each.value for each in found), max(other.mean for other in others)
    body = []
    for other, ours in sorted(zip(others, found, strict=True), key=lambda pair: -pair[0].mean):
        point = f", N = {other.point['horizon']}, {times[other.point['write']]}" if other.point else ""
        share = [f"{ours.value / most:.2f}", f"{other.mean / published_most:.2f}"]
        body.append([f"`{other.agent}`{point}", cell(ours), level(other), *share])
    return table(["", "here", "published", "share here", "published"], body)


def main_published() -> str:
    return compared("main", "experiments/main.yaml")


def main_agents() -> str:
    rows, body = read("main"), []
    for agent in dict.fromkeys(row["agent"] for row in rows):
        one, ten = (cell(mean(select(rows, agent=agent, task=task).values())) for task in ("1", "10"))
        entries = middle(rows, "entries", agent=agent, task="10")
        share = f"{shares(rows, agent=agent, task='10'):.1f}"
        body.append([f"`{agent}`", one, ten, share, many(entries) if entries else "none"])
    return table(["agent", "after 1 task", "after 10 tasks", "% of the optimum", "entries in memory"], body)


def authors() -> str:
    rows = read("authors")
    level = {(other.agent, other.task): other for other in published("experiments/authors.yaml")}
    labels = {
        "sfnec": "`sfnec`",
        "sfnec inverse": "`sfnec`, `kernel=inverse`",
        "sfnec-authors": "`sfnec-authors`",
        "sfnec-authors squared": "`sfnec-authors`, `kernel=inverse_squared`",
    }
    body = []
    for label, said in labels.items():
        one, ten = (mean(select(rows, agent=label, task=task).values()) for task in ("1", "10"))
        body.append([said, cell(one), cell(ten), f"{distance(ten, level[label, '10']):+.1f}"])
    return table(["", "after 1 task", "after 10 tasks", "distance from the published 687 ± 49"], body)


def many(value: float) -> str:
    """A size, to three digits."""
    digits = 2 - math.floor(math.log10(value)) if value else 0
    return f"{round(value, digits):,.0f}"


def middle(rows: list[Row], measure: str, **setting: str) -> float:
    return statistics.fmean(select(rows, measure, **setting).values())


def plan() -> str:
    rows, body = read("plan"), []
    for agent in ("sfnec-plan", "sfnec-plus"):
        cells = [f"{shares(rows, agent=agent, task=task):.1f}" for task in ("1", "3", "10")]
        earned = cell(mean(select(rows, agent=agent, task="10").values()))
        body.append([f"`{agent}`", *cells, earned, many(middle(rows, "entries", agent=agent, task="10"))])
    head = ["% of the optimum after", "1 task", "3 tasks", "10 tasks", "return per task", "entries in memory"]
    return table(head, body)


def plan_memory() -> str:
    body = []
    for name, task in (("plan", "10"), ("plan-long", "50"), ("plan-life", "250")):
        rows = read(name)
        states, samples = (middle(rows, key, agent="sfnec-plan", task=task) for key in ("places", "entries"))
        entries = "" if name != "plan" else many(middle(rows, "entries", agent="sfnec-plus", task=task))
        body.append([f"{task} tasks", many(states), many(samples), entries])
    return table(["after", "`sfnec-plan`: states", "samples", "`sfnec-plus`: entries"], body)


def against(name: str, base: str, said: dict[str, str]) -> str:
    """Configurations of a study of 10 tasks, and their differences from the first, paired by seed."""
    rows = read(name)
    first = select(rows, agent=base, task="10")
    body = []
    for label, words in said.items():
        found = select(rows, agent=label, task="10")
        share = f"{100 * mean(found.values()).value / mean(first.values()).value:.1f}"
        difference = ["", ""] if label == base else [cell(paired(found, first), "+"), share]
        body.append([words, cell(mean(found.values())), f"{shares(rows, agent=label, task='10'):.1f}", *difference])
    return table(["", "return per task", "% of the optimum", "difference, paired", "% of the first row"], body)


def plan_detect() -> str:
    said = {"given, w given": "switches and w given", "detected, w by rls": "switches detected, w learned"}
    return against("plan-detect", "given, w given", said)


def plan_learned_w() -> str:
    return against("plan-learned-w", "w given", {"w given": "w given", "w by rls": "w learned (`w=rls`)"})


def plan_keys() -> str:
    said = {"observation": "none", "random projection": "`embedding=random`", "pca": "`embedding=pca`"}
    return against("plan-keys", "observation", said)


def plan_long() -> str:
    """Shares of the optimum in ranges of tasks, from averages per task so far."""
    body = []
    for name, ranges in (("plan-long", ((0, 10), (40, 50), (0, 50))), ("plan-life", ((10, 60), (200, 250)))):
        rows = read(name)
        for after, last in ranges:
            sums = []
            for key in ("average", "optimum"):
                so_far = [middle(rows, key, task=str(task)) * task if task else 0 for task in (after, last)]
                sums.append(so_far[1] - so_far[0])
            seeds = len({row["seed"] for row in rows})
            body.append([f"{after + 1} to {last}", f"{100 * sums[0] / sums[1]:.1f}", str(seeds)])
    return table(["tasks", "% of the optimum", "runs"], body)


def learned_features() -> str:
    """Tasks 9 to 18, from averages per task after 8 and after 18."""
    rows, body = read("learned-features"), []

    def late(label: str, measure: str) -> Seeds:
        after, last = (select(rows, measure, agent=label, task=task) for task in ("8", "18"))
        return {seed: (18 * last[seed] - 8 * after[seed]) / 10 for seed in last}

    given = late("features given", "average")
    for label in ("features given", "features learned", "reward alone"):
        found, most = late(label, "average"), late(label, "optimum")
        share = 100 * sum(found.values()) / sum(given.values())
        optimum = 100 * sum(found.values()) / sum(most.values())
        first = middle(rows, "average", agent=label, task="8")
        body.append([label, f"{first:.0f}", cell(mean(found.values())), f"{optimum:.1f}", f"{share:.1f}"])
    return table(["", "tasks 1 to 8", "tasks 9 to 18", "% of the optimum", "% of the first row"], body)


# name of the table: the records that it is made of, and how
TABLES: dict[str, tuple[tuple[str, ...], Callable[[], str]]] = {
    "main": (("main",), main_agents),
    "main-published": (("main",), main_published),
    "authors": (("authors",), authors),
    "one-room": (("one-room",), one_room),
    "episode-limit": (("episode-limit",), episode_limit),
    "capacity": (("capacity",), capacity),
    "capacity-total": (("capacity-total",), capacity_total),
    "neighbours": (("neighbours",), neighbours),
    "learned-w-published": (("learned-w-published",), learned_w_published),
    "cartpole-horizon": (("cartpole-horizon",), cartpole_horizon),
    "cartpole-pole": (("cartpole-pole",), cartpole_pole),
    "cartpole-update": (("cartpole-update",), cartpole_update),
    "main-50": (("main-50",), main_50),
    "sensitivity": (("sensitivity",), sensitivity),
    "learned-w": (("learned-w",), learned_w),
    "learned-w-sweep": (("learned-w-sweep",), learned_w_sweep),
    "grid-effects": (("grid-search",), grid_effects),
    "grid-points": (("grid-search",), grid_points),
    "grid-neighbours": (("grid-search-neighbours",), grid_neighbours),
    "plan": (("plan",), plan),
    "plan-memory": (("plan", "plan-long", "plan-life"), plan_memory),
    "plan-detect": (("plan-detect",), plan_detect),
    "plan-learned-w": (("plan-learned-w",), plan_learned_w),
    "plan-keys": (("plan-keys",), plan_keys),
    "learned-features": (("learned-features",), learned_features),
    "plan-long": (("plan-long", "plan-life"), plan_long),
}
