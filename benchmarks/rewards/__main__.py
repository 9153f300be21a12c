"""python -m benchmarks.rewards --seeds 411-415 -o benchmarks/rewards/results.csv

Trains an agent that plans on five drawn tasks of four rooms for each seed, and plays it greedily under ten rewards that
it has not seen and that no weights express, without learning: what it earns of the optimum (optimum.py). Then the cost
of a switch to a reward function of Python. --agents keeps the trained agents in a folder.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import sfnec
from sfnec.experiment import call

from .cases import CASES
from .optimum import Rooms, gain

STEPS = 20_000  # greedy ones, and those of each task before
TASKS = 5


def trained(seed: int, folder: Path) -> sfnec.Agent:
    path = folder / f"{seed}.agent"
    if not path.exists():
        words = ["train", "--agent", "sfnec-plan", "--tasks", str(TASKS), "--steps", str(STEPS), "--seed", str(seed)]
        call([*words, "--save", str(path), "--quiet"])
    return sfnec.Agent.load(path)


def optima(cases: dict[str, str], folder: Path | None) -> dict[str, float]:
    """The optimum of each reward, which a folder remembers."""
    file = None if folder is None else folder / "optima.json"
    known: dict[str, float] = json.loads(file.read_text()) if file is not None and file.exists() else {}
    rooms = Rooms()
    for text in cases.values():
        if text not in known:
            known[text] = STEPS * gain(rooms, text)
            if file is not None:
                file.write_text(json.dumps(known))
    return {name: known[text] for name, text in cases.items()}


def distant(before: Any, action: Any, after: Any, phi: Any, end: Any) -> Any:
    """A function of arrays, as a user would write it."""
    return phi[:, 3] - 0.5 * (after[:, 44] > 0.8) - 0.05 * (action == 0)


def switch(agent: sfnec.Agent) -> dict[str, float]:
    """Milliseconds of a switch to a function: of its calls, and until the first answer."""
    seen: list[tuple[int, float]] = []

    def timed(*transitions: Any) -> Any:
        start = time.perf_counter()
        found = distant(*transitions)
        seen.append((len(found), time.perf_counter() - start))
        return found

    row = np.zeros(agent._shape[0], np.float32)
    agent.set_reward(timed)
    start = time.perf_counter()
    agent.predict(row)
    whole = time.perf_counter() - start
    agent.set_reward(None)
    count = sum(n for n, _ in seen)
    return {"samples": count, "callback": 1e3 * sum(t for _, t in seen), "answer": 1e3 * whole}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rewards")
    parser.add_argument("--seeds", default="411-415", help="of the agents: FIRST-LAST")
    parser.add_argument("--agents", type=Path, help="a folder that keeps the trained agents")
    parser.add_argument("-o", "--out", type=Path, default=Path("benchmarks/rewards/results.csv"))
    parser.add_argument("--only", help="rewards whose names have this in them")
    words = parser.parse_args()
    first, _, last = words.seeds.partition("-")
    cases = {name: text for name, text in CASES.items() if (words.only or "") in name}

    best = optima(cases, words.agents)
    with tempfile.TemporaryDirectory() as temporary, words.out.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["reward", "seed", "return", "optimum", "percent"])
        for seed in range(int(first), int(last or first) + 1):
            with trained(seed, words.agents or Path(temporary)) as agent:
                for name, text in cases.items():
                    agent.set_reward(text)
                    total = agent.evaluate(steps=STEPS).total
                    rows.writerow([name, seed, f"{total:.2f}", f"{best[name]:.2f}", f"{100 * total / best[name]:.2f}"])
                    file.flush()
                cost = switch(agent)
            print(f"seed {seed}: a switch to a function: {cost['samples']} samples, {cost['callback']:.1f} ms in the ")
            print(f"  function, {cost['answer']:.0f} ms until the first answer")


if __name__ == "__main__":
    main()
