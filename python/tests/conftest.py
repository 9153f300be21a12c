"""What the tests share."""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib
import pytest

import sfnec

matplotlib.use("Agg")
warnings.filterwarnings("ignore", ".*infinity.*")


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def command() -> str:
    """The command sfnec; tests that need it are skipped without."""
    try:
        return sfnec.command()
    except sfnec.Error as error:
        pytest.skip(str(error))
