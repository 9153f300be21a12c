#!/usr/bin/env bash
# sfnec run: what it stores, resuming, extending, refusing, and that nothing depends on how the jobs were run.
source "$(dirname "$0")/lib/cli.bash"

cat >study.yaml <<'SPEC'
name: study
env: {name: four_rooms}
tasks: 2
steps: 400
seeds: 1-3
agents:
  - {preset: sfnec, options: {neighbours: 5}}
  - nec
  - sfql
record: {episodes: yes, agents: yes}
SPEC

# everything that the run found out, without times
dump() {
  sqlite3 "$1/experiment.db" "
    SELECT job.identity, task.task, hex(CAST(printf('%!.17g', total) AS BLOB)), steps, task.episodes, goals, entries,
           printf('%!.17g', w_error)
      FROM task JOIN job USING (job) ORDER BY 1, 2;
    SELECT job.identity, task, policy, steps FROM policy_use JOIN job USING (job) ORDER BY 1, 2, 3;
    SELECT job.identity, task, episode, steps, printf('%!.17g', total), terminated
      FROM episode JOIN job USING (job) ORDER BY 1, 2, 3;"
}
same() { diff <(dump "$1") <(dump "$2") >/dev/null; }
count_of() { sqlite3 "$1/experiment.db" "SELECT count(*) FROM $2"; }

run run study.yaml -o one --jobs 1
check "a study runs to its end" [ "$code" -eq 0 ]
check "all jobs are done" [ "$(count_of one "job WHERE state = 'done'")" = 9 ]
check "each task has a row" [ "$(count_of one task)" = 18 ]
check "plain lines tell the jobs" grep -q '^9/9 ' err
check "the database is sound" [ "$(sqlite3 one/experiment.db 'PRAGMA integrity_check')" = ok ]
check "agents are kept" [ "$(find one/agents -name '*.sfnec' | wc -l)" = 9 ]
run eval "one/agents/$(sqlite3 one/experiment.db "SELECT id FROM jobs WHERE label = 'sfnec' LIMIT 1").sfnec" --steps 100 --random 1
check "and can be evaluated" [ "$code" -eq 0 ]

sed 's/agents: yes/agents: first/' study.yaml >first.yaml
run run first.yaml -o first --quiet
check "the first seed's agents are kept on request" [ "$(find first/agents -name '*.sfnec' | wc -l)" = 3 ]
check "of each configuration" [ "$(sqlite3 first/experiment.db "SELECT id FROM job WHERE seed = 1 ORDER BY id")" = \
  "$(find first/agents -name '*.sfnec' -printf '%f\n' | sed 's/[.]sfnec//' | sort)" ]

run run study.yaml -o two --jobs 3 --quiet
check "quiet means quiet" [ "$code" -eq 0 -a ! -s out -a ! -s err ]
check "threads change nothing" same one two

# bars on a terminal, one per worker and one for all
if command -v script >/dev/null; then
  script -qec "'$SFNEC' run study.yaml -o shown --jobs 2 --steps 4000" typescript >/dev/null </dev/null
  check "and the means at the end" grep -q '^sfnec .* ± ' typescript
  check "bars are drawn" grep -q '\[[#.]*\] [0-9]*/9 jobs .* steps/s  ETA' typescript
  check "one per worker" [ "$(grep -c '\] task [12]/2' typescript)" -ge 2 ]
fi

# the same command again has nothing to do
run run study.yaml -o one
check "a finished study is left alone" [ "$code" -eq 0 ]
check "no job was run again" [ "$(count_of one "job WHERE attempts <> 1")" = 0 ]

# more seeds, then more tasks
run run study.yaml -o grown --seeds 1-2 --tasks 1 --quiet --checkpoint 0 --keep-states
run run study.yaml -o grown --seeds 1-3 --tasks 1 --quiet --checkpoint 0 --keep-states
check "more seeds extend" [ "$code" -eq 0 ]
check "and leave the old jobs alone" [ "$(count_of grown "job WHERE attempts <> 1")" = 0 ]
# a task that is run again takes another time
times() { sqlite3 "$1/experiment.db" "SELECT id, task, printf('%!.17g', seconds) FROM task JOIN job USING (job) ${2:-} ORDER BY 1, 2"; }
times grown >before.txt
run run study.yaml -o grown --quiet
check "more tasks extend" [ "$code" -eq 0 ]
check "from where the first ones ended" cmp -s before.txt <(times grown 'WHERE task = 1')
check "an extended study is the whole one" same one grown

