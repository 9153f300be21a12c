"""The extension: its two entries `ffi` and `lib`, and what every call to it shares."""

from __future__ import annotations

import operator
import threading
from typing import Any

import numpy as np

from . import errors
from ._sfnec import ffi, lib

__all__ = ["Handle", "c_text", "check", "ffi", "floats", "lib", "pointer", "seed_number", "text", "whole"]

_CLASSES: dict[int, type[errors.Error]] = {
    lib.SFNEC_ERROR_ARGUMENT: errors.ArgumentError,
    lib.SFNEC_ERROR_OPTION: errors.OptionError,
    lib.SFNEC_ERROR_STATE: errors.StateError,
    lib.SFNEC_ERROR_MEMORY: errors.MemoryFullError,
    lib.SFNEC_ERROR_IO: errors.FileError,
    lib.SFNEC_ERROR_FORMAT: errors.FormatError,
    lib.SFNEC_ERROR_VERSION: errors.FormatError,
}


def text(pointer: Any) -> str:
    """A C string as a Python one; "" for NULL."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


def c_text(value: str | bytes) -> bytes:
    """A Python string as C takes it: one that C would cut off in its middle is refused."""
    encoded = value.encode() if isinstance(value, str) else value
    if b"\0" in encoded:
        raise errors.ArgumentError(f"{value!r} has a NUL character in it")
    return encoded


def check(status: int) -> None:
    """Raises the exception of a status that is not SFNEC_OK, with the library's sentence."""
    if status:
        raise _CLASSES.get(status, errors.Error)(text(lib.sfnec_last_error()))


def pointer(array: np.ndarray[Any, Any], ctype: str) -> Any:
    """The address of an array, which must stay alive as long as it is used."""
    return ffi.cast(ctype, ffi.from_buffer(array))


def floats(values: Any, dtype: Any, size: int | None, what: str) -> np.ndarray[Any, Any]:
    """Numbers as a contiguous vector; refuses what is not one, or has another length than `size`."""
    try:
        if isinstance(values, np.ndarray) and values.dtype == dtype:
            array = np.ascontiguousarray(values).reshape(-1)
        else:
            # numbers too great for the type become infinite, and the library refuses them by name
            with np.errstate(over="ignore"):
                array = np.ascontiguousarray(values, dtype=dtype).reshape(-1)
    except (TypeError, ValueError, OverflowError) as error:
        raise errors.ArgumentError(
            f"{what} must be an array of numbers, not {type(values).__name__}: {error}"
        ) from None
    if size is not None and array.size != size:
        raise errors.ArgumentError(f"{what} must have {size} numbers, not {array.size} (shape {np.shape(values)})")
    return array


def whole(value: Any, what: str) -> int:
    """A whole number; 1e6 is one, 2.5 and NaN are none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        raise errors.ArgumentError(f"{what} must be a whole number, not {value!r}") from None


def seed_number(seed: Any) -> int:
    """A seed as the library takes it."""
    try:
        number = operator.index(seed)
    except TypeError:
        raise errors.ArgumentError(f"a seed must be a whole number, not {type(seed).__name__}") from None
    if not 0 <= number < 2**64:
        raise errors.ArgumentError(f"a seed must be a whole number from 0 to 2^64 - 1, not {number}")
    return number


class Handle:
    """The sfnec_agent behind an agent, locked while it is used: `with agent.handle as handle`."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer
        self.lock = threading.RLock()
        out = ffi.new("sfnec_scratch **")
        check(lib.sfnec_scratch_create(pointer, out))
        self.scratch = ffi.gc(out[0], lib.sfnec_scratch_destroy)  #: of questions

    def release(self) -> None:
        """Frees the agent."""
        with self.lock:
            if self.pointer is not None:
                ffi.release(self.scratch)
                ffi.release(self.pointer)
            self.pointer = None

    def __enter__(self) -> Any:
        self.lock.acquire()
        if self.pointer is None:
            self.lock.release()
            raise errors.StateError("this agent is closed: make or load another one")
        return self.pointer

    def __exit__(self, *_: object) -> None:
        self.lock.release()
