"""An environment of your own, and features of your own.

A courier drives on a ring of twelve stops. It can pick up letters at stop 3 and parcels at stop 8; driving costs. The
environment only knows its reward; phi says what happened, and so makes one world into many tasks.
"""

import gymnasium
import numpy as np

import sfnec


class Courier(gymnasium.Env):
    """Actions: back, forth, pick up. An episode is a day of 40 steps."""

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(-1, 1, (4,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(3)

    def _observe(self) -> np.ndarray:
        angle = 2 * np.pi * self.stop / 12
        return np.array([np.sin(angle), np.cos(angle), self.letters, self.parcels], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stop, self.letters, self.parcels, self.time = 0, 0, 0, 0
        return self._observe(), {}

    def step(self, action):
        before = self.letters + self.parcels
        if action < 2:
            self.stop = (self.stop + (-1, 1)[action]) % 12
        elif self.stop == 3:
            self.letters = 1
        elif self.stop == 8:
            self.parcels = 1
        self.time += 1
        reward = float(self.letters + self.parcels - before) - 0.01
        return self._observe(), reward, self.letters + self.parcels == 2, self.time == 40, {}


def phi(before: np.ndarray, action: int, after: np.ndarray) -> np.ndarray:
    """What happened: a letter, a parcel, a move."""
    return np.array([after[2] - before[2], after[3] - before[3], float(action < 2)])


agent = sfnec.Agent("sfnec-plus", Courier(), phi=phi, seed=1, novelty=0.2)
for name, w in {"letters": [1, 0, -0.01], "parcels": [0, 1, -0.01], "both": [1, 1, -0.01]}.items():
    agent.begin_task(w)
    before = len(agent.episodes)
    agent.learn(3_000)
    days = agent.episodes[before:][-10:]
    total, steps = (np.mean(values) for values in ([day.total for day in days], [day.steps for day in days]))
    print(f"{name}: {total:.2f} a day, in {steps:.0f} steps")

# the same agent learns from the reward alone, as NEC does
plain = sfnec.Agent("nec", Courier(), seed=1)
plain.learn(3_000)
print(f"reward alone: {np.mean([day.total for day in plain.episodes[-10:]]):.2f} a day")