# states are kept on request only; without them more tasks run a job again, to the same results
run run study.yaml -o lean --tasks 1 --quiet --checkpoint 0
check "no states are left" [ -z "$(find lean/jobs -name '*.state' -o -name '*.sfnec')" ]
run run study.yaml -o lean
check "more tasks give the same" same one lean

# a spec that is not an extension is refused with the difference, and nothing is lost
run run study.yaml -o one --set neighbours=7
check "a changed spec is refused" [ "$code" -eq 1 ]
check "with the old line" grep -q '^- .*neighbours: 5' err
check "and the new one" grep -q '^+ .*neighbours: 7' err
check "nothing changed" same one two
run run study.yaml -o one --tasks 1 --seeds 1-4
check "fewer tasks and more seeds are refused" [ "$code" -eq 1 ]

# what is stored already, or less, is told and left as it is
run run study.yaml -o one --tasks 1 --seeds 3,1
check "fewer tasks and seeds are there" [ "$code" -eq 0 ]
check "which is told" grep -q 'one holds more than is asked for, and keeps it' err
check "with the difference" grep -q '^- tasks: 2' err
check "and that they were done" grep -q 'all 6 jobs are done and were before' err
check "the rest stays" same one two
check "and so does the stored spec" [ "$(sqlite3 one/experiment.db 'SELECT tasks FROM experiment')" = 2 ]
run run study.yaml -o begun --tasks 1 --quiet
sqlite3 begun/experiment.db "PRAGMA foreign_keys = ON; UPDATE experiment SET tasks = 2; UPDATE job SET tasks = 2, state = 'waiting';
  DELETE FROM task WHERE job IN (SELECT job FROM job WHERE seed = 2)"
sqlite3 begun/experiment.db "SELECT spec FROM experiment" | sed 's/^tasks: 1/tasks: 2/' >stored.yaml
sqlite3 begun/experiment.db "UPDATE experiment SET spec = rtrim(CAST(readfile('stored.yaml') AS TEXT), char(10)) || char(10)"
find begun/jobs -name '*.result' -delete
run run study.yaml -o begun --tasks 1
check "a part that is missing is run" [ "$code" -eq 0 -a "$(count_of begun task)" = 9 ]
check "and no more" [ "$(count_of begun "job WHERE attempts = 2")" = 3 ]
check "the whole still waits" [ "$(count_of begun "job WHERE state = 'waiting'")" = 9 ]
run run study.yaml -o begun --quiet
check "and can be run" same begun two
run run study.yaml -o one --set neighbours=7 --force-new --seeds 1 --tasks 1 --quiet
check "--force-new starts again" [ "$code" -eq 0 -a "$(count_of one job)" = 3 ]
check "and keeps the old experiment" same one.1 two

# another environment, and episodes
run run study.yaml -o elsewhere --env one_room --episodes 2 --seeds 1 --tasks 1 --set max_episode_steps=30 --quiet
check "another environment" [ "$(sqlite3 elsewhere/experiment.db 'SELECT env, episodes FROM experiment')" = 'one_room|2' ]
check "its tasks end after so many episodes" [ "$(count_of elsewhere 'task WHERE episodes <> 2')" = 0 ]
run run study.yaml -o x --env oneroom
check "an unknown one is refused" grep -q "did you mean 'one_room'" err
sed 's/^env: .*/env: {name: four_rooms, options: {max_episode_steps: 77}}/' study.yaml >limited.yaml
run run limited.yaml -o plain --env one_room --seeds 1 --tasks 1 --quiet
check "options of the spec's environment are not those of another" \
  [ "$(sqlite3 plain/experiment.db "SELECT count(*) FROM setting WHERE kind = 'env'")" = 0 ]

# what was lost is made again or read back
times two >before.txt
rm two/experiment.db*
mkdir two/figures && touch two/report.html
find two/jobs -name '*.state' -delete
run run study.yaml -o two
check "a lost database is rebuilt" [ "$code" -eq 0 ]
check "without running anything again" cmp -s before.txt <(times two)
check "from the result files" same one.1 two
head -c 5000 /dev/urandom >two/experiment.db
run run study.yaml -o two
check "a damaged database is told" [ "$code" -eq 1 ]
check "by name, with what to do" grep -q 'two/experiment.db.*move it away' err
rm two/experiment.db*
find two/jobs -name '*.result' | head -1 | while read -r file; do printf 'x' | dd of="$file" bs=1 seek=40 conv=notrunc 2>/dev/null; done
run run study.yaml -o two
check "a damaged result is made again" [ "$code" -eq 0 ]
check "with a word" grep -q 'the job is run again' err
check "and is kept" [ "$(find two/jobs -name '*.result.damaged' | wc -l)" = 1 ]
check "and the same numbers" same one.1 two

