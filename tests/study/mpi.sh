#!/usr/bin/env bash
# The same spec on threads and on the ranks of MPI: identical results; a lost rank leaves everything resumable.
set -euo pipefail
command -v mpirun >/dev/null || { echo "mpirun is not installed"; exit 77; }
ldd "$SFNEC" | grep libmpi >/dev/null || { echo "sfnec was built without MPI"; exit 77; }

# inside a container the tests are root and share few cores; leaks of the MPI library are not ours
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"

cat >study.yaml <<'SPEC'
name: study
env: {name: four_rooms}
tasks: 2
steps: 1000
seeds: 1-3
agents: [sfnec, sfnec-nogpi, sfql]
record: {episodes: yes}
SPEC

dump() {
  sqlite3 "$1/experiment.db" "
    SELECT job.identity, task.task, printf('%!.17g', total), steps, task.episodes, goals, entries
      FROM task JOIN job USING (job) ORDER BY 1, 2;
    SELECT job.identity, task, policy, steps FROM policy_use JOIN job USING (job) ORDER BY 1, 2, 3;
    SELECT job.identity, task, episode, steps, printf('%!.17g', total), terminated
      FROM episode JOIN job USING (job) ORDER BY 1, 2, 3;"
}
fail() { echo "FAILED: $1"; exit 1; }

"$SFNEC" run study.yaml -o threads --jobs 2 --quiet
dump threads >threads.txt
[ -s threads.txt ] || fail "the threads stored nothing"

mpirun -n 3 "$SFNEC" run study.yaml -o ranks --quiet
dump ranks | cmp - threads.txt || fail "ranks and threads differ"
[ "$(sqlite3 ranks/experiment.db 'SELECT ranks FROM session')" = 3 ] || fail "the session does not know its ranks"

mpirun -n 2 "$SFNEC" run study.yaml -o hybrid --jobs 2 --quiet
dump hybrid | cmp - threads.txt || fail "two ranks of two threads differ"

mpirun -n 1 "$SFNEC" run study.yaml -o single --quiet
dump single | cmp - threads.txt || fail "a single rank differs"

# an error is told once, by rank 0
code=0
mpirun -n 2 "$SFNEC" run missing.yaml --quiet >out 2>&1 || code=$?
[ "$code" -ne 0 ] || fail "a missing spec was accepted"
[ "$(grep -c 'sfnec: .*missing.yaml' out)" = 1 ] || fail "a missing spec is told by every rank"

# a rank that is killed ends the run; what was saved is gone on from
long=(run study.yaml --steps 8000 --seeds 1 --quiet)
"$SFNEC" "${long[@]}" -o unbroken --jobs 2
mpirun -n 3 "$SFNEC" "${long[@]}" -o lost --checkpoint 0 >out 2>&1 &
launcher=$!
victim=
for _ in $(seq 300); do
  victim=$(pgrep -P "$launcher" -f 'o lost' | tail -1 || true)
  [ -z "$victim" ] || [ -z "$(find lost/jobs -name 'state-*' 2>/dev/null | head -1)" ] || break
  sleep 0.02
done
[ -n "$victim" ] || fail "no rank to kill was found"
kill -9 "$victim"
code=0
wait $launcher || code=$?
[ "$code" -ne 0 ] || fail "a lost rank was not noticed"
[ "$(sqlite3 lost/experiment.db 'PRAGMA integrity_check')" = ok ] || fail "the database is damaged"
[ -n "$(find lost/jobs -name 'state-*')" ] || fail "no checkpoint was left"
"$SFNEC" "${long[@]}" -o lost
dump lost | cmp - <(dump unbroken) || fail "other results after a lost rank"
echo "threads and ranks agree; a lost rank loses nothing that was saved"
