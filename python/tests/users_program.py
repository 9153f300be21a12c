"""What users write, with the types that they expect: mypy accepts it (test_extras.py), and it runs."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import sfnec
from sfnec.callbacks import Callback, Checkpoint, Evaluate, StopAtReward
from sfnec.discrete import Discretise
from sfnec.recording import RecordLog
from sfnec.spaces import Layout


class Stop(Callback):
    every = 100

    def __call__(self, progress: sfnec.Progress) -> bool:
        progress.log({"half": progress.timesteps / 2})
        return progress.timesteps < 250


def shaped(before: Any, action: Any, after: Any) -> list[float]:
    return [float(np.sum(after))]


def train(env: gymnasium.Env[Any, Any], folder: Path) -> float:
    agent = sfnec.Agent("sfnec-plan", env, seed=1, gamma=0.99, terminal="zero", phi=shaped)
    agent.begin_task([1.0])
    agent.learn(300, callback=[Stop(), Checkpoint(200, folder), StopAtReward(100.0)], progress_bar=False)
    agent.learn(300, callback=Evaluate(200, 100), logger=str(folder / "log.csv"))
    action, state = agent.predict(env.observation_space.sample(), deterministic=True)
    after, reward, terminated, truncated, info = env.step(action)
    agent.tell(after, action, float(reward), after, terminated, truncated)
    result = agent.evaluate(w=[1.0], episodes=3)
    total: float = result.total
    per_episode: float | None = result.per_episode
    returns: tuple[float, ...] = result.returns
    model = agent.model
    if model is not None:
        states: int = model.places
        regime: str = model.regime
        print(states, regime)
    for component in agent.components or ():
        print(component.role, component.p)
    for finding in agent.diagnose():
        print(finding.what, finding.value, finding.means)
    psi: NDArray[np.float64] = agent.psi(after)
    q: NDArray[np.float64] = agent.q(after, w=np.ones(1))
    agent.set_reward("1 if terminated else 0")
    agent.set_reward(None)
    agent.save(folder / "agent.sfnec")
    agent.export_c(folder / "policy.c")
    with sfnec.Agent.load(folder / "agent.sfnec", env=env) as loaded:
        loaded.begin_task([2.0])
        loaded.set_task(0)
    for episode in agent.episodes:
        print(episode.steps, episode.total, episode.terminated)
    for name, default in agent.defaults.items():
        print(name, default.value, default.reason)
    print(Layout(env.observation_space), per_episode, max(returns), psi.shape, q.max(), state, info)
    return total


def study(folder: Path) -> list[Any]:
    spec = {"name": "short", "env": "four_rooms", "tasks": 1, "steps": 500, "seeds": "1", "agents": ["nec"]}
    results: sfnec.Results = sfnec.run(spec, folder)
    return list(results.sql("select * from jobs"))


def main(folder: Path) -> None:
    logging.getLogger("sfnec").setLevel(logging.INFO)
    pole = gymnasium.make("CartPole-v1")
    log = folder / "log.npz"
    recorder = RecordLog(gymnasium.make("CartPole-v1"), log)
    sfnec.Agent("nec", recorder, seed=1).learn(100, progress_bar=False)
    recorder.close()
    pendulum = Discretise(gymnasium.make("Pendulum-v1"), bins=5)
    print(sfnec.Agent("sfnec", pendulum, seed=1).learn(100, progress_bar=False).action_count)
    print(train(pole, folder), study(folder / "study"))
    print(sfnec.Agent("nec", pole, seed=1).learn_from(log), len(sfnec.presets()), len(sfnec.options()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
