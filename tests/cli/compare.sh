#!/usr/bin/env bash
# compare.sh: agents by seeds on threads: fixed order, independent of the number of jobs, equal to single runs.
source "$(dirname "$0")/lib/cli.bash"

agents=ql,sfnec,sfnec:neighbours=1,nec
run compare --agents "$agents" --seeds 1-2,5 --tasks 3 --steps 200 --jobs 1 --csv one.csv
check "compare on one thread" test "$code" -eq 0
check "a plain line per finished run on stderr" test "$(grep -Ec '^[0-9]+/12 ' err)" -eq 12
check "the table has a row per agent" test "$(grep -Ec '^(ql|sfnec|sfnec:neighbours=1|nec) ' out)" -eq 4
check "columns after 1, 2 and the last task" grep -Eq '1 task +2 tasks +3 tasks +minus first +steps/s' out
check "and the most that could be earned" grep -Eq '^optimum( +[0-9.]+){3}$' out
cp out table
check "csv has all rows" test "$(wc -l <one.csv)" -eq $((1 + 4 * 3 * 3))

printf '%s\n' agent,seed,task >order
for agent in ${agents//,/ }; do
  for seed in 1 2 5; do
    for task in 1 2 3; do echo "$agent,$seed,$task"; done
  done
done >>order
check "rows are ordered by agent, seed and task" cmp -s order <(cut -d, -f1-3 one.csv)

run compare --agents "$agents" --seeds 1-2,5 --tasks 3 --steps 200 --jobs 3 --csv three.csv
check "compare on three threads" test "$code" -eq 0
check "the number of jobs changes nothing" cmp -s <(without_seconds one.csv) <(without_seconds three.csv)
check "the result file is as readable as any" test "$(stat -c %a one.csv)" = "$(touch plain && stat -c %a plain)"
check "no temporary files are left" test -z "$(find . -name '*.tmp.*')"

works "one of the runs alone" train --agent sfnec --seed 5 --tasks 3 --steps 200 --csv alone.csv
check "a run of a comparison equals the run alone" \
  cmp -s <(without_seconds alone.csv | tail -n +2) <(without_seconds one.csv | grep '^sfnec,5,')

# the table is the arithmetic of the file: mean and standard error of the averages, and the paired difference
expected=$(awk -F, 'NR > 1 { sum[$1, $2] += $4 / 3 }
  function line(name, base,   i, n, mean, squares, x, seeds) {
    n = split("1 2 5", seeds, " ")
    for (i = 1; i <= n; i++) mean += (sum[name, seeds[i]] - (base ? sum[base, seeds[i]] : 0)) / n
    for (i = 1; i <= n; i++) {
      x = sum[name, seeds[i]] - (base ? sum[base, seeds[i]] : 0)
      squares += (x - mean) ^ 2
    }
    return sprintf(base ? "%+.2f ± %.2f" : "%.2f ± %.2f", mean, sqrt(squares / (n - 1) / n))
  }
  END { print line("nec") " " line("nec", "ql") }' one.csv)
check "mean, standard error and paired difference: $expected" \
  grep -qF -- "$expected" <(grep '^nec ' table | tr -s ' ')

works "quiet" compare --agents ql --seeds 3 --tasks 1 --steps 50 --quiet
check "quiet prints nothing" test ! -s out
mkfifo pipe
cat pipe >piped &
works "csv into a pipe" compare --agents ql,nec --seeds 2-3 --tasks 1 --steps 50 --quiet --csv pipe
wait
check "the pipe gets the rows once, in order" \
  test "$(cut -d, -f1-3 piped | tr '\n' ' ')" = "agent,seed,task ql,2,1 ql,3,1 nec,2,1 nec,3,1 "
check "the pipe is still a pipe" test -p pipe
ln -s target link
works "csv through a link" compare --agents ql,nec --seeds 2-3 --tasks 1 --steps 50 --quiet --csv link
check "the link is still a link" test -L link
check "its target has the rows once" test "$(wc -l <target)" -eq 5
run compare --agents ql --seeds 3 --tasks 1 --steps 50
check "one agent and one seed: no error bars" grep -Eq '^ql +-?[0-9.]+ +[0-9]+$' out
run compare --agents ql --seeds 1 --tasks 12 --steps 20
check "columns 1, 2, 5, 10 and the last" grep -Eq '1 task +2 tasks +5 tasks +10 tasks +12 tasks' out
works "settings reach the environment" compare --agents ql --seeds 1 --tasks 1 --steps 100 --set max_episode_steps=10 \
  --quiet --csv limit.csv
check "episodes end after 10 steps" test "$(awk -F, 'NR == 2 { print $5 }' limit.csv)" -ge 10

# a comparison is a study made of words: the same jobs as those of a spec that says the same
cat >same.yaml <<'SPEC'
name: same
env: four_rooms
tasks: 3
steps: 200
seeds: 1-2,5
agents: [ql, sfnec, {label: "sfnec:neighbours=1", preset: sfnec, options: {neighbours: 1}}, nec]
SPEC
# everything that a study found out, without times
dump() {
  sqlite3 "$1/experiment.db" "SELECT identity, task, printf('%!.17g', total), task.steps, task.episodes, goals, entries
                                FROM task JOIN job USING (job) ORDER BY 1, 2"
}
works "the study of a spec" run same.yaml -o same --quiet
works "the comparison, kept" compare --agents "$agents" --seeds 1-2,5 --tasks 3 --steps 200 -o kept --quiet --csv kept.csv
check "keeping it changes nothing" cmp -s <(without_seconds one.csv) <(without_seconds kept.csv)
check "compare is run" cmp -s <(dump same) <(dump kept)
check "all of it is there" test "$(dump kept | grep -c '|')" -eq 36
check "without a folder nothing is left behind" test "$(find . -name experiment.db | wc -l)" -eq 2
works "a kept comparison has statistics" stats kept
check "by the agents' texts" grep -q '^sfnec:neighbours=1 ' out
works "how to resume is known" status kept
check "in its words" test "$(sqlite3 kept/experiment.db 'SELECT command FROM session')" = \
  "sfnec compare --agents $agents -o kept --env four_rooms --seeds 1-2,5 --tasks 3 --steps 200"

# going on with a kept comparison
times() { sqlite3 "$1/experiment.db" "SELECT id, task, seconds FROM task JOIN job USING (job) WHERE seed < 3 ORDER BY 1, 2"; }
works "the first seeds" compare --agents "$agents" --seeds 1-2 --tasks 3 --steps 200 -o grown --quiet
times grown >before.txt
works "more seeds" compare --agents "$agents" --seeds 1-2,5 --tasks 3 --steps 200 -o grown --quiet --csv grown.csv
check "leave the old runs alone" cmp -s before.txt <(times grown)
check "and are the whole" cmp -s <(without_seconds one.csv) <(without_seconds grown.csv)
run compare --agents ql --seeds 5,1 --tasks 2 --steps 200 -o grown --csv part.csv
check "a part of it is there" test "$code" -eq 0
check "and is what is asked for" cmp -s <(grep -E '^ql,(1|5),[12],' one.csv | without_seconds /dev/stdin | sort) \
  <(grep '^ql' part.csv | without_seconds /dev/stdin | sort)
check "the rest stays" cmp -s before.txt <(times grown)
run compare --agents ql:rate=0.1 --seeds 1-2,5 --tasks 3 --steps 200 -o grown
check "another comparison is refused" test "$code" -eq 1
check "with the difference" grep -q '^- .*label: nec' err
works "or starts again" compare --agents ql --seeds 1 --tasks 1 --steps 50 -o grown --force-new --quiet
check "beside the old one" cmp -s before.txt <(times grown.1)

# a task may end after so many episodes
works "episodes" compare --agents ql --seeds 1 --tasks 2 --episodes 3 --set max_episode_steps=40 --quiet --csv episodes.csv
check "three in each task" test "$(cut -d, -f5 episodes.csv | tr '\n' ' ')" = "episodes 3 3 "
works "episodes or steps" compare --agents ql --seeds 1 --tasks 1 --episodes 9 --steps 50 --set max_episode_steps=40 \
  --quiet --csv either.csv
check "what comes first" test "$(awk -F, 'NR == 2 { print $5 }' either.csv)" -eq 2

# a world that names its metric
run compare --env cartpole --agents nec,ql --seeds 1-2 --tasks 2 --steps 300
check "the return per episode leads" grep -q '^average return per episode after so many tasks' out
check "which differs between agents" bash -c '! grep -q "^ql .*300 " out'
run compare --env cartpole --agents ql --seeds 1 --tasks 2 --episodes 5
check "tasks that end by episodes" test "$code" -eq 0
works "training there" train --env cartpole --agent ql --tasks 2 --episodes 5
check "leads with it too" grep -q '^ task episode-return ' out
check "and ends with it" grep -Eq '^average return per episode [0-9.]+ over 2 tasks' out

# the options of one agent win over those of all
works "options of one and of all" compare --agents sfnec,sfnec:neighbours=1 --set neighbours=4 --seeds 1 --tasks 1 \
  --steps 30 -o own --quiet
check "each has its own" test "$(sqlite3 own/experiment.db "SELECT group_concat(value) FROM setting
  WHERE kind = 'agent' AND key = 'neighbours' ORDER BY configuration")" = 4,1

# a run that fails does not take the others with it
run compare --agents sfql,sfql:rate=1000 --seeds 1 --tasks 2 --steps 3000 --csv part.csv
check "a failed run fails the comparison" test "$code" -eq 1
check "is told with its reason" grep -q '^sfnec: sfql:rate=1000 seed 1 failed: ' err
check "once, as nothing is there to try again from" test "$(grep -c 'failed: ' err)" -eq 1
check "the others are there" test "$(cut -d, -f1-3 part.csv | tr '\n' ' ')" = "agent,seed,task sfql,1,1 sfql,1,2 "
check "and in the table" grep -Eq '^sfql:rate=1000 +- ' out

finish
