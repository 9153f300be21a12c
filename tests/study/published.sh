#!/usr/bin/env bash
# Every published study runs at small scale: its spec is good, all jobs end, and its statistics can be read.
set -euo pipefail
studies=0
for spec in "$SFNEC_SOURCE"/experiments/*.yaml; do
  name=$(basename "$spec" .yaml)
  # one seed is enough here; the paper's grid has hundreds of points, for which one short task is
  options=(--seeds 1)
  [ "$name" != grid-search ] || options=(--seeds 1 --tasks 1 --steps 300)
  "$SFNEC" run "$spec" --quick -o "$name" --quiet "${options[@]}"
  waiting=$(sqlite3 "$name/experiment.db" "SELECT count(*) FROM job WHERE state <> 'done'")
  [ "$waiting" = 0 ] || { echo "$name: $waiting jobs are not done"; exit 1; }
  [ "$(sqlite3 "$name/experiment.db" 'SELECT count(*) FROM task')" -gt 0 ] || { echo "$name: no results"; exit 1; }
  "$SFNEC" stats "$name" --resamples 100 >"$name.txt"
  [ -s "$name.txt" ] || { echo "$name: no statistics"; exit 1; }
  studies=$((studies + 1))
done
[ "$studies" -ge 9 ] || { echo "only $studies studies"; exit 1; }
echo "$studies studies"
