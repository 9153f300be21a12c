"""SFNEC beside GPI-LS (morl-baselines) on environments of MO-Gymnasium, at the same number of steps.

    python gpi_ls.py run sfnec four-room-v0 --seed 1 --steps 20000 --out results.csv
    python gpi_ls.py run gpi-ls four-room-v0 --seed 1 --steps 20000 --out results.csv
    python gpi_ls.py table results.csv

Both see the same environment, discount and number of environment steps. Neither counts its evaluations as steps; GPI-LS
also chooses its next weights by evaluations that are not counted. The measure is GPI-LS's own: the expected utility,
the mean over 15 weight vectors spread evenly over the simplex of the discounted return w . sum gamma^t r_t of one
greedy episode under each.

GPI-LS has the settings of morl-baselines' example for minecart, with the decay of its epsilon shortened to a third of
the run, as there. SFNEC learns the corners and the middle of the simplex as four tasks, one after the other in short
turns.
"""

from __future__ import annotations

import argparse
import csv
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

GAMMA = {"four-room-v0": 0.95, "minecart-v0": 0.98}
COLUMNS = ["method", "env", "seed", "steps", "utility", "undiscounted", "seconds"]


def make(name: str) -> Any:
    import mo_gymnasium

    return mo_gymnasium.make(name)


def lattice(objectives: int, parts: int = 4) -> list[np.ndarray]:
    """All weights that are multiples of 1 / parts and add up to 1."""

    def counts(boxes: int, balls: int) -> list[list[int]]:
        if boxes == 1:
            return [[balls]]
        return [[n, *more] for n in range(balls + 1) for more in counts(boxes - 1, balls - n)]

    return [np.array(each, float) / parts for each in counts(objectives, parts)]


def utility(act: Callable[[Any, np.ndarray], int], env: Any, gamma: float, seed: int) -> tuple[float, float]:
    """The mean discounted and undiscounted utility over the lattice, one episode each."""
    discounted, plain = [], []
    for i, w in enumerate(lattice(env.unwrapped.reward_dim)):
        observation, _ = env.reset(seed=seed * 1000 + i)
        total, sum_, factor, over = 0.0, 0.0, 1.0, False
        while not over:
            observation, reward, terminated, truncated, _ = env.step(act(observation, w))
            total += factor * float(np.dot(w, reward))
            sum_ += float(np.dot(w, reward))
            factor *= gamma
            over = terminated or truncated
        discounted.append(total)
        plain.append(sum_)
    return float(np.mean(discounted)), float(np.mean(plain))


def run_sfnec(args: argparse.Namespace, tell: Callable[[int, float, float], None]) -> None:
    import sfnec

    env, gamma = make(args.env), GAMMA[args.env]
    objectives = env.unwrapped.reward_dim
    changes = dict(item.split("=", 1) for item in args.set)
    agent = sfnec.Agent(
        args.preset, env, seed=args.seed, unit=args.unit, features="vector", **{"gamma": gamma, **changes}
    )
    for w in [*np.eye(objectives), np.full(objectives, 1 / objectives)]:
        agent.add_task(w)
    eval_env = make(args.env)
    tell(0, *utility(lambda s, w: agent.predict(s, w=w)[0], eval_env, gamma, args.seed))
    done = turn = 0
    while done < args.steps:
        agent.set_task(turn % agent.task_count)
        agent.learn(args.turn, progress_bar=False)
        done, turn = done + args.turn, turn + 1
        if done % args.every == 0:
            tell(done, *utility(lambda s, w: agent.predict(s, w=w)[0], eval_env, gamma, args.seed))


