"""sfnec-plan on public worlds, with one configuration that is the same in all of them.

    python python/benchmarks/public_worlds.py --seeds 11-15 --out worlds.jsonl

Gymnasium's worlds have one feature, the reward; their score is the mean undiscounted return of greedy episodes. Those
of MO-Gymnasium have their vector rewards as features; the weights of training change every 500 steps, and the score is
the expected utility: the mean discounted return over a lattice of weights, most of which were never trained. Every
score is taken with a plan of its own that does not explore, and nothing is learned from it. One line of JSON for each
world, seed and number of steps; worlds and seeds that are in the file already are left out.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import gymnasium
import mo_gymnasium
import numpy as np

import sfnec

# world: discount, steps after which it is scored
SINGLE = {
    "CartPole-v1": (0.99, (6000, 7000, 8000, 9000, 10000)),
    "MountainCar-v0": (0.99, (5000, 10000)),
    "Acrobot-v1": (0.99, (10000, 20000)),
    "Taxi-v4": (0.99, (5000,)),
    "FrozenLake-v1": (0.99, (2000, 10000)),
    "CliffWalking-v1": (0.99, (500, 1000)),
}
SEVERAL = {
    "deep-sea-treasure-v0": (0.99, (500, 2000)),
    "four-room-v0": (0.95, (2000, 6000)),
    "resource-gathering-v0": (0.95, (1000, 5000)),
    "minecart-v0": (0.98, (6000, 20000)),
}
TURN = 500  # steps of a task in worlds with several rewards
EPISODES = {"FrozenLake-v1": 500, "Taxi-v4": 100}  # of a score; 20 elsewhere


def lattice(size: int, parts: int) -> list[np.ndarray]:
    """All weights that add up to 1 in multiples of 1 / parts."""

    def share(rest: int, left: int) -> list[list[int]]:
        if rest == 1:
            return [[left]]
        return [[i, *more] for i in range(left + 1) for more in share(rest - 1, left - i)]

    return [np.array(each, float) / parts for each in share(size, parts)]


def play(agent: sfnec.Agent, env: Any, w: np.ndarray | None, seed: int, gamma: float) -> tuple[float, float]:
    """One greedy episode: its discounted and its plain return."""
    observation, _ = env.reset(seed=seed)
    discounted, plain, factor, over = 0.0, 0.0, 1.0, False
    while not over:
        action, _ = agent.predict(observation, w=w)
        observation, reward, terminated, truncated, _ = env.step(action)
        gain = float(reward) if w is None else float(np.dot(w, reward))
        discounted, plain, factor = discounted + factor * gain, plain + gain, factor * gamma
        over = terminated or truncated
    return discounted, plain


def score(agent: sfnec.Agent, env: Any, weights: list[np.ndarray], seed: int, gamma: float) -> float:
    if not weights:
        episodes = EPISODES.get(env.spec.id, 20)
        return float(np.mean([play(agent, env, None, seed * 1000 + 100 * e, gamma)[1] for e in range(episodes)]))
    times = 10 if env.spec.id.startswith("resource") else 1  # the only one of them that is random
    returns = [
        play(agent, env, w, seed * 1000 + i + 100 * e, gamma)[0] for i, w in enumerate(weights) for e in range(times)
    ]
    return float(np.mean(returns))


def run(world: str, seed: int, options: dict[str, Any], out: Path) -> None:
    several = world in SEVERAL
    gamma, marks = SEVERAL[world] if several else SINGLE[world]
    make = mo_gymnasium.make if several else gymnasium.make
    agent = sfnec.Agent("sfnec-plan", make(world), seed=seed, gamma=gamma, terminal="zero", **options)
    judged = make(world)
    rng = np.random.default_rng(seed)
    size = agent.feature_count
    weights = lattice(size, {2: 14, 3: 4}.get(size, 2)) if several else []
    trained = [*np.eye(size), np.full(size, 1 / size)]
    done, seconds = 0, 0.0
    while done < marks[-1]:
        if several and done % TURN == 0:
            turn = done // TURN
            agent.begin_task(trained[turn] if turn < len(trained) else rng.dirichlet(np.ones(size)))
        stop = min(mark for mark in marks if mark > done)
        steps = min(stop, (done // TURN + 1) * TURN) - done if several else stop - done
        begin = time.perf_counter()
        agent.learn(steps, progress_bar=False, keep_episode=not several)
        seconds += time.perf_counter() - begin
        done += steps
        if done in marks:
            model = agent.model
            row = {
                "world": world,
                "seed": seed,
                "steps": done,
                "score": round(score(agent, judged, weights, seed, gamma), 4),
                "places": model.places if model else 0,
                "ms_per_step": round(1000 * seconds / done, 3),
            }
            print(json.dumps(row), flush=True)
            with out.open("a") as file:
                file.write(json.dumps(row) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", default=",".join([*SINGLE, *SEVERAL]), help="names, separated by commas")
    parser.add_argument("--seeds", default="11-15", help="FIRST-LAST")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="an option of the agent")
    parser.add_argument("--out", type=Path, default=Path("public_worlds.jsonl"))
    arguments = parser.parse_args()
    first, last = (int(number) for number in arguments.seeds.split("-"))
    options = dict(each.split("=", 1) for each in arguments.set)
    known = set()
    if arguments.out.exists():
        known = {(row["world"], row["seed"]) for row in map(json.loads, arguments.out.read_text().splitlines())}
    for world in arguments.worlds.split(","):
        for seed in range(first, last + 1):
            if (world, seed) not in known:
                run(world, seed, options, arguments.out)


if __name__ == "__main__":
    main()
