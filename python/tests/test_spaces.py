"""Spaces of Gymnasium: observations as vectors with names and kinds, actions as a numbered list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import sfnec
from sfnec.actions import Actions
from sfnec.discrete import Discretise
from sfnec.spaces import Layout

# ---- observations ----

NESTED = spaces.Dict(
    position=spaces.Box(-1, 1, (2,)),
    cards=spaces.Tuple([spaces.Discrete(11, start=1), spaces.Dict(used=spaces.MultiBinary(2))]),
    goal=spaces.Box(-1, 1, (1,)),
    wheel=spaces.MultiDiscrete([3, 4]),
)


def test_nested() -> None:
    layout = Layout(NESTED)
    names = "position[0] position[1] cards[0] cards[1].used[0] cards[1].used[1] goal wheel[0] wheel[1]"
    assert [each.name for each in layout.components] == names.split()
    assert [each.kind[0] for each in layout.components] == ["n", "n", "d", "d", "d", "n", "d", "d"]
    assert [each.values for each in layout.components] == [0, 0, 11, 2, 2, 0, 3, 4]
    observation = {
        "cards": (7, {"used": np.array([1, 0], np.int8)}),
        "position": np.array([0.25, -0.5], np.float32),
        "goal": np.array([1.0], np.float32),
        "wheel": np.array([2, 3]),
    }
    assert layout.vector(observation).tolist() == [0.25, -0.5, 7, 1, 0, 1, 2, 3]
    assert "cards[0]" in str(layout) and "11 values" in str(layout)
    unit = Layout(NESTED, unit=True).vector(observation)
    assert unit.tolist() == pytest.approx([0.625, 0.25, 0.6, 1, 0, 1, 1, 1])


@pytest.mark.parametrize(
    "space",
    [
        NESTED,
        spaces.Discrete(5, start=-2),
        spaces.MultiDiscrete([[2, 3], [4, 5]]),
        spaces.MultiBinary((2, 2)),
        spaces.Box(0, 255, (40, 50, 3), np.uint8),
        spaces.Box(0, 10, (7, 7, 3), np.uint8),
        spaces.Tuple([spaces.Discrete(3), spaces.Box(-5, 5, (2, 2))]),
    ],
)
def test_batches_are_rows(space: Any) -> None:
    space.seed(1)
    layout = Layout(space)
    samples = [space.sample() for _ in range(4)]
    together = gymnasium.vector.utils.concatenate(space, samples, gymnasium.vector.utils.create_empty_array(space, n=4))
    rows, several = layout.batch(together)
    assert several and rows.shape == (4, layout.size) and rows.dtype == np.float32
    for row, sample in zip(rows, samples, strict=True):
        assert row.tolist() == layout.vector(sample).tolist()
    assert len({row.tobytes() for row in rows}) > 1


def test_pictures_alone_are_scaled() -> None:
    for shape, scaled in [((84, 84), 1), ((4, 84, 84), 1), ((210, 160, 3), 1), ((128,), 255), ((7, 7, 3), 255)]:
        layout = Layout(spaces.Box(0, 255, shape, np.uint8))
        assert layout.vector(np.full(shape, 255, np.uint8)).max() == scaled, shape
    small = Layout(spaces.Box(0, 9, (84, 84), np.uint8))  # symbols, and many of them
    assert small.components[0] == ("", "discrete", 10)
    assert small.vector(np.full((84, 84), 9, np.uint8)).max() == 9


def test_pictures_are_bytes() -> None:
    """The library is told what pictures are, so that it keeps bytes; on their way they never become doubles."""
    cases: list[tuple[Any, tuple[int, ...], tuple[int, int, int, int, int]]] = [
        (np.uint8, (84, 84), (1, 84, 84, 1, 255)),
        (np.uint8, (4, 84, 84), (4, 84, 84, 1, 255)),
        (np.uint8, (210, 160, 3), (1, 210, 160, 3, 255)),
        (np.uint8, (4, 84, 84, 3), (4, 84, 84, 3, 255)),
        (np.bool_, (10, 10, 6), (1, 10, 10, 6, 1)),
        (np.bool_, (10, 10, 10), (1, 10, 10, 10, 1)),
    ]
    for dtype, shape, picture in cases:
        space = spaces.Box(0, 255 if dtype == np.uint8 else 1, shape, dtype)
        for unit in (False, True):
            layout = Layout(space, unit=unit)
            assert layout.picture == picture
            sample = space.sample()
            rows, several = layout.batch(np.stack([sample, sample]))
            assert several and rows.dtype == np.float32
            # the same numbers as by doubles
            assert rows[1].tolist() == layout.vector(sample.astype(np.float64)).tolist()
            levels = rows[0].astype(np.float64) * picture[4]
            assert np.abs(levels - np.rint(levels)).max() < 1e-4 and rows.max() == 1.0
    for other in (
        spaces.Box(0, 255, (7, 7, 3), np.uint8),
        spaces.Box(0.0, 1.0, (84, 84)),
        spaces.Dict(a=spaces.Box(0, 255, (84, 84), np.uint8), b=spaces.Discrete(2)),
        spaces.MultiBinary(5),
    ):
        assert Layout(other).picture is None


class Dot(gymnasium.Env[Any, Any]):
    """A dot in a picture, which moves left or right; the right edge is the goal."""

    observation_space = spaces.Box(0, 255, (32, 40), np.uint8)
    action_space = spaces.Discrete(2)

    def _see(self) -> Any:
        picture = np.zeros((32, 40), np.uint8)
        picture[14:18, self.at : self.at + 4] = 200
        return picture

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.at, self.steps = 18, 0
        return self._see(), {}

    def step(self, action: Any) -> Any:
        self.at = max(self.at + (2 if action else -2), 0)
        self.steps += 1
        done = self.at >= 36
        return self._see(), float(done), done, self.steps == 60, {}


def test_an_agent_keeps_bytes(tmp_path: Path) -> None:
    """Stacks of frames go to the library as pictures, and are the same numbers in less room."""
    env = gymnasium.wrappers.FrameStackObservation(Dot(), 4)
    how: dict[str, Any] = {"seed": 1, "write": "episode", "key_size": 8, "neighbours": 5, "blur": 0}
    table = (np.arange(256) * (1.0 / 255)).astype(np.float32)
    bytewise = sfnec.Agent("nec", env, embedding="random", **how)
    plain = sfnec.Agent("nec", _Flat(env, table), embedding="random", **how)
    for agent in (bytewise, plain):
        agent.learn(500)
    assert [each.total for each in bytewise.episodes] == [each.total for each in plain.episodes]
    assert bytewise.bytes < plain.bytes / 2
    bytewise.save(tmp_path / "agent")
    loaded = sfnec.Agent.load(tmp_path / "agent", env)
    observation = env.observation_space.sample()
    answers = [loaded.q(observation), bytewise.q(observation), plain.q(table[observation])]
    assert answers[0].tolist() == answers[1].tolist() == answers[2].tolist()
    with pytest.raises(sfnec.ArgumentError, match="must have shape"):
        bytewise.q(np.zeros((4, 32, 39), np.uint8))


class _Flat(gymnasium.ObservationWrapper[Any, Any, Any]):
    """The same pictures as floats, of which the library does not know that they are pictures."""

    def __init__(self, env: Any, table: Any) -> None:
        super().__init__(env)
        self._table = table
        self.observation_space = spaces.Box(0.0, 1.0, env.observation_space.shape)

    def observation(self, observation: Any) -> Any:
        return self._table[observation]


def test_indicators_for_linear_functions() -> None:
    layout = Layout(spaces.Dict(card=spaces.Discrete(3, start=1), at=spaces.Box(0, 1, (2,))), one_hot=True)
    assert [each.name for each in layout.components] == ["card=1", "card=2", "card=3", "at[0]", "at[1]"]
    assert layout.vector({"card": 2, "at": [0.5, 0.25]}).tolist() == [0, 1, 0, 0.5, 0.25]
    agent = sfnec.Agent("ql", gymnasium.make("FrozenLake-v1"), seed=1)
    agent.learn(200, progress_bar=False)
    assert agent._observations.size == 16


def test_far_and_many() -> None:
    assert Layout(spaces.Discrete(5, start=2**40)).vector(2**40 + 3).tolist() == [3]
    with pytest.raises(sfnec.ArgumentError, match="more than a float can tell apart"):
        Layout(spaces.Discrete(2**30))


@pytest.mark.parametrize(
    ("space", "said"),
    [
        (spaces.Text(5), "an observation is a Text, which is no vector of numbers"),
        (
            spaces.Dict(a=spaces.Discrete(2), b=spaces.Text(5)),
            r"'b' of an observation is a Text.*FilterObservation\(env, \['a'\]\)",
        ),
        (spaces.Tuple([spaces.Sequence(spaces.Discrete(2))]), "'0' of an observation is a Sequence"),
        (spaces.Graph(spaces.Discrete(2), None), "is a Graph"),
    ],
)
def test_refused_by_name(space: Any, said: str) -> None:
    with pytest.raises(sfnec.ArgumentError, match=said):
        Layout(space)


def test_wrong_observations() -> None:
    layout = Layout(spaces.Dict(a=spaces.Discrete(2), b=spaces.Box(0, 1, (2,))))
    for wrong in ({"a": 1}, {"a": 1, "b": [1, 2, 3]}, {"a": "x", "b": [1, 2]}, 5):
        with pytest.raises(sfnec.ArgumentError, match="of an observation must"):
            layout.vector(wrong)


class Blackjack(gymnasium.ObservationWrapper[Any, Any, Any]):
    observation_names = ("player_sum", "dealer_card", "usable_ace")

    def observation(self, observation: Any) -> Any:
        return observation


def test_names_of_an_environment() -> None:
    agent = sfnec.Agent("sfnec-plan", Blackjack(gymnasium.make("Blackjack-v1")), seed=1)
    agent.learn(400, progress_bar=False)
    components = agent.components
    assert components is not None
    assert [each.name for each in components] == ["player_sum", "dealer_card", "usable_ace"]
    assert "player_sum" in str(components) and "usable_ace" in str(components)  # the ends of a run of components
    assert [each.kind for each in components] == ["discrete"] * 3
    wrong = Blackjack(gymnasium.make("Blackjack-v1"))
    wrong.observation_names = ("one",)  # type: ignore[assignment]
    with pytest.raises(sfnec.ArgumentError, match="3 components, and 1 names"):
        sfnec.Agent("nec", wrong, seed=1)


def test_old_form_by_a_wrapper() -> None:
    env = gymnasium.wrappers.FlattenObservation(gymnasium.make("FrozenLake-v1"))
    agent = sfnec.Agent("nec", env, seed=1)
    agent.learn(100, progress_bar=False)
    assert agent.explain(env.observation_space.sample()).memories[0].key.shape == (16,)


# ---- actions ----


def test_products() -> None:
    several = Actions(spaces.MultiDiscrete([2, 3], start=[5, 0]))
    assert several.count == 6 and several.given(4).tolist() == [6, 1] and several.number([6, 1]) == 4
    bits = Actions(spaces.MultiBinary(3))
    assert bits.count == 8 and bits.given(5).tolist() == [1, 0, 1] and bits.given(5).dtype == np.int8
    for actions, space in ((several, spaces.MultiDiscrete([2, 3], start=[5, 0])), (bits, spaces.MultiBinary(3))):
        assert all(space.contains(actions.given(i)) for i in range(actions.count))
        assert [actions.number(actions.given(i)) for i in range(actions.count)] == list(range(actions.count))
    with pytest.warns(UserWarning, match="5 actions"):
        lone = Actions(spaces.Box(-1, 1, (), np.float64))
    assert spaces.Box(-1, 1, (), np.float64).contains(lone.given(3)) and lone.given(3) == 0.5
    with pytest.raises(sfnec.ArgumentError, match="has 4096 combinations.*Discretise"):
        Actions(spaces.MultiBinary(12))
    with pytest.raises(sfnec.ArgumentError, match="actions that it can number"):
        Actions(spaces.Text(3))


def test_automatic_grid() -> None:
    with pytest.warns(UserWarning, match=r"5 actions of Box.*\(-2, -1, 0, 1, 2\)"):
        agent = sfnec.Agent("nec", gymnasium.make("Pendulum-v1"), seed=1)
    agent.learn(50, progress_bar=False)
    action, _ = agent.predict(agent.env.reset(seed=1)[0])
    assert agent.action_count == 5 and agent.env.action_space.contains(action)
    with pytest.warns(UserWarning):
        assert [Actions(spaces.Box(-1, 1, (n,))).count for n in (1, 2, 3, 4)] == [5, 25, 27, 81]
    with pytest.raises(sfnec.ArgumentError, match="without bounds"):
        Actions(spaces.Box(-np.inf, np.inf, (1,)))


class Bits(gymnasium.Env[Any, Any]):
    """The third bit of the action is worth a reward."""

    observation_space = spaces.MultiBinary(2)
    action_space = spaces.MultiBinary(3)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return np.zeros(2, np.int8), {}

    def step(self, action: Any) -> Any:
        assert self.action_space.contains(action), action
        return np.ones(2, np.int8), float(action[2]), False, True, {}


def test_agent_of_bits() -> None:
    agent = sfnec.Agent("nec", Bits(), seed=1, epsilon=0.5)
    agent.learn(200, progress_bar=False)
    assert agent.action_count == 8
    action, _ = agent.predict(np.zeros(2, np.int8))
    assert action.shape == (3,) and action[2] == 1
    assert agent.explain(np.zeros(2, np.int8)).action.tolist() == action.tolist()
    assert agent.predict(np.zeros((4, 2), np.int8))[0].shape == (4, 3)
    assert agent.evaluate(steps=20).per_episode == 1.0


def test_discretise_products() -> None:
    env = Discretise(Bits(), actions=[[0, 0, 1], [1, 1, 0]])
    assert env.action_space == spaces.Discrete(2) and env.action(0).tolist() == [0, 0, 1]
    with pytest.raises(sfnec.ArgumentError, match="name the actions"):
        Discretise(Bits())


# ---- a symbolic grid ----


def test_minigrid() -> None:
    minigrid = pytest.importorskip("minigrid")
    assert minigrid
    raw = gymnasium.make("MiniGrid-Empty-5x5-v0")
    with pytest.raises(sfnec.ArgumentError, match="'mission' of an observation is a MissionSpace"):
        sfnec.Agent("nec", raw, seed=1)
    env = gymnasium.wrappers.FilterObservation(raw, ["image", "direction"])
    agent = sfnec.Agent("nec", env, seed=1)
    assert agent.options and agent._observations.size == 7 * 7 * 3 + 1
    agent.learn(100, progress_bar=False)
    observation, _ = env.reset(seed=1)
    key = agent.explain(observation).memories[0].key
    assert key.max() > 1 and np.array_equal(key, np.round(key))  # symbols, not shares of 255
