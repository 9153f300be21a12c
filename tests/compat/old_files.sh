#!/usr/bin/env bash
# Files of earlier versions still load: agents, checkpoints, result files and databases that sfnec 0.1.0 wrote, with what
# it made of them. 0.1.0.tar.gz holds a finished study of every kind of agent (old), a job that was interrupted in the
# middle of an episode (interrupted), their specs, and what that version printed, exported and went on to (expected).
set -euo pipefail
sfnec=${SFNEC:?set SFNEC to the command}
here=$(dirname "${BASH_SOURCE[0]}")

tar -xzf "$here/0.1.0.tar.gz"

# the optimum and the places, which 0.1.0 did not know: the last columns of a table, empty and 0 for its own tasks
forget() { sed -Ei 's/(,[^,]*){2}$//' "$1"; }

# the database, without its result files being touched
"$sfnec" export old --csv tasks.csv
"$sfnec" export old --csv episodes.csv --table episodes
"$sfnec" export old --csv uses.csv --table uses
"$sfnec" export old --json all.json
if sed 1d tasks.csv | grep -v ',,0$'; then echo "an optimum or places from nowhere"; exit 1; fi
forget tasks.csv
sed -i 's/, "optimum": null, "places": 0//' all.json
for file in tasks.csv episodes.csv uses.csv all.json; do cmp "$file" "expected/$file"; done
"$sfnec" stats old >stats.txt
grep -q "plus, learned w" stats.txt

# agents: what they do without learning
for agent in 082593a8d2e55258 6399ea3055d90368 32cf71bce7753052 07f208dcb7b86c66; do
  "$sfnec" eval "old/agents/$agent.sfnec" --w 1,0.5,-1 --random 2 --steps 2000
done >eval.txt
cmp eval.txt expected/eval.txt

# a spec that gives the same jobs, and checkpoints that a third task goes on from; nothing starts again
cp -r old extended
"$sfnec" run study.yaml -o extended --tasks 3 2>log
if grep -E "beginning|again|warning" log; then echo "a checkpoint of 0.1.0 was not used"; exit 1; fi
"$sfnec" export extended --csv extended.csv
forget extended.csv
cmp extended.csv expected/extended.csv

# a lost database is made again from the result files
cp -r old rebuilt
rm rebuilt/experiment.db
"$sfnec" run study.yaml -o rebuilt 2>log
"$sfnec" export rebuilt --csv rebuilt.csv
forget rebuilt.csv
cmp rebuilt.csv expected/tasks.csv

# a checkpoint in the middle of an episode
"$sfnec" run interrupted.yaml -o interrupted 2>log
if grep -E "beginning|again|warning" log; then echo "a checkpoint of 0.1.0 was not used"; exit 1; fi
"$sfnec" export interrupted --csv resumed.csv
forget resumed.csv
cmp resumed.csv expected/resumed.csv
