"""An environment of MO-Gymnasium, learned for several weights of its objectives.

    python mo_gymnasium_tasks.py [ENV] [STEPS]     ENV: deep-sea-treasure-v0, minecart-v0, four-room-v0, ...

The vector reward is the features, so every weight vector is a task of the same world. The corners of the simplex are
learned; the mixtures are acted on by all policies together.
"""

import sys

import mo_gymnasium
import numpy as np

import sfnec

name = sys.argv[1] if len(sys.argv) > 1 else "deep-sea-treasure-v0"
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 2_000

env = mo_gymnasium.make(name)
# MO-Gymnasium's values are larger than those of the rooms, and so are the bonus and the mistrust of far memories
agent = sfnec.Agent("sfnec-plus", env, seed=1, novelty=0.3, gamma=0.98)
corners = np.eye(agent.feature_count)
for _ in range(4):  # in turns, so that each task sees what the others have found
    for task, w in enumerate(corners):
        if task == agent.task_count:
            agent.add_task(w)
        agent.set_task(task)
        agent.learn(steps // 4)


def episode(w: np.ndarray) -> np.ndarray:
    """The vector return of one greedy episode under these weights."""
    total, over = np.zeros(len(w)), False
    observation, _ = env.reset(seed=5)
    while not over:
        action, _ = agent.predict(observation, w=w)
        observation, reward, terminated, truncated, _ = env.step(action)
        total, over = total + reward, terminated or truncated
    return total


print(f"{name}: {agent.feature_count} objectives, {steps} steps for each corner")
for w in [*corners, np.full(len(corners), 1 / len(corners))]:
    total = episode(w)
    print(f"w = {w.round(2)}: vector return {total.round(2)}, worth {float(w @ total):.2f}")
