#!/usr/bin/env bash
# kill -9 at random moments, then the same command again: the results are those of an unbroken run, to the bit, and the
# database is sound after every kill. SFNEC_KILLS says how often (50 by default; `make soak` asks for 1,000).
set -euo pipefail
kills=${SFNEC_KILLS:-50}

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

"$SFNEC" run study.yaml -o whole --jobs 2 --quiet
dump whole >whole.txt

# how long a whole run takes decides when it is killed
start=$(date +%s%N)
"$SFNEC" run study.yaml -o timed --jobs 2 --quiet --checkpoint 0
whole=$((($(date +%s%N) - start) / 1000000))

RANDOM=${SFNEC_KILL_SEED:-7}
killed=0
rounds=0
finished=0
while [ "$killed" -lt "$kills" ]; do
  rounds=$((rounds + 1))
  [ "$rounds" -le $((20 * kills)) ] || { echo "gave up after $rounds rounds with $killed kills"; exit 1; }
  "$SFNEC" run study.yaml -o broken --jobs 2 --quiet --checkpoint 0 &
  pid=$!
  # mostly early, so that one experiment is killed several times
  wait_ms=$((RANDOM % (whole / 3 + 20)))
  sleep "$(printf '%d.%03d' $((wait_ms / 1000)) $((wait_ms % 1000)))"
  if kill -9 $pid 2>/dev/null; then
    killed=$((killed + 1))
    { wait $pid || true; } 2>/dev/null
    [ ! -e broken/experiment.db ] || [ "$(sqlite3 broken/experiment.db 'PRAGMA integrity_check')" = ok ] ||
      { echo "the database is damaged after kill $killed"; exit 1; }
  else
    result=0
    wait $pid || result=$?
    [ "$result" -eq 0 ] || { echo "the run after kill $killed failed with $result"; exit 1; }
    dump broken | cmp - whole.txt || { echo "other results after kill $killed"; exit 1; }
    finished=$((finished + 1))
    rm -rf broken
  fi
done

"$SFNEC" run study.yaml -o broken --jobs 2 --quiet
dump broken | cmp - whole.txt || { echo "other results at the end"; exit 1; }
echo "$killed kills, $((finished + 1)) experiments, all with the results of the unbroken one"
