"""pages.py: the parts of the documentation that the program itself writes: transcripts and tables of options.

    python3 scripts/pages.py check PROGRAM [PAGE ...]    # fails where a page differs from what the program prints
    python3 scripts/pages.py write PROGRAM [PAGE ...]    # puts what the program prints into the pages

A transcript is a block of code, indented or fenced, whose first line begins with `$ `. Every command of a page runs,
in order, in one fresh folder that has `experiments` and `examples` of the tree, with PROGRAM as `sfnec` on the path. A
command must succeed, or end with the status that the line before the block says: `<!-- exit status 2 -->`. What it
prints is compared with the lines below it; a command with nothing below it only has to succeed. A line `...` stands for
any number of lines. Times, speeds, sizes of memory and dates differ from run to run and are masked. `<!-- not run:
REASON -->` on the line before a block leaves it out. A block after `<!-- file NAME -->` is written to that file first.

A table of options stands between `<!-- options NAME -->` and `<!-- end of options -->`; NAME is `agent` or a built-in
environment.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 600  # longest that one command may take

# what differs between two runs of the same command: how long it took, numbers with these units, dates
UNITS = r"bytes|s|ms|µs|us|seconds|KB|kB|MB|GB|jobs/s|steps/s|of a core"
MASKS = [
    (re.compile(r"\bin (?:[\d.]+ s|\d+:\d\d(?::\d\d)?)(?!\S)"), "in #"),
    (re.compile(rf"(?<![\w.])\d[\d,]*(?:\.\d+)?(?= ?(?:{UNITS})(?![\w/]))"), "#"),
    (re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?"), "#"),
]
# columns whose numbers differ, right-aligned under these words
COLUMNS = re.compile(r"(?<!\S)(?:steps/s|seconds|MB)(?!\S)")


@dataclass
class Command:
    line: int  #: of the page, from 0
    text: str  #: for bash; of a file, its content
    indent: str
    status: int
    shown: list[str]  #: the output on the page, without its indentation
    first: int  #: line of the output
    last: int  #: the line after it
    file: str = ""  #: where `text` goes, if this is the content of a file


# ---- transcripts ----


def blocks(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """The blocks of code of a page: first line, line after the last, indentation."""
    i = 0
    while i < len(lines):
        if fence := re.match(r"( *)(```+)", lines[i]):
            end = next((j for j in range(i + 1, len(lines)) if lines[j].strip() == fence[2]), len(lines))
            yield i + 1, end, fence[1]
            i = end + 1
        elif lines[i].startswith("    ") and (i == 0 or not lines[i - 1].strip() or lines[i - 1].startswith("<!--")):
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            yield i, end, "    "
            i = end
        else:
            i += 1


def directive(lines: list[str], start: int) -> str:
    """The comment before a block, beyond empty lines and the fence."""
    i = start - 1
    while i >= 0 and (not lines[i].strip() or lines[i].lstrip().startswith("```")):
        i -= 1
    found = re.fullmatch(r"<!-- (.*) -->", lines[i].strip()) if i >= 0 else None
    return found[1] if found else ""


def commands(text: str) -> list[Command]:
    """What a page runs, in order."""
    lines = text.splitlines()
    found = []
    for start, end, indent in blocks(lines):
        said = directive(lines, start)
        if said.startswith("file "):
            text = "\n".join(line.removeprefix(indent) for line in lines[start:end]) + "\n"
            found.append(Command(start, text, indent, 0, [], end, end, said.removeprefix("file ")))
        if not lines[start].startswith(f"{indent}$ "):
            continue
        if said.startswith("not run: "):
            continue
        status = int(said.removeprefix("exit status ")) if said.startswith("exit status ") else 0
        i = start
        while i < end:
            line = i
            words = lines[i].removeprefix(f"{indent}$ ")
            while words.endswith("\\"):
                i += 1
                words = words[:-1] + lines[i].removeprefix(indent).strip()
            first = last = i + 1
            while last < end and not lines[last].startswith(f"{indent}$ "):
                last += 1
            i = last
            while last > first and not lines[last - 1].strip():
                last -= 1
            shown = [each.removeprefix(indent).rstrip() for each in lines[first:last]]
            found.append(Command(line, words, indent, status, shown, first, last))
    return found


def masked(lines: list[str]) -> list[str]:
    """The lines without what differs from run to run, and without their layout, which follows the width of numbers."""
    out, ends = [], []
    for line in lines:
        if COLUMNS.search(line):
            ends = [match.end() for match in COLUMNS.finditer(line)]
        elif not line.strip():
            ends = []
        else:
            for end in ends:
                if number := re.search(r"(?<!\S)[\d.,]+$", line[:end]):
                    line = line[: number.start()] + "#" * (end - number.start()) + line[end:]
        for pattern, instead in MASKS:
            line = pattern.sub(instead, line)
        out.append(re.sub(r"#+", "#", " ".join(line.split())))
    return out


def same(shown: list[str], printed: list[str]) -> bool:
    """Whether the page shows what was printed; `...` stands for any lines."""
    parts = [re.escape(line) + "\n" if line != "..." else r"(?:.*\n)*" for line in masked(shown)]
    return re.fullmatch("".join(parts), "".join(line + "\n" for line in masked(printed))) is not None


def lacking(lines: list[str], others: list[str]) -> list[str]:
    """The lines that the others do not have, beyond what is masked."""
    known = set(masked(others))
    return [line for line, plain in zip(lines, masked(lines), strict=True) if plain not in known]


class Folder:
    """Where the commands of a page run."""

    def __init__(self, program: Path, path: str) -> None:
        for name in ("experiments", "examples"):
            os.symlink(ROOT / name, Path(path) / name)
        os.symlink(program.parent, Path(path) / "build")
        bin_ = Path(path) / ".bin"
        bin_.mkdir()
        os.symlink(program, bin_ / "sfnec")
        self.path = path
        self.environment = {**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}

    def run(self, command: Command) -> tuple[int, list[str]]:
        if command.file:
            (Path(self.path) / command.file).write_text(command.text, encoding="utf-8")
            return 0, []
        done = subprocess.run(
            ["bash", "-c", command.text],
            cwd=self.path,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
        )
        return done.returncode, [line.rstrip() for line in done.stdout.rstrip("\n").splitlines()]


def transcripts(text: str, program: Path, wrong: list[str]) -> str:
    """The page with its transcripts as they are now; says what differed, with the number of the line."""
    found = commands(text)
    if not found:
        return text
    lines = text.splitlines()
    changes = []
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(program, path)
        for command in found:
            status, printed = folder.run(command)
            if status != command.status:
                wrong.append(
                    f"{command.line + 1}: exit status {status}: {command.text}\n  " + "\n  ".join(printed[-5:])
                )
            elif command.shown and not same(command.shown, printed):
                wrong.append(f"{command.line + 1}: prints something else: {command.text}")
                wrong[-1] += "".join(f"\n  - {line}" for line in lacking(command.shown, printed))
                wrong[-1] += "".join(f"\n  + {line}" for line in lacking(printed, command.shown))
                if "..." not in command.shown:
                    changes.append((command, printed))
    for command, printed in reversed(changes):
        lines[command.first : command.last] = [(command.indent + line).rstrip() for line in printed]
    return "\n".join(lines) + "\n"


# ---- tables of options ----


def option_rows(options: list[dict[str, str]]) -> str:
    lines = ["| option | default | values | meaning |", "| --- | --- | --- | --- |"]
    for option in options:
        values, text = (option[key].replace("|", ", ") for key in ("range", "help"))
        lines.append(f"| `{option['name']}` | {option['default']} | {values} | {text} |")
    return "\n".join(lines)


def option_table(name: str, program: Path) -> str:
    """The options of agents, a table for each group, or those of an environment."""
    words = [program, "list", "options", "--json"]
    listed = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)
    if name not in listed:
        raise SystemExit(f"pages.py: there are no options of '{name}'")
    groups: dict[str, list[dict[str, str]]] = {}
    for option in listed[name]:
        groups.setdefault(option.get("group", ""), []).append(option)
    titles = {group: f"### {group[0].upper()}{group[1:]}\n\n" if group else "" for group in groups}
    return "\n\n".join(titles[group] + option_rows(options) for group, options in groups.items())


def option_tables(text: str, program: Path) -> str:
    return re.sub(
        r"(<!-- options (\w+) -->\n).*?(<!-- end of options -->)",
        lambda match: f"{match[1]}\n{option_table(match[2], program)}\n\n{match[3]}",
        text,
        flags=re.DOTALL,
    )


# ---- pages ----


def pages() -> list[Path]:
    notes = {ROOT / "docs/notebook"}  # records of their day
    return [
        ROOT / "README.md",
        *(page for page in sorted((ROOT / "docs").rglob("*.md")) if not notes & {*page.parents}),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "write"])
    parser.add_argument("program", type=Path)
    parser.add_argument("pages", nargs="*", type=Path)
    args = parser.parse_args()
    program = args.program.resolve()
    failed = ran = 0
    for page in args.pages or pages():
        text = page.read_text(encoding="utf-8")
        wrong: list[str] = []
        new = transcripts(option_tables(text, program), program, wrong)
        ran += len(commands(text))
        if not wrong and new != text:
            wrong.append("1: a table of options differs from that of the program")
        failed += len(wrong)
        print(*(f"{page}:{each}" for each in wrong), sep="\n", end="\n" if wrong else "")
        if args.what == "write":
            page.write_text(new, encoding="utf-8")
    print(f"{ran} commands, {failed} differences")
    if failed and args.what == "check":
        sys.exit("pages.py: python3 scripts/pages.py write PROGRAM puts what the program prints into the pages")


if __name__ == "__main__":
    main()
