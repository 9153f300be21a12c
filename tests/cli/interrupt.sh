#!/usr/bin/env bash
# interrupt.sh: Ctrl-C, SIGTERM and SIGHUP stop the work soon, keep what was learned, and exit 130.
source "$(dirname "$0")/lib/cli.bash"

# start ARGUMENT...: runs sfnec in the background with the signals of a terminal
start() {
  # a shell without job control lets background programs ignore SIGINT
  set -m
  "$SFNEC" "$@" >out 2>err &
  pid=$!
  set +m
}

# wait_for COMMAND...: until it succeeds, at most 10 seconds
wait_for() {
  local i
  for ((i = 0; i < 200; i++)); do
    "$@" && return 0
    sleep 0.05
  done
  return 1
}

# stop SIGNAL: sends it and takes the exit code
stop() {
  local began=$SECONDS
  kill -s "$1" "$pid" || true
  code=0
  wait "$pid" || code=$?
  check "stops within five seconds of $1" test $((SECONDS - began)) -le 5
}

has_lines() {
  [ -e "$2" ] && [ "$(wc -l <"$2")" -ge "$1" ]
}

for signal in INT TERM HUP; do
  start train --tasks 100000 --steps 300 --save "$signal.agent" --csv "$signal.csv"
  check "rows are in the file while it runs" wait_for has_lines 4 "$signal.csv"
  stop "$signal"
  check "$signal: exit 130 (got $code)" test "$code" -eq 130
  check "$signal: one sentence" one_sentence
  check "$signal: says that it saved" grep -q "interrupted after .* saved in $signal.agent" err
  works "$signal: the agent is whole" inspect "$signal.agent"
  check "$signal: the agent has a task for each row or one more" \
    awk -v rows="$(($(wc -l <"$signal.csv") - 1))" 'NR == 1 { exit !($2 == rows || $2 == rows + 1) }' out
  works "$signal: the agent can be tried" eval "$signal.agent" --w 0,0,0,1 --steps 50
done

start train --tasks 100000 --steps 300 --csv plain.csv
check "a training starts" wait_for has_lines 2 plain.csv
stop INT
check "without --save: exit 130" test "$code" -eq 130
check "without --save: says that nothing was saved" grep -q 'nothing was saved' err

# a training that is kept goes on, and ends as one that was never stopped
start train --tasks 30 --steps 400 --csv kept.csv --save kept.agent -o kept
check "a kept training starts" wait_for has_lines 3 kept.csv
stop INT
check "kept: exit 130" test "$code" -eq 130
check "kept: one sentence" one_sentence
check "kept: says how to resume" grep -q 'saved in kept.agent; the same command resumes' err
works "kept: the agent so far is whole" inspect kept.agent
works "kept: it resumes" train --tasks 30 --steps 400 --csv kept.csv --save kept.agent -o kept --quiet
works "unbroken" train --tasks 30 --steps 400 --csv unbroken.csv --save unbroken.agent --quiet
check "kept: the same rows" cmp -s <(without_seconds kept.csv) <(without_seconds unbroken.csv)
check "kept: the same agent" cmp -s kept.agent unbroken.agent

# impatience loses nothing: further signals wait for the saving
start train --tasks 100000 --steps 300 --csv hasty.csv --save hasty.agent -o hasty
check "a hasty training starts" wait_for has_lines 3 hasty.csv
for ((i = 0; i < 50; i++)); do kill -s TERM "$pid" 2>/dev/null || true; sleep 0.002; done
stop TERM 2>/dev/null
check "many signals: exit 130 (got $code)" test "$code" -eq 130
check "many signals: saved" grep -q 'saved in hasty.agent; the same command resumes' err

# but when saving hangs there is a way out: after half a minute a signal ends the program. The disk that hangs and the
# clock are a library's that is preloaded
start train --tasks 100000 --steps 300 --csv stuck.csv --save stuck.agent -o stuck
check "a training before it starts" wait_for has_lines 3 stuck.csv
stop TERM
works "what is saved before the disk hangs is whole" inspect stuck.agent
cp stuck.agent before.agent
export LD_PRELOAD=$SFNEC_BUILD/tests/cli/shim_hang.so ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
start train --tasks 100000 --steps 300 --csv stuck.csv --save stuck.agent -o stuck
unset LD_PRELOAD
check "a training on a disk that will hang starts" wait_for has_lines 3 stuck.csv
rows=$(wc -l <stuck.csv)
check "it works" wait_for has_lines $((rows + 3)) stuck.csv
touch hang
kill -s TERM "$pid"
check "saving hangs" wait_for test -e hanging
for ((i = 0; i < 5; i++)); do kill -s TERM "$pid" || true; sleep 0.05; done
check "a signal within half a minute does not end it" kill -s 0 "$pid"
touch later
{ sleep 10 && rm -f hang; } >/dev/null 2>&1 & # so that a failure is told and does not hang
stop TERM
check "one after half a minute does (got $code)" test "$code" -eq 143
rm -f hang hanging later
works "what was saved before is whole" inspect stuck.agent
check "and as it was" cmp -s stuck.agent before.agent
start train --tasks 100000 --steps 300 --csv stuck.csv --save stuck.agent -o stuck
check "the same command resumes" wait_for has_lines "$rows" stuck.csv
stop TERM

# nohup: the terminal goes, the training stays
trap '' HUP
start train --tasks 100000 --steps 300 --csv nohup.csv
trap - HUP
check "a training under nohup starts" wait_for has_lines 3 nohup.csv
kill -s HUP "$pid"
check "SIGHUP that is ignored stays ignored" wait_for has_lines $(($(wc -l <nohup.csv) + 3)) nohup.csv
stop TERM

# the quick agents end, the slow ones are cut off
start compare --agents sfnec,ql --seeds 1-2 --tasks 2000 --steps 20 --jobs 4 --csv compare.csv
check "finished runs are in the file while others run" wait_for has_lines 2001 compare.csv
stop INT
check "compare: exit 130 (got $code)" test "$code" -eq 130
check "compare: says how many runs were finished" grep -Eq '^sfnec: interrupted: [1-3] of 4 runs were finished' err
check "compare: only whole runs are in the file" test $((($(wc -l <compare.csv) - 1) % 2000)) -eq 0
check "compare: rows are in order" cmp -s <(cut -d, -f1-3 compare.csv) \
  <(head -1 compare.csv | cut -d, -f1-3; tail -n +2 compare.csv | cut -d, -f1-3 | sort -t, -k1,1r -k2,2n -k3,3n)

finish
