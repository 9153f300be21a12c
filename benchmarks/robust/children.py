"""Runs in processes of their own, forked by a server that has imported everything, as imports take longer than runs."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["Children", "Limit", "Measure", "run_here"]

Measure = Callable[..., dict[str, Any]]  # what a run found, or its "score" is None and "failed" says why

_ENDED = (-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP)


class Limit(Exception):
    """The run has had its CPU time."""


def _limit_cpu(seconds: int) -> None:
    """Raises Limit after so much CPU time; a call that does not return is killed a minute later."""

    def stop(number: int, frame: Any) -> None:
        raise Limit

    signal.signal(signal.SIGXCPU, stop)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 60))


def run_here(measure: Measure, limit: int, *run: Any) -> dict[str, Any]:
    """One run in this process, which then has no more CPU time than the limit, in seconds."""
    _limit_cpu(limit)
    try:
        return measure(*run)
    except Limit:
        return {"score": None, "failed": "the CPU limit came"}


def _child(answer: Connection, measure: Measure, limit: int, *run: Any) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    try:
        answer.send(run_here(measure, limit, *run))
    except Exception:
        answer.send({"score": None, "failed": traceback.format_exc().strip().splitlines()[-1]})


class Children:
    """The runs that are under way; they end with this process."""

    def __init__(self, measure: Measure, modules: Sequence[str]) -> None:
        self._measure = measure
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(modules))
        self._running: set[Any] = set()
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)

    def _stop(self, number: int, frame: Any) -> None:
        for child in list(self._running):
            child.kill()
        os._exit(128 + number)

    def run(self, limit: int, *run: Any) -> dict[str, Any] | None:
        """What a run found, or why it failed; None if somebody ended it."""
        here, there = self._context.Pipe(duplex=False)
        child = self._context.Process(target=_child, args=(there, self._measure, limit, *run), daemon=True)
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
