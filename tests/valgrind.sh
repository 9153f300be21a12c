#!/usr/bin/env bash
# valgrind.sh BUILD [PATTERN]: runs the unit tests of a build (tests/<layer>/test_*, those that match) under valgrind's
# memcheck: a read of bytes that were never written, an access outside of a block, a block that is lost.
#
# Left out are those that take minutes without valgrind and run the same code as others: whole learning curves
# (run/learning, run/embedding, run/same), processes that are killed at random moments (run/kill), and threads that ask
# one agent (agent/threads, index/fast), which the sanitizers watch.
set -uo pipefail
build=$(cd "$1" && pwd) pattern=${2:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
left_out=" run/learning run/embedding run/same run/kill agent/threads index/fast "
log=$build/valgrind
mkdir -p "$log"

checked=0
failed=
for program in "$build"/tests/*/test_*; do
  [ -f "$program" ] && [ -x "$program" ] || continue
  layer=$(basename "$(dirname "$program")")
  name=$layer/$(basename "$program" | sed 's/^test_//')
  case $left_out in *" $name "*) continue ;; esac
  case $name in *$pattern*) ;; *) continue ;; esac
  # a program that counts allocations by a malloc of its own keeps it: then blocks are not watched, only what is in them
  own=
  if grep -q 'define COUNT_ALLOCATIONS' "$here/$layer/$(basename "$program").c"; then
    own=--soname-synonyms=somalloc=nouserintercepts
  fi
  began=$SECONDS result=clean
  # a test that forks is followed by its own log; blocks that cmocka or a library keeps till the end are not lost
  SFNEC_SOURCE=$(dirname "$here") SFNEC_BUILD=$build bash "$here/in_temp.sh" \
    valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
    --show-leak-kinds=definite,indirect --track-fds=no --child-silent-after-fork=yes $own "$program" \
    >"$log/${name/\//-}.log" 2>&1 || result="FAILED (exit $?)"
  printf '%-24s %s in %d s\n' "$name" "$result" $((SECONDS - began))
  checked=$((checked + 1))
  [ "$result" = clean ] || failed="$failed $name"
done
[ $checked -gt 0 ] || { echo "valgrind.sh: no test matches '$pattern'" >&2; exit 2; }
[ -z "$failed" ] || { echo "valgrind:$failed; see $log" >&2; exit 1; }
echo "valgrind: $checked programs, nothing found"
