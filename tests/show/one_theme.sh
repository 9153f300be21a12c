#!/usr/bin/env bash
# The page's and Python's sides of the theme are what its tables say, and nobody else has a colour of his own.
set -euo pipefail
made=$SFNEC_BUILD/tests/show/tool_theme
bad=0
for side in ts:web/src/palette.ts css:web/src/palette.css python:python/sfnec/_theme.py; do
  if ! "$made" "${side%%:*}" | diff "$SFNEC_SOURCE/${side#*:}" -; then
    echo "the theme has changed; make this side again: $made ${side%%:*} >${side#*:}"
    bad=1
  fi
done
# a colour that is written down elsewhere is a second theme
own=$(cd "$SFNEC_SOURCE" && grep -rnE "[\"'](#[0-9a-fA-F]{3,8}|rgba?\()" src/show src/cli web/src/*.ts python/sfnec \
  --include='*.[ch]' --include='*.ts' --include='*.py' | grep -vE '^(src/show/theme/theme.c|web/src/palette.ts|python/sfnec/_theme.py):' || true)
css=$(cd "$SFNEC_SOURCE" && grep -nE '#[0-9a-fA-F]{3,8}\b|rgba?\(' web/src/style.css || true)
if [ -n "$own$css" ]; then
  printf 'colours belong into src/show/theme/theme.c:\n%s\n%s\n' "$own" "$css"
  bad=1
fi
exit $bad
