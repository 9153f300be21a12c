"""comments.py ROOT: what the comments and declarations of the C code name.

A comment that names a function, a constant, a field or a file which is not there has outlived it. A type of the library
that is declared in two files means two things. Both are printed; the exit code is 1 then.
"""

import collections
import pathlib
import re
import sys

FOLDERS = ("include", "src", "tests", "bench", "examples", "python/src", "web/playground")
# what comments name that is not ours: calls of the system, symbols of formulas, files that a user makes
FOREIGN = {
    *("getopt_long", "xxh3_64_hexdigest", "psi_active", "sfnec_neighbours"),
    *("wall_time", "file_version", "simple_value"),  # of TensorBoard's events
}
MADE = {"policy.c", "calls.h"}

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
NAME = re.compile(r"[A-Za-z_]\w*")
# sfnec_x, SFNEC_X, and words such as state_count; not s_t or psi_f of a formula
NAMED = re.compile(r"\b(?:sfnec_\w*[a-z0-9]|SFNEC_\w*[A-Z0-9]|[a-z]{3,}_[a-z]{3,}\w*)\b(?!\.\w|\*)")
FILE = re.compile(r"(?<![\w./-])[\w/-]+\.(?:c|h|sh|py|ts|mjs|md)\b")
TYPE = re.compile(r"^(?:\}|typedef (?:struct|enum|union) \w+(?: \{[^}]*\})?) (sfnec_\w+);", re.MULTILINE)


def split(text: str) -> tuple[str, list[tuple[int, str]]]:
    """The code of a file, and its comments with the lines where they begin."""
    code, comments, end = [], [], 0
    for token in TOKEN.finditer(text):
        code.append(text[end : token.start()])
        end = token.end()
        if token[0].startswith("/"):
            comments.append((text.count("\n", 0, token.start()) + 1, token[0]))
        else:
            code.append(token[0])
    return "".join([*code, text[end:]]), comments


def main(root: pathlib.Path) -> int:
    skipped = {".git", "node_modules", "build"}
    every = []
    for path in root.rglob("*"):
        parts = path.relative_to(root).parts
        if not any(part in skipped or part.startswith((".venv", "build")) for part in parts):
            every.append(path)
    files = {p.name for p in every}
    known = set(FOREIGN)
    for path in every:
        if path.suffix in {".py", ".sh", ".bash", ".ts", ".mjs", ".cmake", ".txt", ".yaml"} and path.is_file():
            known |= set(NAME.findall(path.read_text(encoding="utf-8", errors="replace")))
    comments, types = {}, collections.defaultdict(list)
    for path in sorted(p for folder in FOLDERS for p in (root / folder).rglob("*.[ch]")):
        code, comments[path] = split(path.read_text(encoding="utf-8"))
        known |= set(NAME.findall(code))
        if path.relative_to(root).parts[0] in {"include", "src"}:
            for match in TYPE.finditer(code):
                types[match[1]].append(path)
    # set_note is short for sfnec_agent_set_note
    words = [name.split("_") for name in known if name.startswith("sfnec_")]
    known |= {"_".join(parts[i:]) for parts in words for i in range(1, len(parts) - 1)}
    wrong = 0
    for path, parts in comments.items():
        for line, text in parts:
            names = [name for name in NAMED.findall(text) if name not in known]
            names += [name for name in FILE.findall(text) if name.rsplit("/")[-1] not in files | MADE]
            for name in names:
                print(f"{path.relative_to(root)}:{line}: the comment names {name}, which is not there")
            wrong += len(names)
    for name, paths in types.items():
        if len(set(paths)) > 1:
            print(f"{name} is two types: {', '.join(str(p.relative_to(root)) for p in paths)}")
            wrong += 1
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
