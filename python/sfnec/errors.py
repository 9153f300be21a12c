"""The exceptions of the package. All of them are `sfnec.Error` and carry the library's own sentence."""

from __future__ import annotations

__all__ = ["ArgumentError", "Error", "FileError", "FormatError", "MemoryFullError", "OptionError", "StateError"]


class Error(Exception):
    """An error of the library; its text names the cause, where it is, and the remedy."""


class ArgumentError(Error, ValueError):
    """An argument has the wrong shape or type, is out of range, or holds numbers that are not finite."""


class OptionError(Error, ValueError):
    """An unknown option, preset or environment, or a value that an option refuses."""


class StateError(Error, RuntimeError):
    """The call does not fit the state of the object: a closed agent, learning without a task, ..."""


class MemoryFullError(Error, MemoryError):
    """Out of memory."""


class FileError(Error, OSError):
    """A file could not be opened, read or written."""


class FormatError(Error, ValueError):
    """A file is foreign, truncated, corrupted or of another version."""
