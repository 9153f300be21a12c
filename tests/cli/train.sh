#!/usr/bin/env bash
# train.sh: the table, the CSV, determinism, saving, and what is done with the saved agent.
source "$(dirname "$0")/lib/cli.bash"

header=agent,seed,task,return,episodes,entries,seconds
number='-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?'

works "train with a csv" train --tasks 3 --steps 400 --seed 5 --csv a.csv
check "the table has a row per task" test "$(grep -Ec '^ +[0-9]+ ' out)" -eq 3
check "no carriage returns away from a terminal" test "$(tr -cd '\r' <out | wc -c)" -eq 0
check "csv header" test "$(head -1 a.csv)" = "$header"
check "csv has a row per task" test "$(wc -l <a.csv)" -eq 4
check "csv rows have the right shape" \
  test "$(grep -Ecx "sfnec,5,[1-3],$number,[0-9]+,[0-9]+,[0-9]+\.[0-9]{3}" a.csv)" -eq 3
check "tasks are numbered from 1 in order" test "$(cut -d, -f3 a.csv | tr '\n' ' ')" = "task 1 2 3 "
check "entries grow from task to task" \
  awk -F, 'NR > 2 && $6 <= last { exit 1 } NR > 1 { last = $6 }' a.csv

works "the same again" train --tasks 3 --steps 400 --seed 5 --csv b.csv
check "same seed, same bytes but for the seconds" cmp -s <(without_seconds a.csv) <(without_seconds b.csv)
works "another seed" train --tasks 3 --steps 400 --seed 6 --csv c.csv
check "another seed, other results" test "$(cut -d, -f4- <(without_seconds a.csv))" != "$(cut -d, -f4- <(without_seconds c.csv))"

works "quiet" train --tasks 1 --steps 50 --quiet
check "quiet prints nothing" test ! -s out
works "a value after an equals sign" train --tasks=1 --steps=50 --quiet
works "the last of two counts" train --tasks 5 --tasks 1 --steps 50 --csv last.csv
check "one task only" test "$(wc -l <last.csv)" -eq 2
mkfifo pipe
cat pipe >piped &
works "csv into a pipe" train --tasks 2 --steps 50 --quiet --csv pipe
wait
check "the pipe got header and rows" test "$(wc -l <piped)" -eq 3

# --set goes to the agent, or else to the environment
works "an option of the agent" train --tasks 1 --steps 400 --set capacity=10 --csv capacity.csv
check "the capacity bounds the entries: 4 memories of 10" test "$(awk -F, 'NR == 2 { print $6 }' capacity.csv)" -le 40
works "an option of the environment" train --tasks 1 --steps 400 --set max_episode_steps=20 --csv limit.csv
check "episodes end after 20 steps" test "$(awk -F, 'NR == 2 { print $5 }' limit.csv)" -ge 20
works "an agent with options of its own" train --agent sfnec:capacity=10 --tasks 1 --steps 400 --csv own.csv
check "its label is the whole text" grep -q '^sfnec:capacity=10,1,1,' own.csv
check "it equals the agent with --set" cmp -s <(cut -d, -f2-6 own.csv) <(cut -d, -f2-6 capacity.csv)

# every preset runs and is saved, evaluated and inspected
for agent in $("$SFNEC" list agents | grep -o '^[a-z][^ ]*'); do
  works "train $agent" train --agent "$agent" --tasks 2 --steps 200 --set max_episode_steps=100 --save "$agent.agent"
  works "inspect $agent" inspect "$agent.agent"
  check "the note names the agent" grep -q "^  agent=$agent\$" out
  check "the note names the environment" grep -q '^  env=four_rooms$' out
  check "the note holds the settings" grep -q '^  max_episode_steps=100$' out
  check "two tasks of 200 steps" test "$(grep -Ec '^ +[12] +200 ' out)" -eq 2
done

works "weights of the tasks" inspect sfnec.agent --json
weights() { grep -o '"w": \[[^]]*' out | sed 's/.*\[//; s/ //g'; }
weights >w-sfnec
works "weights of the tasks of another agent" inspect sfql.agent --json
weights >w-sfql
check "agents see the same tasks" cmp -s w-sfnec w-sfql
check "the tasks have four weights, the last one 1" test "$(grep -Ecx "($number,){3}1" w-sfnec)" -eq 2

