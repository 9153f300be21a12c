#!/usr/bin/env bash
# The documentation site in a real browser, from its files: search, light and dark, a phone, pictures, no request to elsewhere.
set -euo pipefail

[ -x "${SFNEC_DOCS_PYTHON:-}" ] || { echo "SFNEC_DOCS_PYTHON is not set: skipped"; exit 77; }
grep -q '^SFNEC_SANITIZE:[A-Z]*=..*' "$SFNEC_BUILD/CMakeCache.txt" && { echo "a build with sanitizers: skipped"; exit 77; }
command -v mandoc >/dev/null || { echo "no mandoc: skipped"; exit 77; }
. "$SFNEC_SOURCE/tests/web/browser.sh"

bash "$SFNEC_SOURCE/docs/site/films.sh" out/films "$SFNEC" one-room
# in the place of the playground, which only `make playground` builds
echo '<!doctype html><title>a game</title><h1>a game</h1>' >game.html
SFNEC_PLAYGROUND=$PWD/game.html bash "$SFNEC_SOURCE/docs/site/build.sh" out "$SFNEC_DOCS_PYTHON"
node "$packages/site.mjs" "$PWD/out/site"
