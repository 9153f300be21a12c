"""The agent: tasks, learning, asking, saving."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from worlds import Corridor

import sfnec


@pytest.fixture(scope="module")
def trained() -> sfnec.Agent:
    """Two tasks of four_rooms, 2,000 transitions each."""
    agent = sfnec.Agent("sfnec", "four_rooms", seed=3)
    for task in range(2):
        agent.begin_task(agent.env.task(task))
        agent.learn(2000, progress_bar=False)
    return agent


def test_options_are_the_library_s() -> None:
    agent = sfnec.Agent("nec", "one_room", seed=1, neighbours=np.int64(7), alpha=0.25, ties="first")
    assert agent.options["neighbours"] == 7 and agent.options["alpha"] == 0.25 and agent.options["ties"] == "first"
    assert agent.options["predict"] == "reward"
    names = [option.name for option in sfnec.options()]
    assert list(agent.options) == names
    assert all(name in (sfnec.Agent.__doc__ or "") for name in names)
    assert [preset.name for preset in sfnec.presets()][:1] == ["sfnec"]


def test_tasks() -> None:
    agent = sfnec.Agent("sfnec", "one_room", seed=1)
    assert agent.task_count == 0 and agent.active_task is None
    assert agent.begin_task([1, -2.5, 0]) == 0 and agent.add_task([0, 1, 0]) == 1
    assert agent.active_task == 0 and agent.tasks[0].w.tolist() == [1, -2.5, 0]
    agent.set_task(1)
    agent.learn(50, progress_bar=False)
    assert agent.tasks[1].steps == 50 and agent.tasks[0].steps == 0
    agent.set_weights(1, [0, 2, 0])
    assert agent.tasks[1].w.tolist() == [0, 2, 0]
    agent.replace_task(1, [3, 3, 3])
    assert agent.tasks[1].steps == 0
    agent.forget_task(0)
    assert agent.task_count == 1 and agent.tasks[0].w.tolist() == [3, 3, 3]
    agent.learn(10, progress_bar=False)
    with pytest.raises(sfnec.ArgumentError, match="task"):
        agent.set_task(5)


def test_model() -> None:
    assert sfnec.Agent("sfnec", "one_room", seed=1).model is None
    agent = sfnec.Agent("sfnec-plan", "one_room", seed=1)
    assert agent.model is not None and agent.model.places == 0
    agent.begin_task([1, -1, 0])
    agent.learn(500, progress_bar=False)
    model = agent.model
    assert model.places > 0 and model.samples == sum(task.entries for task in agent.tasks)
    assert model.radius == agent.options["radius"] and model.step > 0 and 0 < model.bytes < agent.bytes
    assert model.regime == "continuous" and model.directions == 0 and model.noise == 0


class Junk(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Noise, a constant, a random bit and a clock behind CartPole's four components."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.rng, self.clock = np.random.default_rng(7), 0
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (8,), np.float32)

    def observation(self, observation: Any) -> Any:
        self.clock += 1
        junk = [self.rng.standard_normal(), 1.0, self.rng.integers(0, 2), self.clock / 100]
        return np.concatenate([observation, junk]).astype(np.float32)

    def reset(self, **how: Any) -> Any:
        self.clock = 0
        return super().reset(**how)


def test_components() -> None:
    assert sfnec.Agent("sfnec", "one_room", seed=1).components is None
    agent = sfnec.Agent("sfnec-plan", Junk(gymnasium.make("CartPole-v1")), seed=1)
    assert agent.components is not None and {c.role for c in agent.components} == {"unused"}
    agent.learn(2000, progress_bar=False)
    components = agent.components
    assert [component.number for component in components] == list(range(8))
    assert [component.role for component in components[:4]] == ["key"] * 4
    assert all(component.decided and component.p < 0.01 and component.reason for component in components[:4])
    assert [component.role for component in components[4:]] == ["dropped", "constant", "dropped", "dropped"]
    for dropped in (components[4], components[6], components[7]):
        assert dropped.decided and dropped.reason == "changes on its own and predicts nothing"
    assert components[5].reason == "constant so far" and not components[5].decided
    lines = str(components).splitlines()
    assert lines[0].split() == ["components", "role", "p", "reason"]
    assert lines[-1].split()[:3] == ["6-7", "dropped", "-"] and lines[-1].endswith("predicts nothing")


def test_rewards_are_the_task_s_not_the_environment_s() -> None:
    """The environment is in its own task; the agent is paid by the weights of the agent's."""
    for wrap in (False, True):
        env = gymnasium.make("sfnec/OneRoom-v0")
        agent = sfnec.Agent("nec", gymnasium.wrappers.OrderEnforcing(env) if wrap else env, seed=1)
        agent.begin_task([0, 0, 10])
        agent.learn(3000, progress_bar=False)
        goals = [episode for episode in agent.episodes if episode.terminated]
        assert goals and all(episode.total == 10 for episode in goals)


