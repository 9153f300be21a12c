"""The peers, by their own packages from PyPI with their published settings, and the plain ones that need no package.

Each is a function (recorder, seed) that trains in a counted world until the recorder says that it is over. What
differs from the published settings, and why, is said here and in docs/field.md.
"""

from __future__ import annotations

import functools
import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from .judge import score
from .optimum import optimum
from .runs import Counted, Recorder, write
from .worlds import World, make, weights

__all__ = ["PEERS"]

# ---- Stable-Baselines3: settings of rl-zoo3 2.9.2, hyperparams/dqn.yml and qrdqn.yml; its own defaults elsewhere ----

_WIDE = {"net_arch": [256, 256]}
_CART = {
    "total": 50_000,
    "learning_rate": 2.3e-3,
    "batch_size": 64,
    "learning_starts": 1_000,
    "gamma": 0.99,
    "target_update_interval": 10,
    "train_freq": 256,
    "gradient_steps": 128,
    "exploration_fraction": 0.16,
    "exploration_final_eps": 0.04,
}
_MOUNTAIN = {
    "total": 120_000,
    "learning_rate": 4e-3,
    "batch_size": 128,
    "buffer_size": 10_000,
    "learning_starts": 1_000,
    "gamma": 0.98,
    "target_update_interval": 600,
    "train_freq": 16,
    "gradient_steps": 8,
    "exploration_fraction": 0.2,
    "exploration_final_eps": 0.07,
}
_ACROBOT = {
    "total": 100_000,
    "learning_rate": 6.3e-4,
    "batch_size": 128,
    "buffer_size": 50_000,
    "learning_starts": 0,
    "gamma": 0.99,
    "target_update_interval": 250,
    "train_freq": 4,
    "gradient_steps": -1,
    "exploration_fraction": 0.12,
    "exploration_final_eps": 0.1,
}
_LANDER_QR = {
    "total": 100_000,
    "learning_rate": lambda left: 1.5e-3 * left,
    "batch_size": 128,
    "learning_starts": 10_000,
    "gamma": 0.995,
    "target_update_interval": 1,
    "train_freq": 256,
    "gradient_steps": -1,
    "exploration_fraction": 0.24,
    "exploration_final_eps": 0.18,
}
ZOO: dict[str, dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "dqn": {
        "CartPole-v1": (_CART, _WIDE),
        "MountainCar-v0": (_MOUNTAIN, _WIDE),
        "Acrobot-v1": (_ACROBOT, _WIDE),
        "LunarLander-v3": (_ACROBOT, _WIDE),  # the same in the zoo
    },
    "qr-dqn": {
        "CartPole-v1": (_CART, {**_WIDE, "n_quantiles": 10}),
        "MountainCar-v0": (_MOUNTAIN, {**_WIDE, "n_quantiles": 25}),
        "Acrobot-v1": (_ACROBOT, {**_WIDE, "n_quantiles": 25}),
        "LunarLander-v3": (_LANDER_QR, {**_WIDE, "n_quantiles": 170}),
    },
}
# no run is longer, so a buffer of as many steps forgets nothing, as the zoo's greater ones do not
_LONGEST = 100_000


def deep_q(kind: str, recorder: Recorder, seed: int) -> None:
    import torch

    torch.set_num_threads(1)
    if kind == "dqn":
        from stable_baselines3 import DQN as Model
    else:
        from sb3_contrib import QRDQN as Model
    found, network = ZOO[kind].get(recorder.world.id, ({}, {}))
    settings = {"buffer_size": _LONGEST, **found}
    total = settings.pop("total", _LONGEST)
    if (
        total < recorder.steps and "exploration_fraction" in settings
    ):  # exploration ends after as many steps as in the zoo
        settings["exploration_fraction"] *= total / recorder.steps
    env = Counted(make(recorder.world), recorder)
    model = Model("MlpPolicy", env, policy_kwargs=network, seed=seed, device="cpu", **settings)

    @functools.cache
    def state(number: int, steps: int) -> int:
        """A network answers once for each state of a small world, and again after more steps."""
        return int(model.predict(np.asarray(number), deterministic=True)[0])

    def act(observation: Any, w: np.ndarray | None) -> int:
        if isinstance(env.observation_space, gymnasium.spaces.Discrete):
            return state(int(observation), model.num_timesteps)
        return int(model.predict(observation, deterministic=True)[0])

    recorder.act = act
    model.learn(max(total, recorder.steps) + 1)


# ---- morl-baselines: settings of its examples for minecart ----


def gpi_agent(planning: bool, env: Any, world: World, seed: int, epsilon_steps: int) -> Any:
    """GPI-LS, and GPI-PD, which also learns a model and plans with it.

    As in examples/gpi_pd_minecart.py but for: prioritised replay also without planning (version 1.3.0 fails without),
    one gradient update per step (10 would take a quarter of a second), and epsilon falls over a third of what is run,
    as it does over a third of the example's 150,000 steps.
    """
    import torch
    from morl_baselines.common.evaluation import seed_everything
    from morl_baselines.multi_policy.gpi_pd.gpi_pd import GPIPD

    torch.set_num_threads(1)
    seed_everything(seed)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    return GPIPD(
        env,
        num_nets=2,
        max_grad_norm=None,
        learning_rate=3e-4,
        gamma=world.gamma,
        batch_size=128,
        net_arch=[256, 256, 256, 256],
        buffer_size=200_000,
        initial_epsilon=1.0,
        final_epsilon=0.05,
        epsilon_decay_steps=epsilon_steps,
        learning_starts=100,
        per=True,
        gpi_pd=planning,
        dyna=planning,
        gradient_updates=1,
        target_net_update_freq=200,
        tau=1,
        log=False,
        seed=seed,
        device="cpu",
    )


