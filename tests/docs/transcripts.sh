#!/usr/bin/env bash
# What README and docs/ show of the program is what it prints now: transcripts of commands, and tables of options.
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

python=${SFNEC_PYTHON:-$(command -v python3 || true)}
[ -n "$python" ] || { echo "skipped: no Python"; exit 77; }
grep -q '^SFNEC_SANITIZE:[A-Z]*=..*' "$SFNEC_BUILD/CMakeCache.txt" && { echo "skipped: sanitizers are slow"; exit 77; }
pages() { "$python" "$SFNEC_SOURCE/scripts/pages.py" "$1" "$SFNEC" "${@:2}"; }

echo "== the tree"
pages check

echo "== a page is written, and then fits: output, an exit status, lines left out, a block that is not run"
cat >page.md <<'PAGE'
    $ sfnec train --agent ql --tasks 2 --steps 500 --seed 1 --save ql.agent
    to be written

<!-- exit status 2 -->

```console
$ sfnec conquer --world
to be written
```

<!-- not run: there is no such command -->

    $ sfnec conquer --all

<!-- options cartpole -->
<!-- end of options -->
PAGE
pages write page.md
printf '\n    $ sfnec inspect ql.agent\n    ...\n    $ ls ql.agent\n' >>page.md
pages check page.md
cat page.md
grep -q '500 steps' page.md
grep -q '^sfnec: there is no command' page.md
grep -q '^| `observation` | full |' page.md

echo "== what was changed by hand is found"
# $1: its name, $2: the change
found() {
  sed "$2" page.md >"$1.md"
  if cmp -s page.md "$1.md"; then echo "$1: nothing was changed"; exit 1; fi
  if pages check "$1.md" >said 2>&1; then echo "$1 was not found"; exit 1; fi
  grep -q "$1.md:[0-9]*: " said || { cat said; exit 1; }
}
found number '/over 2 tasks/s/task [-0-9.]*/task 12345.67/'
found option 's/| full |/| pole |/'
found status 's/exit status 2/exit status 1/'
found command 's/ls ql.agent/ls nothing.agent/'
found line 's/^sfnec: there is no command.*/&\nand more/'
