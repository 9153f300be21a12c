#!/usr/bin/env bash
# Guides, the manual page, headers, docstrings, help and option texts use the words of the field, not those that this project once made up.
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

python=${SFNEC_PYTHON:-$(command -v python3 || true)}
[ -n "$python" ] || { echo "skipped: no Python"; exit 77; }

cat >words.py <<'PYTHON'
"""words.py ROOT PROGRAM: names private words in the text that users read."""

import ast, json, pathlib, re, subprocess, sys

# A private word, and what the field says. Words that have an ordinary meaning as well (row of a table, part, layer of the
# tree, unit, variant, excess, leaves, sweep of a study) cannot be told by a list.
WORDS = {
    r"places?": "(representative) state, position, instead of",
    r"trends?": "polynomial model",
    r"blend(s|ed|ing)?": "interpolate",
    r"borrow(s|ed|ing)?": "share samples",
    r"trials?": "trajectory",
    r"hop(e|es|ed|ing)": "optimism",
    r"practis(e|es|ed|ing)": "exploit",
    r"promis(e|es|ed|ing)": "target, predicted value; guarantee",
    r"doubts?": "uncertainty",
    r"lattices?": "tabular, grid",
    r"tells?|told|telling": "feedback; say, report, distinguish",
    r"caution": "pessimism",
    r"anew": "again, rebuilt",
    r"go(es|ing)? on|went on|gone on": "resume, continue",
    r"tak(e|es|ing) part": "contribute",
    r"brings? nothing": "unrewarded",
    r"keys that are learned": "learned embeddings",
    r"asking by sql": "querying with SQL",
    r"beside (the field|others)": "comparison with other libraries",
    r"(unit|units) of (the )?rewards?(?! scale)": "reward scale",
    r"leaves the box": "extrapolates",
    r"with every version": "with any version",
    r"what (came|comes) of (it|them)": "results",
    r"as far as (it|they) (went|goes?|go)": "so far",
    r"mend(s|ed|ing)?": "fix",
    r"from nothing": "from scratch",
    r"(evaluations?|plays?( greedily)?) on the side": "during learning",
    r"worlds? of (Gymnasium|MO-Gymnasium)": "Gymnasium environment",
    r"what (is there|there is)": "name it: results so far, available options",
}
# What belongs into results and the notebook, not into guides.
HISTORY = {
    r"seeds? \d+(-| to |, )\d+": "name runs, not seeds: seeds go to docs/notebook",
    r"before and after": "what was tried goes to docs/notebook",
}
RESULTS = {"docs/results.md", "docs/field.md", "docs/open-problems.md"}
# names of the interface, which stay
NAMES = re.compile(r"`[^`\n]*`|^    .*$|^\.(Cm|Ql|Li|Fl|It|Dl|Ar) .*$|\b\w*_\w+|\w+=\w+", re.MULTILINE)
# file, text that may stay there, why
ALLOWED = [("python/sfnec/_options.py", "default told", "a value of the option tasks")]

def guides(root):
    """Guides, without what the program writes into them; the notebook keeps the words of its day."""
    for page in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]:
        if page.parent.name == "notebook" or not page.exists():
            continue
        text = re.sub(r"^```.*?^```$|<!-- options .*?<!-- end of options -->", lambda m: "\n" * m[0].count("\n"), page.read_text(), flags=re.M | re.S)
        yield page, text

def docstrings(path):
    """The docstrings of public names, and the comments behind `#:`."""
    tree = ast.parse(path.read_text())
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in (node for node in ast.walk(tree) if isinstance(node, kinds)):
        public = isinstance(node, ast.Module) or not node.name.startswith("_")
        if public and ast.get_docstring(node):
            yield ast.get_docstring(node)
    yield from re.findall(r"#: (.*)$", path.read_text(), re.M)

def helps(program):
    """What --help prints, of every command."""
    said = lambda *words: subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
    whole = said("--help")
    yield whole
    for command in re.findall(r"^  ([a-z-]+) ", whole, re.M):
        if command != "help":
            yield said(command, "--help")

def texts(root, program):
    for page, text in guides(root):
        yield str(page.relative_to(root)), text
    yield "docs/sfnec.1", (root / "docs/sfnec.1").read_text()
    yield "CHANGELOG.md", (root / "CHANGELOG.md").read_text().split("\n## ")[1]  # what is not released yet
    for header in sorted((root / "include/sfnec").glob("*.h")):
        yield str(header.relative_to(root)), "\n".join(re.findall(r"//(.*)$", header.read_text(), re.M))
    # the classes of users are made of files whose names begin with _, too
    for path in sorted((root / "python/sfnec").glob("*.py")):
        yield str(path.relative_to(root)), "\n".join(docstrings(path))
    yield "help", "\n".join(line.lstrip() for text in helps(program) for line in text.split("\n"))
    options = json.loads(subprocess.run([program, "list", "options", "--json"], check=True, capture_output=True, text=True).stdout)
    yield from ((f"option {o['name']}", o["help"]) for group in options.values() for o in group)

def is_guide(name):
    return name.endswith(".md") and name not in RESULTS | {"CHANGELOG.md", "CONTRIBUTING.md"}

def found(name, text):
    for file, allowed, _ in ALLOWED:
        if file == name:
            text = text.replace(allowed, "")
    for number, line in enumerate(text.split("\n"), 1):
        for word, better in [*WORDS.items(), *(HISTORY.items() if is_guide(name) else [])]:
            for match in re.finditer(rf"\b({word})\b", line, re.IGNORECASE):
                yield f"{name}:{number}: '{match[0]}': {better}"

root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
lines = [line for name, text in texts(root, program) for line in found(name, NAMES.sub("", text))]
print(*lines, sep="\n")
sys.exit(1 if lines else 0)
PYTHON

echo "== the tree"
"$python" words.py "$SFNEC_SOURCE" "$SFNEC"

echo "== a private word is found"
mkdir -p tree/docs
printf '# Changelog\n\n## Unreleased\n\n- nothing\n' >tree/CHANGELOG.md
printf 'The `places` of\n\n    sfnec places\n\nare fine.\n' >tree/README.md
printf '.Sh NAME\n' >tree/docs/sfnec.1
"$python" words.py tree "$SFNEC"
printf 'The agent practises.\n' >tree/docs/page.md
if "$python" words.py tree "$SFNEC" >said; then echo "a private word was not found"; exit 1; fi
grep -q "docs/page.md:1: 'practises'" said
printf 'It earns 3 on seeds 101 to 130.\n' >tree/docs/page.md
if "$python" words.py tree "$SFNEC" >said; then echo "a list of seeds was not found"; exit 1; fi
grep -q "docs/page.md:1: 'seeds 101 to 130'" said
