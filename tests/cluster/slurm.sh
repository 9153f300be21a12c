#!/usr/bin/env bash
# slurm.sh: the scripts of `sfnec slurm` run by a real Slurm (`make slurm-check`): an array, and a study on MPI ranks that is killed
# by its time limit, told to stop before its next one, and then finished. Takes about 8 minutes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
export SFNEC

cat >study.yaml <<'SPEC'
name: study
env: {name: four_rooms}
tasks: 4
steps: 150000
seeds: 1-3
agents: [sfnec, sfnec-nogpi]
SPEC
dump() {
  sqlite3 "$1/experiment.db" "
    SELECT job.identity, task.task, printf('%!.17g', total), steps, task.episodes, goals, entries
      FROM task JOIN job USING (job) ORDER BY 1, 2;
    SELECT job.identity, task, policy, steps FROM policy_use JOIN job USING (job) ORDER BY 1, 2, 3;"
}
fail() {
  echo "FAILED: $1"
  tail -n 20 slurm-*.out
  exit 1
}
count() { sqlite3 "$1/experiment.db" "SELECT count(*) FROM $2"; }
# submit OPTION... SCRIPT: prints the job's number
submit() { sbatch --parsable "$@"; }

cluster_start
"$SFNEC" slurm study.yaml --tasks-per-node 3 --time 00:02:00 -- --checkpoint 5 >job.sh
"$SFNEC" slurm study.yaml --array --tasks-per-node 1 --time 01:00:00 -- -o each >array.sh

# the array is the reference: each seed in a folder of its own
array=$(submit array.sh)

# a minute, and no word before it is over: Slurm ends the job
first=$(submit --time=1 --signal=CONT@1 job.sh)
# the next waits for it; it is told to stop a minute before its end
second=$(submit --dependency=afterany:"$first" job.sh)
state=$(job_wait "$first")
[ "$state" = TIMEOUT ] || fail "the first job should have met its time limit: $state"
done_first=$(count runs/study "task")
[ "$(sqlite3 runs/study/experiment.db 'PRAGMA integrity_check')" = ok ] || fail "the database is damaged"
[ -n "$(find runs/study/jobs -name 'state-*')" ] || fail "no checkpoint was left"
echo "the first job met its time limit with $done_first of 24 tasks done"

state=$(job_wait "$second")
[ "$state" = FAILED ] || fail "the second job should have been stopped: $state"
grep -q 'interrupted: .* the running ones are saved' "slurm-$second.out" || fail "it does not say that it was stopped"
scontrol show job "$second" | grep -q 'ExitCode=130:0' || fail "its exit code is not 130"
[ "$(sqlite3 runs/study/experiment.db 'SELECT max(ranks) FROM session')" = 3 ] || fail "the ranks do not know each other"
echo "the second job was told to stop with $(count runs/study task) of 24 tasks done, and saved"

third=$(submit --time=60 job.sh)
state=$(job_wait "$third")
[ "$state" = COMPLETED ] || fail "the third job did not finish the study: $state"
job_wait "$array" >/dev/null
for seed in 1 2 3; do dump each/seed-$seed; done | sort >each.txt
[ "$(grep -c . each.txt)" -gt 24 ] || fail "the array stored nothing"
dump runs/study | sort | cmp - each.txt || fail "the study on ranks and the array differ"
echo "3 jobs on ranks and an array of 3 seeds: the same results, nothing lost"
