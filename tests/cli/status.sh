#!/usr/bin/env bash
# status.sh: the state of an experiment at a glance, for people and as JSON.
source "$(dirname "$0")/lib/cli.bash"
study="${SFNEC_BUILD:?set SFNEC_BUILD to the build folder}/tests/study/tool_study"

"$study" done 2 3 2
works "a finished experiment" status done
check "its name" grep -qx 'study: A study' out
check "its spec" grep -qx 'spec    study.yaml: four_rooms, 2 tasks of 100 steps' out
check "its jobs" grep -qx 'jobs    6: 6 done; 12 of 12 tasks (100 %)' out
check "nobody runs it" grep -qx 'now     not running' out
check "how the last session ended" grep -Eq '^last    started 20..-..-..T..:..:..Z on .*, 2 workers, .*; ended 20.*Z: done$' out
check "what it takes, without states" grep -Eqx 'disk    [0-9.]+ kB' out
# totals are 100 c + 10 s + t / 3: the average of the seeds 1, 2, 3 is 20 1/6, with standard error 10 / sqrt 3
check "the average return" grep -Eq '^sfnec neighbours=1 +3/3 +6/6 +20 ± 6  ▁▁$' out
check "of both" grep -Eq '^sfnec neighbours=2 +3/3 +6/6 +120 ± 6  ██$' out
check "what comes next" grep -q 'all jobs are done' out
check "plain text" test -z "$(tr -d '\n' <out | LC_ALL=C grep '[[:cntrl:]]')"

"$study" "a part" 2 2 3 partial
works "an unfinished experiment" status "a part"
check "its jobs" grep -qx 'jobs    4: 1 done, 1 cut off, 1 waiting, 1 failed; 4 of 12 tasks (33 %)' out
check "the session was killed" grep -q '; killed$' out
check "the error of the failed job" grep -qx '  sfnec neighbours=2 seed 1: the "disk" is full' out
check "no average without a task" grep -Eq '^sfnec neighbours=2 +0/2 +0/6 +-$' out
check "how to resume" grep -qx "to resume: sfnec run study.yaml -o 'a part'" out

works "as JSON" status "a part" --json
if python3 -c '' 2>err; then
  check "the document" python3 - <<'PYTHON'
import json
d = json.load(open("out"))
assert d["jobs"] == {"waiting": 1, "running": 1, "done": 1, "failed": 1}, d["jobs"]
assert d["running"] is False and d["running_on"] is None and d["checkpoint_bytes"] == 0 < d["disk_bytes"]
assert d["last_session"]["ended"] is None and d["last_session"]["workers"] == 2
assert [f["error"] for f in d["failures"]] == ['the "disk" is full'] and d["failures"][0]["attempts"] == 1
first, second = d["configurations"]
assert first["seeds_done"] == 1 and first["tasks_done"] == 4 and first["tasks_wanted"] == 6
# seed 1: (10, 10 1/3, 10 2/3), seed 2: (20)
assert abs(first["average_return"] - (10 + 1 / 3 + 20) / 2) < 1e-12
assert abs(first["standard_error"] - (20 - 10 - 1 / 3) / 2) < 1e-12
assert second["average_return"] is None and second["standard_error"] is None
assert d["command"] == "sfnec run study.yaml -o 'a part'"
PYTHON
fi

mkfifo go
"$study" held 1 1 2 hold <go >said &
tool=$!
exec 9>go
until grep -qs held said; do sleep 0.05; done
works "while another process has it" status held
check "says which" grep -Eq "^now     running on .*, process $tool\$" out
works "again: looking does not take the lock away" status held
check "says which" grep -q "process $tool" out
kill -9 $tool
wait $tool 2>/dev/null || true
exec 9>&-
works "after that process was killed" status held
check "nobody runs it" grep -qx 'now     not running' out

# ---- what a study is judged by ----

cat >judged.yaml <<'SPEC'
name: judged
env: four_rooms_grid
tasks: 2
steps: 3000
seeds: 1-2
agents: [sfnec]
metric: steps-to-goal
SPEC
run run judged.yaml -o judged
check "run: exit 0 (got $code)" test "$code" -eq 0
check "run tells each job with the metric of the spec" test "$(grep -Ec 'sfnec seed [12]: steps-to-goal [0-9.]+ over 2 tasks' err)" -eq 2
grep -o 'sfnec seed 1: .*' err >whole
mean=$(sqlite3 judged/experiment.db "SELECT AVG(value) FROM (SELECT 1.0 * SUM(steps) / SUM(goals) AS value FROM task GROUP BY job)")
works "status" status judged
check "status leads with it" grep -Eq '^configuration +seeds done +tasks +steps-to-goal ' out
check "its mean over the seeds ($mean)" grep -Eq "^sfnec +2/2 +4/4 +$(printf %.0f "$mean")(\.[0-9]+)? ± " out
works "as JSON" status judged --json
check "the metric, its mean, and the return as ever" python3 - "$mean" <<'PYTHON'
import json, sys
d = json.load(open("out"))
(row,) = d["configurations"]
assert d["metric"] == "steps-to-goal" and abs(row["metric_mean"] - float(sys.argv[1])) < 1e-9 and row["metric_error"] > 0, row
assert row["average_return"] != row["metric_mean"]
PYTHON
works "its first task alone" run judged.yaml -o grown --tasks 1 --quiet --keep-states
run run judged.yaml -o grown
check "a study that is extended counts the tasks of before" cmp -s whole <(grep -o 'sfnec seed 1: .*' err)

# ---- what a kill costs ----

"$SFNEC" run judged.yaml -o killed --seeds 1 --tasks 50 --steps 20000 --checkpoint 10000 --quiet &
tool=$!
for ((i = 0; i < 200; i++)); do
  [ -e killed/experiment.db ] && [ "$(sqlite3 killed/experiment.db "SELECT COUNT(*) FROM job WHERE state = 'running'" 2>/dev/null)" = 1 ] && break
  sleep 0.05
done
kill -9 $tool
wait $tool 2>/dev/null || true
works "a study that was killed before its first checkpoint" status killed
check "status says so" grep -q '^killed  1 of 1 job that a kill cut off had no checkpoint yet and starts from the beginning' out
run run judged.yaml -o killed --seeds 1 --tasks 1 --steps 20000 --force-new
check "a new one was not killed" bash -c '! grep -q "had no checkpoint" err'
mv killed.1 again
"$SFNEC" run judged.yaml -o again --seeds 1 --tasks 50 --steps 20000 --checkpoint 0 2>err &
tool=$!
for ((i = 0; i < 200; i++)); do
  ls again/jobs/*/state-0 >list 2>&1 && break
  sleep 0.05
done
kill -9 $tool
wait $tool 2>/dev/null || true
check "run says so when it resumes" grep -q 'had no checkpoint yet and starts from the beginning' err
works "with a checkpoint nothing is lost" status again
check "and nothing is said" bash -c '! grep -q "^killed" out'

refuses 1 "there is no experiment in nowhere" status nowhere
refuses 2 'needs DIR' status
refuses 2 'did you mean' status done --jason

# on a terminal the table is no wider than the terminal
if script -qec true /dev/null </dev/null >err 2>&1; then
  script -qec "stty cols 52; '$SFNEC' status done" /dev/null </dev/null >out
  check "narrow: the middle of the name goes" grep -q '^sfnec…ighbours=2 ' out
  check "and the rest fits" test "$(grep '^sfnec ' out | tr -d '\r' | LC_ALL=C.UTF-8 wc -L)" -le 52
fi

finish
