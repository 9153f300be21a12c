"""The C interface as pages of Markdown, from the public headers (include/sfnec/*.h).

A header is read as a person reads it: the comment at its head, then blocks of comments and declarations. What stands
directly under a declaration without a comment of its own belongs to the same block; `// ---- title ----` begins a
section. (python/wrap.py reads the same headers for cffi, which wants the declarations without comments.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

NAME = r"(?:sfnec|SFNEC)_[A-Za-z0-9_]+"


@dataclass
class Block:
    """Declarations that share a comment; without any, the comment is a text of its own, or the title of a section."""

    comment: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  #: what it declares, for its heading
    constants: list[str] = field(default_factory=list)  #: the values of enums
    title: str = ""


@dataclass
class Header:
    name: str  #: agent.h
    summary: str  #: its first sentence
    head: list[str]
    blocks: list[Block]

    @property
    def page(self) -> str:
        return self.name.replace(".h", ".md")


def without_comment(line: str) -> str:
    return line.split("//")[0].rstrip()


def is_complete(code: list[str]) -> bool:
    """Whether a declaration has ended with its last line."""
    if code[0].startswith("#"):
        return not code[-1].endswith("\\")
    text = "\n".join(map(without_comment, code))
    return text.endswith(";") and text.count("{") == text.count("}")


def declared(code: list[str]) -> tuple[list[str], list[str]]:
    """The names that one declaration brings, and the constants of an enum."""
    text = " ".join(map(without_comment, code))
    if define := re.match(rf"#define ({NAME})", text):
        return [define[1]], []
    constants: list[str] = []
    if enum := re.search(r"\benum\b[^{;]*\{(.*)\}", text):
        constants = re.findall(rf"({NAME})\s*(?:=[^,]*)?(?:,|$)", enum[1].strip())
    if function := re.match(rf"SFNEC_API [^(;]*?({NAME})\(", text):
        return [function[1]], []
    if pointer := re.match(rf"typedef [^(;]*\(\*({NAME})\)\(", text):
        return [pointer[1]], []
    if typedef := re.match(rf"typedef .*?({NAME})(?:\[\w+\])?;$", text):
        return [typedef[1]], constants
    return [], constants


def read(path: Path) -> Header:
    """Reads a header; raises ValueError for a declaration that this program does not understand."""
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = [line for line in text.splitlines() if not line.startswith("// clang-format")]
    end = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    head = [line[2:] for line in lines[:end]]
    first = head[0].split(":", 1)[1].strip()
    first = first[0].upper() + first[1:]
    blocks: list[Block] = []
    block, code = Block(), []
    for line in lines[end:]:
        if code or re.match(r"\w|#define SFNEC_\w+[( ]", line):
            code.append(line)
            if is_complete(code):
                names, constants = declared(code)
                if not names and not constants:
                    raise ValueError(f"{path.name}: what does this declare? {' '.join(code)}")
                block.code += code
                block.names += names
                block.constants += constants
                code = []
            continue
        if block.code and line.startswith("//") or not line.strip():
            blocks.append(block)
            block = Block()
        if section := re.match(r"// ---- (.*) ----$", line):
            block.title = section[1]
        elif line.startswith("//"):
            block.comment.append(line[2:])
    return Header(path.name, first, [f" {first}", *head[1:]], [b for b in blocks if b.comment or b.code or b.title])


def markdown(comment: list[str]) -> str:
    """A comment as Markdown: its names as code, what is indented as a block of code."""
    out: list[str] = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(comment)):
        lines = [line for line in paragraph.splitlines() if line.strip()]
        if lines and all(line.startswith("   ") for line in lines):
            out.append("```c\n" + "\n".join(line[3:] for line in lines) + "\n```")
            continue
        code = rf"(`[^`]*`|(?:\b|\*){NAME}(?:\(\))?(?![\w<])|docs/[\w-]+\.md)"
        parts = re.split(code, " ".join(map(str.strip, lines)))
        parts[1::2] = [part if part.startswith("`") else f"`{part}`" for part in parts[1::2]]
        parts[0::2] = [re.sub(r"([*_\[\]])", r"\\\1", part).replace("<", "&lt;") for part in parts[0::2]]
        out.append("".join(parts).strip())
    return "\n\n".join(filter(None, out))


def page(header: Header) -> str:
    """The page of a header."""
    out = [f"# {header.name}", f"```c\n#include <sfnec/{header.name}>\n```", markdown(header.head)]
    level = "##"
    for block in header.blocks:
        if block.title:
            out.append(f"## {block.title[0].upper()}{block.title[1:]}")
            level = "###"
        names = block.names or block.constants
        if block.code:
            title = ", ".join(block.names) if block.names else "Constants"
            out.append(f"{level} {title} {{ #{names[0]} }}")
            # the others of the block can be linked to as well
            out.append("".join(f'<span id="{name}"></span>' for name in [*block.names, *block.constants][1:]))
            out.append("```c\n" + "\n".join(block.code) + "\n```")
        out.append(markdown(block.comment))
    return "\n\n".join(filter(None, out)) + "\n"


def index(headers: list[Header]) -> str:
    """The first page: what the interface is, and all names by header."""
    whole = next(header for header in headers if header.name == "sfnec.h")
    out = ["# The C interface", "```c\n#include <sfnec/sfnec.h>\n```", markdown(whole.head[1:])]
    for header in headers:
        names = sorted(name for block in header.blocks for name in block.names if not name.isupper())
        if names:
            out.append(f"## [{header.name}]({header.page})\n\n{header.summary}")
            out.append('<div class="names" markdown>\n\n' + "\n".join(f"- `{name}`" for name in names) + "\n\n</div>")
    return "\n\n".join(out) + "\n"


def places(headers: list[Header]) -> dict[str, str]:
    """Where each name is declared: PAGE.md#NAME."""
    return {
        name: f"{header.page}#{name}"
        for header in headers
        for block in header.blocks
        for name in [*block.names, *block.constants]
    }