works "inspect --all" inspect sfnec.agent --all
check "all options are shown" grep -q '^  neighbours=20$' out
works "changed options" inspect nec.agent
check "a changed option is shown with its default" grep -q '^  predict=reward (default features)$' out
check "an unchanged option is not shown" test "$(grep -c '^  neighbours=' out)" -eq 0
works "inspect --json" inspect sfnec.agent --json
if command -v python3 >/dev/null; then
  check "the JSON reads back" python3 -c '
import json
agent = json.load(open("out"))
assert len(agent["tasks"]) == 2 and agent["seed"] == 1 and agent["options"]["neighbours"] == 20
assert agent["entries"] == sum(task["entries"] for task in agent["tasks"]) > 0
assert "env=four_rooms\n" in agent["note"] and len(agent["tasks"][0]["w"]) == 4'
fi

works "eval" eval sfnec.agent --w 0.5,-1,0.2,1 --w 0,0,0,1 --steps 300
check "a row per weight vector" test "$(grep -Ec "^($number,){3}1 " out)" -eq 2
cp out first
works "eval again" eval sfnec.agent --w 0.5,-1,0.2,1 --w 0,0,0,1 --steps 300
check "the same evaluation, the same bytes" cmp -s out first
# an agent that knows nothing breaks ties all the time: equal rows show that each begins from the same streams
works "an agent of one step" train --tasks 1 --steps 1 --save blank.agent
works "eval of the same weights twice" eval blank.agent --w 1,1,1,1 --w 1,1,1,1 --steps 3000
check "a row does not depend on the rows before it" test "$(tail -2 out | uniq | wc -l)" -eq 1
check "and the agent did wander" awk 'NR == 2 { exit !($2 > 0) }' out
works "eval of drawn tasks" eval sfnec.agent --random 3 --steps 100
check "three drawn tasks" test "$(grep -Ec "^($number,){3}1 " out)" -eq 3
works "eval of the tasks of the training" eval sfnec.agent --random 2 --seed 1 --steps 100
check "the seed of the training draws its tasks" cmp -s <(tail -2 out | cut -d' ' -f1) w-sfnec
tail -1 out | tr -s ' ' >drawn
works "eval of weights as they were printed" eval sfnec.agent --w "$(tail -1 w-sfnec)" --seed 1 --steps 100
check "printed weights read back exactly" cmp -s <(tail -1 out | tr -s ' ') drawn
check "they have all their digits" grep -Eq '[0-9]{15}' w-sfnec
check "and so have returns" grep -Eq '\.[0-9]{13}' <(cut -d, -f4 a.csv c.csv)
works "eval elsewhere" eval sfnec.agent --w 0,0,0,1 --steps 100 --env four_rooms --set max_episode_steps=10
check "the environment's setting counts" test "$(awk 'NR == 2 { print $3 }' out)" -ge 10

works "an older agent is replaced" train --tasks 1 --steps 50 --save sfnec.agent
works "it is the new one" inspect sfnec.agent
check "one task" grep -q '^sfnec.agent: 1 task,' out
cp sfnec.agent older.agent
run train --tasks 1 --steps 3000 --set rate=1000 --save older.agent
check "a run that diverges fails" test "$code" -eq 1
check "and leaves the older agent alone" cmp -s sfnec.agent older.agent
check "no temporary files are left" test -z "$(find . -name '*XXXXXX*' -o -name '*.probe-*' -o -name '*.part-*' -o -name '*tmp*')"

# the words of run and compare
works "episodes" train --tasks 2 --episodes 3 --set max_episode_steps=40 --csv episodes.csv
check "three in each task" test "$(cut -d, -f5 episodes.csv | tr '\n' ' ')" = "episodes 3 3 "
check "and none of steps" grep -q '2 tasks of 3 episodes$' out
works "a seed as a list of one" train --tasks 3 --steps 400 --seeds 5 --jobs 2 --csv list.csv --quiet
check "is the seed" cmp -s <(without_seconds a.csv) <(without_seconds list.csv)
refuses 2 'train takes one seed' train --seeds 1-2
refuses 2 'give one of them' train --seeds 1 --seed 1

