#!/usr/bin/env bash
# A disk that gets full at any moment: a clear word, no crash, and the same command resumes once there is room.
set -euo pipefail
shim=$SFNEC_BUILD/tests/study/shim_disk.so

cat >study.yaml <<'SPEC'
name: study
env: {name: four_rooms}
tasks: 2
steps: 600
seeds: 1-2
agents: [sfnec, sfql]
SPEC
dump() {
  sqlite3 "$1/experiment.db" "
    SELECT job.identity, task.task, printf('%!.17g', total), steps, task.episodes, goals, entries
      FROM task JOIN job USING (job) ORDER BY 1, 2;
    SELECT job.identity, task, policy, steps FROM policy_use JOIN job USING (job) ORDER BY 1, 2, 3;"
}
fail() { echo "FAILED with room for $room bytes: $1"; cat err; exit 1; }

"$SFNEC" run study.yaml -o whole --quiet
dump whole >whole.txt

refused=0
survived=0
for room in 0 1000 5000 20000 40000 60000 80000 100000 150000 200000 300000 500000 700000 1000000 1500000 2500000 5000000; do
  rm -rf full
  code=0
  SFNEC_DISK_ROOM=$room ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" LD_PRELOAD=$shim \
    "$SFNEC" run study.yaml -o full --jobs 2 --quiet --checkpoint 0 2>err || code=$?
  case $code in
    0) survived=$((survived + 1)) ;;
    1)
      refused=$((refused + 1))
      grep -qiE 'no space left|disk is full|full' err || fail "the message does not say that the disk is full"
      ;;
    *) fail "exit code $code" ;;
  esac
  [ ! -e full/experiment.db ] || [ "$(sqlite3 full/experiment.db 'PRAGMA integrity_check')" = ok ] || fail "a damaged database"
  "$SFNEC" run study.yaml -o full --jobs 2 --quiet 2>err || fail "the run with room again"
  dump full | cmp - whole.txt || fail "other results after the disk was full"
done
[ "$refused" -ge 5 ] && [ "$survived" -ge 1 ] || { echo "FAILED: $refused refused, $survived survived"; exit 1; }
echo "$refused runs met the full disk, $survived had room enough"

# no file may be larger than so many blocks of 1024 bytes
for room in 0 1 20 80; do
  rm -rf full
  code=0
  said=$(ulimit -f "$room" && "$SFNEC" run study.yaml -o full --jobs 2 --quiet --checkpoint 0 2>&1) || code=$?
  echo "$said" >err
  [ "$code" -eq 1 ] || [ "$code" -eq 0 ] || fail "exit code $code with files of $room KB at most"
  [ "$code" -eq 0 ] || grep -qE 'File too large|I/O error' err || fail "the message does not say what is wrong"
  "$SFNEC" run study.yaml -o full --jobs 2 --quiet 2>err || fail "the run without a limit"
  dump full | cmp - whole.txt || fail "other results after the limit"
done

# what was exported before stays when the new one cannot be written
for what in "export whole --csv" "export whole --json" "report whole -o" "stats whole --csv"; do
  rm -f out && echo before >out
  code=0
  # shellcheck disable=SC2086 # words on purpose
  (ulimit -f 0 && "$SFNEC" $what out >/dev/null 2>&1) || code=$?
  [ "$code" -ne 0 ] && [ "$code" -lt 126 ] || fail "$what: exit code $code"
  [ "$(cat out)" = before ] || fail "$what: the older file is gone"
  [ "$(echo out*)" = out ] || fail "$what: left something behind"
done

# a folder that cannot be written
room=none
if [ "$(id -u)" != 0 ]; then
  mkdir locked && chmod a-w locked
  ! "$SFNEC" run study.yaml -o locked/x --quiet 2>err || fail "a read-only folder was accepted"
  grep -q 'locked' err || fail "the folder is not named"
fi
! "$SFNEC" run study.yaml -o /proc/sfnec --quiet 2>err || fail "/proc was accepted"
grep -q '/proc/sfnec' err || fail "the folder is not named"
