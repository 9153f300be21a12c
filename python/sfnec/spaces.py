"""Observation spaces of Gymnasium as vectors whose components have names and kinds.

    >>> from gymnasium import spaces
    >>> print(sfnec.spaces.Layout(spaces.Dict(dealer_card=spaces.Discrete(11), hand=spaces.Box(0, 1, (2,)))))
    dealer_card  discrete, 11 values
    hand[0]      number
    hand[1]      number

A component is a number of its own, as the space has it: a Discrete is one number and not as many as it has values, so
that near values are near, and an agent that plans sees a factor of the state. Only pictures are scaled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import errors

__all__ = ["Component", "Layout", "Picture"]

_PICTURE_SIDE = 32  #: pixels of the shorter side: smaller uint8 arrays are grids of symbols, as in MiniGrid
_EXACT = 2**24  #: whole numbers up to here are different floats


class Component(NamedTuple):
    """A component of an observation as a vector."""

    name: str  #: where it stands in the space: "dealer_card", "image[3,4]"; "" where the space has no name for it
    kind: str  #: "number", "discrete" or "pixel"
    values: int  #: how many a discrete one takes; 0: unknown, or any


class Picture(NamedTuple):
    """An observation that is a picture, or a stack of the last ones, as the library keeps it: in bytes."""

    frames: int  #: one after another, the oldest first
    height: int
    width: int
    channels: int  #: numbers of a pixel, side by side
    levels: int  #: a number is one of 0 / levels, ..., levels / levels


@dataclass(frozen=True)
class Part:
    """A leaf of a space: an array or a number in an observation."""

    path: tuple[Any, ...]  # keys that lead to it
    name: str
    shape: tuple[int, ...]
    kind: str
    values: NDArray[np.int64]  # (size,): how many each takes; 0: unknown
    shift: Any = 0.0
    scale: Any = 1.0
    starts: NDArray[np.int64] | None = None  # (size,): least values of a one-hot part; None: it is numbers
    levels: int = 0  # of a picture, whose bytes become numbers by `table`; 0: it is none
    table: NDArray[np.float32] | None = None  # (levels + 1,)

    @property
    def size(self) -> int:
        return int(self.values.sum()) if self.starts is not None else self.values.size

    def find(self, observation: Any) -> Any:
        for key in self.path:
            observation = observation[key]
        return observation

    def components(self) -> Iterator[Component]:
        for i, index in enumerate(np.ndindex(self.shape)):
            where = f"[{','.join(map(str, index))}]" if self.shape and self.name and self.values.size > 1 else ""
            if self.starts is None:
                yield Component(self.name + where, self.kind, int(self.values[i]))
                continue
            for value in range(int(self.starts[i]), int(self.starts[i] + self.values[i])):
                yield Component(f"{self.name}{where}={value}" if self.name else "", self.kind, 2)

    def rows(self, array: NDArray[Any]) -> NDArray[Any]:
        """Observations of this part (n, values) as numbers (n, size)."""
        if self.table is not None and array.dtype == np.uint8:
            return self.table[array]  # type: ignore[no-any-return]
        if self.starts is None:
            return (array - self.shift) * self.scale  # type: ignore[no-any-return]
        values = [
            array[:, i, None] == np.arange(start, start + count)
            for i, (start, count) in enumerate(zip(self.starts, self.values, strict=True))
        ]
        return np.concatenate(values, axis=1).astype(np.float64)


def _levels(space: Any) -> int:
    """The levels of a space of pictures: bytes, or planes of yes and no; 0: it is none."""
    rank = len(space.shape)
    if _is_photograph(space):
        return 255 if rank <= 4 else 0
    return 1 if space.dtype == np.bool_ and rank in (3, 4) else 0


def _sides(shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Frames, height, width and channels of an array: a first axis that is shorter than the others is a stack."""
    if len(shape) == 4:
        return (shape[0], shape[1], shape[2], shape[3])
    if len(shape) == 2:
        return (1, shape[0], shape[1], 1)
    stacked = shape[0] < min(shape[1:])
    return (shape[0], shape[1], shape[2], 1) if stacked else (1, shape[0], shape[1], shape[2])


