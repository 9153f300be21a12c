#!/usr/bin/env bash
# The page of `sfnec report` in a real browser: a small study with replays, one with sweeps, and a large one.
set -euo pipefail

. "$SFNEC_SOURCE/tests/web/browser.sh"
grep -q 'page_size = 0;' "$SFNEC_BUILD/web/page.c" && skip "the page was not built"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >small.yaml <<'SPEC'
name: small
title: A <b>small</b> study
env: four_rooms
tasks: 3
steps: 600
seeds: 1-3
agents:
  - sfnec
  - {label: 'nec </script><img src=x>', preset: nec}
  - sfql
record: {agents: yes}
published:
  - {agent: sfnec, task: 1, mean: 5, se: 100, source: thesis}
  - {agent: sfql, task: 3, mean: 40, source: thesis}
SPEC
cat >episodes.yaml <<'SPEC'
name: episodes
env: cartpole
tasks: 1
episodes: 40
seeds: 1-3
agents: [nec]
sweep: {horizon: [1, 16], neighbours: [5, 20]}
record: {episodes: yes, agents: yes}
SPEC
"$SFNEC" run small.yaml -o small --quiet
"$SFNEC" run episodes.yaml -o episodes --quiet
"$SFNEC" run small.yaml -o quick --quick --quiet
cat >weights.yaml <<'SPEC'
name: weights
env: four_rooms_grid
tasks: 1
steps: 1500
seeds: 1-2
agents: [sfnec, sfql]
evaluate: {every: 500, episodes: 2, steps: 40, weights: [[1, 0, -1], [0, 1, 1], [1, 1, 1]]}
SPEC
"$SFNEC" run weights.yaml -o weights --quiet
"$SFNEC_BUILD/tests/study/tool_study" partial 4 3 5 partial
"$SFNEC_BUILD/tests/web/tool_large" large 40 10 50
for study in small episodes quick weights partial large; do "$SFNEC" report "$study" --resamples 500; done

mkdir both live
"$SFNEC" report small episodes --resamples 200 --out both/report.html
# a page that follows an unfinished study, as it is left when its writer is killed
"$SFNEC" report partial --watch --every 5 --resamples 200 --out live/report.html >/dev/null &
watcher=$!
until [ -s live/report.html ]; do sleep 0.1; done
kill -9 $watcher

node "$packages/report.mjs" "$folder"
