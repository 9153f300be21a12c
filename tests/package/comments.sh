#!/usr/bin/env bash
# Comments name nothing that is gone, and no type of the library is two; and the check sees both.
set -euo pipefail
check="$SFNEC_SOURCE/tests/package/comments.py"
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 77; }
python3 "$check" "$SFNEC_SOURCE"

mkdir -p broken/src broken/include
printf '// a.c: see gone.h, and sfnec_gone() and state_counts.\ntypedef struct sfnec_a {\n  int state_count;\n} sfnec_a;\n' >broken/src/a.c
printf '// b.h: of sfnec_a.\ntypedef enum sfnec_a { B } sfnec_a;\n' >broken/include/b.h
if python3 "$check" broken >said; then echo "what is wrong was not seen"; exit 1; fi
for text in 'a.c:1: .*names sfnec_gone,' 'a.c:1: .*names gone.h,' 'a.c:1: .*names state_counts,' 'sfnec_a is two types'; do
  grep -q "$text" said || { cat said; echo "not seen: $text"; exit 1; }
done
