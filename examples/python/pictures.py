"""Learning from pictures: a game of MinAtar (pip install minatar) in about half a minute on one core.

python pictures.py [GAME] [STEPS]        GAME: Breakout, Freeway, SpaceInvaders, Asterix, Seaquest
"""

import sys
import time

import gymnasium
import minatar.gym
import numpy as np

import sfnec

game = sys.argv[1] if len(sys.argv) > 1 else "Breakout"
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 50_000

minatar.gym.register_envs()
env = gymnasium.make(f"MinAtar/{game}-v1", max_episode_steps=10_000)
print("a picture:", env.observation_space.shape)

# Pictures need no options: keys are learned by a convolutional network. "mfec" is the baseline without training.
agent = sfnec.Agent("nec", env, seed=1)
print("chosen for pictures:", ", ".join(f"{name}={default.value}" for name, default in agent.defaults.items()))

start = time.process_time()
for part in range(1, 6):
    agent.learn(steps // 5)
    recent = [episode.total for episode in agent.episodes[-100:]]
    entries = agent.tasks[0].entries
    print(
        f"{part * steps // 5:7d} steps: mean return of the last {len(recent)} episodes {np.mean(recent):6.2f}, "
        f"{entries} entries, {time.process_time() - start:.0f} s"
    )