def test_asking_agrees_with_itself(trained: sfnec.Agent) -> None:
    world = sfnec.World("four_rooms", seed=8)
    random = np.random.default_rng(0)
    world.reset()
    for _ in range(20):
        world.step([random.integers(4)])
    observation = world.observations[0].copy()
    w = np.array([0.3, -0.2, 0.1, 1.0])
    psi, q = trained.psi(observation), trained.q(observation, w)
    assert psi.shape == (2, 4, 4) and q.shape == (2, 4)
    assert q == pytest.approx(psi @ w)
    told = trained.explain(observation, w, memories=100)
    assert told.value == pytest.approx(q.max()) and q[told.policy, told.action] == told.value
    assert np.array_equal(told.q, q)
    assert len(told.memories) == 20 and sum(memory.weight for memory in told.memories) == pytest.approx(1)
    distances = [memory.distance for memory in told.memories]
    assert distances == sorted(distances)
    nearest = told.memories[0]
    assert np.linalg.norm(nearest.key - observation) == pytest.approx(nearest.distance, abs=1e-6)
    blended = sum(memory.weight * memory.psi for memory in told.memories)
    assert blended == pytest.approx(psi[told.policy, told.action], abs=1e-6)
    assert trained.predict(observation, w=w)[0] == told.action


def test_predict_several(trained: sfnec.Agent) -> None:
    world = sfnec.World("four_rooms", 6, seed=8)
    random = np.random.default_rng(0)
    world.reset()
    for _ in range(30):
        world.step(random.integers(0, 4, 6))
    actions, state = trained.predict(world.observations)
    assert actions.shape == (6,) and state is None
    for row, action in zip(world.observations, actions, strict=True):
        q = trained.q(row)
        assert q.max() == q[:, action].max()
    free = [trained.predict(world.observations[0], deterministic=False)[0] for _ in range(400)]
    greedy = trained.predict(world.observations[0])[0]
    # epsilon 0.15 over four actions: another one in 11 % of the cases
    assert 0.03 < np.mean(np.array(free) != greedy) < 0.25


def test_asking_changes_nothing(tmp_path: Path) -> None:
    files = []
    for ask in (False, True):
        agent = sfnec.Agent("sfnec", "four_rooms", seed=4)
        agent.learn(300, progress_bar=False)
        if ask:
            observation = sfnec.World("four_rooms", seed=1).reset()[0]
            agent.psi(observation), agent.q(observation), agent.explain(observation), agent.predict(observation)
        agent.learn(300, progress_bar=False)
        files.append([episode for episode in agent.episodes])
    assert files[0] == files[1]


def test_save_and_load_go_on_bit_for_bit(tmp_path: Path) -> None:
    env = gymnasium.make("sfnec/FourRooms-v0")
    agent = sfnec.Agent("sfnec", env, seed=6)
    agent.learn(500, progress_bar=False)
    agent.save(tmp_path / "agent.sfnec")
    state = env.unwrapped.world
    other_env = gymnasium.make("sfnec/FourRooms-v0")
    loaded = sfnec.Agent.load(tmp_path / "agent.sfnec", other_env)
    assert loaded.options == agent.options and loaded.seed == 6 and loaded.tasks[0].steps == 500
    for each in (agent, loaded):
        each.env.unwrapped.reseed(99)
        each.learn(500, progress_bar=False)
    assert loaded.episodes == agent.episodes[-len(loaded.episodes) :]
    assert state.kind == "four_rooms"


