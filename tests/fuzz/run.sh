#!/usr/bin/env bash
# run.sh BUILD MINUTES [TARGET...]: runs the fuzz targets of a build one after the other, each for its share of the time.
#
# It begins from the committed corpus and from what was found before. New inputs go to BUILD/fuzz/<target>, what broke
# to BUILD/fuzz/broken/<target>-*, and the executions are added to BUILD/fuzz/executions.
set -euo pipefail
build=$1 minutes=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -eq 0 ]; then
  for source in "$here"/fuzz_*.c; do set -- "$@" "$(basename "$source" .c | sed 's/^fuzz_//')"; done
fi
seconds=$(awk "BEGIN {s = int($minutes * 60 / $#); print s < 1 ? 1 : s}")

# files that the targets write are in memory where that is possible
scratch=$(TMPDIR=$([ -w /dev/shm ] && echo /dev/shm || echo /tmp) mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch ASAN_OPTIONS=allocator_may_return_null=1:quarantine_size_mb=8 UBSAN_OPTIONS=print_stacktrace=1

mkdir -p "$build/fuzz/broken"
failed=
for target in "$@"; do
  program=$build/tests/fuzz/fuzz_$target
  [ -x "$program" ] || { echo "run.sh: there is no target '$target' in $build" >&2; exit 2; }
  found=$build/fuzz/$target
  mkdir -p "$found"
  log=$build/fuzz/$target.log
  result=whole
  "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 \
    -artifact_prefix="$build/fuzz/broken/$target-" "$found" "$here/corpus/$target" >"$log" 2>&1 || result=BROKEN
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  printf '%s\t%s\n' "$target" "${executions:-0}" >>"$build/fuzz/executions"
  total=$(awk -F '\t' -v t="$target" '$1 == t {sum += $2} END {printf "%d", sum}' "$build/fuzz/executions")
  printf '%-12s %s: %s executions in %s s, %s in all\n' "$target" "$result" "${executions:-0}" "$seconds" "$total"
  [ $result = whole ] || failed="$failed $target"
done
[ -z "$failed" ] || { echo "broken:$failed; see $build/fuzz/*.log and $build/fuzz/broken" >&2; exit 1; }
