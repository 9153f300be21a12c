#!/usr/bin/env bash
# clean.sh: what `clean` drops, what stays, and that a study is extended after it as before.
source "$(dirname "$0")/lib/cli.bash"

cat >study.yaml <<'SPEC'
name: study
env: {name: four_rooms}
tasks: 2
steps: 3000
seeds: 1-2
agents: [sfnec, sfnec-nogpi]
record: {agents: first}
SPEC

run run study.yaml -o study --keep-states
check "a study says what it takes" grep -Eq '^study takes [0-9.]+ MB, [0-9.]+ MB of it only to extend the study' err
check "each job has one compressed state" [ "$(find study/jobs -name '*.state' | wc -l)" = 4 ]
check "and no checkpoints any more" [ -z "$(find study/jobs -mindepth 1 -type d)" ]
"$SFNEC" export study --csv before.csv
cp -r study other

works "clean" clean study
check "says what is gone" grep -Eq '^[0-9.]+ MB removed, [0-9.]+ [kM]B left in study$' out
check "the states are" [ -z "$(find study/jobs -name '*.state')" ]
check "the results stay" cmp -s before.csv <("$SFNEC" export study --csv -)
check "the agents too" [ "$(find study/agents -name '*.sfnec' | wc -l)" = 2 ]
works "again" clean study
check "has nothing to do" grep -q '^0 bytes removed' out
run run study.yaml -o study --seeds 1-3 --quiet
check "more seeds are run" [ "$code" -eq 0 ]
run run study.yaml -o study --seeds 1-3 --tasks 3
check "more tasks too" [ "$code" -eq 0 ]
check "from the beginning, which is told" grep -q 'holds no state of this job; it starts from its beginning (run --keep-states' err
run run study.yaml -o other --seeds 1-3 --tasks 3 --quiet
check "with the same results" cmp -s <("$SFNEC" export study --csv -) <("$SFNEC" export other --csv -)

# what a study may take is told before it starts, if it is much: 20 agents of 50 tasks, each of 20,000 entries
timeout -s INT 20 "$SFNEC" run study.yaml -o large --seeds 1-20 --tasks 50 --steps 20000 --keep-states 2>err >out &
large=$!
for _ in $(seq 100); do grep -q 'may take up to' err && break; sleep 0.1; done
kill -INT $large
wait $large || true
check "a large study says so" grep -Eq '^large may take up to [0-9.]+ GB while it runs: .* of checkpoints .*, .* of agents .*, .* of states' err
check "a small one does not" [ "$("$SFNEC" run study.yaml -o small --tasks 1 --steps 500 2>&1 | grep -c 'may take')" = 0 ]

# jobs that are not done keep their checkpoints
"$SFNEC" run study.yaml -o going --steps 1M --quiet 2>/dev/null &
job=$!
for _ in $(seq 100); do [ -e going/experiment.db ] && break; sleep 0.1; done
sleep 0.5
refuses 1 "process $job" clean going
kill -INT "$job"
wait "$job" || true
works "clean an unfinished study" clean going
check "says what stays" grep -q 'checkpoints of jobs that are not done (--unfinished drops them too)' out
check "checkpoints stay" [ -n "$(find going/jobs -name 'state-?')" ]
works "all of it" clean going --unfinished
check "they go on request" [ -z "$(find going/jobs -name 'state-?')" ]

refuses 1 "no experiment" clean nowhere
check "and makes none" [ ! -e nowhere ]
finish
