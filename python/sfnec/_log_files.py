"""Logs in files, which may be a stranger's: their arrays, read one by one when they are asked for.

What a file claims does not decide how much memory it takes: all arrays that are read from it have at most LOG_UNPACKED
times the bytes of the file, or LOG_FREE. Nothing of it is executed, and no other file is read: pickled objects, links
and arrays whose bytes are kept elsewhere are refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import errors

__all__ = ["hdf5_log", "npz_log"]

Result = TypeVar("Result")

#: bytes that any log may take, which machines that learn have
LOG_FREE = 1 << 30
#: bytes of arrays for a byte of a file: one-hot observations pack that well; a file of nothing but zeros 1,000 times
LOG_UNPACKED = 64


class _Budget:
    """The bytes that the arrays of a file may still take."""

    def __init__(self, path: str) -> None:
        self._path, self._left = path, max(LOG_FREE, LOG_UNPACKED * os.path.getsize(path))

    def take(self, count: int, name: str) -> None:
        self._left -= count
        if self._left < 0:
            raise errors.FormatError(
                f"the arrays of {self._path} up to '{name}' are more than {LOG_UNPACKED} times as large as the file: "
                "store the log without compression, or give its arrays themselves"
            )


class _Npz(Mapping[str, NDArray[Any]]):
    """The arrays of a file .npz."""

    def __init__(self, file: Any, budget: _Budget) -> None:
        self._file, self._budget = file, budget

    def __contains__(self, name: object) -> bool:
        return name in self._file.files

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._file.files:
            raise KeyError(name)
        member = name if name in self._file.zip.namelist() else name + ".npy"
        self._budget.take(self._file.zip.getinfo(member).file_size, name)
        return np.asarray(self._file[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.files)

    def __len__(self) -> int:
        return len(self._file.files)


class _Group(Mapping[str, Any]):
    """A group of an HDF5 file: its arrays, and the groups in it."""

    def __init__(self, group: Any, budget: _Budget) -> None:
        self._group, self._budget = group, budget

    def __contains__(self, name: object) -> bool:
        return name in self._group

    def __getitem__(self, name: str) -> Any:
        import h5py

        link = self._group.get(name, getlink=True)
        if link is None:
            raise KeyError(name)
        if not isinstance(link, h5py.HardLink):
            raise errors.FormatError(f"'{name}' of {self._group.file.filename} is a link, which a log may not have")
        node = self._group[name]
        return _Group(node, self._budget) if isinstance(node, h5py.Group) else self._read(node, name)

    def _read(self, node: Any, name: str) -> NDArray[Any]:
        where = f"'{name}' of {self._group.file.filename}"
        if node.external is not None or node.is_virtual:
            raise errors.FormatError(f"the numbers of {where} are kept in other files: copy them into it")
        if node.dtype.kind not in "biuf":
            raise errors.FormatError(f"{where} holds no numbers but {node.dtype}")
        # a chunk is unpacked as a whole, however little of it is used
        chunk = int(np.prod(node.chunks)) if node.chunks else 0
        self._budget.take((int(node.size) + chunk) * node.dtype.itemsize, name)
        return np.asarray(node[()])

    def __iter__(self) -> Iterator[str]:
        return iter(self._group)

    def __len__(self) -> int:
        return len(self._group)


def npz_log(path: str, read: Callable[[Mapping[str, Any]], Result]) -> Result:
    """What `read` makes of the arrays of a file .npz."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return read(_Npz(file, _Budget(path)))
    except errors.Error:
        raise
    except FileNotFoundError:
        raise errors.FileError(f"there is no log {path}") from None
    except MemoryError:
        raise errors.MemoryFullError(f"{path} claims arrays for which there is no memory") from None
    except Exception as error:  # zip, npy and zlib each have their own
        raise errors.FormatError(f"{path} cannot be read as a log in .npz: {error}") from None


def hdf5_log(path: str, read: Callable[[Mapping[str, Any]], Result]) -> Result:
    """What `read` makes of the root of an HDF5 file."""
    try:
        import h5py
    except ImportError:
        raise errors.ArgumentError(f"{path} is read by h5py, which is not installed: pip install h5py") from None
    try:
        with h5py.File(path, "r") as file:
            return read(_Group(file, _Budget(path)))
    except errors.Error:
        raise
    except MemoryError:
        raise errors.MemoryFullError(f"{path} claims arrays for which there is no memory") from None
    except Exception as error:  # libhdf5's errors come as nearly any kind
        raise errors.FormatError(f"{path} cannot be read as a log in HDF5: {error}") from None
