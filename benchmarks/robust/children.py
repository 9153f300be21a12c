"""Runs in processes of their own, forked by a server that has imported everything, as imports take longer than runs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from multiprocessing.connection import Connection
from typing import Any

from .cases import Case

__all__ = ["Children", "run_here"]

_ENDED = (-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP)


def run_here(case: Case, seed: int, agent: str, changes: dict[str, str], limit: int) -> dict[str, Any]:
    """One run in this process, which then has no more CPU time than the limit, in seconds."""
    from .measure import Limit, limit_cpu, measure

    limit_cpu(limit)
    try:
        return measure(case, seed, agent, changes)
    except Limit:
        return {"score": None, "failed": "the CPU limit came"}


def _child(answer: Connection, *run: Any) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    try:
        answer.send(run_here(*run))
    except Exception:
        answer.send({"score": None, "failed": traceback.format_exc().strip().splitlines()[-1]})


class Children:
    """The runs that are under way; they end with this process."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["robust.measure", "minigrid", "mo_gymnasium"])
        self._running: set[Any] = set()
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)

    def _stop(self, number: int, frame: Any) -> None:
        for child in list(self._running):
            child.kill()
        os._exit(128 + number)

    def run(self, case: Case, seed: int, agent: str, changes: dict[str, str], limit: int) -> dict[str, Any] | None:
        """What a run found, or why it failed; None if somebody ended it."""
        here, there = self._context.Pipe(duplex=False)
        child = self._context.Process(target=_child, args=(there, case, seed, agent, changes, limit), daemon=True)
        child.start()
        self._running.add(child)
        there.close()
        try:
            found = here.recv()
        except EOFError:
            found = None
        child.join()
        self._running.discard(child)
        if found is None and child.exitcode not in _ENDED:
            return {"score": None, "failed": f"ended with {child.exitcode}"}
        return found
