#!/usr/bin/env bash
# The playground in a real browser: its agents are those of `sfnec train`, to the byte; sliders, buttons, frames, a phone.
# It needs the page that `make playground` builds, in $SFNEC_PLAYGROUND; `make playground-check` does both.
set -euo pipefail

[ -f "${SFNEC_PLAYGROUND:-}/playground.html" ] || { echo "the playground was not built: skipped"; exit 77; }
. "$SFNEC_SOURCE/tests/web/browser.sh"

node --no-warnings "$SFNEC_SOURCE/tests/web/wasm/run.mjs" "$SFNEC_PLAYGROUND/test_simd.wasm"

for agent in sfnec sfnec-plus sfnec-plan; do
  "$SFNEC" train --agent "$agent" --seed 7 --tasks 3 --steps 1500 --save "$agent.native" --quiet
done
node "$packages/playground.mjs" "$SFNEC_PLAYGROUND/playground.html" "$PWD"
for agent in sfnec sfnec-plus sfnec-plan; do
  cmp "$agent.native" "$agent.trained"
  # saved in the middle of an episode
  "$SFNEC" eval "$agent.now" --w 0,1,0,1 --steps 200
done
