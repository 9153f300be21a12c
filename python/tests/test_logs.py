"""Learning from recorded transitions: where they come from, what is learned, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import sfnec
from sfnec.logs import Transitions, read_log
from sfnec.recording import RecordLog


def lake() -> Any:
    return gymnasium.make("FrozenLake-v1", is_slippery=False)


def wander(env: Any, steps: int, seed: int = 0) -> None:
    """A random policy."""
    env.action_space.seed(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "lake.npz"
    with RecordLog(lake(), path) as env:
        wander(env, 6_000)
    return path


def rate(agent: sfnec.Agent) -> float:
    found = agent.evaluate(steps=600, episode_steps=100)
    return found.total / found.episodes


@pytest.mark.parametrize("preset", ["sfnec-plan", "sfnec", "nec"])
def test_random_policy_is_enough(log: Path, preset: str) -> None:
    agent = sfnec.Agent(preset, lake(), seed=1, terminal="zero") if preset == "sfnec-plan" else None
    agent = agent or sfnec.Agent(preset, lake(), seed=1, gamma=0.95)
    assert rate_before(agent) < 0.5
    agent.learn_from(log)
    assert sum(task.steps for task in agent.tasks) == 6_000
    assert rate(agent) == 1.0
    agent.learn(200)  # and goes on by itself
    assert sum(task.steps for task in agent.tasks) == 6_200


def rate_before(agent: sfnec.Agent) -> float:
    agent.begin_task([1.0])
    return rate(agent)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_same_from_everywhere(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mapping, .npz, HDF5 and a Minari data set of the same transitions make the same agent."""
    import h5py
    import minari
    from minari.data_collector.episode_buffer import EpisodeBuffer

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))

    def learned(data: Any) -> bytes:
        agent = sfnec.Agent("sfnec-plan", lake(), seed=1)
        agent.learn_from(data)
        path = tmp_path / "agent"
        agent.save(path)
        return path.read_bytes()

    with np.load(log) as file:
        arrays = dict(file)
    from_file = learned(log)
    assert learned(arrays) == from_file
    with h5py.File(tmp_path / "d4rl.hdf5", "w") as hdf5:
        for name, array in arrays.items():
            hdf5[name] = array
    assert learned(tmp_path / "d4rl.hdf5") == from_file

    env, episodes = lake(), []
    env.action_space.seed(0)
    for number in range(40):
        seen, done, columns = [env.reset(seed=number)[0]], False, []
        while not done:
            action = env.action_space.sample()
            after, reward, terminated, truncated, _ = env.step(action)
            columns.append((action, float(reward), terminated, truncated))
            seen.append(after)
            done = terminated or truncated
        actions, rewards, ends, cuts = (list(column) for column in zip(*columns, strict=True))
        episodes.append(
            EpisodeBuffer(
                id=number, observations=seen, actions=actions, rewards=rewards, terminations=ends, truncations=cuts
            )
        )
    data = minari.create_dataset_from_buffers("sfnec/test-v0", buffer=episodes, env=env)
    try:
        rows = read_log(data)
        assert len(rows) == data.total_steps
        stored = Path(data.storage.data_path) / "main_data.hdf5"
        assert learned(data) == learned(stored) == learned(rows)
    finally:
        minari.delete_dataset("sfnec/test-v0")


def test_tuple_of_numbers() -> None:
    """A space that is no array is recorded as the agent sees it."""
    env = RecordLog(gymnasium.make("Blackjack-v1"))
    wander(env, 500)
    agent = sfnec.Agent("sfnec-plan", gymnasium.make("Blackjack-v1"), seed=1, terminal="zero")
    agent.learn_from(env.transitions())
    assert agent.model is not None and agent.model.samples > 50
    online = sfnec.Agent("sfnec-plan", gymnasium.make("Blackjack-v1"), seed=1, terminal="zero")
    assert env.transitions().observations.shape[1] == online._shape[0]


def test_replay_buffer() -> None:
    """Of Stable-Baselines3's form: (size, environments, ...), the oldest overwritten."""

    class Buffer:
        buffer_size, full, pos = 4, True, 1
        observations = np.arange(8, dtype=np.float32).reshape(4, 2, 1)
        next_observations = observations + 2
        actions = np.zeros((4, 2, 1), np.int64)
        rewards = np.arange(8, dtype=np.float32).reshape(4, 2)
        dones = np.array([[0, 0], [1, 0], [0, 1], [0, 0]], np.float32)
        timeouts = np.array([[0, 0], [0, 0], [0, 1], [0, 0]], np.float32)

    rows = read_log(Buffer())
    assert rows.rewards.tolist() == [2, 4, 6, 0, 3, 5, 7, 1]  # the oldest first, environment by environment
    assert rows.terminated.tolist() == [True] + [False] * 7
    assert rows.truncated.tolist() == [False] * 5 + [True] + [False] * 2


