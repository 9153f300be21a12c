#!/usr/bin/env bash
# export.sh: stored results as CSV and JSON: the right numbers, in the order of the plan, whatever ran first.
source "$(dirname "$0")/lib/cli.bash"
study="${SFNEC_BUILD:?set SFNEC_BUILD to the build folder}/tests/study/tool_study"

"$study" study 3 2 3
"$study" backwards 3 2 3 reversed

# ---- tasks ----

works "tasks to standard output" export study --csv -
# more than a pipe holds, and a reader that leaves
result=0
( set -o pipefail; "$SFNEC" export study --json - --seconds 2>err | { read -r _; exec <&-; sleep 0.2; } ) || result=$?
check "a closed pipe is no error to be told" test ! -s err
cp out tasks.csv
check "the header" test "$(head -1 tasks.csv)" = \
  "agent,preset,neighbours,seed,task,return,average,steps,episodes,goals,entries,w_error,optimum,places"
# return 100 c + 10 s + t / 3
check "a row" grep -qx 'sfnec,sfnec,1,2,1,20,20,100,3,2,1002,0.1,1002,52' tasks.csv
check "a label is quoted and an empty setting empty" grep -q '^"nec, ""plain""",nec,,1,1,210,210,100,3,2,1001,0.1,1001,51$' tasks.csv
check "all rows" test "$(wc -l <tasks.csv)" -eq $((1 + 3 * 2 * 3))

works "to a file" export study --csv file.csv
check "the same" cmp -s tasks.csv file.csv
check "as readable as any file" test "$(stat -c %a file.csv)" = "$(touch plain && stat -c %a plain)"
check "no temporary files" test -z "$(find . -name '*.part*')"
works "another order of execution" export backwards --csv backwards.csv
check "gives the same bytes" cmp -s tasks.csv backwards.csv
works "with seconds" export study --seconds --csv seconds.csv
check "they are the last column" cmp -s tasks.csv <(without_seconds seconds.csv)
check "with their values" grep -q ',0.75$' seconds.csv

works "episodes" export study --csv - --table episodes
check "their header" test "$(head -1 out)" = "agent,preset,neighbours,seed,task,episode,return,steps,terminated"
check "all of them" test "$(wc -l <out)" -eq $((1 + 3 * 2 * 3 * 3))
check "the last of the first task" grep -q '^sfnec,sfnec,2,1,1,3,38.6666.*,32,0$' out
works "uses" export study --csv - --table uses
check "their header" test "$(head -1 out)" = "agent,preset,neighbours,seed,task,policy,steps,share"
check "two of three policies" test "$(grep '^sfnec,sfnec,2,1,3,[23],' out | cut -d, -f6- | tr '\n' ' ')" = \
  "2,1,0.01 3,98,0.98 "

# ---- JSON ----

works "JSON" export study --json study.json
works "JSON, other order" export backwards --json - --seconds
check "seconds and sessions when asked for" grep -q '"how": "done"' out
works "JSON, other order" export backwards --json backwards.json
check "gives the same bytes" cmp -s study.json backwards.json
if python3 -c '' 2>err; then
  check "the document is what the CSV says" python3 - <<'PYTHON'
import csv, json, math
d = json.load(open("study.json"))
assert d["format"] == 1 and d["name"] == "study" and d["tasks"] == 3 and d["steps"] == 100
assert d["spec"] == 'name: study\ntitle: "A study"\n', d["spec"]
assert d["published"][1]["se"] is None and d["published"][0]["settings"] == {"neighbours": "1"}
rows = []
for c in d["configurations"]:
    assert c["options"]["neighbours"] and c["env_options"] == {"layout": "calibrated"}
    for r in c["runs"]:
        assert r["state"] == "done" and r["error"] is None and r["tasks_wanted"] == 3
        for t in r["tasks"]:
            assert len(t["uses"]) == t["task"] and sum(t["uses"]) == t["steps"]
            assert [e["terminated"] for e in t["episode_list"]] == [True, True, False]
            rows.append((c["label"], c["preset"], c["settings"].get("neighbours", ""), r["seed"], t["task"], t["return"],
                         t["average"], t["steps"], t["episodes"], t["goals"], t["entries"], t["w_error"],
                         t["optimum"], t["places"]))
found = [tuple(float(x) if i > 2 else x for i, x in enumerate(row)) for row in csv.reader(open("tasks.csv"))
         if row[0] != "agent"]
assert found == rows and len(rows) == 18
for k, row in enumerate(rows):
    c, s, t = k // 6, k // 3 % 2 + 1, k % 3
    assert row[5] == 100 * c + 10 * s + t / 3, row
PYTHON
fi

# ---- while it is not finished, and while it runs ----

"$study" part 2 2 3 partial
works "a part" export part --csv - --json part.json
check "has the tasks that are there" test "$(wc -l <out)" -eq $((1 + 3 + 1))
check "and the error" grep -qF '"error": "the \"disk\" is full"' part.json
mkfifo go
"$study" held 1 1 2 hold <go >said &
exec 9>go
until grep -qs held said; do sleep 0.05; done
works "while another process has it" export held --csv -
check "all rows" test "$(wc -l <out)" -eq 3
exec 9>&-
wait

# ---- refusals ----

refuses 2 'needs --csv FILE, --json FILE or --tensorboard FOLDER' export study
refuses 2 'needs DIR' export --csv -
refuses 2 "did you mean 'uses'" export study --csv - --table use
refuses 2 'goes with --csv' export study --json - --table uses
refuses 2 'both' export study --json - --csv -
refuses 1 'there is no experiment in nowhere' export nowhere --csv -
refuses 1 'cannot write' export study --csv missing/file.csv
refuses 1 'cannot write' export study --json missing/file.json
refuses 1 'cannot make the folder' export study --tensorboard missing/folder
mkdir damaged
echo "no database" >damaged/experiment.db
refuses 1 'damaged/experiment.db is damaged' export damaged --csv -
# through a link: a mistake here must cost the link, not the machine's device
if [ -c /dev/full ]; then
  ln -s /dev/full full
  refuses 1 'cannot write' export study --csv full
  check "what is not a plain file is not replaced" test -L full
fi
echo before >kept.csv
refuses 1 'is damaged' export damaged --csv kept.csv
check "a failed export leaves the older file" test "$(cat kept.csv)" = before

finish
