#!/usr/bin/env bash
# evaluate.sh: evaluation on the side of a study: no result changes by it, it is the same when a run was killed, and what
# it found is stored, exported, drawn and judged.
source "$(dirname "$0")/lib/cli.bash"
command -v sqlite3 >/dev/null || { echo "no sqlite3 to ask for a job: skipped"; exit 77; }
command -v gnuplot >/dev/null || { echo "no gnuplot: skipped"; exit 77; }

head='env: four_rooms_grid
tasks: 2
steps: 600
seeds: 1-2
agents: [sfnec, ql]
record: {agents: yes}'
printf 'name: plain\n%s\n' "$head" >plain.yaml
printf 'name: own\n%s\nevaluate: {every: 250, episodes: 3, steps: 40, best: yes}\n' "$head" >own.yaml
printf 'name: list\n%s\nevaluate: {every: 400, episodes: 2, steps: 40, weights: [[1, 0, -1], [0, 1, 1]]}\n' "$head" >list.yaml
for name in plain own list; do
  works "the study $name" run $name.yaml -o $name --quiet
  works "its results" export $name --csv $name.csv
  works "and curves" export $name --csv $name.bins --table bins
  check "are the same" cmp -s plain.csv $name.csv
  check "and the curves too" cmp -s plain.bins $name.bins
done
for file in plain/agents/*; do check "the agents too" cmp -s "$file" "own/agents/${file##*/}"; done

# ---- what was found ----
works "as CSV" export own --csv own.found --table evaluations
check "the header" test "$(head -1 own.found)" = \
  "agent,preset,seed,task,evaluation,step,weights,return,episodes,success,length,phi_1,phi_2,phi_3"
# after 250, 500, 750 and 1000 transitions, of 4 jobs
check "four of each job" test "$(wc -l <own.found)" -eq 17
check "the third in the second task" grep -q '^sfnec,sfnec,1,2,1,750,0,' own.found
works "under weights" export list --csv - --table evaluations
check "each under both, but for the agent that predicts rewards" test "$(grep -c '^sfnec' out) $(grep -c '^ql' out)" = "12 0"
works "as JSON" export own --json -
check "with features" grep -q '"evaluations": \[{"step": 250, "weights": 0, .*"phi": \[' out
works "stats" stats own --metric evaluation
check "in words" grep -q 'return of an episode in the last evaluation' out
refuses 1 'no run has a value of this metric' stats plain --metric evaluation
check "the best agents are kept" test "$(find own/agents -name '*.best.sfnec' | wc -l)" -eq 4
works "and can be looked at" inspect "$(find own/agents -name '*.best.sfnec' | sort | head -1)"

# ---- several objectives ----
works "figures" plot list --figure evaluation
run report list -o page.html
if [ "$code" -eq 0 ]; then
  check "the page has the returns under each vector" grep -Eq '"by_weights": ?\[[-0-9.e]+, ?[-0-9.e]+\]' page.html
  check "and the front" grep -Eq '"front": ?\[\{"means"' page.html
