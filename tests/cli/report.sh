#!/usr/bin/env bash
# sfnec report: the command and what it refuses; the page itself is tested in a browser (tests/web).
source "$(dirname "$0")/lib/cli.bash"

works "help of report" help report
check "names its option" grep -q -e '--out FILE' out
refuses 2 'DIR' report

# a build without the page: its source has the reason in it, and no page
for case in "OFF:SFNEC_WEB=OFF" "AUTO:npm was not found"; do
  cmake -D NPM= -D OPTION="${case%%:*}" -D SOURCE="$SFNEC_SOURCE/web" -D FOLDER="$PWD/web" \
    -P "$SFNEC_SOURCE/cmake/WebPage.cmake" >log 2>&1
  check "no page: ${case#*:}" grep -q "page_missing\[\] = \".*${case#*:}" web/page.c
  check "its size is 0" grep -q 'page_size = 0;' web/page.c
done
# an npm that fails does not fail the build
cmake -D NPM="$(type -P false)" -D OPTION=AUTO -D SOURCE="$SFNEC_SOURCE/web" -D FOLDER="$PWD/web" \
  -P "$SFNEC_SOURCE/cmake/WebPage.cmake" >log 2>&1
check "a failing npm is told" grep -q 'page_missing\[\] = "npm ci failed' web/page.c

if grep -q 'page_size = 0;' "$SFNEC_BUILD/web/page.c"; then
  refuses 1 'built without the page of the report' report nowhere
  finish
  exit
fi

refuses 1 'there is no experiment in nowhere' report nowhere
mkdir empty
refuses 1 'there is no experiment in empty' report empty

cat >study.yaml <<'SPEC'
name: study
env: four_rooms
tasks: 2
steps: 30
seeds: 1-2
agents: [sfnec, nec]
SPEC
run run study.yaml --out study --quiet
check "the study runs" [ "$code" -eq 0 ]
works "report of a finished study" report study
check "says where it is" grep -q '^wrote study/report.html: open it in a browser$' out
check "nothing else to say" [ "$(wc -l <out)" = 1 ]
check "it is a page" grep -q '^<!doctype html>' study/report.html
check "with the data in it" grep -q '"name":"study"' study/report.html
check "no place is left open" bash -c '! grep -q SFNEC_REPORT_DATA study/report.html'
check "no temporary file stays" bash -c '! ls study | grep -qF .tmp.'
works "to another place" report study/ --out other.html
check "there it is" [ -s other.html ]
works "to standard output" report study --out -
check "the page alone is there" bash -c 'head -c 15 out | grep -qi "<!doctype html>" && ! grep -q ^wrote out'

# several on one page, and one that is followed
works "report of two experiments" report study study --out both.html --resamples 50
check "has both" [ "$(grep -o '"name":"study","title"' both.html | wc -l)" = 2 ]
works "several go to report.html here" report study study --resamples 50
check "that is told" grep -q '^wrote report.html: open it in a browser$' out
works "a finished study is followed no further" report study --watch --out live.html --resamples 50
check "that is told too" grep -q '^all runs are done; live.html is the last page$' out
check "its page stays" grep -q '"reload":0,' live.html
refuses 2 '--watch writes a file again and again' report study --watch --out -
"$SFNEC_BUILD/tests/study/tool_study" followed 4 3 5 partial
"$SFNEC" report followed --watch --every 1 --out follow.html --resamples 50 >log &
follower=$!
until [ -s follow.html ]; do sleep 0.1; done
check "the page of an unfinished one reads itself again" grep -q '"reload":1,' follow.html
kill -INT $follower
wait $follower
check "until it is interrupted: then it stays" grep -q '"reload":0,' follow.html

# half-finished: told, and shown
"$SFNEC_BUILD/tests/study/tool_study" partial 4 3 5 partial
works "report of an unfinished study" report partial
check "says so" grep -q '^1 of 12 runs are finished; the page shows the results so far$' out
# nothing finished at all
if command -v sqlite3 >/dev/null; then
  cp -r study none
  sqlite3 none/experiment.db "PRAGMA foreign_keys = OFF; DELETE FROM task; UPDATE job SET state = 'waiting'" 2>/dev/null ||
    sqlite3 none/experiment.db "PRAGMA foreign_keys = OFF; DELETE FROM task; UPDATE job SET state = 0"
  rm -f none/report.html
  refuses 1 'none' report none
  check "no page is left behind" [ ! -e none/report.html ]
fi

# unwritable targets
refuses 1 'cannot write.*choose another path' report study --out missing/folder/report.html
mkdir target
refuses 1 'cannot write' report study --out target
cp study/report.html before
[ ! -e /dev/full ] || refuses 1 'cannot write\|No space' report study --out /dev/full
check "the old page is untouched" cmp -s before study/report.html
refuses 2 'resamples' report study --resamples 0
finish
