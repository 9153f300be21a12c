"""The command: PYTHONPATH=benchmarks python -m field COMMAND."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from . import plan
from .judge import POINTS
from .runs import Over, Recorder, path_of, put_aside, seed_all
from .worlds import TRANSFER, WORLDS, weights


def run(args: argparse.Namespace) -> None:
    """One run in this process."""
    from . import peers, transfer

    path = path_of(args.out, args.world, args.agent, args.seed)
    seed_all(args.seed)
    if plan.is_ours(args.agent):
        from .ours import program

        put_aside(path, program())
    if args.world in TRANSFER:
        return transfer.run(args.world, args.agent, args.seed, path)
    recorder = Recorder(WORLDS[args.world], path, args.steps, judges=not args.times)
    try:
        if args.agent in plan.OURS:
            from . import ours

            ours.train(args.agent, recorder, args.seed)
        else:
            peers.PEERS[args.agent](recorder, args.seed)
    except Over:
        pass


def work(args: argparse.Namespace) -> None:
    """Runs what is missing."""
    present = None
    if args.again:
        from .ours import program

        present = program()
    sys.exit(1 if plan.work(args.whose, args.out, args.tables, present) else 0)


def status(args: argparse.Namespace) -> None:
    """How much of the plan is there."""
    known = plan.Known(args.out, args.tables)
    for whose in ("ours", "peers"):
        wanted, left = plan.jobs(whose), plan.missing(whose, known)
        print(f"{whose}: {len(set(wanted)) - len(left)} of {len(set(wanted))} jobs are done")
        for job in left[:5]:
            print("  next:", *job)


def page(args: argparse.Namespace) -> None:
    from . import page, table

    if args.out is not None:
        table.collect(args.out, args.tables)
    page.make_page(args.page, args.tables)


def timing(args: argparse.Namespace) -> None:
    """CPU time per step side by side, for a quiet machine: agents take turns, and the median of the turns counts."""
    from . import page, timing

    timing.measure(args.turns, args.tables)
    print(page.times(timing.pairs(args.tables)))


def spec(args: argparse.Namespace) -> None:
    """A world of the field as a study for `sfnec run`, to look further into our agents; JSON, which is YAML."""
    from .ours import OURS, TURN, options_of

    world = WORLDS[args.world]
    agents = [name for name in OURS if name != "nec" or not world.several]
    evaluate = {"every": 5_000, "episodes": world.episodes}
    study = {
        "name": world.id.lower(),
        "env": {"gymnasium": "field.worlds:by_id", "options": {"name": world.id}},
        "tasks": POINTS[5] // TURN if world.several else 1,
        "steps": TURN if world.several else POINTS[5],
        "seeds": "11-15",
        "agents": [{"preset": name, "options": options_of(name, world.gamma)} for name in agents],
        "evaluate": {**evaluate, "weights": weights(world.rewards).tolist()} if world.several else evaluate,
    }
    print(json.dumps(study, indent=2))


def main() -> None:
    parser = argparse.ArgumentParser(prog="field", description="Compares agents with other libraries: docs/field.md")
    commands = parser.add_subparsers(required=True)
    out = argparse.ArgumentParser(add_help=False)
    out.add_argument("--out", type=Path, default=Path("runs/field"), help="the folder of the runs")
    tables = argparse.ArgumentParser(add_help=False)
    tables.add_argument("--tables", type=Path, default=Path(__file__).parent, help="the folder of the stored tables")

    one = commands.add_parser("run", parents=[out], help="one agent in one world with one seed")
    one.add_argument("world", choices=[*WORLDS, *TRANSFER])
    one.add_argument("agent")
    one.add_argument("seed", type=int)
    one.add_argument("--steps", type=int, default=50_000)
    one.add_argument("--times", action="store_true", help="measure times, without scores")
    one.set_defaults(run=run)

    shared = "runs what is missing; several of these share the work"
    many = commands.add_parser("work", parents=[out, tables], help=shared)
    many.add_argument("whose", choices=["ours", "peers", "all", "quick"])
    many.add_argument("--again", action="store_true", help="also what another build of ours has run")
    many.set_defaults(run=work)

    told = commands.add_parser("status", parents=[out, tables], help="how much is there, and what comes next")
    told.set_defaults(run=status)

    made = commands.add_parser("page", parents=[tables], help="makes the page and its figures")
    made.add_argument("--out", type=Path, help="add the runs of this folder to the tables first")
    made.add_argument("--page", type=Path, default=Path(__file__).parents[2] / "docs/field.md")
    made.set_defaults(run=page)

    timed = commands.add_parser("timing", parents=[tables], help="CPU time per step; for a quiet machine (10 minutes)")
    timed.add_argument("--turns", type=int, default=3)
    timed.set_defaults(run=timing)

    study = commands.add_parser("spec", help="a world as a study of our agents, for sfnec run")
    study.add_argument("world", choices=WORLDS)
    study.set_defaults(run=spec)

    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
