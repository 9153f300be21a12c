"""A worker of a study in a Gymnasium environment: a process that the command `sfnec` starts.

The jobs themselves are the command's own code (python/src/worker.c); here is what they need of Python: a world that is
made as the spec says, and its steps. Frames over the socket are those of src/study/work/frame.h.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import runpy
import socket
import struct
import sys
from collections.abc import Callable
from functools import reduce
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import errors
from ._called import callback, refuse, sentence
from ._native import check, ffi, lib, pointer, text
from .actions import Actions
from .places import check_env, component_spaces, named
from .sources import Features, Observations, Sight
from .spaces import Component

_DESCRIBE, _SHAPE, _REFUSED, _STUDY = 1, 2, 3, 4
_HEAD = struct.Struct("=II")
_MOST = 1 << 28  # bytes of a frame

# ---- names ----


def _module(name: str) -> ModuleType:
    """A module; __main__ is the script that called `sfnec.run`."""
    if name != "__main__" or "SFNEC_MAIN" not in os.environ:
        # the current folder comes last, and only for what the spec names: what lies in it is no numpy
        top = name.partition(".")[0]
        if top not in sys.modules and os.getcwd() not in sys.path and importlib.util.find_spec(top) is None:
            sys.path.append(os.getcwd())
        return importlib.import_module(name)
    module = ModuleType("__mp_main__")  # as multiprocessing calls it, so that a guarded script does not run again
    sys.modules["__mp_main__"] = sys.modules["__main__"] = module
    module.__dict__.update(runpy.run_path(os.environ["SFNEC_MAIN"], run_name="__mp_main__"))
    return module


def _find(name: str) -> Any:
    """What `module:attribute` names; None if the module has no such attribute."""
    module, _, attribute = name.rpartition(":")
    if not module:
        raise errors.OptionError(f"'{name}' is refused; it takes module:attribute")
    try:
        return reduce(getattr, attribute.split("."), _module(module))
    except AttributeError:
        return None


def _function(name: str) -> Callable[..., Any]:
    found = _find(name)
    if not callable(found):
        raise errors.OptionError(f"there is no function '{name}'")
    return found  # type: ignore[no-any-return]


def _value(written: str) -> Any:
    """A value of a spec: a number, true, false, null, a list or mapping in JSON, or else the text itself."""
    try:
        return json.loads(written)
    except ValueError:
        return written


# ---- worlds ----


class Maker:
    """Makes the worlds of a study as its spec describes them."""

    def __init__(self, request: dict[str, Any]) -> None:
        self._id: str = request["id"]
        self._unit: bool = request["unit"]
        self._options: dict[str, str] = request["options"]
        self._wrappers = [_function(name) for name in request["wrappers"]]
        source: str | None = request["features"]
        self._phi = _function(source) if source and ":" in source else None
        self._source = None if self._phi else source
        self._factory = _find(self._id) if ":" in self._id else None
        self.weights = [np.array(w, np.float64) for w in request["weights"]]
        self.default: NDArray[np.float64] | None = None  #: the weights of all tasks, if the world says them
        self.count = 0  #: features
        self.components: tuple[Component, ...] = ()  #: of the observation

    def _env(self, settings: dict[str, str]) -> Any:
        import gymnasium

        values = {key: _value(written) for key, written in settings.items()}
        if callable(self._factory):
            values.pop("max_episode_steps", None)  # the library's own business
            env = self._factory(**values)
        else:
            if ":" not in self._id and self._id not in gymnasium.registry and importlib.util.find_spec("mo_gymnasium"):
                importlib.import_module("mo_gymnasium")  # registers its worlds
            env = gymnasium.make(self._id, disable_env_checker=True, **values)
        return reduce(lambda inner, wrap: wrap(inner), self._wrappers, env)

    def make(self, settings: dict[str, str]) -> Sight:
        """A world, and how the library sees it."""
        env = self._env(settings)
        check_env(env)
        actions = Actions(env.action_space)
        features = Features(env, self._phi, self._source, actions)
        self.default, self.count = features.default_weights(env), features.count
        return Sight(env, Observations(env.observation_space, None, self._unit, named(env)), features, actions)

    def describe(self) -> tuple[int, int, int, tuple[int, ...]]:
        """Observations, actions and features of the world, and what the observation is a picture of."""
        sight = self.make(self._options)
        for w in self.weights:
            if w.size != self.count or not np.isfinite(w).all():
                raise errors.OptionError(f"the weights of a task must be {self.count} finite numbers, not {w.tolist()}")
        shape = (sight.observation.size, sight.mask.size, self.count, tuple(sight.picture or (0,) * 5))
        self.components = sight.components
        sight.env.close()
        return shape

    def task(self, number: int, random: Any) -> NDArray[np.float64]:
        """The weights of a task: the spec's in turn, those that the world says, or some that add up to 1."""
        if self.weights:
            return self.weights[number % len(self.weights)]
        if self.default is not None:
            return self.default
        # the gaps between sorted numbers are even over the simplex, and rounded in the same way everywhere
        cuts = sorted(float(lib.sfnec_random_uniform(random)) for _ in range(self.count - 1))
        return np.diff([0.0, *cuts, 1.0])


