#!/usr/bin/env bash
# sfnec stats: the tables and files for an experiment whose returns are planted, so that every number is known.
source "$(dirname "$0")/lib/cli.bash"

command -v sqlite3 >/dev/null || { echo "no sqlite3 to plant numbers with: skipped"; exit 77; }

cat >study.yaml <<'SPEC'
name: study
title: Known numbers
env: {name: four_rooms}
tasks: 2
steps: 20
seeds: 1-3
agents:
  - sfnec
  - nec
  - {preset: sfql, sweep: {rate: [0.01, 0.05]}}
published:
  - {agent: sfnec, task: 2, mean: 100, source: thesis}
  - {agent: sfql, options: {rate: 0.05}, task: 1, mean: 40}
SPEC
run run study.yaml --out study --quiet
check "the study runs" [ "$code" -eq 0 ]

sql() { sqlite3 study/experiment.db "PRAGMA foreign_keys = OFF; $1"; }
# sfnec 100 200 300, nec five percent less, sfql 10 and 50 (and a little noise) times the seed
sql "UPDATE task SET seconds = 2.0, entries = 7, optimum = 400.0, total =
       (SELECT CASE name WHEN 'sfnec' THEN 100.0 * seed WHEN 'nec' THEN 95.0 * seed
                         WHEN 'sfql rate=0.01' THEN 10.0 * seed ELSE 50.0 * seed + seed * seed END
          FROM job JOIN configuration USING (configuration) WHERE job.job = task.job)"

works "stats of a finished study" stats study
check "names the study" grep -q '^study: Known numbers (four_rooms)$' out
check "says what it judges" grep -q '^average return per task after 2 tasks, 12 runs$' out
check "mean, error, median, IQM and published value" \
  grep -Eq '^sfnec +3 +200 ± 58 +200 +200 +50\.0 +100 \(\+1\.7 se\)$' out
check "another row" grep -Eq '^nec +3 +190 ± 55 +190 +190 +47\.5$' out
check "paired differences" grep -Eq '^nec +-10 ± 3 +0 of 3 +0\.250 +0\.33$' out
check "published values of other tasks are told" grep -q '^published values are also known after task 1 (--task, --published)$' out
check "few runs have no interval" bash -c '! grep -q "95 %" out'
check "which is told" grep -q '^5 runs or fewer say little: no interval is given' out
check "nor can they show a difference" grep -q 'from 3 seeds it is never below 0.25' out
check "the sweep's highest mean" grep -q '^sweep of sfql: the highest mean is rate=0.05, over the 3 seeds that all 2 points have$' out
check "is no best one" grep -q '^3 seeds cannot tell luck from merit' out
check "and has no chance" grep -Eq '^rate=0\.05 +105$' out
check "the profile" grep -Eq '^sfql rate=0\.05 +100 +67 +33 +0 +0$' out
check "no blanks at the ends of lines" bash -c '! grep -q " $" out'
cp out first
works "the same again" stats study
check "gives the same bytes" cmp -s out first

# the same with ten seeds, which can be judged
cp -r study few
run run study.yaml --out many --seeds 1-10 --quiet
sqlite3 many/experiment.db "UPDATE task SET total = (SELECT CASE name WHEN 'sfnec' THEN 100.0 * seed WHEN 'nec' THEN 95.0 * seed
  WHEN 'sfql rate=0.01' THEN 10.0 * seed ELSE 50.0 * seed + seed * seed END
  FROM job JOIN configuration USING (configuration) WHERE job.job = task.job)"
works "ten seeds" stats many
check "have intervals" grep -Eq '^sfnec +10 +550 ± 96 +550 +550 +\[[0-9]+, [0-9]+\] ' out
check "of differences too" grep -Eq '^nec +-28 ± 5 +\[-[0-9]+, -[0-9]+\] +0 of 10 +0\.002 +0\.[0-9]+ +\[' out
check "and a best point" grep -q '^sweep of sfql: best is rate=0.05, over the 10 seeds that all 2 points have$' out
check "with its chance" grep -Eq '^rate=0\.05 +[0-9]+ +100 % +best$' out
check "a point without one is worse" grep -Eq '^rate=0\.01 +55 +0 % +worse$' out
check "and bands" grep -Eq '^sfnec +[0-9]+ \([0-9]+-[0-9]+\) ' out

