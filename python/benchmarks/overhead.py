"""What a step costs through Python, against the loop in C, in one run.

    python overhead.py [--steps N] [--repeat N]

The same agent learns the same transitions in three ways: by the library's own sfnec_run, by Agent.learn in a world (C,
in slices), and by Agent.learn in a Gymnasium environment behind a wrapper (the environment and the loop in Python, one
C call per step). `nothing` is a preset whose learning costs next to nothing (linear psi, one step), so that the rest
shows. Then CartPole-v1: Agent.learn in one process, and a job of `sfnec run` in its Python worker; of both the second
half of the steps counts, so that starting the processes does not. The ways take turns, and the median over the turns
counts. Times are CPU times, so that other work on the machine disturbs them less.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable

import gymnasium
import numpy as np

import sfnec
from sfnec import tables
from sfnec._native import check, ffi, lib

AGENTS = {"sfnec": ("sfnec", {}), "sfql": ("sfql", {}), "nothing": ("ql", {"horizon": 1})}


def seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def by_c(preset: str, options: dict[str, object], steps: int) -> float:
    world = sfnec.World("four_rooms", seed=1)
    shape = ffi.new("sfnec_env_shape *", (world.observation_size, world.action_count, world.feature_count))
    agent, run = ffi.new("sfnec_agent **"), ffi.new("sfnec_run **")
    check(lib.sfnec_agent_create(shape, tables.resolve(preset, options), 1, agent))
    check(
        lib.sfnec_run_create(
            agent[0], world.handle(), ffi.new("sfnec_run_options *", {"tasks": 1, "steps": steps}), run
        )
    )
    took = seconds(lambda: check(lib.sfnec_run_advance(run[0], steps)))
    lib.sfnec_run_destroy(run[0])
    lib.sfnec_agent_destroy(agent[0])
    return took


def by_world(preset: str, options: dict[str, object], steps: int) -> float:
    agent = sfnec.Agent(preset, "four_rooms", seed=1, **options)
    return seconds(lambda: agent.learn(steps, progress_bar=False))


def by_gymnasium(preset: str, options: dict[str, object], steps: int) -> float:
    env = gymnasium.wrappers.OrderEnforcing(gymnasium.make("sfnec/FourRooms-v0"))
    agent = sfnec.Agent(preset, env, seed=1, **options)
    return seconds(lambda: agent.learn(steps, progress_bar=False))


def cart_learn(preset: str, options: dict[str, object], steps: int) -> float:
    env = gymnasium.make("CartPole-v1", disable_env_checker=True)
    agent = sfnec.Agent(preset, env, seed=1, **options)
    return seconds(lambda: agent.learn(steps, progress_bar=False))


def children() -> float:
    """CPU seconds of all processes that have ended: the command, and its workers."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cart_study(preset: str, options: dict[str, object], steps: int) -> float:
    agents = [{"preset": preset, "options": options}]
    spec = {"name": "cart", "env": "gym:CartPole-v1", "tasks": 1, "steps": steps, "agents": agents}
    with tempfile.TemporaryDirectory() as folder:
        start = children()
        sfnec.run(spec, f"{folder}/out", jobs=1, quiet=True)
        return children() - start


def cart(steps: int, repeat: int) -> None:
    """One process against a study."""
    ways = {"Agent.learn": cart_learn, "sfnec run": cart_study}
    print("\n| CartPole-v1 | way | us per step | ratio |\n| --- | --- | --- | --- |")
    for name, (preset, options) in AGENTS.items():
        took: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(repeat):
            for way, run in ways.items():
                took[way].append(1e6 * (run(preset, options, 2 * steps) - run(preset, options, steps)) / steps)
        middles = {way: statistics.median(values) for way, values in took.items()}
        for way, middle in middles.items():
            print(f"| {name} | {way} | {middle:.2f} | {middle / middles['Agent.learn']:.2f} |")


def vector(count: int, steps: int, copy: bool) -> float:
    """Seconds per step of one environment in a vector."""
    env = sfnec.gym.VectorEnv(count, "four_rooms", seed=1, copy=copy)
    env.reset()
    actions = np.random.default_rng(0).integers(0, 4, (64, count))
    return seconds(lambda: [env.step(actions[i % 64]) for i in range(steps // count)]) / (steps // count * count)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    ways = {"C (sfnec_run)": by_c, "Agent.learn, world": by_world, "Agent.learn, Gymnasium": by_gymnasium}
    print("| agent | way | us per step | ratio | more per step, us |\n| --- | --- | --- | --- | --- |")
    for name, (preset, options) in AGENTS.items():
        took: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(args.repeat):
            for way, run in ways.items():
                took[way].append(1e6 * run(preset, options, args.steps) / args.steps)
        base = statistics.median(took["C (sfnec_run)"])
        for way, values in took.items():
            middle = statistics.median(values)
            print(f"| {name} | {way} | {middle:.2f} | {middle / base:.2f} | {middle - base:+.2f} |")
    cart(args.steps, args.repeat)
    print("\n| vector of | us per environment and step, copied | the block itself |\n| --- | --- | --- |")
    for count in (1, 8, 64, 512):
        copied, block = (
            statistics.median(1e6 * vector(count, 50_000, copy) for _ in range(args.repeat)) for copy in (True, False)
        )
        print(f"| {count} | {copied:.2f} | {block:.2f} |")


if __name__ == "__main__":
    main()
