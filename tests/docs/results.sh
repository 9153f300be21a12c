#!/usr/bin/env bash
# The tables of README and docs/ that come from records (docs/results/*.csv) are those of their records, and an agent that
# plays differently than that of a record is found.
set -euo pipefail
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

python=${SFNEC_PYTHON:-$(command -v python3 || true)}
[ -n "$python" ] || { echo "skipped: no Python"; exit 77; }

mkdir -p tree/scripts
cp "$SFNEC_SOURCE/scripts/results.py" "$SFNEC_SOURCE/scripts/tables.py" tree/scripts
cp -r "$SFNEC_SOURCE/README.md" "$SFNEC_SOURCE/docs" "$SFNEC_SOURCE/experiments" tree
check() { "$python" "$1/scripts/results.py" check; }

echo "== the pages fit their records"
check tree

echo "== a changed record, a changed number on a page, a lost table and one that nobody makes are found"
# $1: a changed copy of the tree
refused() {
  if check "$1" 2>said; then echo "$1 was not found"; exit 1; fi
  grep -q '\.md:[0-9]*: differs\|no page has\|there is no table\|has no record, and no line' said || { cat said; exit 1; }
  rm -r "$1"
}
for record in tree/docs/results/*.csv; do
  cp -r tree record
  # the average of all rows
  "$python" - "record/docs/results/$(basename "$record")" <<'PYTHON'
import csv, sys

with open(sys.argv[1], newline="") as file:
    rows = list(csv.DictReader(file))
for i, row in enumerate(rows):
    row["average"] = str(float(row["average"]) * 2 + i)
with open(sys.argv[1], "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    writer.writerows(rows)
PYTHON
  refused record
done
cp -r tree page
sed -i '/<!-- table sensitivity -->/,/<!-- end of table -->/s/732 ±/733 ±/' page/docs/results.md
refused page
cp -r tree lost
sed -i '/<!-- table sensitivity -->/d' lost/docs/results.md
refused lost
cp -r tree nobody
printf '<!-- table nothing -->\n<!-- end of table -->\n' >>nobody/docs/results.md
refused nobody
cp -r tree unlabelled
sed -i '/<!-- table neighbours -->/,/<!-- end of table -->/s/^\*No record.*//' unlabelled/docs/results.md
refused unlabelled

echo "== every record names its build, its command and digests"
for record in tree/docs/results/*.csv; do
  "$python" - "$record" "$SFNEC_SOURCE" <<'PYTHON'
import csv, pathlib, re, sys

sys.path.insert(0, f"{sys.argv[2]}/scripts")
import results

name = pathlib.Path(sys.argv[1]).stem
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert rows, "no rows"
for row in rows:
    assert re.fullmatch("[0-9a-f]{7,40}", row["build"]), row
    assert re.fullmatch("[0-9a-f]{12}", row["digest"]), row
    assert row["command"] == results.STUDIES[name].command, row
    for spec in re.findall(r"experiments/\S+\.yaml", row["command"]):
        assert (pathlib.Path(sys.argv[2]) / spec).exists(), row
    assert int(row["seed"]) > 0 and int(row["task"]) > 0, row
    float(row["average"])
PYTHON
done

echo "== agents of a record that play as this program does, and one that does not"
list() { "$python" tree/scripts/results.py list "$SFNEC" learned-w; }
list >now
digest=$(sed -n '2s/.*,\([0-9a-f]\{12\}\),.*/\1/p' tree/docs/results/learned-w.csv)
sed -i "s/$digest/000000000000/" tree/docs/results/learned-w.csv
list >then
cat now then
agent=$(awk -F, 'NR == 2 { print $4 }' tree/docs/results/learned-w.csv)
! grep -q "^  $agent was made by .*, whose agent plays differently" now
grep -q "^  $agent was made by .*, whose agent plays differently" then
