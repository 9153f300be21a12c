#!/usr/bin/env bash
# The shared library exports exactly the functions that the public headers mark with SFNEC_API.
set -euo pipefail
export LC_ALL=C

# a declaration runs from SFNEC_API to its first parenthesis; the name is the last word before it
sed -e 's,//.*,,' -e '/^ *#/d' "$SFNEC_SOURCE"/include/sfnec/*.h | tr '\n' ' ' |
  grep -oE 'SFNEC_API [^(;]*\(' | sed -E 's/.*[ *]([A-Za-z0-9_]+) *\($/\1/' | sort >declared
[ -s declared ] || { echo "no SFNEC_API was found in include/sfnec"; exit 1; }

# the sanitizers' own marks do not count
nm -D --defined-only "$SFNEC_BUILD/libsfnec.so" | awk '{ print $3 }' | grep -v '^__odr_asan' | sort >exported

if ! diff declared exported >difference; then
  sed -n -e 's/^< /declared in include\/sfnec, not exported: /p' -e 's/^> /exported, not declared: /p' difference
  exit 1
fi
echo "$(wc -l <exported) functions are declared and exported"
