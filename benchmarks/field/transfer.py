"""Rewards that change: what an agent earns in the first 1,000 steps after each change of w, while it learns.

Ten tasks of 2,000 steps, one after the other in one life; the weights follow from the seed and are the same for every
agent. The measure is the undiscounted reward w . r of all steps, exploring ones too. Those called "anew" begin each
task from nothing; the others keep what they know.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from .runs import lines, write
from .worlds import TRANSFER, World, make

__all__ = ["AGENTS", "STEPS", "TASKS", "run", "tasks_of"]

TASKS, STEPS, FIRST = 10, 2_000, 1_000


def tasks_of(world: World, seed: int) -> np.ndarray:
    """The weights of the tasks, (TASKS, rewards)."""
    rng = np.random.default_rng(seed)
    if world.id == "mo-reacher-v5":  # one target after the other, never the same twice
        targets = rng.permutation(world.rewards)
        return np.eye(world.rewards)[[targets[i % world.rewards] for i in range(TASKS)]]
    if world.id == "minecart-v0":  # prices of two ores, and of fuel
        prices = np.column_stack([rng.uniform(0, 1, (TASKS, 2)), np.full(TASKS, 0.2)])
        return prices / prices.sum(axis=1, keepdims=True)
    drawn = rng.uniform(-1, 1, (TASKS, world.rewards))  # what shapes are worth
    if world.id == "sfnec/FourRooms-v0":
        drawn[:, -1] = 1.0  # the goal, as in the paper
    return drawn


class Paid(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Counts what a task earns; with `scalar`, hands the agent w . r instead of r."""

    def __init__(self, env: Any, scalar: bool = False) -> None:
        super().__init__(env)
        self._scalar = scalar
        self.begin(np.zeros(0))

    def begin(self, w: np.ndarray) -> None:
        self.w, self.earned = w, []

    def step(self, action: Any) -> Any:
        after, reward, terminated, truncated, info = super().step(action)
        if self.w.size and len(self.earned) < STEPS:
            paid = float(np.dot(self.w, reward))
            self.earned.append(paid)
            reward = paid if self._scalar else reward
        elif self._scalar:
            reward = 0.0
        return after, reward, terminated, truncated, info


Learner = Callable[[np.ndarray], None]  # learns STEPS steps of a task with these weights


def ours(name: str, anew: bool, env: Paid, world: World, seed: int) -> Learner:
    import sfnec

    # the preset as it is: its V after the end of an episode is that of the start, as all steps count here
    agent = sfnec.Agent(name, env, seed=seed, gamma=world.gamma, features="vector")

    def learn(w: np.ndarray) -> None:
        nonlocal agent
        if anew:
            agent = sfnec.Agent(name, env, seed=seed, gamma=world.gamma, features="vector")
            env.begin(w)  # the first transition of a new agent tells it the features, and does not count
        agent.begin_task(w)
        agent.learn(STEPS, progress_bar=False)

    return learn


def gpi(planning: bool, env: Paid, world: World, seed: int) -> Learner:
    """GPI-LS and GPI-PD as in the table, on given weights; all weights so far are their support."""
    from .peers import gpi_agent

    agent = gpi_agent(planning, env, world, seed, epsilon_steps=TASKS * STEPS // 3)
    known: list[np.ndarray] = []

    def learn(w: np.ndarray) -> None:
        first = not known
        known.append(w)
        agent.train_iteration(STEPS, w, known, change_w_every_episode=False, reset_num_timesteps=first)

    return learn


def deep_q_anew(env: Paid, world: World, seed: int) -> Learner:
    """DQN with the defaults of Stable-Baselines3, a new one for each task."""
    import torch
    from stable_baselines3 import DQN

    torch.set_num_threads(1)

    def learn(w: np.ndarray) -> None:
        DQN("MlpPolicy", env, gamma=world.gamma, buffer_size=STEPS, seed=seed, device="cpu").learn(STEPS)

    return learn


def chance(env: Paid, world: World, seed: int) -> Learner:
    def learn(w: np.ndarray) -> None:
        env.reset(seed=seed)
        for _ in range(STEPS):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            if terminated or truncated:
                env.reset()

    return learn


AGENTS: dict[str, Callable[[Paid, World, int], Learner]] = {
    "random": chance,
    "sfnec-plan": lambda *given: ours("sfnec-plan", False, *given),
    "sfnec-plan-anew": lambda *given: ours("sfnec-plan", True, *given),
    "sfnec-plus": lambda *given: ours("sfnec-plus", False, *given),
    "sfnec": lambda *given: ours("sfnec", False, *given),
    "dqn-anew": deep_q_anew,
    "gpi-ls": lambda *given: gpi(False, *given),
    "gpi-pd": lambda *given: gpi(True, *given),
}


def run(name: str, agent: str, seed: int, path: Path) -> None:
    """One life. A file that has some of its tasks gets the others; they are lived again from the first."""
    world = TRANSFER[name]
    env = Paid(make(world), scalar=agent == "dqn-anew")
    env.action_space.seed(seed)
    learn = AGENTS[agent](env, world, seed)
    known = {line["step"] for line in lines(path)}
    told = {}
    if agent.startswith("sfnec"):
        from .ours import program

        told = {"program": program()}
    for number, w in enumerate(tasks_of(world, seed), 1):
        env.begin(w)
        cpu, wall = time.process_time(), time.perf_counter()
        learn(w)
        spent = {"cpu": round(time.process_time() - cpu, 3), "wall": round(time.perf_counter() - wall, 3)}
        assert len(env.earned) == STEPS
        first, rest = sum(env.earned[:FIRST]), sum(env.earned[FIRST:])
        if number * STEPS not in known:
            write(path, {"step": number * STEPS, "score": round(first, 4), "rest": round(rest, 4), **spent, **told})