def test_callbacks() -> None:
    agent = sfnec.Agent("sfnec", "one_room", seed=1)
    told: list[sfnec.Progress] = []
    agent.learn(2500, callback=told.append, progress_bar=False)
    assert [each.timesteps for each in told if each.episode is None] == [1000, 2000]
    assert [each.episode for each in told if each.episode] == agent.episodes
    assert sum(episode.steps for episode in agent.episodes) == 2500
    before = agent.tasks[0].steps
    agent.learn(2500, callback=lambda progress: progress.timesteps < 600, callback_every=200, progress_bar=False)
    assert 600 <= agent.tasks[0].steps - before < 1000
    agent.begin_task([0, 0, 1])  # no episode is left open


@pytest.mark.parametrize("preset", ["sfnec", "sfnec-plan"])
def test_evaluate_in_python_as_in_c(preset: str) -> None:
    world = sfnec.Agent(preset, "one_room", seed=2)
    world.learn(3000, progress_bar=False)
    wrapped = sfnec.Agent(preset, gymnasium.wrappers.OrderEnforcing(gymnasium.make("sfnec/OneRoom-v0")), seed=2)
    wrapped.learn(3000, progress_bar=False)
    w = [0.0, 1.0, 1.0]
    assert wrapped.evaluate(w, steps=500) == world.evaluate(w, steps=500)


def test_learning_works() -> None:
    """A corridor with its prize on the right: soon every episode ends there, in three steps."""
    agent = sfnec.Agent("sfnec", Corridor("info"), seed=1, epsilon=0.1)
    agent.begin_task([-1, 1])
    agent.learn(600, progress_bar=False)
    assert np.mean([episode.total for episode in agent.episodes[-20:]]) > 0.8
    # transfer: the other end, without learning
    assert agent.evaluate([-1, 1], steps=30) == sfnec.Evaluation(10.0, 10, 10, 1.0, (1.0,) * 10, (3,) * 10)


def test_an_agent_of_rewards_is_not_asked_for_weights() -> None:
    agent = sfnec.Agent("nec", "one_room", seed=1)
    agent.learn(3000, progress_bar=False)
    observation = sfnec.World("one_room").reset()[0]
    for call in (agent.predict, agent.q, agent.explain):
        with pytest.raises(sfnec.ArgumentError, match="only the rewards"):
            call(observation, w=[1, 1, 1])
    with pytest.raises(sfnec.ArgumentError, match="only the rewards"):
        agent.evaluate([1, 1, 1])
    assert agent.q(observation).shape == (1, 4) and agent.psi(observation).shape == (1, 4, 1)
    found = agent.evaluate(steps=300)
    assert found.per_episode == pytest.approx(found.total / found.episodes)


def test_learning_does_not_nest() -> None:
    agent = sfnec.Agent("sfnec", "one_room", seed=1)
    with pytest.raises(sfnec.StateError, match="learning already"):
        agent.learn(2000, callback=lambda progress: agent.learn(1), progress_bar=False)
    agent.learn(10, progress_bar=False)


def test_weights_of_a_world_stay() -> None:
    world = sfnec.World("one_room")
    world.set_weights([0, 0, 7])
    agent = sfnec.Agent("sfnec", world, seed=1)
    agent.learn(10, progress_bar=False)
    assert agent.tasks[0].w.tolist() == [0, 0, 7]


def test_embeddings_of_the_library() -> None:
    agent = sfnec.Agent("sfnec", "one_room", seed=1, embedding="random", key_size=16)
    agent.learn(200, progress_bar=False)
    observation = sfnec.World("one_room").reset()[0]
    assert agent.explain(observation).memories[0].key.shape == (16,)


def test_tell_refuses_what_is_none() -> None:
    agent = sfnec.Agent("sfnec-plan", "one_room", seed=1)
    agent.learn(200, progress_bar=False)
    here = sfnec.World("one_room").reset()[0]
    agent.tell(here, 0, 0.0, here)
    with pytest.raises(sfnec.ArgumentError, match="there is no action 7"):
        agent.tell(here, 7, 0.0, here)
    with pytest.raises(sfnec.ArgumentError, match="finite"):
        agent.tell(here, 0, float("nan"), here)
