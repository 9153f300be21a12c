"""The command: PYTHONPATH=benchmarks python -m robust COMMAND."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any


def _seeds(text: str) -> list[int]:
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
    from .measure import Limit, limit_cpu, measure

    (case,) = _cases(args)
    limit_cpu(args.limit)
    try:
        found = measure(case, args.seed, args.agent, _build(args)["set"])
    except Limit:
        found = {"score": None, "failed": "the CPU limit came"}
    print(json.dumps(found))


class Children:
    """The runs that are under way; they end with this process."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)

    def _stop(self, number: int, frame: Any) -> None:
        for child in list(self._running):
            child.kill()
        os._exit(128 + number)

    def run(self, words: list[str]) -> tuple[int, str, str]:
        child = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]
        )
        self._running.add(child)
        out, err = child.communicate()
        self._running.discard(child)
        return child.returncode, out, err


def _child(children: Children, args: argparse.Namespace, case: Any, seed: int) -> dict[str, Any] | None:
    """What a run found, or why it failed; None if somebody ended it."""
    words = [sys.executable, "-m", "robust", "one", case.world, case.variant, str(seed)]
    for name in ("tasks", "steps", "limit", "agent", "sfnec"):
        value = getattr(args, name)
        words += [f"--{name}", str(value)] if value else []
    words += [word for each in args.set for word in ("--set", each)]
    code, out, err = children.run(words)
    if code == 0 and out.strip():
        return dict(json.loads(out.splitlines()[-1]))
    if code in (-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP):
        return None
    told = err.strip().splitlines()
    return {"score": None, "failed": told[-1] if told else f"ended with {code}"}


def run(args: argparse.Namespace) -> None:
    """Runs what is missing, each run in a process of its own."""
    from field.runs import write

    from .results import FILE, has, read

    build, lock, children = _build(args), Lock(), Children()
    known = read(args.out)
    jobs = [
        (case, seed) for seed in args.seeds for case in _cases(args) if not has(known, case, seed, build, args.limit)
    ]

    def work(job: tuple[Any, int]) -> None:
        case, seed = job
        found = _child(children, args, case, seed)
        if found is None:
            print(case.world, case.variant, seed, "was ended from outside", flush=True)
            return
        about = {"world": case.world, "variant": case.variant, "case": case.digest, "seed": seed, **build}
        about |= {"task_steps": case.steps, "task_count": case.tasks}
        line = {**about, "limit": args.limit, **found}
        with lock:
            write(args.out / FILE, line)
            score = found["score"] if found["score"] is not None else found["failed"]
            print(case.world, case.variant, seed, score, f"{found.get('cpu', 0):.1f} s", flush=True)

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
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("world", help="a world or a group (python -m robust list)")
    shared.add_argument("variant", nargs="?", help="one variant; without it all of the world's")
    shared.add_argument("--sfnec", type=Path, help="the folder with the package to measure (pip install --target)")
    shared.add_argument("--agent", default="sfnec-plan", help="a preset (default sfnec-plan)")
    shared.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="an option of the agent")
    shared.add_argument("--tasks", type=int, help="tasks instead of the case's own number")
    shared.add_argument("--steps", type=int, help="steps of a task instead of the case's own number")
    shared.add_argument("--limit", type=int, default=1800, help="CPU seconds of a run (default 1800)")

    many = commands.add_parser("run", parents=[shared], help="runs what is missing")
    many.add_argument("--seeds", type=_seeds, default=[1, 2, 3], help="for example 1-3,7")
    many.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    many.add_argument("--out", type=Path, default=Path("runs/robust"), help="the folder of the results")
    many.set_defaults(run=run)

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
