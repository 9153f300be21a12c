"""One run of a case: an agent that learns, and what is measured of it."""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np
from field import judge
from field.ours import TURN, Tasks, program
from field.runs import seed_all

import sfnec
from sfnec.recording import RecordLog

from .cases import Case, make, world_of
from .children import Limit
from .wrappers import Goals, ObservationNoise, RewardNoise, StepTimes, TrueReturn

__all__ = ["choices", "measure", "program"]


def choices(name: str) -> list[str]:
    """What an option of the agent accepts."""
    (found,) = (option for option in sfnec.options() if option.name == name)
    return found.accepts.split("|")


def measure(case: Case, seed: int, agent: str, changes: dict[str, str]) -> dict[str, Any]:
    """What a run found: the score, its parts, and the CPU time of training in seconds."""
    seed_all(seed)
    kinds = {"field": _field, "rooms": _rooms, "weights": _weights, "navigation": _navigation}
    return kinds[case.kind](case, seed, agent, changes)


# ---- episodes: evaluated by the judge of the field ----


def _field(case: Case, seed: int, preset: str, changes: dict[str, str]) -> dict[str, Any]:
    world = world_of(case)
    timed = StepTimes(make(case, seed)) if case.variant == "steps" else None
    env, test = timed or make(case, seed), make(case, seed)
    own = {"terminal": "zero"} if preset == "sfnec-plan" else {}  # judged by the episode
    agent = sfnec.Agent(preset, env, seed=seed, masks=False, **{**own, "gamma": world.gamma, **changes})
    tasks = Tasks(agent, seed) if world.several else None
    done, cpu, scores = 0, 0.0, []
    while done < case.steps:
        stop = min([point for point in case.points if point > done] + [case.steps])
        if tasks is not None:
            if done % TURN == 0:
                tasks.begin(done // TURN)
            stop = min(stop, (done // TURN + 1) * TURN)
        if case.variant == "log":
            cpu += _learn_log(agent, env, stop - done, seed)
        else:
            start = time.process_time()
            agent.learn(stop - done, progress_bar=False, keep_episode=True)
            cpu += time.process_time() - start
        done = stop
        if done in case.points:
            act = lambda observation, w: agent.predict(observation, w=w)[0]  # noqa: E731
            scores.append(judge.score(act, test, world, agent.tell))
    if timed is not None:
        return {**_times(timed.times), "cpu": cpu, "steps": done}
    return {"score": float(np.mean(scores)), "scores": scores, "cpu": cpu, "steps": done}


def _learn_log(agent: sfnec.Agent, env: Any, steps: int, seed: int) -> float:
    """Learns what a random policy did in so many steps; the CPU time of learning."""
    log = RecordLog(env)
    log.action_space.seed(seed)
    log.reset(seed=seed)
    for _ in range(steps):
        _, _, terminated, truncated, _ = log.step(log.action_space.sample())
        if terminated or truncated:
            log.reset()
    start = time.process_time()
    agent.learn_from(log.transitions(), progress_bar=False)
    return time.process_time() - start


# ---- four rooms: greedy play under rewards that were never seen ----

_UNSEEN = ([1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.5, -0.5, 0.5, 1.0], [-0.8, 0.7, 0.3, 1.0])


def _weights(case: Case, seed: int, preset: str, changes: dict[str, str]) -> dict[str, Any]:
    env: Any = gymnasium.make("sfnec/FourRooms-v0")
    agent = sfnec.Agent(preset, env, seed=seed, **changes)
    start = time.process_time()
    agent.begin_task([1.0, 1.0, 1.0, 1.0])
    if case.variant == "log":
        cpu = _learn_log(agent, env, case.steps, seed)
    else:
        agent.learn(case.steps, progress_bar=False)
        cpu = time.process_time() - start
    world = gymnasium.make("sfnec/FourRooms-v0").unwrapped
    earned = []
    for w in _UNSEEN:
        world.world.set_weights(np.array(w))
        earned.append([agent.evaluate(w, steps=5_000).total, world.optimum(5_000)])
    return {"score": percent(earned), "weights": earned, "cpu": cpu, "steps": case.steps}


# ---- four rooms: per cent of what an agent that knows the world earns ----


def _rooms(case: Case, seed: int, preset: str, changes: dict[str, str]) -> dict[str, Any]:
    truth = TrueReturn(gymnasium.make("sfnec/FourRooms-v0"))
    env: Any = truth
    given = "w" not in dict(case.options)
    if "reward" in case.variant:
        env = RewardNoise(env, case.sd, on_features=given, every=case.variant.endswith("every"))
    elif case.sd:
        env = ObservationNoise(env, case.sd)
    timed = env = StepTimes(env)
    agent = sfnec.Agent(preset, env, seed=seed, masks=False, **{**dict(case.options), **changes})
    earned: list[list[float]] = []
    cpu = 0.0
    failed = None
    for task in range(case.tasks):
        start = time.process_time()
        if task > 0:
            _switch(agent, env, task, given, timed)
        truth.total, truth.steps = 0.0, 0
        try:
            agent.learn(case.steps, progress_bar=False)
        except Limit:
            failed = f"the CPU limit came in task {task + 1} after {truth.steps} steps"
        cpu += time.process_time() - start
        timed.forget()
        world = env.unwrapped
        earned.append([round(truth.total, 3), round(world.optimum(truth.steps), 3)])
        if failed:
            break
    steps = {"cpu": cpu, "steps": (len(earned) - 1) * case.steps + truth.steps}
    if case.variant == "steps":
        return {**_times(timed.times), **steps}
    known = {"tasks": earned, "agent_tasks": agent.task_count, **steps}
    return {"score": percent(earned), **known} if not failed else {"score": None, "failed": failed, **known}


def _switch(agent: sfnec.Agent, env: Any, task: int, given: bool, timed: StepTimes) -> None:
    """The next task begins: the world's rewards change, and an agent that is given its tasks gets the weights."""
    world = env.unwrapped
    w = world.task(task)
    world.world.set_weights(w)
    if given:
        start = time.thread_time()
        agent.begin_task(w)
        timed.times.append(time.thread_time() - start)


def percent(earned: list[list[float]]) -> float:
    """Of the optimum, over these tasks."""
    return 100 * sum(got for got, _ in earned) / sum(most for _, most in earned)


# ---- navigation: how often the goal is reached ----


def _navigation(case: Case, seed: int, preset: str, changes: dict[str, str]) -> dict[str, Any]:
    env = StepTimes(Goals(gymnasium.make("sfnec/Navigation-v0", **dict(case.options))))
    agent = sfnec.Agent(preset, env, seed=seed, masks=False, **changes)
    start = time.process_time()
    failed = None
    try:
        agent.learn(case.steps, progress_bar=False)
    except Limit:
        failed = f"the CPU limit came after {len(env.times)} steps and {env.env.goals} goals"
    cpu = time.process_time() - start
    known = {"cpu": cpu, "steps": case.steps if not failed else len(env.times), "slowest_ms": 1e3 * max(env.times)}
    return {"score": None, "failed": failed, **known} if failed else {"score": env.env.goals, **known}


# ---- times ----


def _times(times: list[float]) -> dict[str, Any]:
    """CPU milliseconds of the agent per step; the score is the worst."""
    p50, p999, worst = (1e3 * float(each) for each in np.quantile(times, (0.5, 0.999, 1.0)))
    return {"score": worst, "p50_ms": p50, "p99.9_ms": p999, "worst_ms": worst}