# a training that is kept: the same results, again without work, longer from where it ended
works "kept" train --tasks 2 --steps 400 --seed 5 -o kept --quiet
check "with its agent" test "$(find kept/agents -name '*.sfnec' | wc -l)" -eq 1
works "longer" train --tasks 3 --steps 400 --seed 5 -o kept --csv kept.csv --save kept.agent
check "all tasks are in the table" test "$(grep -Ec '^ +[1-3] ' out)" -eq 3
check "and in the file, as in one go" cmp -s <(without_seconds a.csv) <(without_seconds kept.csv)
works "in one go" train --tasks 3 --steps 400 --seed 5 --quiet --save one.agent
check "the same agent" cmp -s one.agent kept.agent
works "again" train --tasks 3 --steps 400 --seed 5 -o kept --quiet --csv again.csv --save again.agent
check "gives the same rows" cmp -s kept.csv again.csv
check "and the same agent" cmp -s one.agent again.agent
check "without running anything" test "$(sqlite3 kept/experiment.db 'SELECT attempts FROM job')" -eq 1

# learned keys: what training did can be seen
works "learned keys" train --steps 300 --tasks 1 --quiet --save learned.agent \
  --set embedding=linear --set training=batch --set key_size=120 --set max_episode_steps=50
run inspect learned.agent
check "minibatches are told" grep -Eq '^[1-9][0-9]* minibatches trained, 0 skipped' out
check "long keys are told" grep -q 'keys of 120 numbers are longer than the observation, which has 113' out
run inspect learned.agent --json
check "and are in the JSON" grep -Eq '"trained": [1-9][0-9]*, "skipped": 0' out

# the standard output
works "rows on the standard output" train --tasks 2 --steps 2e2 --csv -
check "stand alone there" test "$(wc -l <out)" -eq 3
check "with their header" grep -q '^agent,seed,task,' out
check "and are no file" test ! -e -
works "numbers may be short" train --tasks 1 --steps 0.2k --set capacity=1k
check "one task is one task" grep -q ', 1 task of 200 steps$' out

finish

# tasks whose reward is an expression
works "rewards as expressions" train --agent sfnec-plan --tasks 3 --steps 300 --reward '1 if goal else -0.01' --reward weights --csv r1.csv --save r.agent
works "the same again" train --agent sfnec-plan --tasks 3 --steps 300 --reward '1 if goal else -0.01' --reward weights --csv r2.csv
check "same rewards, same bytes but for the seconds" cmp -s <(without_seconds r1.csv) <(without_seconds r2.csv)
works "other rewards" train --agent sfnec-plan --tasks 3 --steps 300 --reward '1 if goal else -0.02' --reward weights --csv r3.csv
check "another reward, another first task" test "$(sed -n 2p r1.csv | cut -d, -f4)" != "$(sed -n 2p r3.csv | cut -d, -f4)"
refuses 2 "the reward reads 'goall'" train --tasks 1 --steps 10 --reward goall
refuses 2 "--log has the reward weights of each task" train --tasks 1 --steps 10 --reward goal --log l.npz
cat >rewards.yaml <<'YAML'
name: rewards
env: four_rooms
tasks: 4
steps: 200
rewards: ["1 if goal else -0.01 * circle", weights]
agents: [sfnec-plan, sfnec, nec]
YAML
refuses 2 "more than the features" train --agent sfnec --tasks 1 --steps 10 --reward 'action == up'
works "a study with rewards" run rewards.yaml --quiet -o rewards
works "resumed, there is nothing left" run rewards.yaml --quiet -o rewards
check "tasks with rewards have no known optimum, others have" \
  test "$("$SFNEC" export rewards --csv - | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "optimum") c = i } NR > 1 && $c != ""' | wc -l)" -eq 6
sed -i 's/-0.01/-0.02/' rewards.yaml
refuses 2 "" run rewards.yaml --quiet -o rewards
