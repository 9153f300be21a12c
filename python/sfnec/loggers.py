"""Where numbers go while an agent learns: `agent.learn(20_000, logger="runs/first")`.

A path that ends in .csv is a table, another one a folder of TensorBoard, "wandb" is Weights & Biases if that is
installed. A logger of one's own has `write(step, values)` and `close()`. The step is the number of transitions that the
agent has observed in its life.
"""

from __future__ import annotations

import csv
import importlib
import os
import struct
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from . import errors

__all__ = ["CSV", "Logger", "TensorBoard", "WandB"]


class Logger(Protocol):
    """Takes numbers by name. One of your own is any object with these two functions."""

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Notes down numbers; `step` counts the transitions of the agent's life."""

    def close(self) -> None:
        """Writes out what waits."""


class CSV:
    """A table with the columns step, name, value; an older file is written on."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = open(path, "a", newline="", encoding="utf-8")  # noqa: SIM115
        self._rows = csv.writer(self._file, lineterminator="\n")
        if self._file.tell() == 0:
            self._rows.writerow(("step", "name", "value"))

    def write(self, step: int, values: Mapping[str, float]) -> None:
        self._rows.writerows((step, name, repr(float(value))) for name, value in values.items())
        self._file.flush()

    def close(self) -> None:
        self._file.close()


# ---- TensorBoard's event files: records of protocol buffers, each with a checksum ----


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc_table()


def _masked_crc(data: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


class TensorBoard:
    """A folder that `tensorboard --logdir` shows; needs no TensorBoard to be written."""

    _made = 0

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        # loggers that begin in the same second have files of their own
        TensorBoard._made += 1
        name = f"events.out.tfevents.{int(time.time())}.sfnec.{os.getpid()}.{TensorBoard._made}"
        self._file = open(Path(folder) / name, "wb")  # noqa: SIM115
        self._put(_field(3, b"brain.Event:2"))

    def _put(self, content: bytes) -> None:
        event = struct.pack("<Bd", 1 << 3 | 1, time.time()) + content
        length = struct.pack("<Q", len(event))
        self._file.write(length + _masked_crc(length) + event + _masked_crc(event))

    def write(self, step: int, values: Mapping[str, float]) -> None:
        summary = b"".join(
            _field(1, _field(1, name.encode()) + struct.pack("<Bf", 2 << 3 | 5, value))
            for name, value in values.items()
        )
        self._put(bytes([2 << 3]) + _varint(step) + _field(5, summary))
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class WandB:
    """The run of Weights & Biases that is open, or a new one."""

    def __init__(self, **settings: Any) -> None:
        try:
            wandb: Any = importlib.import_module("wandb")
        except ImportError:
            raise errors.StateError("logging to Weights & Biases needs wandb: pip install wandb") from None
        self._wandb = wandb
        if wandb.run is None:
            wandb.init(**{"project": "sfnec", **settings})

    def write(self, step: int, values: Mapping[str, float]) -> None:
        self._wandb.log(dict(values), step=step)

    def close(self) -> None:
        """The run stays open: it is the user's to finish."""


def open_logger(logger: Any) -> tuple[Logger | None, bool]:
    """The logger of what `learn` was given, and whether it is `learn`'s to close."""
    if logger is None:
        return None, False
    if isinstance(logger, (str, os.PathLike)):
        path = os.fspath(logger)
        if path == "wandb":
            return WandB(), True
        return (CSV(path) if path.endswith(".csv") else TensorBoard(path)), True
    if not hasattr(logger, "write"):
        raise errors.ArgumentError(
            f"a logger is a path or has write(step, values), which {type(logger).__name__} lacks"
        )
    return logger, False
