"""Writes python/sfnec/_options.py: the options of an agent as types, from the tables of the C library.

    python python/tools/make_options.py >python/sfnec/_options.py

Run it when an option is added or changed; a test compares.
"""

from __future__ import annotations

import textwrap

import sfnec

HEAD = '''"""The options of an agent as types, so that editors complete them and mypy refuses what is none.

Made from the tables of the C library by python/tools/make_options.py.
"""

from __future__ import annotations

from typing import Literal, TypedDict

__all__ = ["Options"]


class Options(TypedDict, total=False):
    """Keywords of `sfnec.Agent`; `embedding` is one of its own."""

'''


def type_of(option: sfnec.Option) -> str:
    if isinstance(option.default, str) and "|" not in option.accepts:
        return "str"
    if isinstance(option.default, str):
        words = ", ".join(f'"{word}"' for word in option.accepts.split("|"))
        return f"Literal[{words}]"
    return "int" if isinstance(option.default, int) else "float"


def split(line: str) -> list[str]:
    """A Literal with a choice in each line, as formatters have it."""
    head, _, rest = line.partition("[")
    return [f"{head}[", *(f"        {word}," for word in rest.removesuffix("]").split(", ")), "    ]"]


def text() -> str:
    lines = []
    for option in sfnec.options():
        if option.name == "embedding":
            continue
        lines += textwrap.wrap(
            f"{option.help} (default {option.default})", 110, initial_indent="    #: ", subsequent_indent="    #: "
        )
        line = f"    {option.name}: {type_of(option)}"
        lines += [line] if len(line) <= 120 else split(line)
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(text(), end="")
