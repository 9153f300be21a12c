"""The tests behind pixels.sh."""

import argparse
import contextlib
import io
import os
import time
from pathlib import Path

import gymnasium
import numpy as np
from field.rows import read
from pixels.__main__ import FIELDS, KEY, fill, table
from pixels.games import EPISODES, GAMES, Game, Scores
from robust.children import Children

SOURCE = Path(os.environ["SFNEC_SOURCE"])


class Pictures(gymnasium.Env):
    """Episodes of 10 frames; each frame pays the number of the episode, 1 for the first."""

    observation_space = gymnasium.spaces.Box(0, 1, (10, 10, 4), np.bool_)
    action_space = gymnasium.spaces.Discrete(3)
    episode = 0

    def reset(self, *, seed=None, options=None):
        self.episode, self.frame = self.episode + 1, 0
        return np.zeros((10, 10, 4), np.bool_), {}

    def step(self, action):
        self.frame += 1
        over = self.frame == 10
        return np.zeros((10, 10, 4), np.bool_), self.episode, over and action == 0, over and action != 0, {}


def scores() -> None:
    """Of the last 100 episodes, or of those that end in the last frames; an unfinished episode has no return."""
    env = Scores(Pictures())
    env.reset()
    assert env.score(Game("x")) is None
    for frame in range(1, 1_206):
        _, _, terminated, truncated, _ = env.step(frame // 10 % 2)
        if terminated or truncated:
            env.reset()
    assert env.frames == 1_205 and len(env.ended) == 120 and env.ended[1] == (20, 20.0)
    assert env.score(Game("x")) == np.mean([10 * i for i in range(121 - EPISODES, 121)])
    assert env.score(Game("x", window=25)) == (1_190 + 1_200) / 2  # 1,180 frames is outside of the window
    env.reset()
    assert env.step(0)[1] == 122 and env._earned == 122  # not with the five frames before


def row(game: str, agent: str, seed: int, build: str = "b", frames: int = 100) -> dict[str, str]:
    return dict(zip(KEY, (game, agent, "", str(frames), str(seed), build), strict=True))


def resume() -> None:
    """A run that has a row is not made again; one that failed is; other builds and frames are other runs."""
    path, played = Path("out/results.csv"), []

    def play(run):
        played.append(run)
        if run["seed"] == "2":
            return {"score": None, "failed": "no episode ended"}
        return {"score": 1.5 * int(run["seed"]), "episodes": 7, "cpu": 2.0} if run["seed"] != "9" else None

    def filled(*wanted) -> tuple[int, int]:
        played.clear()
        with contextlib.redirect_stdout(io.StringIO()):
            return fill(path, list(wanted), play), len(played)

    runs = [
        row("freeway", "mfec", 1),
        row("breakout", "mfec", 10),
        row("breakout", "nec", 3),
        row("breakout", "mfec", 2),
    ]
    assert filled(*runs) == (1, 4) and filled(*runs) == (1, 1) and filled(row("breakout", "mfec", 9)) == (1, 1)
    assert filled(row("breakout", "nec", 3, "c"), row("breakout", "nec", 3, frames=200)) == (0, 2)
    rows = read(path)
    assert [(line["game"], line["agent"], line["build"], line["frames"]) for line in rows] == [
        ("breakout", "nec", "b", "100"),
        ("breakout", "nec", "c", "100"),
        ("breakout", "nec", "b", "200"),
        ("breakout", "mfec", "b", "100"),
        ("freeway", "mfec", "b", "100"),
    ], rows
    assert filled(row("breakout", "mfec", 4)) == (0, 1)
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        table(argparse.Namespace(out=path))
    assert "| breakout | mfec | 100 | b | 10.50 ± 4.50 (2) | 2 |" in shown.getvalue(), shown.getvalue()


def work(what: str) -> dict:
    """What the processes below do."""
    if what == "fail":
        raise ValueError("the reason")
    while what == "spin":
        time.process_time()
    return {"score": 1.0, "pid": os.getpid()}


def processes() -> None:
    """A process for each run; errors and the CPU limit are results, not the end of the benchmark."""
    children = Children(work, [])
    found = children.run(60, "answer")
    assert found["score"] == 1.0 and found["pid"] != os.getpid()
    assert children.run(60, "fail") == {"score": None, "failed": "ValueError: the reason"}
    assert "CPU limit" in children.run(1, "spin")["failed"]


def stored() -> None:
    """The table in the repository: a row for each run, of games that there are."""
    rows = read(SOURCE / "benchmarks/pixels/results.csv")
    runs = [tuple(line[name] for name in KEY) for line in rows]
    assert rows and len(set(runs)) == len(runs)
    for line in rows:
        assert tuple(line) == FIELDS and line["game"] in GAMES, line
        assert float(line["cpu"]) > 0 and int(line["episodes"]) > 0 and np.isfinite(float(line["score"])), line


if __name__ == "__main__":  # the processes of the runs import this file
    for test in (scores, resume, processes, stored):
        test()
