"""Functions of Python that C calls: what did not come to its own last line has failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import errors
from ._native import ffi, lib

__all__ = ["callback", "refuse", "sentence"]


def sentence(error: BaseException, who: str = "the world") -> str:
    """An exception as one line."""
    told = " ".join(str(error).split())
    if isinstance(error, errors.Error):
        return told
    name = type(error).__name__
    if isinstance(error, Exception):
        return f"{name}: {told}"
    return f"{who} raised {name}{f' ({told})' if told else ''}, which is no way to end an episode"


def refuse(said: str) -> None:
    """Leaves the sentence for `sfnec_last_error`."""
    lib.sfnec_set_error(lib.SFNEC_ERROR_STATE, said.encode())


def callback(failed: Any, who: str = "the world") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Marks a function that C calls. Whatever is raised in it, C gets `failed` and the sentence."""

    def failure(kind: Any, error: BaseException, traceback: Any) -> None:
        refuse(sentence(error, who))

    return ffi.def_extern(error=failed, onerror=failure)  # type: ignore[no-any-return]
