#!/usr/bin/env bash
# A page that is followed (`sfnec report --watch`) on a disk that gets full: one sentence, the last page stays whole, the
# results are untouched, and the same command goes on once there is room. The disk is a small tmpfs where this test may
# mount one; elsewhere no file may grow beyond a size.
set -euo pipefail
fail() { echo "FAILED: $1"; cat err log 2>/dev/null || true; exit 1; }

if grep -q 'page_size = 0;' "$SFNEC_BUILD/web/page.c"; then
  echo "skipped: built without the page of the report"
  exit 77
fi
# the test once more, in a mount namespace of its own: what is mounted there goes away with it
if [ -z "${SFNEC_OWN_MOUNTS:-}" ]; then
  for way in "unshare --mount" "unshare --mount --map-root-user"; do
    # shellcheck disable=SC2086 # words on purpose
    if $way mount -t tmpfs none /mnt 2>/dev/null; then SFNEC_OWN_MOUNTS=1 exec $way bash "$0"; fi
  done
fi

"$SFNEC_BUILD/tests/study/tool_study" study 4 3 5 partial
"$SFNEC" report study --out once.html --resamples 50 >/dev/null
size=$(stat -c %s once.html)
cksum study/experiment.db >before
mkdir disk

# replaces a subshell, so that a signal reaches the command itself
follow() { exec "$SFNEC" report study --watch --every 1 --out disk/page.html --resamples 50 >log 2>err; }
# the page as it must be left: whole, and nothing unfinished beside it
check_left() {
  [ "$(tail -c 8 disk/page.html | tr -d '\n')" = '</html>' ] || fail "the older page is not whole"
  [ "$(ls disk | grep -v '^filler$')" = page.html ] || fail "something unfinished is left: $(ls disk)"
  cksum study/experiment.db | cmp -s - before || fail "the experiment has changed"
}
check_refused() {
  [ "$1" -eq 1 ] || fail "exit code $1"
  [ "$(grep -c '^sfnec: ' err)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || fail "not one sentence"
  grep -q 'cannot write disk/page.html: .*; choose another path' err || fail "the sentence does not say what is wrong"
}

if [ -n "${SFNEC_OWN_MOUNTS:-}" ]; then
  # room for two pages, the finished and the next one; then for less
  mount -t tmpfs -o size=$((5 * size / 2)) none disk
  follow &
  follower=$!
  until [ -s disk/page.html ]; do
    kill -0 "$follower" 2>/dev/null || fail "it ended before the first page"
    sleep 0.1
  done
  dd if=/dev/zero of=disk/filler bs=4096 2>/dev/null || true
  code=0
  wait "$follower" || code=$?
  check_refused "$code"
  grep -q 'No space left on device' err || fail "the sentence does not say that the disk is full"
  check_left
  # a full disk from the beginning: no page, and no crash
  mv disk/page.html .
  dd if=/dev/zero of=disk/more bs=4096 2>/dev/null || true
  rm disk/more
  code=0
  (follow) || code=$?
  [ "$code" -eq 1 ] || [ -s disk/page.html ] || fail "exit code $code without a page"
  rm -f disk/*
else
  cp once.html disk/page.html
  code=0
  (ulimit -f $((size / 2048)) && follow) || code=$?
  check_refused "$code"
  check_left
fi

# with room again it follows as before
rm -f disk/page.html
follow &
follower=$!
until [ -s disk/page.html ]; do sleep 0.1; done
kill -INT "$follower"
wait "$follower" || fail "exit code $? with room again"
check_left
grep -q '"reload":0,' disk/page.html || fail "the last page does not stay"
