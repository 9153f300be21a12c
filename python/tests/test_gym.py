"""The environments as Gymnasium and MO-Gymnasium expect them."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import mo_gymnasium
import mo_gymnasium.wrappers
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import sfnec

IDS = [kind.gymnasium_id for kind in sfnec.environments()]


def test_ids() -> None:
    assert IDS[:4] == ["sfnec/FourRooms-v0", "sfnec/OneRoom-v0", "sfnec/CartPole-v0", "sfnec/FourRoomsGrid-v0"]


@pytest.mark.parametrize("name", IDS)
def test_env_checker(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*infinity.*")  # speeds of the cart pole have no limit
        check_env(gymnasium.make(name, render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("name", IDS)
def test_the_seed_decides(name: str) -> None:
    first, second = gymnasium.make(name), gymnasium.make(name)
    seen = [env.reset(seed=11)[0] for env in (first, second)]
    assert np.array_equal(*seen)
    for i in range(60):
        action = i * 7 % first.action_space.n
        one, two = first.step(action), second.step(action)
        assert np.array_equal(one[0], two[0]) and one[1:4] == two[1:4]
        if one[2] or one[3]:
            break
    again, _ = first.reset(seed=11)
    assert np.array_equal(again, seen[0])
    assert np.array_equal(first.unwrapped.task(3), second.unwrapped.task(3))


def test_info_and_reward() -> None:
    env = gymnasium.make("sfnec/OneRoom-v0")
    _, info = env.reset(seed=1)
    assert info["w"].tolist() == [-1, 1, 1]
    total, over = np.zeros(3), False
    actions = [0] * 17 + [3] * 30 + [0, 3] * 10  # up to the bad object, then right to the goal
    for action in actions:
        _, reward, terminated, truncated, info = env.step(action)
        assert reward == pytest.approx(float(info["features"] @ info["w"]))
        assert info["vector_reward"].tolist() == info["features"].tolist()
        assert info["reward_weights"].tolist() == info["w"].tolist()
        total += info["features"]
        over = terminated
        assert not truncated
        if over:
            break
    assert over and total[2] == 1
    with pytest.raises(sfnec.StateError, match="no episode running"):
        env.step(0)


def test_truncated_is_not_terminated() -> None:
    env = sfnec.gym.Env("four_rooms", max_episode_steps=3)
    env.reset(seed=1)
    assert [env.step(1)[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]


def test_tasks_and_weights() -> None:
    env = gymnasium.make("sfnec/FourRooms-v0", task=2)
    _, info = env.reset(seed=5)
    assert info["w"].tolist() == env.unwrapped.task(2).tolist()
    assert info["w"].tolist() == sfnec.World("four_rooms", seed=5).task(2).tolist()
    _, info = env.reset(options={"task": 7})
    assert info["w"].tolist() == env.unwrapped.task(7).tolist()
    _, info = env.reset(options={"w": [1, -2, 3, 4]})
    assert info["w"].tolist() == [1, -2, 3, 4]
    _, info = env.reset(seed=6)
    assert info["w"].tolist() == [1, -2, 3, 4]
    with pytest.raises(sfnec.OptionError, match="no option 'level'"):
        env.reset(options={"level": 1})
    with pytest.raises(sfnec.OptionError, match="layout"):
        gymnasium.make("sfnec/FourRooms-v0", layot="figure")


def test_vector_reward_and_linear_reward() -> None:
    env = mo_gymnasium.make("sfnec/FourRoomsGrid-v0", reward="vector")
    assert env.unwrapped.reward_dim == 3 and env.unwrapped.reward_space.shape == (3,)
    env.reset(seed=1)
    _, reward, _, _, _ = env.step(1)
    assert reward.shape == (3,)
    linear = mo_gymnasium.wrappers.LinearReward(env, np.array([1.0, 0.0, -1.0]))
    linear.reset(seed=1)
    _, scalar, _, _, info = linear.step(1)
    assert np.ndim(scalar) == 0 and info["reward_weights"].tolist() == [1, 0, -1]


# ---- vectors of environments ----


def test_a_vector_steps_as_single_environments_do() -> None:
    count = 5
    vector = gymnasium.make_vec("sfnec/FourRooms-v0", num_envs=count, vectorization_mode="vector_entry_point")
    singles = [gymnasium.make("sfnec/FourRooms-v0") for _ in range(count)]
    observations, info = vector.reset(seed=3)
    for i, env in enumerate(singles):
        first, single = env.reset(seed=3 + i)
        assert np.array_equal(first, observations[i]) and np.array_equal(single["w"], info["w"][i])
    random, over = np.random.default_rng(0), [False] * count
    ended = 0
    for _ in range(3000):
        actions = random.integers(0, 4, count)
        actions = np.where(random.random(count) < 0.4, random.choice([0, 3], count), actions)
        observations, rewards, terminated, truncated, info = vector.step(actions)
        for i, env in enumerate(singles):
            if over[i]:  # autoreset mode: the next step
                expected: Any = (env.reset()[0], 0.0, False, False, {"features": np.zeros(4)})
            else:
                expected = env.step(actions[i])
            assert np.array_equal(observations[i], expected[0]) and rewards[i] == expected[1]
            assert (terminated[i], truncated[i]) == expected[2:4]
            assert np.array_equal(info["features"][i], expected[4]["features"])
            over[i] = bool(terminated[i] or truncated[i])
            ended += over[i]
    assert ended > 3
    assert vector.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


def test_a_vector_hands_out_its_block() -> None:
    vector = sfnec.gym.VectorEnv(4, "four_rooms", copy=False, seed=1)
    first, _ = vector.reset()
    second = vector.step([0, 1, 2, 3])[0]
    assert first is second is vector.world.observations and first.flags.c_contiguous
    copied = sfnec.gym.VectorEnv(4, "four_rooms", seed=1)
    assert copied.reset()[0] is not copied.world.observations


def test_wrong_actions_move_nothing() -> None:
    world = sfnec.World("four_rooms", 3, seed=1)
    before = world.reset().copy()
    for wrong in ([0, 1, 4], [0, -1, 0], [0, 1], [0.5, 1.0, 2.0]):
        with pytest.raises(sfnec.ArgumentError):
            world.step(wrong)
    assert np.array_equal(before, world.observations)


def test_optimum() -> None:
    env = gymnasium.make("sfnec/OneRoom-v0").unwrapped
    env.reset(seed=1)
    assert env.optimum(31) == 2 and env.optimum(10000) == 645
    assert env.optimum(29, [0, 0, 1]) == 1
    assert np.isnan(gymnasium.make("sfnec/CartPole-v0").unwrapped.optimum(100))
