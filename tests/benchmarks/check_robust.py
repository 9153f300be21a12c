"""The tests behind robust.sh."""

import contextlib
import io
import math
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
from field.runs import write
from field.worlds import WORLDS
from robust.ablation import compare, mechanisms, print_found, write_csv
from robust.cases import CASES, GROUPS, RANGES, SHARE, chosen, make
from robust.deep_sea import DeepSea
from robust.results import FILE, has, print_table, read
from robust.wrappers import JUNK, Goals, Junk, ObservationNoise, RewardNoise, TrueReturn


def walk(env, steps: int = 300) -> np.ndarray:
    """Observations of a fixed walk, the first after a reset with a seed."""
    seen = [env.reset(seed=5)[0]]
    for i in range(steps):
        observation, _, terminated, truncated, _ = env.step(i % env.action_space.n)
        seen.append(observation)
        if terminated or truncated:
            seen.append(env.reset()[0])
    return np.array(seen)


def cases() -> None:
    assert {case.world for case in GROUPS["field-quick"]} == set(WORLDS)
    assert {case.variant for case in chosen("CartPole-v1", None)} == {
        "clean",
        "junk",
        "noise",
        "online",
        "log",
        "steps",
    }
    for case in CASES.values():
        assert not case.base or (case.world, case.base) in CASES, case
        assert list(case.points) == sorted(case.points) and all(0 < point <= case.steps for point in case.points)
    one = CASES["CartPole-v1", "clean"]
    assert one.digest == replace(one, must="other", floor=1.0).digest != replace(one, steps=1).digest


def observations() -> None:
    for name in ("CartPole-v1", "Taxi-v4", "four-room-v0"):
        clean, noisy, junk = (walk(make(CASES[name, variant], 1)) for variant in ("clean", "noise", "junk"))
        if name == "Taxi-v4":
            clean = np.eye(500)[clean]
        assert noisy.shape == clean.shape and noisy.dtype == np.float32
        spread = np.sqrt(np.mean((noisy - clean) ** 2, axis=0))
        assert np.allclose(spread, SHARE * np.array(RANGES[name]), rtol=0.25), (name, spread)
        assert junk.shape == (len(clean), clean.shape[1] + JUNK)
        # every true component is there, unchanged, and not where it was
        same = [[i for i in range(junk.shape[1]) if np.allclose(junk[:, i], column)] for column in clean.T]
        assert all(same) and [i for i, *_ in same] != list(range(clean.shape[1]))
    again = walk(make(CASES["CartPole-v1", "noise"], 1))
    assert np.array_equal(again, walk(make(CASES["CartPole-v1", "noise"], 2)))  # by the seed of reset alone
    env = Junk(ObservationNoise(gymnasium.make("CartPole-v1"), 0.1))
    assert env.observation_space.contains(env.reset(seed=1)[0])


def cards() -> None:
    """Blackjack as three numbers, in the order of its tuple, and within the bounds that are told."""
    plain, numbers = (make(CASES["Blackjack-v1", variant], 1) for variant in ("one-hot", "numbers"))
    for seed in range(20):
        dealt, seen = plain.reset(seed=seed)[0], numbers.reset(seed=seed)[0]
        assert list(seen) == list(dealt) and numbers.observation_space.contains(seen)


