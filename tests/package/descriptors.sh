#!/usr/bin/env bash
# No descriptor is inherited: gnuplot, ffmpeg, the Python of a world and what that starts hold no file, socket or lock of
# this program. Each call that opens something says so: O_CLOEXEC, SOCK_CLOEXEC, the letter e of fopen. opendir does by
# itself; mkstemp, tmpfile and pipe are closed or marked on the lines after them.
set -euo pipefail
cd "$SFNEC_SOURCE"
bad=0

# the standard streams of a program that was started without them are for its children too
refuse() {
  local found
  found=$(grep -rnE "$1" src python/src --include='*.c' | grep -vE "$2" | grep -vE '^src/cli/main\.c:.*"/dev/null"' || true)
  [ -z "$found" ] || { printf '%s\n%s\n' "$3" "$found"; bad=1; }
}
refuse '(^|[^_>.a-z])open\(' 'O_CLOEXEC' 'a descriptor is inherited: add O_CLOEXEC'
refuse '(^|[^a-z])fopen\(' '"[rwa]\+?b?e"' 'a descriptor is inherited: add the letter e to the mode'
refuse '(^|[^a-z])(socket|socketpair|accept)\(' 'SOCK_CLOEXEC' 'a descriptor is inherited: add SOCK_CLOEXEC'
refuse '(^|[^a-z_])(popen|dup|creat)\(' 'nothing' 'this call makes a descriptor that is inherited'
for file in $(grep -rlE '(^|[^a-z_])(pipe|mkstemp|tmpfile)\(' src python/src --include='*.c'); do
  grep -A6 -E '(^|[^a-z_])(pipe|mkstemp|tmpfile)\(' "$file" | grep -qE 'FD_CLOEXEC|close\(file\)' ||
    { echo "$file: mark the ends of a pipe by FD_CLOEXEC"; bad=1; }
done

# a text in memory is whole or not there: fclose alone does not tell
found=$(grep -rlE 'open_memstream\(' src python/src --include='*.c' | while read -r file; do
  [ "$(grep -cE 'open_memstream\(' "$file")" -eq "$(grep -cE 'output_close_text\(' "$file")" ] || echo "$file"
done)
[ -z "$found" ] || { printf 'end a stream of open_memstream by sfnec_output_close_text:\n%s\n' "$found"; bad=1; }
exit $bad
