"""The command: PYTHONPATH=benchmarks python -m pixels run [GAME...]; see README.md."""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from field.rows import read, write
from robust.__main__ import seeds_of
from robust.results import mean

from .games import GAMES

FILE = Path(__file__).parent / "results.csv"
KEY = ("game", "agent", "set", "frames", "seed", "build")  # a run; what follows is what it found
FIELDS = (*KEY, "score", "episodes", "cpu")
AGENTS = ("nec", "mfec", "dqn")
Row = dict[str, str]
Play = Callable[[Row], dict[str, Any] | None]  # what a run found; None if somebody ended it


def missing(rows: list[Row], wanted: list[Row]) -> list[Row]:
    """The runs that have no row."""
    known = {tuple(row[name] for name in KEY) for row in rows}
    return [run for run in wanted if tuple(run[name] for name in KEY) not in known]


def record(path: Path, row: Row) -> None:
    """Adds a row; the order is that of the games and agents, so that a table has one form."""
    games, agents = list(GAMES), list(AGENTS)

    def order(row: Row) -> Any:
        known = agents.index(row["agent"]) if row["agent"] in agents else len(agents)
        return (
            games.index(row["game"]),
            known,
            row["agent"],
            row["set"],
            int(row["frames"]),
            row["build"],
            int(row["seed"]),
        )

    write(path, FIELDS, sorted([*read(path), row], key=order))


def fill(path: Path, wanted: list[Row], play: Play) -> int:
    """Makes the runs that are missing in a table, and adds a row for each; returns how many failed."""
    failed = 0
    for each in missing(read(path), wanted):
        label = " ".join(each[name] for name in ("game", "agent", "set", "seed") if each[name])
        found = play(each)
        if found is None or found["score"] is None:
            failed += 1
            print(label, found["failed"] if found else "was ended from outside", flush=True)
            continue
        record(path, each | {name: str(value) for name, value in found.items()})
        print(label, found["score"], f"{found['cpu']} s", flush=True)
    return failed


def run(args: argparse.Namespace) -> None:
    """Makes the runs that are missing, each in a process of its own."""
    from robust.children import Children

    from .measure import DQN, build, installed, measure

    agents = [agent for agent in args.agents if installed(agent)]
    if len(agents) < len(args.agents):
        print(f"without {DQN}: stable-baselines3 is not installed", flush=True)
    changes = dict(each.split("=", 1) for each in args.set)
    options = {agent: "" if agent == DQN else " ".join(sorted(args.set)) for agent in agents}
    builds = {agent: build(agent) for agent in agents}
    wanted = [
        dict(zip(KEY, (game, agent, options[agent], str(args.frames), str(seed), builds[agent]), strict=True))
        for seed in args.seeds
        for game in args.games or GAMES
        for agent in agents
    ]
    children = Children(measure, ["pixels.measure"])

    def play(row: Row) -> dict[str, Any] | None:
        return children.run(args.limit, row["game"], row["agent"], int(row["seed"]), args.frames, changes)

    failed = fill(args.out, wanted, play)
    if failed:
        sys.exit(f"pixels: {failed} runs failed and have no row; the same command tries them again")


def table(args: argparse.Namespace) -> None:
    """Prints a line for each game, agent and build."""
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in read(args.out):
        groups[tuple(row[name] for name in KEY if name != "seed")].append(row)
    print("| game | agent | frames | build | score: mean ± standard error (seeds) | CPU seconds |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (game, agent, changes, frames, build), rows in groups.items():
        score, error = mean([float(row["score"]) for row in rows])
        spread = f" ± {error:.2f}" if len(rows) > 1 else ""
        cpu, _ = mean([float(row["cpu"]) for row in rows])
        name = f"{agent} {changes}".strip()
        print(f"| {game} | {name} | {int(frames):,} | {build} | {score:.2f}{spread} ({len(rows)}) | {cpu:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(prog="pixels", description="What agents earn from pictures: README.md")
    commands = parser.add_subparsers(required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--out", type=Path, default=FILE, help="the table of results (default results.csv beside the program)"
    )

    runs = commands.add_parser("run", parents=[shared], help="runs what is missing")
    runs.add_argument("games", nargs="*", metavar="GAME", help=", ".join(GAMES))
    runs.add_argument("--agents", type=lambda text: text.split(","), default=list(AGENTS), help="presets, or dqn")
    runs.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="an option of the presets")
    runs.add_argument("--seeds", type=seeds_of, default=[1, 2, 3, 4, 5], help="for example 1-3,7 (default 1-5)")
    runs.add_argument("--frames", type=int, default=100_000, help="of a run (default 100000)")
    runs.add_argument("--limit", type=int, default=3600, help="CPU seconds of a run (default 3600)")
    runs.set_defaults(run=run)

    commands.add_parser("table", parents=[shared], help="prints the results").set_defaults(run=table)
    args = parser.parse_args()
    unknown = [game for game in getattr(args, "games", []) if game not in GAMES]
    if unknown:
        parser.error(f"no game {unknown[0]!r}: choose from {', '.join(GAMES)}")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    args.run(args)


if __name__ == "__main__":
    main()
