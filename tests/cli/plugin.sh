#!/usr/bin/env bash
# plugin.sh: a world of one's own, from `sfnec new-env` to a study that is killed and goes on, and to a film; what is no
# plugin is refused; and nothing that was stored makes the command load one.
source "$(dirname "$0")/lib/cli.bash"

# as in film.sh
echo 'leak:libfontconfig' >fonts.sfnec
export LSAN_OPTIONS=suppressions=$PWD/fonts.sfnec:print_suppressions=0

# plugin SOURCE OBJECT FLAG...: with the headers alone
plugin() {
  "${CC:-cc}" -std=c11 -O1 -shared -fPIC -I"$SFNEC_SOURCE/include" "$1" -o "$2" "${@:3}"
}

# ---- the folder ----

works "new-env" new-env maze
check "its files" test "$(ls maze | tr '\n' ' ')" = "CMakeLists.txt maze.c maze.yaml test_maze.c "
check "nothing of the old name is left" test -z "$(grep -ri corridor maze)"
refuses 1 'cannot make the folder maze: File exists' new-env maze
refuses 2 'takes a word of a-z' new-env Maze
refuses 2 'takes a word of a-z' new-env ../maze
refuses 2 'built-in' new-env one_room
refuses 2 "maze.yaml:3: env: cannot use the plugin maze/build/maze.so: there is no such file" run maze/maze.yaml
# the test must not depend on an installed library: consumer.sh builds the folder as it stands. This one leaves a trace
# when it is loaded.
mkdir maze/build
cat >>maze/maze.c <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void leave_trace(void) {
  FILE *file = getenv("TRACE") ? fopen(getenv("TRACE"), "a") : NULL;
  if (file) fclose(file);
}
C
plugin maze/maze.c maze/build/maze.so
export TRACE=$PWD/trace

# ---- what it says of itself ----

works "list envs" list envs --env maze/build/maze.so
check "its features" grep -qx '  features: left_end, right_end, step' out
works "list options" list options --env maze/build/maze.so
check "its options" grep -Eq '^  slip +0.1 +chance that a step goes the other way \(a number from 0 to 1\)$' out
check "only its options" test "$(grep -c four_rooms out)" -eq 0
works "help" train --env maze/build/maze.so --help
check "the help ends with its options" grep -Eq '^  length +15 ' out
works "the help of a built-in world" train --env cartpole --help
check "its options are there too" grep -Eq '^  max_episode_steps ' out
refuses 2 "neither the agents nor maze have an option 'slop'.*did you mean 'slip'" train --env maze/build/maze.so --set slop=1
refuses 2 "slip: '2' is refused" train --env maze/build/maze.so --set slip=2

# ---- a study: threads, kill, resume ----

cat >study.yaml <<'YAML'
name: study
env: {plugin: maze/build/maze.so, options: {length: 41}}
tasks: 3
steps: 8000
seeds: 1-2
agents: [sfnec, sfql]
sweep: {slip: [0.1, 0.3]}
record: {agents: yes}
YAML
works "the whole study" run study.yaml -o whole --jobs 3 --quiet
for ((kills = 0; kills < 3; kills++)); do
  "$SFNEC" run study.yaml -o killed --jobs 2 --quiet --checkpoint 0 2>/dev/null &
  sleep 0.05
  kill -9 $! 2>/dev/null || break
  wait $! 2>/dev/null || true
done
check "it was killed under way" test "$kills" -gt 1
works "it resumes" run study.yaml -o killed --quiet
check "every trained agent is the same, byte for byte" diff -rq whole/agents killed/agents
check "a job's identity holds the version" grep -aq '^plugin=[0-9a-f]\{16\}$' whole/experiment.db

# ---- another version of the plugin ----

cp maze/build/maze.so first.so
works "a moved plugin is the same" run study.yaml -o whole --env first.so --set length=41 --quiet
sed -i 's/int64_t cell;/int64_t cell, steps;/' maze/maze.c
plugin maze/maze.c maze/build/maze.so
run run study.yaml -o whole --quiet
check "a changed one is not mixed with it (exit $code)" test "$code" -eq 1
check "the sentence says so" grep -q 'another version of the plugin .*maze/build/maze.so: the plugin was changed or compiled again' err
check "and nothing else" one_sentence
run run study.yaml -o whole --quiet --steps 9000
check "with another spec the difference is shown" grep -q '^+   version: [0-9a-f]\{16\}$' err
sed -i 's/(maze_kind, NULL)/(maze_kind, "2")/' maze/maze.c
plugin maze/maze.c maze/build/maze.so
works "a version of its own" train --env maze/build/maze.so --tasks 1 --steps 100 -o own --quiet
plugin maze/maze.c maze/build/maze.so -O0
works "it is the same after another compilation" train --env maze/build/maze.so --tasks 1 --steps 100 -o own --quiet
check "it stands in the identity" grep -aqx 'plugin=2' own/experiment.db
sed 's/maze.so,/maze.so, version: "1",/' study.yaml >pinned.yaml
refuses 2 'pinned.yaml:2: env: this wants version 1 of maze, but the one there is 2' run pinned.yaml
mv first.so maze/build/maze.so