# the optimum
works "regret" stats study --metric regret
check "is what the return lacks" grep -Eq '^nec +3 +210 ± 55 ' out
check "less is better" grep -Eq '^nec +\+10 ± 3 +0 of 3 ' out
check "no share of the optimum but of the return" bash -c '! grep -q optimum\$ out'
sql "UPDATE task SET optimum = NULL"
works "without it" stats study
check "there is no column" bash -c '! grep -q optimum out'
refuses 1 'no run has a value of this metric' stats study --metric regret

works "the published values alone" stats study --published
check "with our mean and the distance" grep -Eqx 'sfnec +2 +3 +200 ± 58 +100 +\+1\.7 +agrees' out
check "after their own tasks" grep -Eqx 'sfql rate=0\.05 +1 +3 +105 ± 31 +40 +\+2\.1 +higher' out
check "how many agree" grep -q '^1 of 2 published values agrees; the squares of the distances add up to 7\.3$' out
sql "UPDATE published SET se = 30.0, mean = 20.0 WHERE task = 1"
works "with a published error" stats study --published
check "counts both" grep -Eqx 'sfql rate=0\.05 +1 +3 +105 ± 31 +20 ± 30 +\+2\.0 +agrees' out
sql "UPDATE published SET se = 3.0 WHERE task = 1"
works "with a smaller one" stats study --published
check "it is higher" grep -Eqx 'sfql rate=0\.05 +1 +3 +105 ± 31 +20 ± 3 +\+2\.7 +higher' out
sql "UPDATE published SET se = NULL, mean = 40.0 WHERE task = 1"
refuses 2 'goes with no other option' stats study --published --task 1

works "after the first task" stats study --task 1
check "has that task's published value" grep -Eq '^sfql rate=0\.05 .* 40 \(\+[0-9.]+ se\)$' out
works "by task" stats study --by-task --against nec
check "says so" grep -q 'over runs x tasks' out
check "against another" grep -q '^against nec: ' out
works "another metric" stats study --metric entries
check "which is a level" grep -Eq '^nec +3 +7\.00 ± 0\.00 ' out

# files
works "as JSON" stats study --json - --resamples 200
if command -v python3 >/dev/null; then
  check "JSON has the numbers" python3 - out <<'PYTHON'
import json, sys
d = json.load(open(sys.argv[1]))
c = {row["configuration"]: row for row in d["configurations"]}
assert d["task"] == 2 and d["resamples"] == 200 and d["against"] == "sfnec" and d["runs"]["done"] == 12
assert c["sfnec"]["mean"] == 200 and c["sfnec"]["scores"] == [100, 200, 300] and c["sfnec"]["p"] is None
assert c["nec"]["difference"] == -10 and c["nec"]["worse"] == 3 and c["nec"]["p"] == 0.25
assert abs(c["sfnec"]["published_distance"] - 3 ** 0.5) < 1e-12
profile = c["sfql rate=0.05"]["profile"]
assert [p["tau"] for p in profile] == [50, 100, 150, 200, 250]
assert all(abs(p["share"] - k / 3) < 1e-15 for p, k in zip(profile, [3, 2, 1, 0, 0]))
assert d["sweeps"] == [{"label": "sfql", "points": 2, "seeds": 3, "possible": 2,
                        "best": "sfql rate=0.05"}]
PYTHON
fi
works "as files" stats study --json s.json --csv s.csv
check "the table is printed as well" grep -q '^sfnec ' out
check "CSV has a head and a row each" [ "$(wc -l <s.csv)" = 5 ]
check "CSV has the numbers" grep -q '^nec,nec,,return,2,3,190,' s.csv
check "what is not known is empty" grep -Eq '^sfnec,.*,,$' s.csv

# what is solved: 2 episodes in a row of at least 195
cat >poles.yaml <<'SPEC'
name: poles
env: cartpole
tasks: 1
episodes: 4
seeds: 1-3
agents: [nec, ql]
record: {episodes: yes}
SPEC
run run poles.yaml --out poles --quiet
check "poles run" [ "$code" -eq 0 ]
# nec is solved after 2 and 4 episodes and not at all, in its three runs; ql never
sqlite3 poles/experiment.db "UPDATE episode SET total =
  (SELECT CASE WHEN name = 'ql' THEN 100.0
               WHEN seed = 1 THEN (CASE episode.episode WHEN 1 THEN 190.0 WHEN 2 THEN 200.0 ELSE 0.0 END)
               WHEN seed = 2 THEN (CASE episode.episode WHEN 4 THEN 300.0 WHEN 3 THEN 100.0 ELSE 0.0 END)
               ELSE 194.0 END
     FROM job JOIN configuration USING (configuration) WHERE job.job = episode.job)"