def run_gpi_ls(args: argparse.Namespace, tell: Callable[[int, float, float], None]) -> None:
    import torch
    from morl_baselines.common.evaluation import seed_everything
    from morl_baselines.multi_policy.gpi_pd.gpi_pd import GPILS

    torch.set_num_threads(1)
    seed_everything(args.seed)
    gamma = GAMMA[args.env]
    env, eval_env, choose_env = make(args.env), make(args.env), make(args.env)
    env.reset(seed=args.seed)
    env.action_space.seed(args.seed)
    agent = GPILS(
        env,
        num_nets=2,
        learning_rate=3e-4,
        gamma=gamma,
        batch_size=128,
        net_arch=[256, 256, 256, 256],
        buffer_size=200_000,
        initial_epsilon=1.0,
        final_epsilon=0.05,
        epsilon_decay_steps=args.steps // 3,
        learning_starts=100,
        per=True,
        gradient_updates=args.gradient_updates,
        target_net_update_freq=200,
        tau=1,
        log=False,
        seed=args.seed,
        device="cpu",
    )
    original = agent.train_iteration

    def train_iteration(*positional: Any, **named: Any) -> None:
        original(*positional, **named)
        tell(agent.global_step, *utility(agent.eval, eval_env, gamma, args.seed))

    agent.train_iteration = train_iteration
    agent.close_wandb = lambda: None
    agent.train(
        total_timesteps=args.steps,
        eval_env=choose_env,
        ref_point=np.zeros(env.unwrapped.reward_dim),
        weight_selection_algo="gpi-ls",
        timesteps_per_iter=args.every,
        num_eval_episodes_for_front=1,
        checkpoints=False,
    )


def run(args: argparse.Namespace) -> None:
    random.seed(args.seed)  # four-room-v0 draws from Python's own generator
    np.random.seed(args.seed)
    start = time.monotonic()
    out = Path(args.out)
    label = args.label or (args.preset if args.method == "sfnec" else args.method)

    def tell(steps: int, discounted: float, plain: float) -> None:
        new = not out.exists()
        with out.open("a", newline="") as file:
            writer = csv.writer(file)
            if new:
                writer.writerow(COLUMNS)
            row = [
                label,
                args.env,
                args.seed,
                steps,
                f"{discounted:.4f}",
                f"{plain:.4f}",
                f"{time.monotonic() - start:.1f}",
            ]
            writer.writerow(row)
        print(*row, flush=True)

    (run_sfnec if args.method == "sfnec" else run_gpi_ls)(args, tell)


def table(args: argparse.Namespace) -> None:
    """Mean and standard error over the seeds, as Markdown."""
    found: dict[tuple[str, int, str], list[float]] = {}
    seconds: dict[tuple[str, int, str], list[float]] = {}
    with open(args.results, newline="") as file:
        for row in csv.DictReader(file):
            key = (row["env"], int(row["steps"]), row["method"])
            found.setdefault(key, []).append(float(row["utility"]))
            seconds.setdefault(key, []).append(float(row["seconds"]))
    print(
        "| environment | steps | method | seeds | expected utility | seconds |\n| --- | --- | --- | --- | --- | --- |"
    )
    for (env, steps, method), values in sorted(found.items()):
        error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
        took = np.mean(seconds[env, steps, method])
        print(f"| {env} | {steps} | {method} | {len(values)} | {np.mean(values):.3f} ± {error:.3f} | {took:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run", help="one method, one environment, one seed")
    one.add_argument("method", choices=["sfnec", "gpi-ls"])
    one.add_argument("env", choices=sorted(GAMMA))
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--steps", type=int, default=20_000)
    one.add_argument(
        "--every", type=int, default=4_000, help="steps between evaluations; GPI-LS changes its weights then"
    )
    one.add_argument("--out", default="gpi_ls.csv")
    one.add_argument("--label", default="", help="the method's name in the results")
    one.add_argument("--gradient-updates", type=int, default=1, help="of GPI-LS, per step after the first 5,000")
    one.add_argument("--preset", default="sfnec-plus", help="of sfnec")
    one.add_argument("--unit", action="store_true", help="of sfnec: scale observations to [0, 1]")
    one.add_argument("--turn", type=int, default=500, help="of sfnec: steps of a task before the next one's turn")
    one.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of sfnec: an option")
    one.set_defaults(run=run)
    two = commands.add_parser("table", help="the results over the seeds")
    two.add_argument("results")
    two.set_defaults(run=table)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
