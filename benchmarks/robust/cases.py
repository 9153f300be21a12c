"""The cases: which environments, disturbed how, for how many steps, and what each is compared with."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

from field import worlds
from field.worlds import World

from .deep_sea import DeepSea
from .wrappers import FullGrid, Junk, Numbers, ObservationNoise

__all__ = ["CASES", "Case", "GROUPS", "chosen", "make"]

# Ranges of the components, measured once by `python -m robust ranges` (20,000 steps of a random policy, seed 0) and
# kept here, so that the noise of 1 % never changes. One number: the same for all components.
RANGES: dict[str, Any] = {
    "CartPole-v1": (2.0327, 4.83, 0.5182, 6.1973),
    "MountainCar-v0": (0.7345, 0.057),
    "Acrobot-v1": (1.9992, 2.0, 2.0, 2.0, 10.3787, 18.3603),
    "Taxi-v4": 1.0,  # one-hot
    "four-room-v0": (12.0, 12.0, *[1.0] * 12),
}
SHARE = 0.01  # of the range that is the noise's standard deviation


@dataclass(frozen=True)
class Case:
    """One environment in one variant; what is measured and for how long."""

    world: str
    variant: str = "clean"
    kind: str = "field"  # which function of measure.py runs it
    steps: int = 0  # of a task, where there are several
    points: tuple[int, ...] = ()  # steps after which the agent is evaluated; the score is the mean
    episodes: int = 0  # greedy ones of an evaluation, of each weight vector if there are several rewards
    tasks: int = 1
    sd: float = 0.0  # of the noise
    base: str = "clean"  # the variant that the ratio is relative to
    floor: float = 0.0  # of the world's score: the ratio is (score - floor) / (base - floor)
    options: tuple[tuple[str, str], ...] = ()  # of the agent or of the environment
    must: str = ""  # the target, in words: of the score, or of the ratio if it begins with "x"

    @property
    def digest(self) -> str:
        """Results of cases that differ are never mixed; how they are shown does not count."""
        shown = replace(self, base="", floor=0.0, must="")
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:8]

    @property
    def label(self) -> str:
        return f"{self.world} {self.variant}"


# ---- the environments of the field, at small budgets ----

# steps, evaluation points and episodes: large enough to learn, small enough to tell agents apart. The floor is the
# score of a random policy, or of one that stands still, so that ratios of negative returns mean something.
_QUICK: dict[str, tuple[int, tuple[int, ...], int, float]] = {
    "CartPole-v1": (3_000, (1_000, 2_000, 3_000), 5, 9.0),
    "Acrobot-v1": (5_000, (2_000, 3_500, 5_000), 5, -500.0),
    "MountainCar-v0": (10_000, (5_000, 7_500, 10_000), 5, -200.0),
    "LunarLander-v3": (5_000, (4_500, 5_000), 4, -600.0),
    "FrozenLake-v1": (5_000, (1_000, 2_500, 5_000), 150, 0.0),
    "Taxi-v4": (5_000, (1_500, 2_500, 5_000), 20, -770.0),
    "CliffWalking-v1": (1_000, (300, 500, 1_000), 1, -200.0),
    "MiniGrid-Empty-8x8-v0": (2_000, (500, 1_000, 2_000), 1, 0.0),
    "MiniGrid-FourRooms-v0": (2_000, (1_000, 2_000), 10, 0.0),
    "MiniGrid-DoorKey-5x5-v0": (5_000, (2_000, 3_500, 5_000), 10, 0.0),
    "deep-sea-treasure-v0": (1_000, (300, 500, 1_000), 1, 0.0),
    "resource-gathering-v0": (5_000, (1_000, 2_500, 5_000), 5, 0.0),
    "four-room-v0": (2_000, (1_000, 2_000), 1, 0.0),
    "minecart-v0": (5_000, (2_500, 5_000), 1, -1.0),
    "minecart-deterministic-v0": (10_000, (5_000, 10_000), 1, -1.0),
    "fruit-tree-v0": (2_000, (500, 1_000, 2_000), 1, 0.0),
    "mo-reacher-v5": (2_000, (1_000, 2_000), 1, 0.0),
}
_DISTURBED = tuple(RANGES)

# ---- others: exploration, irrelevant cells, random outcomes ----

_OTHERS = {
    world.id: world
    for world in (
        World("MiniGrid-KeyCorridorS3R1-v0", 0.99, symbols=True),
        World("Blackjack-v1", 0.99),
        World("MountainCarContinuous-v0", 0.99),
        World("deep-sea-20", 0.99),
        World("deep-sea-30", 0.99),
    )
}


def _field() -> list[Case]:
    found = []
    for name, (steps, points, episodes, floor) in _QUICK.items():
        clean = Case(name, "clean", "field", steps, points, episodes, floor=floor)
        found.append(clean)
        if name in _DISTURBED:
            found += [replace(clean, variant=variant, must="x 0.9") for variant in ("junk", "noise")]
    return found


def _others() -> list[Case]:
    seas = [
        Case(f"deep-sea-{size}", variant, "field", 20_000, (20_000,), 1, base="", must="0.99")
        for size in (20, 30)
        for variant in ("one-hot", "pair")
    ]
    return [
        Case("MiniGrid-KeyCorridorS3R1-v0", "clean", "field", 5_000, (5_000,), 20),
        Case("MiniGrid-KeyCorridorS3R1-v0", "full-grid", "field", 5_000, (5_000,), 20, must="0.9"),
        Case("Blackjack-v1", "numbers", "field", 20_000, (20_000,), 10_000, base="", must="-0.06"),
        Case("Blackjack-v1", "one-hot", "field", 20_000, (20_000,), 10_000, base="", must="-0.06"),
        # an episode that does not reach the goal earns at most 0, so above 80 nearly all of them reach it
        Case("MountainCarContinuous-v0", "clean", "field", 10_000, (10_000,), 5, must="80 (solved), every seed"),
        *seas,
    ]


# ---- four rooms: per cent of the optimum ----


def _rooms() -> list[Case]:
    world, steps = "four_rooms", 20_000
    noisy = [
        Case(world, f"noise-{sd:g}", "rooms", steps, tasks=3, sd=sd, must=must)
        for sd, must in ((0.01, "88"), (0.03, "80"), (0.1, "50"))
    ]
    detect = (("w", "rls"), ("tasks", "detect"))
    rewards = [
        Case(world, f"{how}-reward-{sd:g}{when}", "rooms", steps, tasks=3, sd=sd, options=options, must=must)
        for how, sd, options, must in (
            ("detect", 0.0, detect, ""),
            ("detect", 0.02, detect, "x 0.93"),
            ("detect", 0.1, detect, "x 0.85"),
            ("given", 0.1, (), "x 0.95"),
        )
        for when in (("", "-every") if sd else ("",))
    ]
    return [Case(world, "clean", "rooms", steps, tasks=10, must="97; first task 87"), *noisy, *rewards]


# ---- logs of a random policy: greedy play without a step of one's own, and with as many ----

_LOGGED = ("CartPole-v1", "FrozenLake-v1", "Taxi-v4", "deep-sea-treasure-v0", "resource-gathering-v0", "four-room-v0")
_LOGGED += ("fruit-tree-v0",)


def _logs() -> list[Case]:
    steps, found = 20_000, []
    for name in _LOGGED:
        _, _, episodes, floor = _QUICK[name]
        online = Case(name, "online", "field", steps, (steps,), episodes, floor=floor)
        found += [online, replace(online, variant="log", base="online", must="x 0.9")]
    rooms = Case("four_rooms", "online", "weights", steps)
    return [*found, rooms, replace(rooms, variant="log", base="online", must="x 0.9")]


# ---- navigation: goals in one endless episode ----


def _navigation() -> list[Case]:
    world, exact = "navigation", ("pose_noise", "0")
    stop = (("goal_reward", "100"), ("move_cost", "1"), ("stop_cost", "0.8"))
    random = ("start", "random")
    variants: list[tuple[str, tuple[tuple[str, str], ...], str, str]] = [
        ("clean", (exact,), "clean", ""),
        ("noise", (), "clean", "x 0.9"),
        ("noise-not-on-stop", (("stop_noise", "off"),), "clean", "x 0.9"),
        ("sensor-noise", (exact, ("sensor_noise", "0.0025")), "clean", "x 0.9"),
        ("stop-cheaper", (exact, *stop), "clean", "above 0, every seed"),
        ("stop-cheaper-noise", stop, "clean", "above 0, every seed"),
        ("random-start", (exact, random), "random-start", ""),
        ("random-start-noise", (random,), "random-start", "x 0.9"),
        # a room four times as large, in moves
        ("large", (exact, ("move_length", "0.025")), "large", ""),
        ("large-noise", (("pose_noise", "0.00125"), ("move_length", "0.025")), "large", "x 0.9"),
        ("large-stop-cheaper", (exact, ("move_length", "0.025"), *stop), "large", "above 0, every seed"),
    ]
    return [
        Case(world, name, "navigation", 50_000, base=base, options=options, must=must)
        for name, options, base, must in variants
    ]


def _times() -> list[Case]:
    must = "p99.9 2 ms, worst 10 ms"
    return [
        Case("four_rooms", "steps", "rooms", 20_000, tasks=3, base="", must=must),
        Case("CartPole-v1", "steps", "field", 10_000, base="", must=must),
    ]


_ALL = [*_rooms(), *_navigation(), *_field(), *_others(), *_logs(), *_times()]
CASES = {(case.world, case.variant): case for case in _ALL}


def _group(*pairs: tuple[str, str]) -> list[Case]:
    return [CASES[pair] for pair in pairs]


GROUPS: dict[str, list[Case]] = {
    "all": list(CASES.values()),
    "field-quick": _group(*((name, "clean") for name in _QUICK)),
    "disturbed": [case for case in CASES.values() if case.kind == "field" and case.world in _DISTURBED and case.points],
    "others": _others(),
    "logs": _logs(),
    "steps": _times(),
}


def chosen(name: str, variant: str | None) -> list[Case]:
    """The cases of a world (all its variants, or one) or of a group."""
    cases = GROUPS.get(name) or [case for case in CASES.values() if case.world == name]
    found = [case for case in cases if variant in (None, case.variant)]
    if not found:
        known = ", ".join([*GROUPS, *dict.fromkeys(world for world, _ in CASES)])
        raise SystemExit(f"robust: there is no case '{name} {variant or ''}': worlds and groups are {known}")
    return found


# ---- how the environment of a case is made ----


def world_of(case: Case) -> World:
    found = worlds.WORLDS.get(case.world) or _OTHERS[case.world]
    return replace(found, episodes=case.episodes)


def make(case: Case, seed: int) -> Any:
    """The environment of a case of the kind `field`; the seed draws what of the world is drawn once (deep sea)."""
    if case.world.startswith("deep-sea-") and case.world not in worlds.WORLDS:
        return DeepSea(int(case.world.rpartition("-")[2]), seed, one_hot=case.variant == "one-hot")
    world = world_of(case)
    if case.variant == "full-grid":
        import minigrid  # noqa: F401 - registers its worlds

        world = replace(world, symbols=False)
    env = worlds.make(world)
    if case.world == "MountainCarContinuous-v0":
        from sfnec.discrete import Discretise

        env = Discretise(env, bins=5)
    if case.variant == "full-grid":
        env = FullGrid(env)
    if case.variant == "numbers":
        env = Numbers(env)
    if case.variant == "junk":
        env = Junk(env)
    if case.variant == "noise":
        ranges = RANGES[case.world]
        env = ObservationNoise(env, SHARE * ranges if isinstance(ranges, float) else [SHARE * each for each in ranges])
    return env