works "what is solved" stats poles --solved 195 --over 2
check "the goal is told" grep -q '^solved: a mean return of 195 over 2 episodes in a row, in task 1$' out
check "runs, episodes and the best" grep -Eq '^nec +2 of 3 +3 ± 1 +196\.3 ± 1\.9$' out
check "or none" grep -Eq '^ql +0 of 3 +- +100\.0 ± 0\.0$' out
works "as a file" stats poles --solved 195 --over 2 --csv -
check "has the same" grep -Eq '^nec,.*,3,2,3,1,196\.33333333333334,' out
works "without a goal" stats poles
check "nothing is judged" bash -c '! grep -q solved out'
refuses 1 'no run has 5 recorded episodes in task 1' stats poles --solved 195 --over 5
refuses 1 "set 'record: {episodes: yes}'" stats study --solved 1
refuses 2 "must be a finite number, not 'much'" stats poles --solved much
refuses 2 'must be a whole number from 1' stats poles --solved 1 --over 0

# unfinished experiments
sql "DELETE FROM task WHERE job IN (SELECT job FROM job JOIN configuration USING (configuration)
                                     WHERE name = 'nec' AND seed = 3 OR name = 'sfql rate=0.05' AND seed > 1);
     UPDATE job SET state = 'failed', error = 'no luck' WHERE job NOT IN (SELECT job FROM task) AND seed = 3;
     UPDATE job SET state = 'waiting' WHERE job NOT IN (SELECT job FROM task) AND state = 'done'"
works "stats of an unfinished study" stats study
check "says what is missing" grep -q '^not finished: 9 of 12 runs are, 2 failed$' out
check "uses what is there" grep -Eq '^nec +2 +142 ± 48 ' out
check "pairs the common seeds" grep -Eq '^nec .* 0 of 2 ' out
check "one run has no interval" grep -Eq '^sfql rate=0\.05 +1 +51 +51 +51$' out
check "and says why" grep -q '^one run alone has no standard error' out
check "one common seed names no winner" grep -q '^one seed cannot tell luck from merit' out
sql "DELETE FROM task WHERE task = 2 AND job IN (SELECT job FROM job WHERE seed = 2);
     UPDATE job SET state = 'running' WHERE seed = 2"
works "stats while it runs" stats study --task 1
check "counts those that are far enough" grep -q '; 3 that still run are far enough and count$' out
sql "DELETE FROM task"
refuses 1 'no run has finished a task' stats study

# refusals
refuses 2 'needs DIR' stats
refuses 1 'nowhere' stats nowhere
refuses 2 "must be a whole number from 1" stats study --resamples 0
refuses 2 "must be a whole number from 1" stats study --task 0
refuses 2 "did you mean 'return'" stats study --metric retrun
refuses 2 'there are return, ' stats study --metric zzzzzzzzzzzz
# the help and the manual name every metric
"$SFNEC" stats --help >help.txt
for metric in $("$SFNEC" stats study --metric zzzzzzzzzzzz 2>&1 | sed 's/.*there are //; s/,//g'); do
  check "$metric is in the help" grep -qw -- "$metric" help.txt
  check "$metric is in the manual" grep -qw -- "$metric" "$SFNEC_SOURCE/docs/sfnec.1"
  check "$metric is explained" grep -q "^| .*\`$metric\`.* |" "$SFNEC_SOURCE/docs/statistics.md"
done
refuses 2 'different names' stats study --json a --csv a
run run study.yaml --out again --quiet
refuses 2 "did you mean 'sfnec'" stats again --against sfnex
refuses 2 '2 sweep points' stats again --against sfql
refuses 1 'the furthest has 2' stats again --task 3
refuses 1 'nowhere/s.json' stats again --json nowhere/s.json
refuses 1 'nowhere/s.csv' stats again --csv nowhere/s.csv
if [ -c /dev/full ]; then
  ln -s /dev/full full
  refuses 1 'No space left' stats again --json full
  refuses 1 'No space left' stats again --csv full
fi
# a metric under its name of an earlier version
works "states" stats again --metric states --json -
cp out present
works "places" stats again --metric places --json -
check "is the metric of today" cmp -s present out
finish
