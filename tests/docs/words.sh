#!/usr/bin/env bash
# Guides, the manual page and option texts use the words of the field, not those that this project once made up.
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

python=${SFNEC_PYTHON:-$(command -v python3 || true)}
[ -n "$python" ] || { echo "skipped: no Python"; exit 77; }

cat >words.py <<'PYTHON'
"""words.py ROOT PROGRAM: names private words in the text that users read."""

import json, pathlib, re, subprocess, sys

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
}
# names of the interface, which stay
NAMES = re.compile(r"`[^`\n]*`|^    .*$|^\.(Cm|Ql|Li|Fl|It|Dl|Ar) .*$|sfnec_\w+", re.MULTILINE)
# file, text that may stay there, why
ALLOWED = [
]

def pages(root):
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md")), root / "docs/sfnec.1"]:
        text = re.sub(r"^```.*?^```$", lambda m: "\n" * m[0].count("\n"), page.read_text(), flags=re.M | re.S)
        yield str(page.relative_to(root)), NAMES.sub("", text)
    changelog = (root / "CHANGELOG.md").read_text().split("\n## ")[1]  # what is not released yet
    yield "CHANGELOG.md", NAMES.sub("", changelog)

def found(name, text):
    for file, allowed, _ in ALLOWED:
        if file == name:
            text = text.replace(allowed, "")
    for number, line in enumerate(text.split("\n"), 1):
        for word, better in WORDS.items():
            for match in re.finditer(rf"\b({word})\b", line, re.IGNORECASE):
                yield f"{name}:{number}: '{match[0]}': {better}"

root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
options = subprocess.run([program, "list", "options", "--json"], check=True, capture_output=True, text=True).stdout
texts = [(f"option {o['name']}", o["help"]) for options in json.loads(options).values() for o in options]
lines = [line for name, text in [*pages(root), *texts] for line in found(name, text)]
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
