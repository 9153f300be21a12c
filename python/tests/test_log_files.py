"""Logs that strangers made: what a file claims, links to, or says in other types is refused by a sentence."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfnec
from sfnec import _log_files
from sfnec.logs import read_log

ROWS = 40
GOOD: dict[str, Any] = {
    "observations": np.zeros((ROWS, 2)),
    "actions": np.zeros(ROWS, np.int64),
    "rewards": np.zeros(ROWS),
    "next_observations": np.zeros((ROWS, 2)),
    "terminals": np.zeros(ROWS, bool),
}
Change = Callable[[Any, Path], None]


def hdf5(path: Path, change: Change, without: str = "rewards") -> Path:
    """A log in HDF5 without an array, which `change` puts there in its own way."""
    import h5py

    with h5py.File(path, "w") as file:
        for name, array in GOOD.items():
            if name != without:
                file[name] = array
        change(file, path.parent)
    return path


def claim(file: Any, _: Path) -> None:
    file.create_dataset("rewards", shape=(10**12,), dtype="f8", chunks=(1 << 16,))


def claim_by_chunk(file: Any, _: Path) -> None:
    file.create_dataset("rewards", shape=(ROWS,), dtype="f8", chunks=(1 << 28,), maxshape=(None,))


def elsewhere(file: Any, folder: Path) -> None:
    (folder / "secret").write_bytes(bytes(8 * ROWS))
    file.create_dataset("rewards", shape=(ROWS,), dtype="f8", external=[(str(folder / "secret"), 0, 8 * ROWS)])


def virtual(file: Any, folder: Path) -> None:
    import h5py

    layout = h5py.VirtualLayout(shape=(ROWS,), dtype="f8")
    layout[:] = h5py.VirtualSource(str(folder / "other.hdf5"), "rewards", shape=(ROWS,))
    file.create_virtual_dataset("rewards", layout)


def link(file: Any, folder: Path) -> None:
    import h5py

    with h5py.File(folder / "other.hdf5", "w") as other:
        other["rewards"] = GOOD["rewards"]
    file["rewards"] = h5py.ExternalLink(str(folder / "other.hdf5"), "/rewards")


def texts(file: Any, _: Path) -> None:
    file["rewards"] = ["1"] * ROWS


def group(file: Any, _: Path) -> None:
    file.create_group("rewards")


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (claim, "up to 'rewards' are more than 64 times as large as the file"),
        (claim_by_chunk, "up to 'rewards' are more than 64 times as large as the file"),
        (elsewhere, "are kept in other files"),
        (virtual, "are kept in other files"),
        (link, "is a link, which a log may not have"),
        (texts, "holds no numbers but object"),
        (group, "40 observations, but 0 rewards"),
    ],
)
def test_hdf5(tmp_path: Path, change: Change, match: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(sfnec.Error, match=match):
        read_log(hdf5(tmp_path / "log.hdf5", change))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KB


def test_what_is_not_asked_for_is_not_read(tmp_path: Path) -> None:
    """Arrays that a log has no use for, and groups that hold themselves."""

    def more(file: Any, _: Path) -> None:
        claim(file, _)
        file.move("rewards", "unused")
        file["rewards"] = GOOD["rewards"]
        file["infos"] = file["/"]

    assert len(read_log(hdf5(tmp_path / "log.hdf5", more))) == ROWS

    def episodes(file: Any, _: Path) -> None:
        for name in GOOD:
            file.pop(name, None)
        episode = file.create_group("episode_0")
        episode["infos"] = episode
        episode["observations"], episode["actions"], episode["rewards"] = np.zeros((3, 2)), np.zeros(2), np.zeros(2)
        episode["terminations"], episode["truncations"] = np.zeros(2, bool), np.zeros(2, bool)

    assert len(read_log(hdf5(tmp_path / "episodes.hdf5", episodes))) == 2


def test_episodes_share_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One group under many names takes as much as many groups."""
    monkeypatch.setattr(_log_files, "LOG_FREE", 1 << 20)

    def change(file: Any, _: Path) -> None:
        for name in GOOD:
            file.pop(name, None)
        first = file.create_group("episode_0")
        first["observations"], first["actions"], first["rewards"] = np.zeros((1001, 2)), np.zeros(1000), np.zeros(1000)
        first["terminations"], first["truncations"] = np.zeros(1000, bool), np.zeros(1000, bool)
        for number in range(1, 3000):
            file[f"episode_{number}"] = first

    path = hdf5(tmp_path / "log.hdf5", change)
    with pytest.raises(sfnec.FormatError, match="64 times as large"):
        read_log(path)


def test_npz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_log_files, "LOG_FREE", 1 << 16)
    np.savez_compressed(tmp_path / "zeros.npz", **{**GOOD, "features": np.zeros((1 << 20, 4))})
    with pytest.raises(sfnec.FormatError, match="up to 'features' are more than 64 times as large"):
        read_log(tmp_path / "zeros.npz")
    np.savez_compressed(tmp_path / "unused.npz", **{**GOOD, "unused": np.zeros((1 << 20, 4))})
    assert len(read_log(tmp_path / "unused.npz")) == ROWS
    (tmp_path / "array.npz").write_bytes(b"")
    with pytest.raises(sfnec.FormatError, match="cannot be read as a log"):
        read_log(tmp_path / "array.npz")


@pytest.mark.parametrize(
    "changes",
    [
        {"actions": np.array(["a"] * ROWS)},
        {"rewards": np.zeros(ROWS, complex)},
        {"rewards": np.zeros(ROWS, "M8[s]")},
        {"terminals": np.array(["no"] * ROWS)},
        {"observations": np.zeros(ROWS, "V8")},
        {"observations": np.float64(3)},
        {"observations": [[1, 2], [3]]},
        {name: array[:0] for name, array in GOOD.items()},
    ],
    ids=["texts", "complex", "times", "ends-as-texts", "void", "scalar", "ragged", "empty"],
)
def test_types(changes: dict[str, Any]) -> None:
    with pytest.raises(sfnec.ArgumentError, match=r"must be an array of numbers|are no array|has no transitions"):
        read_log({**GOOD, **changes})
