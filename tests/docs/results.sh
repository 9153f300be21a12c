#!/usr/bin/env bash
# The tables of docs/results.md are those of their records (docs/results/*.csv).
set -euo pipefail
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

python=${SFNEC_PYTHON:-$(command -v python3 || true)}
[ -n "$python" ] || { echo "skipped: no Python"; exit 77; }

mkdir -p tree/scripts tree/docs
cp "$SFNEC_SOURCE/scripts/results.py" tree/scripts
cp -r "$SFNEC_SOURCE/docs/results.md" "$SFNEC_SOURCE/docs/results" tree/docs
check() { "$python" "$1/scripts/results.py" check; }

echo "== the page fits its records"
check tree

echo "== a changed record, a changed number on the page and a lost table are found"
refused() {
  if check "$1" 2>said; then echo "$1 was not found"; exit 1; fi
  grep -q 'results.md' said || { cat said; exit 1; }
}
for record in tree/docs/results/*.csv; do
  cp -r tree record
  # the average of the last row
  sed -i '$s/,[^,]*$/,5000/' "record/docs/results/$(basename "$record")"
  refused record
  rm -r record
done
cp -r tree page
sed -i '/<!-- table sensitivity -->/,/<!-- end of table -->/s/±/+/' page/docs/results.md
refused page
cp -r tree lost
sed -i '/<!-- table sensitivity -->/d' lost/docs/results.md
refused lost

echo "== every record names its build and a study that is there"
for record in tree/docs/results/*.csv; do
  "$python" - "$record" "$SFNEC_SOURCE" <<'EOF'
import csv, pathlib, re, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert rows, "no rows"
for row in rows:
    assert re.fullmatch("[0-9a-f]{7,40}", row["build"]), row
    for spec in re.findall(r"experiments/\S+\.yaml", row["command"]):
        assert (pathlib.Path(sys.argv[2]) / spec).exists(), row
    assert row["command"].startswith("sfnec ") and int(row["seed"]) > 0 and int(row["task"]) > 0, row
    float(row["average"])
EOF
done
