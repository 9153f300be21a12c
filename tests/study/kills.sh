#!/usr/bin/env bash
# kill -9 at random moments, then the same command again: the results are those of an unbroken run, to the bit, and the
# database is sound after every kill. SFNEC_KILLS says how often (50 by default; `make soak` asks for 1,000).
# SFNEC_RANKS: the same on so many ranks of MPI, where one rank, the launcher, or all of them at once are killed.
set -euo pipefail
kills=${SFNEC_KILLS:-50}
ranks=${SFNEC_RANKS:-0}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1

cat >study.yaml <<'SPEC'
name: study
env: {name: four_rooms}
tasks: 3
steps: 1500
seeds: 1-2
agents:
  - {preset: sfnec, options: {capacity: 400}}
  - {preset: sfnec, label: learned, options: {w: rls, write: episode, novelty: 0.1, gpi_penalty: 0.3}}
  - {preset: nec, options: {max_episode_steps: 90}}
  - sfql
record: {episodes: yes}
SPEC
sed -i 's/options: {max_episode_steps: 90}/options: {}/; s/env: {name: four_rooms}/env: {name: four_rooms, options: {max_episode_steps: 90}}/' study.yaml

# everything that the run found out, without times
dump() {
  sqlite3 "$1/experiment.db" "
    SELECT job.identity, task.task, printf('%!.17g', total), steps, task.episodes, goals, entries,
           printf('%!.17g', w_error)
      FROM task JOIN job USING (job) ORDER BY 1, 2;
    SELECT job.identity, task, policy, steps FROM policy_use JOIN job USING (job) ORDER BY 1, 2, 3;
    SELECT job.identity, task, episode, steps, printf('%!.17g', total), terminated
      FROM episode JOIN job USING (job) ORDER BY 1, 2, 3;"
}

# begin FOLDER: starts the study in the background, as a session of its own; sets pid
begin() {
  local words=(run study.yaml -o "$1" --quiet --checkpoint 0)
  if [ "$ranks" -gt 0 ]; then setsid mpirun -n "$ranks" "$SFNEC" "${words[@]}" 2>err &
  else setsid "$SFNEC" "${words[@]}" --jobs 2 2>err &
  fi
  pid=$!
}

# ends the process, or with ranks one of: a rank, the launcher, everything; false if there was nothing left to end
end() {
  local victims=$pid all
  if [ "$ranks" -gt 0 ]; then
    all=$(ps -o pid= -s "$pid" || true)
    case $((RANDOM % 3)) in
      0) victims=$(for each in $all; do [ "$each" = "$pid" ] || echo "$each"; done | shuf -n 1 --random-source=<(yes $RANDOM)) ;;
      1) victims=$all ;;
    esac
  fi
  [ -n "$victims" ] || victims=$pid
  # shellcheck disable=SC2086 # a list of numbers
  kill -9 $victims 2>/dev/null
}

# waits for the launcher of ranks that were killed; Open MPI's hangs now and then when they are gone
gone() {
  [ "$ranks" -gt 0 ] || return 0
  for _ in $(seq 150); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.1
  done
  hung=$((hung + 1))
  # shellcheck disable=SC2046 # a list of numbers
  kill -9 $(ps -o pid= -s "$pid") 2>/dev/null || true
}

"$SFNEC" run study.yaml -o whole --jobs 2 --quiet
dump whole >whole.txt

# how long a whole run takes decides when it is killed
start=$(date +%s%N)
begin timed
wait $pid
whole=$((($(date +%s%N) - start) / 1000000))
# mostly early, so that one experiment is killed several times; ranks take long to find each other
latest=$((whole / 3 + 20))
[ "$ranks" -eq 0 ] || latest=$whole

RANDOM=${SFNEC_KILL_SEED:-7}
killed=0
rounds=0
finished=0
busy=0
hung=0
while [ "$killed" -lt "$kills" ]; do
  rounds=$((rounds + 1))
  [ "$rounds" -le $((20 * kills)) ] || { echo "gave up after $rounds rounds with $killed kills"; exit 1; }
  begin broken
  wait_ms=$((RANDOM % latest))
  sleep "$(printf '%d.%03d' $((wait_ms / 1000)) $((wait_ms % 1000)))"
  if end; then
    killed=$((killed + 1))
    { gone && wait $pid || true; } 2>/dev/null
    [ ! -e broken/experiment.db ] || [ "$(sqlite3 -cmd '.timeout 10000' broken/experiment.db 'PRAGMA integrity_check')" = ok ] ||
      { echo "the database is damaged after kill $killed"; exit 1; }
  else
    result=0
    wait $pid || result=$?
    # ranks that lost their launcher may live a little longer
    if [ "$ranks" -gt 0 ] && grep -q 'another process is running' err; then
      busy=$((busy + 1))
      continue
    fi
    [ "$result" -eq 0 ] || { echo "the run after kill $killed failed with $result"; exit 1; }
    dump broken | cmp - whole.txt || { echo "other results after kill $killed"; exit 1; }
    finished=$((finished + 1))
    rm -rf broken
  fi
done

for _ in $(seq 100); do
  "$SFNEC" run study.yaml -o broken --jobs 2 --quiet 2>err && break
  grep -q 'another process is running' err || { cat err; exit 1; }
  sleep 0.1
done
dump broken | cmp - whole.txt || { echo "other results at the end"; exit 1; }
[ "$ranks" -eq 0 ] || echo "$ranks ranks; $busy starts met what was left of the one before, the launcher hung $hung times"
echo "$killed kills, $((finished + 1)) experiments, all with the results of the unbroken one"
