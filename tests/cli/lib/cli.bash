# cli.bash: what the tests of the command share. Source it; SFNEC is the path of the binary. Each test works in a
# folder of its own that goes away at the end, counts what it checked, and ends with `finish`.
set -euo pipefail

SFNEC=$(realpath "${SFNEC:?set SFNEC to the path of the sfnec binary}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

passed=0
failed=0

# count RESULT DESCRIPTION: RESULT 0 is a pass
count() {
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$2"
  fi
}

# check DESCRIPTION COMMAND...: the command must succeed
check() {
  local description=$1 result=0
  shift
  "$@" || result=1
  count "$result" "$description"
}

# run ARGUMENT...: runs sfnec; leaves its output in out, its errors in err and its exit code in code
run() {
  code=0
  "$SFNEC" "$@" >out 2>err </dev/null || code=$?
}

# works DESCRIPTION ARGUMENT...: sfnec must succeed without a word on stderr
works() {
  local description=$1 result=0
  shift
  run "$@"
  [ "$code" -eq 0 ] && [ ! -s err ] || result=1
  [ "$result" -eq 0 ] || sed 's/^/  stderr: /' err
  count "$result" "$description (exit $code)"
}

# one_sentence: stderr is exactly one line that begins as every error does
one_sentence() {
  [ "$(wc -l <err)" -eq 1 ] && grep -q '^sfnec: ..' err
}

# refuses CODE PATTERN ARGUMENT...: sfnec must end with that code and one sentence that matches
refuses() {
  local wanted=$1 pattern=$2 result=0
  shift 2
  run "$@"
  [ "$code" -eq "$wanted" ] && one_sentence && grep -q -e "$pattern" err || result=1
  [ "$result" -eq 0 ] || sed 's/^/  stderr: /' err
  count "$result" "refused with exit $wanted and '$pattern': sfnec $* (exit $code)"
}

# without_seconds FILE: a CSV without its last column, the only one that may differ between equal runs
without_seconds() {
  sed 's/,[^,]*$//' "$1"
}

finish() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
}
