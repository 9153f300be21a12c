#!/usr/bin/env bash
# The playground's C side, compiled natively: it trains the agents that `sfnec train` does, to the byte, and plays on.
# (playground.sh compares the browser's with the same files.)
set -euo pipefail

for agent in sfnec sfnec-plus sfnec-plan; do
  "$SFNEC" train --agent "$agent" --seed 7 --tasks 2 --steps 400 --save "$agent.native" --quiet
  "$SFNEC_BUILD/tests/web/tool_playground" "$agent" 7 2 400 "$agent.played"
  cmp "$agent.native" "$agent.played"
  "$SFNEC" eval "$agent.played" --w 0,1,0,1 --steps 100 >/dev/null
done
