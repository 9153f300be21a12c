#!/usr/bin/env bash
# Exported policies answer as the library does, to the bit: of several agents in several worlds, compiled as strict C99
# by gcc and clang without a warning, and for other machines where there is a compiler and an emulator for them.
set -euo pipefail
export SFNEC_SIMD=scalar
strict="-std=c99 -O2 -Wall -Wextra -Werror -pedantic"
tool=$SFNEC_BUILD/tests/agent/tool_policy_trace

# compile COMPILER NAME PROGRAM: with what the head of the policy promises
compile() {
  local multiplies
  multiplies=$(sed -n 's/.*fused multiply-adds: \([0-9]*\) in all/\1/p' "$2.c")
  # shellcheck disable=SC2086 # flags are words on purpose
  $1 $strict -DPOLICY="\"$2.c\"" -DMULTIPLIES="$multiplies" -I. "$SFNEC_SOURCE/tests/agent/policy_check.c" -lm -o "$3" -static
}

# check NAME ENV [MACHINE...]: the answers of NAME.sfnec over 300 steps, here and on other machines
check() {
  "$SFNEC" export-c "$1.sfnec" --out "$1.c" >/dev/null
  "$tool" "$1.sfnec" "$2" 300 "$1.trace"
  compile gcc "$1" "$1-gcc"
  echo "$1: $(./"$1-gcc" "$1.trace")"
  for machine in "${@:3}"; do
    local emulator=qemu-${machine%%-*}
    if ! command -v "$machine-gcc" >/dev/null || ! command -v "$emulator" >/dev/null; then
      echo "$1: no $machine-gcc and $emulator here: not tried on that machine"
      continue
    fi
    compile "$machine-gcc" "$1" "$1-$machine"
    "$emulator" "./$1-$machine" "$1.trace" >/dev/null
  done
}

# train NAME AGENT ENV TASKS STEPS [SETTING...]
train() {
  local name=$1 agent=$2 env=$3 tasks=$4 steps=$5
  shift 5
  local settings=()
  for each in "$@"; do settings+=(--set "$each"); done
  "$SFNEC" train --agent "$agent" --env "$env" --tasks "$tasks" --steps "$steps" --seed 3 --quiet --save "$name.sfnec" \
    "${settings[@]}"
}

arm64=aarch64-linux-gnu arm32=arm-linux-gnueabihf
echo "== agents with a psi per task"
train sfnec sfnec four_rooms 3 500
check sfnec four_rooms
train sfnec_plus sfnec-plus cartpole 2 500
check sfnec_plus cartpole "$arm64" "$arm32"
train nec nec cartpole 2 500
check nec cartpole
train sfql sfql four_rooms 2 500
check sfql four_rooms "$arm32"
train authors sfnec-authors cartpole 2 300
check authors cartpole
train embedded sfnec:embedding=mlp:training=batch:key_size=8:hidden=16 cartpole 2 300
check embedded cartpole "$arm64"
train projected sfnec-nogpi:embedding=random:key_size=8 four_rooms 2 300
check projected four_rooms

echo "== agents that plan: with contexts, continuous, cells, a task without ends, projected keys"
train plan_rooms sfnec-plan four_rooms 2 400
check plan_rooms four_rooms
train plan_pole sfnec-plan cartpole 2 1000
check plan_pole cartpole "$arm64" "$arm32"
train plan_grid sfnec-plan four_rooms_grid 2 400
check plan_grid four_rooms_grid
train plan_drive sfnec-plan:interpolation=16:filter=off navigation 1 600
check plan_drive navigation "$arm64"
train plan_random sfnec-plan:embedding=random:key_size=6:terminal=zero four_rooms 1 300
check plan_random four_rooms

echo "== the stack of the planner is as small as the head says"
gcc -std=c99 -O2 -fstack-usage -c plan_pole.c -o stack.o
used=$(awk '{ sum += $2 } END { print sum }' stack.su)
[ "$used" -lt 16384 ] || { echo "the functions of a plan take $used bytes of stack together"; exit 1; }

echo "== two policies in one program, by name, and declarations alone"
"$SFNEC" export-c plan_pole.sfnec --out first.c --name first >/dev/null
"$SFNEC" export-c sfnec.sfnec --out second.c --name second --w 0,1,0,-1 >/dev/null
cat >two.c <<'END'
#define FIRST_DECLARATIONS_ONLY
#include "first.c"
#define SECOND_DECLARATIONS_ONLY
#include "second.c"
static first_state one;
static second_state two;
int main(void) {
  const float observation[SECOND_OBSERVATION] = {0}; // the longer one
  first_begin(&one);
  second_begin(&two);
  return first_act(&one, observation, NULL) >= FIRST_ACTIONS || second_act(&two, observation, NULL) >= SECOND_ACTIONS;
}
END
# shellcheck disable=SC2086
gcc $strict two.c first.c second.c -lm -o two
./two
if command -v clang >/dev/null; then
  # shellcheck disable=SC2086
  for each in sfnec embedded sfql plan_grid plan_pole; do clang $strict -c "$each.c" -o clang.o; done
fi

echo "== the example runs, and keeps the pole up"
train pole sfnec-plan cartpole 1 5000 terminal=zero
"$SFNEC" export-c pole.sfnec --out policy.c >/dev/null
# shellcheck disable=SC2086
gcc $strict -I. "$SFNEC_SOURCE/examples/deploy/control.c" policy.c -lm -o control
./control 200 | tee control.txt
grep -q "the pole fell 0 times" control.txt

echo "== refusals name the way out"
# refused TEXT COMMAND...
refused() {
  local text=$1
  shift
  if "$@" >out.txt 2>err.txt; then echo "accepted: $*"; exit 1; fi
  grep -qF -- "$text" err.txt || { echo "expected '$text' from: $*"; cat err.txt; exit 1; }
}
refused "needs --out FILE.c" "$SFNEC" export-c nec.sfnec
refused "export it without weights" "$SFNEC" export-c nec.sfnec --out x.c --w 1
refused "weights but the agent has" "$SFNEC" export-c plan_pole.sfnec --out x.c --w 1,2
refused "a word of a-z" "$SFNEC" export-c nec.sfnec --out x.c --name 2x
train few sfnec-plan cartpole 1 50
refused "train it for more than" "$SFNEC" export-c few.sfnec --out x.c
train lacking sfnec-plan:without=rollouts cartpole 1 300
refused "option without" "$SFNEC" export-c lacking.sfnec --out x.c
[ ! -e x.c ] || { echo "a refused export left a file"; exit 1; }
