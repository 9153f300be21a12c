#!/usr/bin/env bash
# store_docs.sh: every SQL example of docs/store.md runs and finds something, and its tables name all columns there are.
set -euo pipefail
study="${SFNEC_BUILD:?set SFNEC_BUILD to the build folder}/tests/study/tool_study"
python=${SFNEC_PYTHON:-python3}
if ! "$python" -c 'import sqlite3' 2>/dev/null; then
  echo "skipped: no Python with sqlite3"
  exit 77
fi
"$study" done 2 3 4
"$study" part 2 2 3 partial
"$python" - "$SFNEC_SOURCE/docs/store.md" <<'PYTHON'
import re, sqlite3, sys

text = open(sys.argv[1], encoding="utf-8").read()
queries = re.findall(r"```sql\n(.*?)```", text, re.S)
assert len(queries) >= 5
for query in queries:
    found = 0
    for folder in "done", "part":
        db = sqlite3.connect(f"file:{folder}/experiment.db?mode=ro", uri=True)
        db.create_function("sqrt", 1, lambda x: None if x is None else x**0.5)
        found += len(db.execute(query).fetchall())
    assert found, query

rows = {name: rest for name, rest in re.findall(r"^\| `(\w+)` \|(.*)$", text, re.M)}
for name, in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall():
    for column in [row[1] for row in db.execute(f"PRAGMA table_info({name})")]:
        assert column == "one" or re.search(rf"\b{column}\b", rows[name]), (name, column)
print(len(queries), "examples")
PYTHON