fi
agent=$(sqlite3 own/experiment.db "SELECT id FROM job JOIN configuration USING (configuration)
  WHERE label = 'sfnec' AND seed = 1")
works "eval on a grid" eval "own/agents/$agent.sfnec" --grid 2 --steps 60 --episode-steps 20 --front --reference 0,0,0
check "six vectors, and again with their features" test "$(grep -c '^[01][.,]' out)" -eq 12
check "the front is counted" grep -Eq '^Pareto front: [1-6] of 6$' out
check "the expected utility is the mean of the returns" awk '
  /^[01][.,]/ && NR < 8 { sum += $5; n++ } /^expected utility/ { split($3, a, ","); told = a[1] }
  END { exit !(n == 6 && (told - sum / n) ^ 2 < 1e-6) }' out
check "the hypervolume has its reference" grep -Eq '^hypervolume: [0-9.e-]+ above 0,0,0$' out
refuses 2 'needs reward weights' eval "own/agents/$agent.sfnec" --front

# ---- a heat map over two weights ----
works "an agent that finds things" train --agent sfnec-plan --env four_rooms_grid --steps 3000 --seed 1 --save plan.agent
few="--steps 500 --episode-steps 100"
# shellcheck disable=SC2086 # words
works "a heat map" eval plan.agent --w 0.5,0.25,100 --heat triangle,1 --parts 2 $few --out map.svg
check "is told" grep -q '^map.svg  ' out
check "nine vectors after the given one" test "$(grep -c '^[-0-9]' out)" -eq 10
check "the first of the two runs across" test "$(sed -n 4p out | cut -d' ' -f1)" = "-1,0,100"
check "its data are the returns of the table" cmp -s <(sed -n 3,11p out | awk '{ print $2 + 0 }') \
  <(awk '/^[1-9]/ { printf "%.2f\n", $4 }' map.dat | awk '{ print $1 + 0 }')
check "returns have their colours" test "$(awk '/^[1-9]/ { print $3 }' map.dat | sort -u | wc -l)" -gt 1
check "the picture has its names" test "$(grep -c 'weight of square\|weight of triangle' map.svg)" -eq 2
check "and whole numbers" bash -c '! grep -q "e+0" map.svg'
refuses 2 "has no feature 'sqare'" eval plan.agent --w 1,1,1 --heat sqare,1
refuses 2 'takes two features' eval plan.agent --w 1,1,1 --heat 1,square
refuses 2 'takes two features' eval plan.agent --w 1,1,1 --heat 1
refuses 2 'needs one --w' eval plan.agent --heat 1,2
refuses 2 "there is no format 'gif'" eval plan.agent --w 1,1,1 --heat 1,2 --out map.gif
refuses 2 'letters, digits' eval plan.agent --w 1,1,1 --heat 1,2 --out "\`id\`.svg"

# ---- killed, and gone on with ----
"$SFNEC" run own.yaml -o killed --quiet --checkpoint 0 --jobs 1 >/dev/null 2>&1 &
sleep 0.15
kill -9 $! 2>/dev/null || true
wait $! 2>/dev/null || true
run run own.yaml -o killed --quiet
works "after a kill" export killed --csv killed.found --table evaluations
check "the same was found" cmp -s own.found killed.found
for file in own/agents/*; do check "by the same agents" cmp -s "$file" "killed/agents/${file##*/}"; done
rm killed/experiment.db
run run own.yaml -o killed --quiet
works "without the database" export killed --csv killed.found --table evaluations
check "it is read back" cmp -s own.found killed.found

# ---- refusals ----
refused() { printf 'name: bad\n%s\nevaluate: %s\n' "$head" "$1" >bad.yaml && refuses 2 "$2" run bad.yaml -o bad; }
refused '{episodes: 3}' "the key 'every' is missing"
refused '{every: 10, weights: [[1, 2]]}' 'its vectors have 2 numbers, but the environment has 3 features'
refused '{every: 10, weights: [[1, 2, 3], [1]]}' 'this vector has 1 numbers, the first has 3'
refused '{every: 10, weights: [[1, 2, x]]}' "'x' is refused; it takes a number"

# ---- rewards that are no weights ----
works "a reward as text, and the same as weights" eval plan.agent --w 1,-1,0.5 --reward 'phi[0] - phi[1] + 0.5 * phi[2]' --steps 500
check "a row for each" test "$(grep -c '^1,-1,0.5 \|^phi' out)" -eq 2
check "they earn about the same" awk '/^1,-1/ { w = $2 } /^phi/ { r = $(NF - 3) } END { exit !(w > 0 && r > 0.8 * w && r < 1.25 * w) }' out
refuses 2 "the reward reads 'gold', which is no feature and no action of four_rooms_grid" eval plan.agent --reward gold
refuses 2 'a chain of comparisons (write 0 < x and x < 1) at character' eval plan.agent --reward '0 < phi[0] < 1'
refuses 1 'must be finite' eval plan.agent --reward '1 / 0'
refuses 1 'only an agent that plans' eval "own/agents/$agent.sfnec" --reward 1
refuses 2 'needs reward weights or a reward' eval plan.agent
refuses 2 '--front compares reward weights' eval plan.agent --front --reward 1

finish
