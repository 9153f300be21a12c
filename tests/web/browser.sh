# browser.sh: what the tests of pages need, to be sourced: Chromium (SFNEC_CHROMIUM) and the packages of package.json, with
# the .mjs files beside them ($packages). Skips the test without.
skip() { echo "$1: skipped"; exit 77; }
command -v npm >/dev/null || skip "no npm"
for name in chromium chromium-browser google-chrome; do
  [ -n "${SFNEC_CHROMIUM:-}" ] || SFNEC_CHROMIUM=$(command -v "$name" || true)
done
[ -n "$SFNEC_CHROMIUM" ] || skip "no chromium"
export SFNEC_CHROMIUM

# once per build tree
packages=$SFNEC_BUILD/web-tests
if ! cmp -s "$SFNEC_SOURCE/tests/web/package-lock.json" "$packages/installed.json"; then
  mkdir -p "$packages"
  cp "$SFNEC_SOURCE"/tests/web/package*.json "$packages"
  (cd "$packages" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 >npm.log 2>&1) || skip "npm ci failed"
  cp "$SFNEC_SOURCE/tests/web/package-lock.json" "$packages/installed.json"
fi
cp "$SFNEC_SOURCE"/tests/web/*.mjs "$packages"
