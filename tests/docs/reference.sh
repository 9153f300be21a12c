#!/usr/bin/env bash
# Texts that repeat the source say the same: comments of sfnec_agent_options those of the option table, the pseudocode and
# the files of docs/planning.md and docs/architecture.md names that exist, functions stand in the files that pages name,
# and every preset and environment has a page.
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

python=${SFNEC_PYTHON:-$(command -v python3 || true)}
[ -n "$python" ] || { echo "skipped: no Python"; exit 77; }

cat >compare.py <<'PYTHON'
"""compare.py ROOT PROGRAM: what differs between texts and the source."""

import json, pathlib, re, subprocess, sys

root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
wrong = []

listed = subprocess.run([program, "list", "options", "--all", "--json"], check=True, capture_output=True, text=True).stdout
table = {option["name"]: option["help"] for option in json.loads(listed)["agent"]}
header = (root / "include/sfnec/agent.h").read_text()
struct = re.search(r"typedef struct sfnec_agent_options \{(.*?)\n\} sfnec_agent_options;", header, re.S)[1]
fields = re.findall(r"^  \w+\s+(\w+);\s*// (.*(?:\n {10,}// .*)*)", struct, re.M)
comments = {name: re.sub(r"\n *// ", " ", text) for name, text in fields}
for name in sorted({*table, *comments}):
    if table.get(name) != comments.get(name):
        wrong.append(f"agent.h: {name}: '{comments.get(name)}' instead of '{table.get(name)}'")

folder = root / "src/agent/plan"
source = "".join(path.read_text() for path in sorted(folder.glob("*.h")))
page = (root / "docs/planning.md").read_text()
algorithm = re.search(r"\n## The algorithm\n(.*?)\n### ", page, re.S)[1]
functions = set(re.findall(r"\b(\w+_\w+)\(", algorithm))
if len(functions) < 10:
    wrong.append("planning.md: has no pseudocode")
wrong += [f"planning.md: there is no sfnec_{name}" for name in sorted(functions) if f"sfnec_{name}(" not in source]
told = set(re.findall(r"`(\w+\.[ch])`", page[page.index("\n### ") : page.index("\n## Options")]))
planner = re.search(r"\n## The planner\n(.*?)\n## ", (root / "docs/architecture.md").read_text(), re.S)[1]
told |= set(re.findall(r"`(\w+\.[ch])`", planner)) - {"plan_learner.c"}
wrong += [f"planning.md, architecture.md: there is no {name}" for name in sorted(told) if not (folder / name).exists()]
drawn = planner + page
parts = {path.stem for path in folder.glob("*.c") if not path.stem.endswith("_file")}
parts -= {"tuples", "history", "association"}  # containers, a statistic
whole = {re.sub(r"^(relevance|polynomial|planner)_\w+$", r"\1", part) for part in parts}
wrong += [f"no page says what {part}.c is" for part in sorted(whole) if not re.search(rf"\b{part}\b", drawn)]

for each in sorted((root / "docs").rglob("*.md")):
    for file, name in re.findall(r"`(src/[\w/]+\.[ch]):(\w+)`", each.read_text()):
        text = (root / file).read_text() if (root / file).exists() else ""
        if not re.search(rf"^[a-z_][^;\n]*\b{name}\(", text, re.M):
            wrong.append(f"{each.relative_to(root)}: {file} does not define {name}")
for what, under in (("agents", "docs/agents"), ("envs", "docs/environments")):
    listed = subprocess.run([program, "list", what, "--json"], check=True, capture_output=True, text=True).stdout
    pages = {path.stem for path in (root / under).glob("*.md")}
    wrong += [f"{under} has no page of {one['name']}" for one in json.loads(listed) if one["name"] not in pages]

print(*wrong, sep="\n")
sys.exit(1 if wrong else 0)
PYTHON

echo "== the tree"
"$python" compare.py "$SFNEC_SOURCE" "$SFNEC"

echo "== a changed comment, functions, a file and a page that are not there are found"
mkdir -p tree/src/agent tree/include/sfnec tree/docs
cp "$SFNEC_SOURCE/include/sfnec/agent.h" tree/include/sfnec
cp -r "$SFNEC_SOURCE/src/agent/plan" tree/src/agent
cp -r "$SFNEC_SOURCE/docs/planning.md" "$SFNEC_SOURCE/docs/architecture.md" "$SFNEC_SOURCE/docs/agents" "$SFNEC_SOURCE/docs/environments" tree/docs
cp "$SFNEC_SOURCE"/src/agent/*.c tree/src/agent
rm tree/docs/agents/ql.md
sed -i 's/:sfnec_model_predict`/:sfnec_model_foretell`/' tree/docs/agents/sfnec-plan.md
sed -i 's/probability of a random action/share of random actions/' tree/include/sfnec/agent.h
sed -i 's/encoder_see(/encoder_look(/; s/`rollout\.c`/`lookahead.c`/' tree/docs/planning.md
touch tree/src/agent/plan/oracle.c
if "$python" compare.py tree "$SFNEC" >said; then echo "nothing was found"; exit 1; fi
for what in 'agent.h: epsilon:' 'no sfnec_encoder_look' 'no lookahead.c' 'oracle.c' 'no page of ql' 'not define sfnec_model_foretell'; do
  grep -q -- "$what" said || { echo "'$what' was not found"; cat said; exit 1; }
done
