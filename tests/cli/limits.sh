#!/usr/bin/env bash
# limits.sh: options that are legal and a stranger's: what only looks at a file spends a bounded time on each plan, and ends
# with a sentence at its time limit.
source "$(dirname "$0")/lib/cli.bash"
# as in film.sh
echo 'leak:libfontconfig' >fonts.sfnec
export LSAN_OPTIONS=suppressions=$PWD/fonts.sfnec:print_suppressions=0
tool=$SFNEC_BUILD/tests/cli/tool_options

works "an agent that plans" train --agent sfnec-plan --env four_rooms_grid --tasks 2 --steps 1500 --save plain.agent --quiet
cp plain.agent dear.agent
"$tool" dear.agent replan_backups=1000000000000 gamma=0.999999999999

# seconds of a core, as the machine may be busy: this plan takes 13 without a bound and 1 with it
seconds=6
grep -q '^SFNEC_SANITIZE:[A-Z]*=..*' "$SFNEC_BUILD/CMakeCache.txt" && seconds=100
spent() {
  local code=0
  (ulimit -t $seconds && "$SFNEC" "$@" >out 2>err) || code=$?
  [ "$code" -eq 0 ]
}
check "eval ends" spent eval dear.agent --random 1 --steps 50
check "and says what it did not spend" grep -q 'dear.agent asks for plans of 1000000000000 backups (replan_backups); to look at it, they get 100000000' err
check "film ends" spent film dear.agent --out film.gif --steps 3 --size 160
check "export-c ends" spent export-c dear.agent --out dear.c
check "and says what it did not spend" grep -q 'dear.agent asks for plans of 1000000000000 backups' err
works "others are not spoken of" eval plain.agent --random 1 --steps 50

# so many effects that a table for what each leads to would take gigabytes
cp plain.agent wide.agent
"$SFNEC_BUILD/tests/cli/tool_effects" wide.agent 8000
refuses 1 'and 8000 effects, which is too much for a policy in C' export-c wide.agent --out wide.c
check "without a file" test ! -e wide.c

# the replays of a stranger's experiment
cat >study.yaml <<'YAML'
name: study
env: four_rooms_grid
tasks: 1
steps: 1500
seeds: 1
agents: [sfnec-plan]
record: {agents: yes}
YAML
works "a study" run study.yaml -o study --quiet
"$tool" study/agents/*.sfnec replan_backups=1000000000000 gamma=0.999999999999
check "report ends" spent report study --out report.html --resamples 10
check "with a page" test -s report.html

# ---- the time limit ----
refuses 1 'the time limit of 1 s is reached and nothing more is written; raise --time-limit' \
  eval plain.agent --random 1 --steps 1000000000000 --time-limit 1
works "a limit that is not reached" eval plain.agent --random 1 --steps 50 --time-limit 600
works "of inspect" inspect plain.agent --time-limit 600
refuses 2 'time-limit' eval plain.agent --time-limit -1
finish