def gpi(planning: bool, recorder: Recorder, seed: int) -> None:
    """2,000 steps per iteration instead of the example's 10,000, as runs are shorter."""
    world = recorder.world
    agent = gpi_agent(planning, Counted(make(world), recorder), world, seed, epsilon_steps=50_000 // 3)
    recorder.act = agent.eval
    while True:  # it ends early when its linear support has no weights left to try
        agent.train(
            total_timesteps=recorder.steps + 2_000,
            eval_env=make(world),
            ref_point=np.zeros(world.rewards),
            timesteps_per_iter=2_000,
            num_eval_episodes_for_front=1,
            checkpoints=False,
        )


def envelope(recorder: Recorder, seed: int) -> None:
    """As in examples/envelope_minecart.py, but epsilon falls over a third of 50,000 steps, as for GPI-LS."""
    import torch
    from morl_baselines.common.evaluation import seed_everything
    from morl_baselines.multi_policy.envelope.envelope import Envelope

    torch.set_num_threads(1)
    seed_everything(seed)
    world = recorder.world
    env = Counted(make(world), recorder)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    agent = Envelope(
        env,
        max_grad_norm=0.1,
        learning_rate=3e-4,
        gamma=world.gamma,
        batch_size=64,
        net_arch=[256, 256, 256, 256],
        buffer_size=200_000,
        initial_epsilon=1.0,
        final_epsilon=0.05,
        epsilon_decay_steps=50_000 // 3,
        initial_homotopy_lambda=0.0,
        final_homotopy_lambda=1.0,
        homotopy_decay_steps=10_000,
        learning_starts=100,
        envelope=True,
        gradient_updates=1,
        target_net_update_freq=1_000,
        tau=1,
        log=False,
        seed=seed,
        device="cpu",
    )
    recorder.act = agent.eval
    agent.train(total_timesteps=recorder.steps + 1)


# ---- without a package ----


class Table:
    """Q-learning in a table, one row of values per weight vector; every transition teaches all of them."""

    EPSILON = 0.05

    def __init__(self, world: World, actions: int, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.weights = weights(world.rewards) if world.several else np.ones((1, 1))
        first = np.repeat(world.optimism * self.weights @ np.array(world.bound), actions).reshape(
            len(self.weights), actions
        )
        self._q: dict[bytes, np.ndarray] = defaultdict(first.copy)
        self._rate, self._gamma = world.rate, world.gamma

    @staticmethod
    def key(observation: Any) -> bytes:
        return np.asarray(observation).tobytes()

    def choose(self, observation: Any, number: int) -> int:
        """Greedy for the weights of this number, but for every twentieth step; ties are drawn."""
        row = self._q[self.key(observation)][number]
        if self._rng.random() < self.EPSILON:
            return int(self._rng.integers(row.size))
        best = np.flatnonzero(row == row.max())
        return int(self._rng.choice(best)) if best.size > 1 else int(best[0])

    def act(self, observation: Any, w: np.ndarray | None) -> int:
        """As a question: a state that was never seen makes no row."""
        row = self._q.get(self.key(observation))
        return 0 if row is None else int(row[0 if w is None else self.number(w)].argmax())

    def number(self, w: np.ndarray) -> int:
        return int(np.abs(self.weights - w).sum(axis=1).argmin())

    def learn(self, before: Any, action: int, reward: Any, after: Any, terminated: bool) -> None:
        gained = self.weights @ np.atleast_1d(reward)
        ahead = 0.0 if terminated else self._gamma * self._q[self.key(after)].max(axis=1)
        row = self._q[self.key(before)]
        row[:, action] += self._rate * (gained + ahead - row[:, action])


def tabular(recorder: Recorder, seed: int) -> None:
    """An episode for one weight vector after the other."""
    env = Counted(make(recorder.world), recorder)
    table = Table(recorder.world, int(env.action_space.n), seed)
    recorder.act = table.act
    before, _ = env.reset(seed=seed)
    number = 0
    while True:
        action = table.choose(before, number)
        after, reward, terminated, truncated, _ = env.step(action)
        table.learn(before, action, reward, after, terminated)
        before = after
        if terminated or truncated:
            before, _ = env.reset()
            number = (number + 1) % len(table.weights)


def chance(recorder: Recorder, seed: int) -> None:
    """Random actions; one evaluation stands for all."""
    rng = random.Random(seed)
    actions = int(make(recorder.world).action_space.n)
    recorder.act = lambda observation, w: rng.randrange(actions)
    recorder.at(recorder.marks[-1])


def constant(recorder: Recorder, seed: int) -> None:
    """The best of repeating one action for ever, which in some worlds is far better than random play."""
    env = make(recorder.world)
    found = max(score(lambda *_, a=a: a, env, recorder.world) for a in range(int(env.action_space.n)))
    write(recorder.path, {"step": recorder.steps, "score": found})


def best(recorder: Recorder, seed: int) -> None:
    """The optimum, where it can be computed; nothing is written where it cannot."""
    found = optimum(recorder.world)
    if found is not None:
        write(recorder.path, {"step": recorder.steps, "score": found})


PEERS: dict[str, Callable[[Recorder, int], None]] = {
    "optimum": best,
    "random": chance,
    "constant": constant,
    "tabular-q": tabular,
    "dqn": lambda recorder, seed: deep_q("dqn", recorder, seed),
    "qr-dqn": lambda recorder, seed: deep_q("qr-dqn", recorder, seed),
    "gpi-ls": lambda recorder, seed: gpi(False, recorder, seed),
    "gpi-pd": lambda recorder, seed: gpi(True, recorder, seed),
    "envelope": envelope,
}