# two processes
"$SFNEC" run study.yaml -o busy --steps 200000 --quiet &
other=$!
for _ in $(seq 100); do [ -e busy/experiment.db ] && break; sleep 0.1; done
sleep 0.3
run run study.yaml -o busy --steps 200000
check "a second process is refused" [ "$code" -eq 1 ]
check "and told who works there" grep -q "$other" err
kill -INT $other
result=0
wait $other || result=$?
check "an interrupted study says so" [ "$result" -eq 130 ]
run status busy
check "and its state can be seen" [ "$code" -eq 0 ]

# a job that fails is tried once more, recorded, and left behind; the others go on
run run study.yaml -o stuck --seeds 1 --quiet
job=$(sqlite3 stuck/experiment.db "SELECT id FROM jobs WHERE label = 'nec'")
rm -rf stuck/experiment.db* "stuck/jobs/$job"*
echo "in the way" >"stuck/jobs/$job"
run run study.yaml -o stuck --seeds 1
check "a failed job fails the study" [ "$code" -eq 1 ]
check "it was tried once more" grep -q "nec seed 1 failed: .*tried once more" err
check "and is recorded" [ "$(sqlite3 stuck/experiment.db "SELECT state, attempts, error LIKE '%$job%' FROM job WHERE id = '$job'")" = 'failed|2|1' ]
check "the others are done" [ "$(count_of stuck "job WHERE state = 'done'")" = 2 ]
rm "stuck/jobs/$job"
run run study.yaml -o stuck --seeds 1
check "the same command tries it again" [ "$code" -eq 0 ]
check "tells its average" grep -q 'nec seed 1: average return [-0-9.]*[1-9] over 2 tasks' err
check "and only it" [ "$(count_of stuck "job WHERE attempts = 3")" = 1 ]

# checkpoints that are gone or damaged
run run study.yaml -o hurt --tasks 1 --quiet --checkpoint 0 --keep-states
find hurt/jobs -name '*.state' -exec sh -c 'printf x | dd of="$1" bs=1 seek=100 conv=notrunc 2>/dev/null' - {} \;
run run study.yaml -o hurt
check "damaged checkpoints do not stop a study" [ "$code" -eq 0 ]
check "are told" grep -q 'starts from its beginning' err
check "and change nothing" same one.1 hurt
check "and are kept" [ -n "$(find hurt/jobs -name '*.state.damaged')" ]
run run study.yaml -o bare --tasks 1 --quiet --checkpoint 0 --keep-states
rm -rf bare/jobs
run run study.yaml -o bare
check "deleted checkpoints are told" grep -q 'holds no state of this job' err
check "and change nothing" same one.1 bare

# a job of milliseconds leaves its result, and is repeated in silence when the study is extended
run run study.yaml -o short --tasks 1 --steps 10 --quiet
check "one file for each job" [ "$(find short/jobs -mindepth 1 | wc -l)" = 9 ]
times short >before.txt
run run study.yaml -o short --tasks 2 --steps 10 --quiet
check "more tasks need no checkpoint" [ "$code" -eq 0 -a ! -s err ]
check "and leave the first ones" cmp -s before.txt <(times short 'WHERE task = 1')
run run study.yaml -o long --tasks 2 --steps 10 --quiet
check "and are those of one go" same short long
# earlier versions put the result into the job's folder
for file in long/jobs/*.result; do mkdir "${file%.result}" && mv "$file" "${file%.result}/result"; done
times long >before.txt
rm long/experiment.db*
run run study.yaml -o long --tasks 2 --steps 10 --quiet
check "results of earlier versions are read back" cmp -s before.txt <(times long)

# bad luck with the folder
run run study.yaml -o study.yaml
check "a file is no folder" [ "$code" -eq 1 ]
mkdir other && touch other/thesis.tex
run run study.yaml -o other
check "a folder with other things is left alone" [ "$code" -eq 1 -a ! -e other/experiment.db ]
fails_with() { run "${@:3}"; check "$1" grep -q "$2" err; }
fails_with "a missing spec" 'nowhere.yaml' run nowhere.yaml
fails_with "a bad interval" 'must be a number of seconds' run study.yaml --checkpoint soon
fails_with "an unknown key" "did you mean 'neighbours'" run study.yaml -o x --set neighbors=3
check "a refused spec leaves no folder" [ ! -e x ]
finish