class Payer(gymnasium.Env):
    """Pays 1 for action 1, as two features."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return np.zeros(1, np.float32), {}

    def step(self, action):
        phi, w = np.array([float(action), 0.0]), np.array([1.0, 2.0])
        return np.zeros(1, np.float32), float(phi @ w), False, False, {"features": phi, "w": w}


def rewards() -> None:
    for on_features in (False, True):
        for every in (False, True):
            truth = TrueReturn(Payer())
            env = RewardNoise(truth, 0.1, on_features=on_features, every=every)
            env.reset(seed=1)
            paid = np.array([env.step(i % 2)[1] for i in range(4_000)]).reshape(-1, 2)
            assert math.isclose(paid[:, 1].std(), 0.1, rel_tol=0.1)
            assert math.isclose(paid[:, 0].std(), 0.1 if every else 0.0, rel_tol=0.1)
            assert truth.total == 2_000 and truth.steps == 4_000
            goals = Goals(env)
            for i in range(10):
                goals.step(i % 2)
            assert goals.goals == 5 or (every and on_features)
            info = env.step(1)[4]
            assert (info["features"][0] != 1.0) == on_features


def deep_sea() -> None:
    for one_hot in (True, False):
        env = DeepSea(20, 3, one_hot)
        for way, best in ((1, 0.99), (0, 0.0)):
            observation, total, over, steps = env.reset()[0], 0.0, False, 0
            while not over:
                assert env.observation_space.contains(observation)
                column = int(observation.argmax()) % 20 if one_hot else round(float(observation[1]) * 20)
                right = int(np.random.default_rng([20, 3]).integers(0, 2, 20)[column])
                observation, reward, over, _, _ = env.step(right if way else 1 - right)
                total, steps = total + reward, steps + 1
            assert steps == 20 and math.isclose(total, best, abs_tol=1e-9)


def table() -> None:
    build = {"program": "p", "agent": "sfnec-plan", "set": {}}
    scores = {("CartPole-v1", "clean"): (109.0, 209.0), ("CartPole-v1", "junk"): (59.0, None)}
    for (world, variant), values in scores.items():
        case = CASES[world, variant]
        for seed, value in enumerate(values, 1):
            line = {"world": world, "variant": variant, "case": case.digest, "seed": seed, **build, "limit": 10}
            line |= {"task_steps": case.steps, "task_count": case.tasks}
            write(Path("out") / FILE, {**line, "score": value, "cpu": 0.3, "steps": 3_000})
    known, junk = read(Path("out")), CASES["CartPole-v1", "junk"]
    assert has(known, junk, 1, build, 99) and not has(known, junk, 3, build, 10)
    assert has(known, junk, 2, build, 10) and not has(known, junk, 2, build, 11)  # more time than it had
    assert not has(known, junk, 1, {**build, "program": "q"}, 10)
    assert not has(known, replace(junk, steps=5), 1, build, 10)
    with contextlib.redirect_stdout(io.StringIO()) as told:
        print_table([Path("out")])
    text = told.getvalue()
    assert "| CartPole-v1 | clean | 3,000 | 159.0 ± 50.0 (2) |  |  | 100 |" in text, text
    # only the seed that both have counts: (59 - 9) / (109 - 9)
    assert "| CartPole-v1 | junk | 3,000 | 59.0 (1), 1 failed | 0.50 | x 0.9 | 100 |" in text, text


def ablation() -> None:
    """Runs are paired by seed; a case that differs, another build and a run that failed do not count."""
    off = mechanisms(["none", "path", "noise", "polynomial"])
    assert off["polynomial"] == {"without": "polynomial"} and off["bonus=0"] == {"bonus": "0"} and "none" not in off
    case, out = CASES["CartPole-v1", "clean"], Path("less")
    scores = {(): (100.0, 200.0, 300.0), ("path",): (90.0, 170.0), ("noise",): (100.0, 200.0, None)}
    for names, values in scores.items():
        changes = {"without": names[0]} if names else {}
        about = {"world": case.world, "variant": "clean", "case": case.digest, "set": changes, "limit": 10}
        for seed, value in enumerate(values, 1):
            write(out / FILE, {**about, "program": "p", "seed": seed, "score": value})
            write(out / FILE, {**about, "program": "q", "seed": seed, "score": 0.0})
            write(out / FILE, {**about, "program": "p", "case": "other", "seed": seed, "score": 0.0})
    found = compare(out, [case], [1, 2, 3], "p", off)
    path, noise = ({row["off"]: row for row in found}[name] for name in ("path", "noise"))
    assert (path["seeds"], path["score"], path["difference"], path["error"], path["same"]) == (2, 150, -20, 10, 0), path
    assert (noise["seeds"], noise["difference"], noise["same"]) == (2, 0, 2)
    assert {row["off"] for row in compare(out, [case], [3], "p", off)} == set()
    with contextlib.redirect_stdout(io.StringIO()) as told:
        print_found(found)
    assert "| path | -20.0 ± 10.0 |" in told.getvalue() and "| noise | = |" in told.getvalue()
    write_csv(out / "ablation.csv", found)
    assert len((out / "ablation.csv").read_text().splitlines()) == 3


for test in (cases, observations, cards, rewards, deep_sea, table, ablation):
    test()
