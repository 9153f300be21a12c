#!/usr/bin/env bash
# Every function of the public headers is called with NULL for each of its pointers in turn: it refuses with a sentence,
# or returns something harmless. The calls are made from the declarations, so that a new function is covered.
set -euo pipefail
export LC_ALL=C

# one declaration per line: type and name, then the parameters, separated by '|'
sed -e 's,//.*,,' -e '/^ *#/d' "$SFNEC_SOURCE"/include/sfnec/*.h | tr '\n' ' ' | grep -oE 'SFNEC_API [^;]*;' |
  sed -E -e 's/ +/ /g' -e 's/^SFNEC_API //' -e 's/\);$//' -e 's/\(/|/' -e 's/, /|/g' -e 's/\[[^]]*\]/ */g' >declarations

# char *name -> V_char_p, whose value nulls.c knows
awk -F'|' '
  function name_of(text) { sub(/.*[ *]/, "", text); return text }
  function value_of(text) {
    if (text ~ /\*$/) { stars = " *"; sub(/ \*$/, "", text) } else stars = ""
    gsub(/const /, "", text); gsub(/ const/, "", text)
    sub(/[A-Za-z0-9_]+$/, "", text)
    text = text stars; gsub(/ /, "", text); gsub(/\*/, "_p", text)
    return "V_" text
  }
  {
    function_name = name_of($1); status = $1 ~ /^sfnec_status /
    for (i = 2; i <= NF; i++) {
      if ($i !~ /\*/) continue
      parameter = $i; sub(/ \*$/, "", parameter); parameter = name_of(parameter)
      arguments = ""
      for (j = 2; j <= NF; j++) arguments = arguments (j > 2 ? ", " : "") (j == i ? "NULL" : value_of($j))
      printf "%s(%s, %s, %s)\n", status ? "STATUS" : "OTHER", function_name, parameter, arguments
    }
  }' declarations >calls.h

# shellcheck disable=SC2086 # flags are words on purpose
"$CC" $CFLAGS -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -I"$SFNEC_SOURCE/include" -I. \
  "$SFNEC_SOURCE/tests/package/nulls.c" -o nulls "$SFNEC_BUILD/libsfnec.so" -Wl,-rpath,"$SFNEC_BUILD"
./nulls
