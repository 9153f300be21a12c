"""Memory and threads."""

from __future__ import annotations

import contextlib
import gc
import threading
from pathlib import Path

import gymnasium
import numpy as np

import sfnec


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def life() -> None:
    """Everything that holds memory of the library, once."""
    agent = sfnec.Agent("sfnec", "one_room", seed=1)
    agent.begin_task([-1, 1, 1])
    observation = np.zeros(103, np.float32)
    agent.learn(2, progress_bar=False)
    agent.explain(observation)
    agent.psi(observation)
    with contextlib.suppress(sfnec.Error):
        agent.q(observation, [np.nan] * 3)


def test_no_leak_over_10000_agents() -> None:
    for _ in range(500):
        life()
    gc.collect()
    before = resident()
    for _ in range(10_000):
        life()
    gc.collect()
    # an agent of this size holds 30 kB; one that leaked each time would make 300 MB
    assert resident() - before < 8e6


def test_no_leak_over_10000_environments() -> None:
    env = gymnasium.make("sfnec/FourRooms-v0")
    for _ in range(500):
        env.reset(seed=1)
    gc.collect()
    before = resident()
    for i in range(10_000):
        env.reset(seed=i)
        if i % 10 == 0:
            sfnec.gym.Env("four_rooms", seed=i).reset()
    gc.collect()
    assert resident() - before < 4e6


def test_two_agents_in_two_threads() -> None:
    """They learn as they would alone, and at the same time: the interpreter's lock is released."""
    alone = []
    for seed in (1, 2):
        agent = sfnec.Agent("sfnec", "four_rooms", seed=seed)
        agent.learn(4000, progress_bar=False)
        alone.append(agent.episodes)
    agents = [sfnec.Agent("sfnec", "four_rooms", seed=seed) for seed in (1, 2)]
    threads = [threading.Thread(target=agent.learn, args=(4000, None, False)) for agent in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [agent.episodes for agent in agents] == alone


def test_the_interpreter_goes_on_while_c_works() -> None:
    agent = sfnec.Agent("sfnec", "four_rooms", seed=1)
    thread = threading.Thread(target=agent.learn, args=(30_000, None, False))
    count = 0
    thread.start()
    while thread.is_alive() and count < 50_000:
        count += 1
    thread.join()
    assert count == 50_000


def test_one_agent_in_two_threads_waits_its_turn() -> None:
    agent = sfnec.Agent("sfnec", "four_rooms", seed=1)
    agent.learn(200, progress_bar=False)
    observation = sfnec.World("four_rooms", seed=1).reset()[0].copy()
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            for _ in range(200):
                agent.q(observation)
                agent.predict(observation)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    agent.learn(3000, progress_bar=False)
    for thread in threads:
        thread.join()
    assert not failures
