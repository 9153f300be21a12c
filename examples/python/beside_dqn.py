"""An agent beside DQN of Stable-Baselines3: the same environment, the same judge, one figure.

    pip install stable-baselines3 matplotlib
    python beside_dqn.py --steps 10000

Anything with `predict` can be compared in the same way: an agent of Tianshou or CleanRL needs a class of five lines.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium

import sfnec

parser = argparse.ArgumentParser()
parser.add_argument("--env", default="CartPole-v1")
parser.add_argument("--steps", type=int, default=2_000)
parser.add_argument("--parts", type=int, default=4)
args = parser.parse_args()

try:
    from stable_baselines3 import DQN
    from stable_baselines3.common.evaluation import evaluate_policy
except ImportError:
    raise SystemExit("this example needs stable-baselines3") from None

agents: dict[str, Any] = {
    "sfnec-plan": sfnec.Agent("sfnec-plan", gymnasium.make(args.env), seed=1, gamma=0.99),
    "DQN": DQN("MlpPolicy", gymnasium.make(args.env), seed=1),
}
steps = [args.steps * (part + 1) // args.parts for part in range(args.parts)]
curves: dict[str, list[float]] = {name: [] for name in agents}
for name, agent in agents.items():
    for part in range(args.parts):
        more = {} if name == "sfnec-plan" else {"reset_num_timesteps": False}
        agent.learn(steps[part] - (steps[part - 1] if part else 0), progress_bar=False, **more)
        mean, _ = evaluate_policy(agent, gymnasium.make(args.env), n_eval_episodes=10, warn=False)
        curves[name].append(float(mean))
        print(f"{name:12} {steps[part]:>7} steps: {mean:8.2f}")

try:
    from matplotlib import pyplot
except ImportError:
    raise SystemExit(0) from None
for name, curve in curves.items():
    pyplot.plot(steps, curve, marker="o", label=name)
pyplot.xlabel("steps"), pyplot.ylabel("return of an episode, greedy"), pyplot.title(args.env), pyplot.legend()
pyplot.savefig("beside_dqn.svg")
print("beside_dqn.svg")