# ---- what is stored loads nothing ----

agent=$(find whole/agents -name '*.sfnec' | sort | head -n 1)
rm -f trace
for words in "status whole" "stats whole" "export whole --csv t.csv" "inspect $agent"; do
  # shellcheck disable=SC2086 # words on purpose
  run $words
  check "sfnec $words (exit $code)" test "$code" -eq 0
done
for words in "eval $agent --random 1" "watch $agent" "film $agent -o f.gif"; do
  # shellcheck disable=SC2086
  refuses 1 "was trained in 'maze'.*if it is a plugin, name its file by --env" $words
done
run report whole -o page.html
if [ "$code" -eq 0 ]; then check "the page says why there is no replay" grep -q 'name its file by --env' page.html; fi
# a note may say what it likes
cp "$agent" bad.sfnec
printf 'agent=x\nenv=%s' "$PWD/maze/build/maze.so" | "$SFNEC_BUILD/tests/cli/tool_note" bad.sfnec
refuses 1 'an environment that this program does not have' film bad.sfnec -o f.gif
refuses 1 'an environment that this program does not have' eval bad.sfnec --random 1
check "no plugin was loaded" test ! -e trace

# ---- with the plugin named ----

works "eval" eval "$agent" --random 1 --steps 500 --env maze/build/maze.so
check "the world has the options of the training" test "$(wc -l <out)" -eq 2
check "now it was loaded" test -e trace
run film "$agent" -o f.gif --size 160 --steps 20 --env maze/build/maze.so
grep -q 'built without cairo' err || check "film (exit $code)" test "$(head -c 6 f.gif)" = GIF89a
run report whole -o page.html --env maze/build/maze.so
if [ "$code" -eq 0 ]; then check "the page has replays" grep -q '"env":"maze","label"' page.html; fi

# ---- what is no plugin ----

refuses 2 'cannot use the plugin ./none.so: there is no such file' train --env ./none.so
refuses 2 "no environment 'maze' .*a plugin is named by its file: ./maze/build/maze.so" train --env maze
refuses 2 'it is no plain file' train --env ./maze
echo text >text.so
refuses 2 'cannot use the plugin' train --env ./text.so
echo 'int nothing = 1;' >empty.c
plugin empty.c empty.so
refuses 2 'it has no function sfnec_env_plugin_describe' train --env empty.so
sed 's/SFNEC_ENV_PLUGIN(maze_kind, "2")/#undef SFNEC_ENV_PLUGIN_ABI\n#define SFNEC_ENV_PLUGIN_ABI 7\n&/' maze/maze.c >abi.c
plugin abi.c abi.so
refuses 2 'made for version 7 of the interface, but this program has 3' train --env abi.so
sed 's/"maze"/"four_rooms"/' maze/maze.c >name.c
plugin name.c name.so
refuses 2 'four_rooms is the name of a built-in environment' train --env name.so
sed 's/"maze"/"a\\nb"/' maze/maze.c >name.c
plugin name.c name.so
refuses 2 'must be a word of a-z' train --env name.so
sed 's/"slip"/"alpha"/' maze/maze.c >option.c
plugin option.c option.so
refuses 2 "agents have an option 'alpha' too" train --env option.so
# one that was compiled before a description had its last functions
sed '/^SFNEC_ENV_PLUGIN/d' maze/maze.c >short.c
cat >>short.c <<'C'
SFNEC_VISIBLE const sfnec_env_plugin *sfnec_env_plugin_describe(void);
const sfnec_env_plugin *sfnec_env_plugin_describe(void) {
  static const sfnec_env_plugin plugin = {SFNEC_ENV_PLUGIN_ABI, offsetof(sfnec_env_kind, look), &maze_kind, "2"};
  return &plugin;
}
C
plugin short.c short.so
works "an older, shorter description" train --env short.so --tasks 1 --steps 100 --save short.sfnec --quiet
refuses 1 'cannot be drawn' film short.sfnec -o f.gif --env short.so

finish
