#!/usr/bin/env bash
# lies.sh: plugins that lie (wrong sizes, broken tables, numbers that are none, pictures that cannot be drawn), crash, or
# end the program: each ends in one sentence that says what is wrong, and what was saved before is whole.
source "$(dirname "$0")/lib/cli.bash"
here=$SFNEC_SOURCE/tests/cli

# as in film.sh
echo 'leak:libfontconfig' >fonts.sfnec
export LSAN_OPTIONS=suppressions=$PWD/fonts.sfnec:print_suppressions=0
# a sanitizer tells crashes itself, and ends at a wish for more memory than there is
asan=$(nm "$SFNEC" 2>/dev/null | grep -c '__[at]san_init' || true)

# liar LIE: the plugin LIE.so; one world with all lies has the same state, so that a saved agent fits all of them
liar() {
  "${CC:-cc}" -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -shared -fPIC -I"$SFNEC_SOURCE/include" "-DLIE=$1" \
    "$here/liar_plugin.c" -o "$1.so"
}
train() { echo train --env "./$1.so" --tasks 1 --steps 60 --quiet; }

liar NONE
# shellcheck disable=SC2046 # words on purpose
works "one that tells the truth" $(train NONE) --save good.sfnec

# ---- refused before a step is taken ----

declare -A refused=(
  [NO_TITLE]='2 cannot use the plugin .*lack a title or rows'
  [NO_ROWS]='2 cannot use the plugin .*lack a title or rows'
  [NO_HELP]='2 cannot use the plugin .*option length of environment liar is not whole'
  [NO_CHOICES]='2 cannot use the plugin .*option kind of environment liar is not whole'
  [BAD_DEFAULT]='2 cannot use the plugin .*option length of environment liar is not whole'
  [BAD_NAME]="2 cannot use the plugin .*has the name 'two words'"
  [OUTSIDE]='2 cannot use the plugin .*lies outside of its'
  [FAR_OUTSIDE]='2 cannot use the plugin .*lies outside of its'
  [NO_LIMIT]='2 cannot use the plugin .*lack max_episode_steps'
  [NO_STEP]='2 cannot use the plugin .*lacks shape, reset or step'
  [BAD_METRIC]="2 applause"
  [NO_SHAPE]='2 environment liar has 8 observation floats, 0 actions and 2 features'
  [NEGATIVE_SHAPE]='2 environment liar has 8 observation floats, 2 actions and -5 features'
  [HUGE_SHAPE]='2 an agent cannot have observation_size 2147483647'
  [HUGE_STATE]='1 out of memory for an environment'
  [BAD_INIT]='2 environment liar refuses these options together (unknown error)'
)
[ "$asan" = 0 ] || unset "refused[HUGE_STATE]"
for lie in "${!refused[@]}"; do
  liar "$lie"
  # shellcheck disable=SC2046
  refuses "${refused[$lie]%% *}" "${refused[$lie]#* }" $(train "$lie")
done

# ---- refused when it happens ----

declare -A told=(
  [BAD_STATUS]='environment liar failed: unknown'
  [SILENT_STATUS]='environment liar failed: io'
  [NAN_OBSERVATION]='environment liar returned observation\[3\] = '
  [NAN_REWARD]='environment liar returned features\[0\] = '
  [HUGE_FEATURE]='environment liar returned features\[1\] = 1e+200'
  [NAN_WEIGHT]='environment liar drew reward weights .*not finite'
)
for lie in "${!told[@]}"; do
  liar "$lie"
  # shellcheck disable=SC2046
  refuses 1 "${told[$lie]}" $(train "$lie")
done
for lie in BAD_OPTIMUM NAN_BOUNDS NAN_VIEW_AT NAN_PLACE; do
  liar "$lie"
  # shellcheck disable=SC2046
  works "$lie is no matter for training" $(train "$lie")
done

# ---- how it looks ----

run film good.sfnec -o good.gif --size 160 --steps 5 --env ./NONE.so
if [ "$code" -eq 0 ]; then
  declare -A drawn=(
    [MANY_WALLS]='liar looks wrong: it has 1000000 walls, but 0 to 256 can be drawn'
    [FEW_WALLS]='liar looks wrong: it has -1 walls'
    [MANY_OBJECTS]='liar looks wrong: it has 65 objects'
    [MANY_CLASSES]='liar looks wrong: it has 3 classes of objects, but 0 to 2 can be drawn'
    [BAD_CLASS]='liar looks wrong: object 0 is of class 100000, but there are 1'
    [BAD_GLYPH]='liar looks wrong: class 0 has no glyph of number 1000'
    [BAD_VIEW]='liar looks wrong: there is no view of number 9'
    [MANY_CELLS]='liar looks wrong: it has 1073741824 cells along a side'
    [NAN_AGENT]='liar looks wrong: a number of its position, angle or goal is '
    [NAN_WALL]='liar looks wrong: a number of its walls is inf'
  )
  for lie in "${!drawn[@]}"; do
    liar "$lie"
    refuses 1 "${drawn[$lie]}" film good.sfnec -o lie.gif --size 160 --steps 5 --env "./$lie.so"
    check "no film of $lie" test ! -e lie.gif
  done
  for lie in FAR_AGENT NAN_PLACE; do
    liar "$lie"
    works "$lie is drawn where it belongs" film good.sfnec -o lie.gif --size 160 --steps 5 --env "./$lie.so"
  done
  refuses 1 'an observation must be 8 finite numbers' film good.sfnec -o lie2.gif --size 160 --env ./NAN_VIEW_AT.so
else
  grep -q 'built without cairo' err || check "film (exit $code)" false
fi

# ---- what ends the program ----

for lie in EXIT_STEP EXIT_INIT; do
  liar "$lie"
  # shellcheck disable=SC2046
  refuses 1 'ended by exit() in the middle of its work' $(train "$lie")
done

declare -A crashed=(
  [CRASH_DESCRIBE]="139 crashed by a bad address in $PWD/CRASH_DESCRIBE.so"
  [CRASH_STEP]="139 crashed by a bad address in $PWD/CRASH_STEP.so"
  [DIVIDE]='136 crashed by a bad number'
  [ABORT]='134 crashed by abort()'
)
for lie in "${!crashed[@]}"; do
  [ "$asan" = 0 ] || break
  liar "$lie"
  # shellcheck disable=SC2046
  run $(train "$lie") 2>/dev/null
  check "$lie ends by its signal (exit $code)" test "$code" -eq "${crashed[$lie]%% *}"
  check "$lie is told" grep -q "^sfnec: ${crashed[$lie]#* }.*; what was saved before is whole" err
  check "in one sentence" test "$(grep -c '^sfnec: ' err)" -eq 1
done

# a study in which the world crashes keeps what was done before, and the same command resumes with a world that is mended
if [ "$asan" = 0 ]; then
  cat >study.yaml <<'YAML'
name: study
env: {plugin: ./world.so, version: "1"}
tasks: 2
steps: 15
seeds: 1-3
agents: [sfnec]
YAML
  cp NONE.so world.so
  works "the study" run study.yaml -o whole --jobs 1 --quiet
  cp CRASH_STEP.so world.so
  run run study.yaml -o crashed --jobs 1 --quiet 2>/dev/null
  check "it crashes (exit $code)" test "$code" -eq 139
  cp NONE.so world.so
  works "it resumes" run study.yaml -o crashed --jobs 1 --quiet
  "$SFNEC" export whole --csv whole.csv >/dev/null
  "$SFNEC" export crashed --csv crashed.csv >/dev/null
  check "with the results of the unbroken one" cmp -s whole.csv crashed.csv
fi

finish