def test_without_next_observations() -> None:
    """They are the next rows'; what followed a cut is not known, and left out."""
    named = {
        "observations": np.arange(6, dtype=np.float32)[:, None],
        "actions": np.zeros(6, int),
        "rewards": np.arange(6.0),
        "terminals": np.array([0, 1, 0, 0, 0, 0], bool),
        "timeouts": np.array([0, 0, 0, 1, 0, 0], bool),
    }
    rows = read_log(named)
    assert rows.rewards.tolist() == [0, 1, 2, 4]
    assert rows.next_observations[:, 0].tolist() == [1, 1, 3, 5]
    assert rows.terminated.tolist() == [False, True, False, False]
    assert rows.truncated.tolist() == [False, False, True, True]


def test_features() -> None:
    """phi from a callable, from the log, or refused."""
    rng = np.random.default_rng(1)
    n = 400
    observations = rng.random((n + 1, 2)).astype(np.float32)
    rows = Transitions(
        observations[:-1],
        rng.integers(0, 2, n),
        np.zeros(n),
        observations[1:],
        np.zeros(n, bool),
        np.zeros(n, bool),
        rng.random((n, 3)),
    )

    class Box(gymnasium.Env[Any, Any]):
        observation_space = gymnasium.spaces.Box(0, 1, (2,), np.float32)
        action_space = gymnasium.spaces.Discrete(2)

        def reset(self, **_: Any) -> Any:
            return np.zeros(2, np.float32), {"features": np.zeros(3)}

        def step(self, action: Any) -> Any:
            return np.zeros(2, np.float32), 0.0, False, False, {"features": np.zeros(3)}

    agent = sfnec.Agent("sfnec-plan", Box(), seed=1)
    agent.begin_task([1, 2, 3])
    agent.learn_from(rows)
    assert agent.model is not None and agent.model.samples > 0
    own = sfnec.Agent("sfnec-plan", Box(), seed=1, phi=lambda s, a, s2: [float(s2[0] > 0.5), float(a)])
    own.begin_task([1, 0])
    own.learn_from(rows)
    assert own.model is not None and own.model.samples > 0
    rows.features = None
    with pytest.raises(sfnec.ArgumentError, match="no array features"):
        agent.learn_from(rows)


def test_refusals(log: Path, tmp_path: Path) -> None:
    agent = sfnec.Agent("sfnec-plan", lake(), seed=1)
    with np.load(log) as file:
        good = dict(file)

    def refused(error: type[Exception], match: str, **changes: Any) -> None:
        named = {name: array for name, array in {**good, **changes}.items() if array is not None}
        with pytest.raises(error, match=match):
            agent.learn_from(named)

    refused(sfnec.ArgumentError, "has no array 'actions'; there are observations", actions=None)
    refused(sfnec.ArgumentError, "6000 observations, but 3 actions", actions=good["actions"][:3])
    refused(sfnec.ArgumentError, "Discretise", actions=good["actions"] + 0.5)
    refused(sfnec.ArgumentError, "actions are 0 to 9, those of the agent 0 to 3", actions=good["actions"] * 3)
    refused(sfnec.ArgumentError, "are none of Discrete", observations=np.zeros((6000, 3), np.float32))
    bad = good["rewards"].astype(np.float64)
    bad[7] = np.nan
    refused(sfnec.ArgumentError, "row 7 of the log", rewards=bad)
    with pytest.raises(sfnec.FileError, match="there is no log"):
        agent.learn_from(tmp_path / "nothing.npz")
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(sfnec.FormatError, match="cannot be read as a log"):
        agent.learn_from(tmp_path / "broken.npz")
    np.savez(tmp_path / "pickled.npz", observations=np.array([{}, {}], object), actions=[0, 0], rewards=[0, 0])
    with pytest.raises(sfnec.FormatError, match="cannot be read as a log"):
        agent.learn_from(tmp_path / "pickled.npz")
    (tmp_path / "broken.hdf5").write_bytes(b"\x89HDF and no more")
    with pytest.raises(sfnec.FormatError, match="cannot be read as a log in HDF5"):
        agent.learn_from(tmp_path / "broken.hdf5")
    with pytest.raises(sfnec.ArgumentError, match="a log is a mapping of arrays"):
        agent.learn_from(3)
    with pytest.raises(sfnec.ArgumentError, match=r"a file \.npz"):
        RecordLog(lake(), "log.csv")
    assert agent.learn_from(good) is agent  # it has not suffered
