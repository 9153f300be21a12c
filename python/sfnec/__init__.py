"""sfnec: Successor Feature Neural Episodic Control.

    import gymnasium, sfnec

    agent = sfnec.Agent("sfnec", gymnasium.make("sfnec/FourRooms-v0"), seed=1)
    agent.learn(20_000)

`Agent` learns in any Gymnasium or MO-Gymnasium environment with discrete actions. `World` is one of the library's own
environments without Gymnasium; `sfnec.gym` has them for Gymnasium. `run` and `Results` run studies and read them.
`options`, `presets` and `environments` list what is available. Everything that is refused raises `Error`.
"""

from __future__ import annotations

from . import actions, callbacks, loggers, spaces
from ._learn import Episode, Progress
from ._native import lib as _lib
from ._native import text as _text
from ._register import register as _register
from .agent import Agent
from .answers import Component, Components, Coverage, Explanation, Learned, Memory, Model, Task
from .diagnosis import Diagnosis, Finding, LearningWarning
from .errors import ArgumentError, Error, FileError, FormatError, MemoryFullError, OptionError, StateError
from .evaluation import Evaluation
from .experiment import Results, command, run
from .tables import EnvironmentKind, Option, Preset, environments, options, presets
from .world import World

_register()

__version__: str = _text(_lib.sfnec_version())

__all__ = [
    "Agent",
    "ArgumentError",
    "Component",
    "Diagnosis",
    "Finding",
    "LearningWarning",
    "Components",
    "Coverage",
    "EnvironmentKind",
    "Episode",
    "Error",
    "Evaluation",
    "Explanation",
    "FileError",
    "FormatError",
    "Memory",
    "MemoryFullError",
    "Learned",
    "Model",
    "Option",
    "OptionError",
    "Preset",
    "Progress",
    "Results",
    "StateError",
    "Task",
    "World",
    "actions",
    "callbacks",
    "command",
    "environments",
    "loggers",
    "options",
    "presets",
    "run",
    "spaces",
]


def __dir__() -> list[str]:
    """What there is for users; the modules behind it are not."""
    return [*__all__, "__doc__", "__version__"]
