"""Tables: options, presets, kinds of environments and recorded numbers, read from the library's own tables.

Nothing is listed here: what the C library knows is what Python knows, from the keyword's name to the sentence that
refuses a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import errors
from ._native import c_text, check, ffi, lib, text

__all__ = ["EnvironmentKind", "Option", "Preset", "Record", "environments", "options", "presets", "records"]


@dataclass(frozen=True)
class Option:
    """One option of an agent or an environment."""

    name: str  #: the keyword
    default: int | float | str  #: what it is if it is not given
    accepts: str  #: in words: "a number from 0 to below 1", "given|sgd|rls"
    help: str  #: one line


@dataclass(frozen=True)
class Preset:
    """A named agent: the defaults with some changes."""

    name: str  #: what `Agent` takes
    help: str  #: one line
    changes: tuple[str, ...]  #: "key=value"


@dataclass(frozen=True)
class EnvironmentKind:
    """A kind of environment that the library brings."""

    name: str  #: what `World` and `sfnec train --env` take
    help: str  #: one line
    gymnasium_id: str  #: what `gymnasium.make` takes
    options: tuple[Option, ...]  #: its options, which are keywords


@dataclass(frozen=True)
class Record:
    """A number that a run records about each task, episode or bin of steps."""

    name: str  #: of the database's column
    unit: str  #: "" if it has none
    help: str


# ---- the C tables ----


def _rows(table: Any) -> Iterator[Any]:
    """The rows of an sfnec_option_set."""
    i = 0
    while table.rows[i].name:
        yield table.rows[i]
        i += 1


def _strings(array: Any) -> list[str]:
    found: list[str] = []
    while array and array[len(found)]:
        found.append(text(array[len(found)]))
    return found


def _value(row: Any, struct: Any = None) -> int | float | str:
    """The value of an option in a struct of options, or its default without one."""
    buffer = ffi.new("char[]", 256)
    if struct is None:
        lib.sfnec_options_get_default_text(row, buffer, 256)
    else:
        lib.sfnec_options_get_text(row, struct, buffer, 256)
    written = text(buffer)
    if row.type == lib.SFNEC_OPTION_INT:
        return int(written)
    return float(written) if row.type == lib.SFNEC_OPTION_REAL else written


def _option(row: Any) -> Option:
    buffer = ffi.new("char[]", 512)
    lib.sfnec_options_get_range_text(ffi.addressof(row), buffer, 512)
    return Option(text(row.name), _value(ffi.addressof(row)), text(buffer), text(row.help))


def written(value: Any) -> str:
    """A keyword's value as the text that the C tables read."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise errors.OptionError(f"an option must be a number or a word, not {value!r}")
    return repr(value) if isinstance(value, float) else str(value)


# ---- agents ----


def options() -> tuple[Option, ...]:
    """Every option of an agent, in the library's order."""
    return tuple(_option(row) for row in _rows(lib.sfnec_agent_option_set()))


def presets() -> tuple[Preset, ...]:
    """The named agents, in the library's order."""
    found: list[Preset] = []
    while preset := lib.sfnec_agent_preset_at(len(found)):
        found.append(Preset(text(preset.name), text(preset.help), tuple(_strings(preset.assignments))))
    return tuple(found)


def resolve(preset: str, changes: Mapping[str, Any]) -> Any:
    """An sfnec_agent_options struct: a preset with changes."""
    struct = ffi.new("sfnec_agent_options *")
    check(lib.sfnec_agent_options_preset(c_text(str(preset)), struct))
    for name, value in changes.items():
        check(lib.sfnec_options_set(lib.sfnec_agent_option_set(), struct, c_text(name), c_text(written(value))))
    return struct


def as_dict(struct: Any) -> dict[str, int | float | str]:
    """All options of a struct by name."""
    table = lib.sfnec_agent_option_set()
    return {text(row.name): _value(ffi.addressof(row), struct) for row in _rows(table)}


# ---- environments ----

# words of a name that are not simply capitalised
_WORDS = {"cartpole": "CartPole"}


def gymnasium_id(kind: str) -> str:
    """four_rooms -> sfnec/FourRooms-v0"""
    words = (_WORDS.get(word, word.capitalize()) for word in kind.split("_"))
    return f"sfnec/{''.join(words)}-v0"


def environments() -> tuple[EnvironmentKind, ...]:
    """The kinds of environments that the library brings, in its order."""
    found: list[EnvironmentKind] = []
    while kind := lib.sfnec_env_kind_at(len(found)):
        name = text(kind.name)
        rows = tuple(_option(row) for row in _rows(lib.sfnec_env_kind_option_set(kind)))
        found.append(EnvironmentKind(name, text(kind.help), gymnasium_id(name), rows))
    return tuple(found)


def env_settings(env: Any) -> list[str]:
    """The resolved "key=value" of an sfnec_env, as `sfnec train` notes them down."""
    lines = []
    for row in _rows(lib.sfnec_env_kind_option_set(lib.sfnec_env_get_kind(env))):
        buffer = ffi.new("char[]", 256)
        lib.sfnec_options_get_text(ffi.addressof(row), lib.sfnec_env_get_options(env), buffer, 256)
        lines.append(f"{text(row.name)}={text(buffer)}")
    return lines


# ---- what is recorded ----


def records(table: str = "task") -> tuple[Record, ...]:
    """Every number recorded about a "task", an "episode", a "bin" or an "evaluation", in the database's order."""
    tables = (
        lib.sfnec_task_record_set(),
        lib.sfnec_episode_record_set(),
        lib.sfnec_bin_record_set(),
        lib.sfnec_evaluation_record_set(),
    )
    sets = {text(one.title): one for one in tables}
    if table not in sets:
        raise errors.ArgumentError(f"records are kept of {', '.join(sets)}, not of {table!r}")
    found: list[Record] = []
    while (field := sets[table].fields[len(found)]).name:
        found.append(Record(text(field.name), text(field.unit) if field.unit else "", text(field.help)))
    return tuple(found)