def _is_photograph(space: Any) -> bool:
    sides = sorted(space.shape)[-2:]
    return bool(
        space.dtype == np.uint8
        and len(sides) == 2
        and sides[0] >= _PICTURE_SIDE
        and (space.low == 0).all()
        and (space.high == 255).all()
    )


def _box(space: Any, path: tuple[Any, ...], name: str, unit: bool) -> Part:
    size = int(np.prod(space.shape))
    kind, values = "number", np.zeros(size, np.int64)
    low, high = (np.asarray(bound).reshape(-1) for bound in (space.low, space.high))
    levels = _levels(space)
    table = (np.arange(levels + 1) * (1.0 / levels)).astype(np.float32) if levels else None
    if _is_photograph(space):
        kind = "pixel"
    elif np.issubdtype(space.dtype, np.integer) or space.dtype == np.bool_:
        kind = "discrete"
        wide = [int(b) - int(a) + 1 for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        values = np.array([n if n < _EXACT else 0 for n in wide], np.int64)
    if not unit:
        plain = 1.0 / 255.0 if kind == "pixel" else 1.0
        return Part(path, name, tuple(space.shape), kind, values, scale=plain, levels=levels, table=table)
    low, high = low.astype(np.float64), high.astype(np.float64)
    bounded = np.isfinite(low) & np.isfinite(high) & (high > low) & (high - low < 1e30)
    shift = np.where(bounded, low, 0.0)
    scale = 1.0 / np.where(bounded, np.where(bounded, high, 1.0) - shift, 1.0)
    return Part(path, name, tuple(space.shape), kind, values, shift, scale, levels=levels, table=table)


def _discrete(space: Any, path: tuple[Any, ...], name: str, unit: bool, one_hot: bool) -> Part:
    counts = np.asarray(getattr(space, "nvec", getattr(space, "n", 2)), np.int64)
    if type(space).__name__ == "MultiBinary":
        counts = np.full(space.shape, 2, np.int64)
    if (counts > _EXACT).any():
        raise errors.ArgumentError(
            f"{_called(name)} takes {int(counts.max())} values, more than a float can tell apart ({_EXACT}): give its "
            "digits as a MultiDiscrete, or an embedding"
        )
    if one_hot:
        starts = np.broadcast_to(np.asarray(getattr(space, "start", 0), np.int64), counts.shape).reshape(-1)
        return Part(path, name, tuple(counts.shape), "discrete", counts.reshape(-1), starts=starts)
    start = np.asarray(getattr(space, "start", 0), np.float64).reshape(-1)
    far = bool((np.abs(start) + counts.max() > _EXACT).any())
    shift: Any = start if unit or far else 0.0
    scale: Any = 1.0 / np.maximum(counts.reshape(-1) - 1, 1) if unit else 1.0
    return Part(path, name, tuple(counts.shape), "discrete", counts.reshape(-1), shift, scale)


def _called(name: str) -> str:
    return f"the part '{name}' of an observation" if name else "an observation"


def _without(root: Any, path: tuple[Any, ...]) -> str:
    """How to leave a part of a Dict out; "" where no wrapper does."""
    if not path or not isinstance(path[0], str):
        return ""
    return f" with gymnasium.wrappers.FilterObservation(env, {[key for key in root if key != path[0]]}),"


def _parts(space: Any, path: tuple[Any, ...], name: str, unit: bool, one_hot: bool, root: Any = None) -> Iterator[Part]:
    """The leaves of a space, in its order."""
    from gymnasium import spaces

    root = space if root is None else root

    if isinstance(space, spaces.Box):
        yield _box(space, path, name, unit)
    elif isinstance(space, (spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)):
        yield _discrete(space, path, name, unit, one_hot)
    elif isinstance(space, spaces.Tuple):
        for i, each in enumerate(space):
            yield from _parts(each, (*path, i), f"{name}[{i}]" if name else str(i), unit, one_hot, root)
    elif isinstance(space, spaces.Dict):
        for key, each in space.items():
            yield from _parts(each, (*path, key), f"{name}.{key}" if name else str(key), unit, one_hot, root)
    else:
        raise errors.ArgumentError(
            f"{_called(name)} is a {type(space).__name__}, which is no vector of numbers: leave it out"
            f"{_without(root, path)} or give embedding=, a function that makes numbers of an observation"
        )


class Layout:
    """How the observations of a space become vectors.

    Args:
        space: a Box, Discrete, MultiDiscrete or MultiBinary, or a Tuple or Dict of them, nested as you like.
        names: of the components, in the place of those that follow from the space.
        unit: bounded components are scaled to [0, 1].
        one_hot: a Discrete is as many components as it has values, of which one is 1: for linear functions, which can
            make nothing of the number of a state.
    """

    def __init__(self, space: Any, names: Any = None, unit: bool = False, one_hot: bool = False) -> None:
        self.parts = list(_parts(space, (), "", unit, one_hot))
        self.size = sum(part.size for part in self.parts)  #: numbers of a vector
        #: whether numbers are shifted or scaled on the way
        self.scales = any(np.any(part.shift != 0.0) or np.any(part.scale != 1.0) for part in self.parts)
        if self.size == 0:
            raise errors.ArgumentError(f"an observation needs at least one number, and {space} has none")
        self._given = None if names is None or one_hot else [str(each) for each in names]
        if self._given is not None and len(self._given) != self.size:
            raise errors.ArgumentError(
                f"the observation has {self.size} components, and {len(self._given)} names were given for them"
            )

    @property
    def picture(self) -> Picture | None:
        """What a vector is a picture of; None: it is none, or there is more in it."""
        part = self.parts[0]
        return Picture(*_sides(part.shape), part.levels) if len(self.parts) == 1 and part.levels else None

    @property
    def components(self) -> tuple[Component, ...]:
        """What each number of a vector is."""
        found = [each for part in self.parts for each in part.components()]
        if self._given is None:
            return tuple(found)
        return tuple(each._replace(name=name) for each, name in zip(found, self._given, strict=True))

    def __str__(self) -> str:
        rows = self.components
        width = max(len(each.name or str(i)) for i, each in enumerate(rows))
        told = [f", {each.values} values" if each.values else "" for each in rows]
        return "\n".join(
            f"{each.name or i!s:<{width}}  {each.kind}{more}"
            for i, (each, more) in enumerate(zip(rows, told, strict=True))
        )

    def vector(self, observation: Any) -> NDArray[np.float32]:
        """One observation as a vector."""
        rows, several = self.batch(observation)
        if several:
            part = self.parts[0]
            raise errors.ArgumentError(
                f"{_called(part.name)} must have shape {part.shape}, not {np.shape(part.find(observation))}"
            )
        row: NDArray[np.float32] = rows[0]
        return row

    def batch(self, observations: Any) -> tuple[NDArray[np.float32], bool]:
        """One observation, or several as vectors of environments have them, as rows; whether there were several."""
        found = [_numbers(part, observations) for part in self.parts]
        several = found[0].shape != self.parts[0].shape
        count = len(found[0]) if several else 1
        rows = np.empty((count, self.size), np.float32)
        at = 0
        for part, array in zip(self.parts, found, strict=True):
            if array.shape != ((count, *part.shape) if several else part.shape):
                raise errors.ArgumentError(f"{_called(part.name)} must have shape {part.shape}, not {array.shape}")
            with np.errstate(over="ignore"):
                rows[:, at : at + part.size] = part.rows(array.reshape(count, part.values.size))
            at += part.size
        return rows, several


def _numbers(part: Part, observation: Any) -> NDArray[Any]:
    """The array of a part: bytes for a picture of bytes, which need not become wider on their way; else doubles."""
    try:
        found = part.find(observation)
        if part.levels and isinstance(found, np.ndarray) and found.dtype in (np.uint8, np.bool_):
            return found.view(np.uint8)
        return np.asarray(found, np.float64)
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise errors.ArgumentError(
            f"{_called(part.name)} must be an array of numbers of shape {part.shape}: {type(error).__name__}: {error}"
        ) from None
