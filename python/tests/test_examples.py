"""Every example runs to its end, and the notebook cell by cell."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"

# arguments that make an example short, and what it must print
CASES = {
    "quick_start.py": ([], "episodes; return of the last ten"),
    "transfer.py": (["3000"], "first action"),
    "mo_gymnasium_tasks.py": (["four-room-v0", "400"], "four-room-v0: 3 objectives"),
    "custom_environment.py": ([], "both: 1."),
    "torch_embedding.py": (["300"], ""),
    "pictures.py": (["Breakout", "2500"], "2500 steps: mean return"),
    "beside_dqn.py": (["--steps", "400", "--parts", "2"], "DQN"),
}


def test_none_is_forgotten() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_example(name: str, tmp_path: Path) -> None:
    arguments, expected = CASES[name]
    if name == "beside_dqn.py":
        pytest.importorskip("stable_baselines3")
    if name == "pictures.py":
        pytest.importorskip("minatar")  # under the GPL: for tests alone
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout


@pytest.mark.parametrize("name", ["deep-sea-treasure-v0", "minecart-v0", "resource-gathering-v0"])
def test_other_environments_of_mo_gymnasium(name: str, tmp_path: Path) -> None:
    words = [sys.executable, str(EXAMPLES / "mo_gymnasium_tasks.py"), name, "400"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "worth" in done.stdout


def test_transfer_is_shown(tmp_path: Path) -> None:
    words = [sys.executable, str(EXAMPLES / "transfer.py"), "3000"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=600)
    earned = re.findall(r"([-0-9.]+) with what it learned, ([-0-9.]+) without", done.stdout)
    pairs = [(float(experienced), float(fresh)) for experienced, fresh in earned]
    assert len(pairs) == 3 and all(experienced > fresh for experienced, fresh in pairs)
    assert sum(experienced for experienced, _ in pairs) > 2 * sum(fresh for _, fresh in pairs)
    goals, episodes = map(int, re.findall(r"(\d+) of (\d+) episodes reached it", done.stdout)[0])
    assert goals > 0.9 * episodes


def test_quick_start_has_ten_lines() -> None:
    lines = (EXAMPLES / "quick_start.py").read_text().split('"""')[-1].splitlines()
    assert len([line for line in lines if line.strip()]) <= 10


def test_notebook() -> None:
    notebook = json.loads((EXAMPLES / "tour.ipynb").read_text())
    # it is stored with its figures, for those who only look at it
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 3
    names: dict[str, object] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]).replace("steps = 5_000", "steps = 500"), cell["id"], "exec"), names)
    assert plt.get_fignums()
    plt.close("all")
