"""The worlds of the field: one table, and how a world is made from a row of it.

Every agent, ours or a peer's, gets the world that `make` returns: the same wrappers, the same limit of an episode.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

__all__ = ["TRANSFER", "WORLDS", "Symbols", "World", "by_id", "make", "weights"]


@dataclass(frozen=True)
class World:
    """A row of the table."""

    id: str
    gamma: float  # the discount usual for the world, for all agents that do not bring their own
    episodes: int = 20  # greedy episodes of an evaluation; per weight vector if there are several rewards
    rewards: int = 1
    limit: int = 0  # steps of an episode where the world itself has no limit
    symbols: bool = False  # MiniGrid: the map as numbers instead of a picture
    known: float | None = None  # the greatest score, where it is known without computing
    goal: float | None = None  # Gymnasium's reward threshold, where the optimum is not known
    bound: tuple[float, ...] = ()  # of a return, per reward: for tabular Q; empty: too many states
    optimism: float = 0.3  # of tabular Q: its first values, as a share of the bound; these two were chosen on seed 1
    rate: float = 0.5
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def several(self) -> bool:
        return self.rewards > 1


_TABLE = [
    World("CartPole-v1", 0.99, known=500.0),
    World("Acrobot-v1", 0.99, goal=-100.0),
    World("MountainCar-v0", 0.99, goal=-110.0),
    World("LunarLander-v3", 0.99, goal=200.0),
    World("FrozenLake-v1", 0.99, episodes=500, bound=(1.0,), rate=0.3),
    World("Taxi-v4", 0.99, episodes=50, bound=(20.0,)),
    World("CliffWalking-v1", 0.99, episodes=1, limit=200, bound=(0.0,)),
    World("MiniGrid-Empty-8x8-v0", 0.99, episodes=1, symbols=True, bound=(1.0,)),
    World("MiniGrid-FourRooms-v0", 0.99, symbols=True),
    World("MiniGrid-DoorKey-5x5-v0", 0.99, symbols=True),
    World("deep-sea-treasure-v0", 0.99, episodes=1, rewards=2, bound=(23.7, 0.0), optimism=1.0),
    World("resource-gathering-v0", 0.95, episodes=10, rewards=3, bound=(0.0, 1.0, 1.0), rate=0.3),
    World("four-room-v0", 0.95, episodes=1, rewards=3, bound=(4.0, 4.0, 4.0)),
    World("minecart-v0", 0.98, episodes=2, rewards=3),
    World("minecart-deterministic-v0", 0.98, episodes=1, rewards=3),
    World("fruit-tree-v0", 0.99, episodes=1, rewards=6, limit=100, bound=(10.0,) * 6, optimism=1.0),
    World("mo-reacher-v5", 0.9, episodes=2, rewards=4),
]
WORLDS = {world.id: world for world in _TABLE}
# those whose rewards change (transfer.py), by the name of their results
_ROOMS = World("sfnec/FourRooms-v0", 0.95, rewards=4, options={"reward": "vector"})
_CHANGING = [WORLDS["four-room-v0"], WORLDS["minecart-v0"], WORLDS["mo-reacher-v5"], _ROOMS]
TRANSFER = {f"transfer/{world.id.removeprefix('sfnec/')}": world for world in _CHANGING}


class Symbols(gymnasium.ObservationWrapper[Any, Any, Any]):
    """MiniGrid as numbers: position, direction, what is carried, and type and state of every cell."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        cells = env.unwrapped.width * env.unwrapped.height
        self.observation_space = spaces.Box(-1.0, 32.0, (5 + 2 * cells,), np.float32)

    def observation(self, observation: Any) -> Any:
        from minigrid.core.constants import OBJECT_TO_IDX

        env = self.unwrapped
        carried = OBJECT_TO_IDX[env.carrying.type] if env.carrying else 0
        head = [*env.agent_pos, *env.dir_vec, carried]
        return np.concatenate([head, env.grid.encode()[:, :, ::2].reshape(-1)]).astype(np.float32)


def make(world: World) -> Any:
    """The world as every agent sees it."""
    if world.several:
        import mo_gymnasium  # noqa: F401 - registers its worlds
    if world.symbols:
        import minigrid  # noqa: F401
    if world.id.startswith("sfnec/"):
        import sfnec  # noqa: F401
    env = gymnasium.make(world.id, disable_env_checker=True, **world.options)
    if world.symbols:
        env = Symbols(env)
    return gymnasium.wrappers.TimeLimit(env, world.limit) if world.limit else env


def by_id(name: str) -> Any:
    """For a spec: env: {gymnasium: "field.worlds:by_id", options: {name: CartPole-v1}}."""
    return make(WORLDS[name])


def weights(size: int, count: int = 15) -> np.ndarray:
    """The fixed weights of an expected utility, (count, size): a lattice if one has as many, else some are drawn."""
    parts = {2: 14, 3: 4}.get(size)

    def share(boxes: int, balls: int) -> list[list[int]]:
        if boxes == 1:
            return [[balls]]
        return [[i, *more] for i in range(balls + 1) for more in share(boxes - 1, balls - i)]

    if parts:
        return np.array(share(size, parts), float) / parts
    fixed = [*np.eye(size), np.full(size, 1 / size)]
    drawn = np.random.default_rng(0).dirichlet(np.ones(size), count - len(fixed))
    return np.vstack([fixed, drawn])
