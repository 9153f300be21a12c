"""The command: PYTHONPATH=benchmarks python -m robust COMMAND."""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any


def seeds_of(text: str) -> list[int]:
    """ "1-3,7" as numbers."""
    found: list[int] = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        found += range(int(low), int(high or low) + 1)
    return found


def _cases(args: argparse.Namespace) -> Any:
    from .cases import chosen

    changes = {key: value for key, value in (("tasks", args.tasks), ("steps", args.steps)) if value}
    cases = chosen(args.world, args.variant)
    if changes and any(case.points for case in cases):
        sys.exit("robust: --tasks and --steps are for cases without evaluation points (four_rooms, navigation, steps)")
    return [replace(case, **changes) for case in cases]


def _build(args: argparse.Namespace) -> dict[str, Any]:
    from .measure import program

    return {"program": program(), "agent": args.agent, "set": dict(each.split("=", 1) for each in args.set)}


def one(args: argparse.Namespace) -> None:
    """One run in this process; its line goes to standard output."""
    from .children import run_here
    from .measure import measure

    (case,) = _cases(args)
    print(json.dumps(run_here(measure, args.limit, case, args.seed, args.agent, _build(args)["set"])))


def run(args: argparse.Namespace) -> None:
    """Runs what is missing."""
    changes = _build(args)["set"]
    _run(args, [(case, seed, changes) for seed in args.seeds for case in _cases(args)])


def ablation(args: argparse.Namespace) -> None:
    """Runs what is missing of the planner with all mechanisms and without each of them, and compares."""
    from .ablation import compare, mechanisms, print_found, write_csv
    from .cases import chosen
    from .measure import choices, program

    switches = mechanisms(choices("without"))
    cases = [case for world in args.worlds for case in chosen(world, "clean")]
    wanted = [{}, *(off for name, off in switches.items() if not args.off or name in args.off)]
    _run(args, [(case, seed, changes) for seed in args.seeds for case in cases for changes in wanted])
    found = compare(args.out, cases, args.seeds, program(), switches)
    write_csv(args.csv or args.out / "ablation.csv", found)
    print_found(found)


def _run(args: argparse.Namespace, wanted: list[tuple[Any, int, dict[str, str]]]) -> None:
    """Makes the runs that are missing of cases with seeds and options, each in a process of its own."""
    from field.runs import write

    from .children import Children
    from .measure import measure
    from .results import FILE, has, read

    build, lock = _build(args), Lock()
    children = Children(measure, ["robust.measure", "minigrid", "mo_gymnasium"])
    known = read(args.out)
    jobs = [job for job in wanted if not has(known, job[0], job[1], build | {"set": job[2]}, args.limit)]

    def work(job: tuple[Any, int, dict[str, str]]) -> None:
        case, seed, changes = job
        found = children.run(args.limit, case, seed, args.agent, changes)
        told = " ".join([case.world, case.variant, str(seed), *(f"{key}={value}" for key, value in changes.items())])
        if found is None:
            print(told, "was ended from outside", flush=True)
            return
        about = {"world": case.world, "variant": case.variant, "case": case.digest, "seed": seed, **build}
        about |= {"set": changes, "task_steps": case.steps, "task_count": case.tasks}
        line = {**about, "limit": args.limit, **found}
        with lock:
            write(args.out / FILE, line)
            score = found["score"] if found["score"] is not None else found["failed"]
            print(told, score, f"{found.get('cpu', 0):.1f} s", flush=True)

    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(work, jobs))


def table(args: argparse.Namespace) -> None:
    from .results import print_table

    print_table(args.folders or [Path("runs/robust")], args.lines)


def show(args: argparse.Namespace) -> None:
    from .cases import CASES, GROUPS

    print("groups:", ", ".join(GROUPS))
    for case in CASES.values():
        print(f"{case.world:30} {case.variant:24} must: {case.must or '-'}")


def ranges(args: argparse.Namespace) -> None:
    from .ranges import measure_ranges

    measure_ranges()


def main() -> None:
    parser = argparse.ArgumentParser(prog="robust", description="What noise and junk cost an agent: README.md")
    commands = parser.add_subparsers(required=True)
    each = argparse.ArgumentParser(add_help=False)
    each.add_argument("--sfnec", type=Path, help="the folder with the package to measure (pip install --target)")
    each.add_argument("--limit", type=int, default=1800, help="CPU seconds of a run (default 1800)")
    shared = argparse.ArgumentParser(add_help=False, parents=[each])
    shared.add_argument("world", help="a world or a group (python -m robust list)")
    shared.add_argument("variant", nargs="?", help="one variant; without it all of the world's")
    shared.add_argument("--agent", default="sfnec-plan", help="a preset (default sfnec-plan)")
    shared.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="an option of the agent")
    shared.add_argument("--tasks", type=int, help="tasks instead of the case's own number")
    shared.add_argument("--steps", type=int, help="steps of a task instead of the case's own number")
    several = argparse.ArgumentParser(add_help=False)
    several.add_argument("--seeds", type=seeds_of, default=[1, 2, 3], help="for example 1-3,7")
    several.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    several.add_argument("--out", type=Path, default=Path("runs/robust"), help="the folder of the results")

    many = commands.add_parser("run", parents=[shared, several], help="runs what is missing")
    many.set_defaults(run=run)

    less = commands.add_parser("ablation", parents=[each, several], help="the planner without each of its mechanisms")
    less.add_argument("worlds", nargs="*", default=["field-quick"], help="worlds and groups (default field-quick)")
    less.add_argument("--off", action="append", help="this mechanism only")
    less.add_argument("--csv", type=Path, help="where the table goes (default ablation.csv beside the results)")
    less.set_defaults(run=ablation, agent="sfnec-plan", set=[], tasks=None, steps=None)

    single = commands.add_parser("one", parents=[shared], help="one run in this process; prints its line")
    single.add_argument("seed", type=int)
    single.set_defaults(run=one)

    tables = commands.add_parser("table", help="prints the results of one or several folders")
    tables.add_argument("folders", nargs="*", type=Path)
    tables.add_argument("--lines", action="store_true", help="the lines of the seeds, too")
    tables.set_defaults(run=table)

    commands.add_parser("list", help="all cases").set_defaults(run=show)
    commands.add_parser("ranges", help="measures the components' ranges").set_defaults(run=ranges)

    args = parser.parse_args()
    if getattr(args, "sfnec", None):
        sys.path.insert(0, str(args.sfnec.resolve()))
        args.sfnec = args.sfnec.resolve()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    args.run(args)


if __name__ == "__main__":
    main()
