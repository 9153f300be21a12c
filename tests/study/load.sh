#!/usr/bin/env bash
# A study of very many tiny jobs, on threads and on 8 ranks of MPI: nothing is lost, the results are the same, and the time
# of each command is told. SFNEC_JOBS says how many jobs (200 by default; `make load` asks for 100,000).
set -euo pipefail
# 100 points of a sweep; few jobs are spread over 10
capacities=100,200,300,400,500,600,700,800,900,1000
[ "${SFNEC_JOBS:-200}" -ge 1000 ] || capacities=100
points=$(($(tr ',' '\n' <<<$capacities | wc -l) * 10))
seeds=$((${SFNEC_JOBS:-200} / points))
jobs=$((points * seeds))
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # those of the MPI library are not ours

cat >study.yaml <<SPEC
name: study
env: {name: four_rooms}
tasks: 1
steps: 20
seeds: 1-$seeds
agents: [sfnec]
sweep: {capacity: [$capacities], neighbours: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
SPEC
fail() { echo "FAILED: $1"; exit 1; }
dump() {
  sqlite3 "$1/experiment.db" "
    SELECT job.identity, task.task, printf('%!.17g', total), steps, task.episodes, goals, entries
      FROM task JOIN job USING (job) ORDER BY 1, 2;
    SELECT job.identity, task, policy, steps FROM policy_use JOIN job USING (job) ORDER BY 1, 2, 3;"
}
# timed NAME COMMAND...: runs it and says how long it took, and how much of a core
timed() {
  local name=$1 TIMEFORMAT='%R %U %S'
  shift
  { time "$@" >out 2>err || { cat err >&4; fail "$name" >&4; }; } 2>times 4>&2
  awk -v name="$name" -v jobs="$jobs" \
    '{ printf "%-26s %9.2f s, %9.2f s of a core, %7.0f jobs/s\n", name, $1, $2 + $3, jobs / ($1 + 1e-3) }' times
}
# whole FOLDER: every job and task is there, and the database is sound
whole() {
  [ "$(sqlite3 "$1/experiment.db" "SELECT count(*) FROM job WHERE state = 'done' AND attempts = 1")" = "$jobs" ] ||
    fail "$1: not all jobs are done, or some were run twice"
  [ "$(sqlite3 "$1/experiment.db" 'SELECT count(*) FROM task')" = "$jobs" ] || fail "$1: not all tasks are stored"
  [ "$(find "$1/jobs" -name '*.result' | wc -l)" = "$jobs" ] || fail "$1: not all result files are there"
  [ "$(sqlite3 "$1/experiment.db" 'PRAGMA integrity_check')" = ok ] || fail "$1: the database is damaged"
}

echo "$jobs jobs"
timed "run, 2 threads" "$SFNEC" run study.yaml -o threads --jobs 2 --quiet
whole threads
awk -v kilobytes="$(du -s threads | cut -f 1)" -v database="$(stat -c %s threads/experiment.db)" -v jobs="$jobs" \
  'BEGIN { printf "%-26s %9.0f bytes on disk, of them %.0f in the database\n", "each job", kilobytes * 1024 / jobs, database / jobs }'
timed "run again, nothing to do" "$SFNEC" run study.yaml -o threads --jobs 2 --quiet
timed "status" "$SFNEC" status threads
grep -q "$jobs done" out || fail "status does not say that all jobs are done"
timed "stats" "$SFNEC" stats threads
timed "report" "$SFNEC" report threads
dump threads >threads.txt
rm threads/experiment.db*
timed "run, database lost" "$SFNEC" run study.yaml -o threads --jobs 2 --quiet
whole threads
dump threads | cmp - threads.txt || fail "other results from the result files"

if command -v mpirun >/dev/null && ldd "$SFNEC" | grep libmpi >/dev/null; then
  timed "run, 8 MPI ranks" mpirun -n 8 "$SFNEC" run study.yaml -o ranks --quiet
  whole ranks
  dump ranks | cmp - threads.txt || fail "ranks and threads differ"
fi
echo "nothing was lost, and all results are the same"