class World:
    """A world of a job."""

    def __init__(self, maker: Maker, number: int, settings: dict[str, str]) -> None:
        self._sight = maker.make(settings)
        self._failure: str | None = None
        self.seen = ffi.new("sfnec_python_world *")
        self.seen.number = number
        sizes = (self._sight.observation.size, self._sight.mask.size, maker.count)
        self.seen.shape = (*sizes, self._sight.picture or ())
        self.seen.observation = pointer(self._sight.observation, "float *")
        self.seen.features = pointer(self._sight.features, "double *")
        self.seen.mask = pointer(self._sight.mask, "uint8_t *")

    def reset(self, seed: int | None) -> bool:
        self._failure = None
        try:
            self._sight.begin(seed)
            return True
        except BaseException as error:  # SystemExit and its like are no end of an episode either
            self._failure = sentence(error)
            return False

    def step(self, action: int) -> int:
        if self._failure is not None:
            refuse(self._failure)
            return int(lib.SFNEC_PYTHON_FAILED)
        _, terminated, truncated = self._sight.step(action)
        return int(terminated) | int(truncated) << 1

    def close(self) -> None:
        self._sight.env.close()


# ---- what the jobs call ----

_maker: Maker
_worlds: dict[int, World] = {}
_numbers = iter(range(1, 2**62))


@callback(ffi.NULL)
def sfnec_python_open(settings: Any) -> Any:
    number = next(_numbers)
    lines = text(settings).splitlines()
    _worlds[number] = World(_maker, number, dict(line.split("=", 1) for line in lines))
    return _worlds[number].seen


@callback(None)  # what the world did before is done, and nothing follows
def sfnec_python_close(world: int) -> None:
    _worlds.pop(world).close()


@callback(False)
def sfnec_python_reset(world: int, first: bool, seed: int) -> bool:
    return _worlds[world].reset(seed % 2**31 if first else None)  # some worlds take no greater one


@callback(lib.SFNEC_PYTHON_FAILED)
def sfnec_python_step(world: int, action: int) -> int:
    return _worlds[world].step(action)


@callback(False)
def sfnec_python_weights(task: int, random: Any, w: Any) -> bool:
    drawn = _maker.task(task, random)
    ffi.buffer(w, drawn.nbytes)[:] = drawn.tobytes()
    return True


# ---- the conversation ----


def _receive(connection: socket.socket) -> tuple[int, bytes]:
    """The next frame; (0, b"") if the other side is gone."""
    with connection.makefile("rb", buffering=0) as stream:

        def read(size: int) -> bytes:
            parts = b""
            while len(parts) < size and (part := stream.read(size - len(parts))):
                parts += part
            return parts

        head = read(_HEAD.size)
        if len(head) < _HEAD.size:
            return 0, b""
        tag, size = _HEAD.unpack(head)
        if size > _MOST:
            return 0, b""
        content = read(size)
        return (tag, content) if len(content) == size else (0, b"")


def _send(connection: socket.socket, tag: int, content: bytes) -> None:
    connection.sendall(_HEAD.pack(tag, len(content)) + content)


def _serve(connection: socket.socket) -> None:
    global _maker
    tag, content = _receive(connection)
    if tag != _DESCRIBE:
        return
    try:
        _maker = Maker(json.loads(content))
        shape = _maker.describe()
    except BaseException as error:  # a world that exits is refused by a sentence, as any other
        return _send(connection, _REFUSED, sentence(error).encode())
    _send(connection, _SHAPE, struct.pack("=8i", *shape[:3], *shape[3]) + text(lib.sfnec_version()).encode())
    tag, content = _receive(connection)
    if tag == _STUDY:
        check(
            lib.sfnec_python_serve(
                connection.fileno(),
                content,
                len(content),
                ffi.new("sfnec_env_shape *", shape)[0],
                component_spaces(_maker.components),
            )
        )


def main() -> None:
    """Serves the command that started this process; the last argument is its socket."""
    number = int(sys.argv[-1])
    os.set_inheritable(number, False)  # what a world starts does not hold the line
    _serve(socket.socket(fileno=number))
