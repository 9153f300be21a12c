#!/usr/bin/env bash
# Exported policies answer as the library does, to the bit: of several agents in several worlds, compiled as strict C99
# by gcc and clang without a warning, and for other machines where there is a compiler and an emulator for them.
set -euo pipefail
export SFNEC_SIMD=scalar
strict="-std=c99 -O2 -Wall -Wextra -Werror -pedantic"
tool=$SFNEC_BUILD/tests/agent/tool_policy_trace

# what compiles for a machine, and what runs its programs: on x86 in 32 bits with SSE, as the x87 rounds otherwise
compiler_for() { case $1 in i386) echo "gcc -m32 -msse2 -mfpmath=sse" ;; *) echo "$1-gcc" ;; esac; }
emulator_for() { case $1 in i386) ;; *) echo "qemu-${1%%-*}" ;; esac; }

# can_try MACHINE: whether a program for it can be compiled and run here
can_try() {
  echo '#include <stdio.h>
int main(void) { return puts("") < 0; }' >any.c
  # shellcheck disable=SC2046 # words on purpose
  $(compiler_for "$1") any.c -static -o "any-$1" 2>/dev/null && $(emulator_for "$1") "./any-$1" >/dev/null 2>&1
}

# compile COMPILER NAME PROGRAM: with what the head of the policy promises
compile() {
  local multiplies
  multiplies=$(sed -n 's/.*fused multiply-adds: \([0-9]*\) in all/\1/p' "$2.c")
  # shellcheck disable=SC2086 # a compiler and flags are words on purpose
  $1 $strict -DPOLICY="\"$2.c\"" -DMULTIPLIES="$multiplies" -I. "$SFNEC_SOURCE/tests/agent/policy_check.c" -lm -o "$3" -static
}

# check NAME ENV [SETTING]: the answers of NAME.sfnec over 300 steps, here
check() {
  "$SFNEC" export-c "$1.sfnec" --out "$1.c" >/dev/null
  "$tool" "$1.sfnec" "$2" 300 "$1.trace" "${@:3}"
  compile gcc "$1" "$1-gcc"
  echo "$1: $(./"$1-gcc" "$1.trace")"
}

# check_on MACHINE NAME...: the same answers on another machine
check_on() {
  if ! can_try "$1"; then
    echo "no compiler, C library and emulator for $1 here: not tried on that machine"
    return
  fi
  for each in "${@:2}"; do
    compile "$(compiler_for "$1")" "$each" "$each-$1"
    # shellcheck disable=SC2046 # nothing, or a word
    echo "$each on $1: $($(emulator_for "$1") "./$each-$1" "$each.trace")"
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

echo "== agents with a psi per task"
train sfnec sfnec four_rooms 3 500
check sfnec four_rooms
train sfnec_plus sfnec-plus cartpole 2 500
check sfnec_plus cartpole
train nec nec cartpole 2 500
check nec cartpole
train sfql sfql four_rooms 2 500
check sfql four_rooms
train authors sfnec-authors cartpole 2 300
check authors cartpole
train embedded sfnec:embedding=mlp:training=batch:key_size=8:hidden=16 cartpole 2 300
check embedded cartpole
train projected sfnec-nogpi:embedding=random:key_size=8 four_rooms 2 300
check projected four_rooms
train pictured sfnec four_rooms 2 300 observe=picture pixels=12 'layers=conv:6x3/2p1;dense:10' capacity=200
check pictured four_rooms observe=picture pixels=12

echo "== agents that plan: with contexts, continuous, cells, a task without ends, projected keys, other features"
train plan_rooms sfnec-plan four_rooms 2 400
check plan_rooms four_rooms
train plan_pole sfnec-plan cartpole 2 1000
check plan_pole cartpole
train plan_grid sfnec-plan four_rooms_grid 2 400
check plan_grid four_rooms_grid
train plan_drive sfnec-plan:interpolation=16:filter=off navigation 1 600
check plan_drive navigation
train plan_random sfnec-plan:embedding=random:key_size=6:terminal=zero four_rooms 1 300
check plan_random four_rooms

train plan_learned sfnec-plan:predict=learned cartpole 1 800
check plan_learned cartpole
train plan_any sfnec-plan:rewards=any cartpole 1 800
check plan_any cartpole

echo "== masks of actions: memories, a plan of cells, and one whose rollouts go by the masks that were seen"
cc -std=c11 -O1 -shared -fPIC -I"$SFNEC_SOURCE/include" "$SFNEC_SOURCE/tests/agent/masked_plugin.c" -o masked.so
train masked_sfnec sfnec-plus ./masked.so 2 400
check masked_sfnec ./masked.so
train masked_linear sfql ./masked.so 2 400
check masked_linear ./masked.so
train masked_cells sfnec-plan ./masked.so 1 600 cells=1
check masked_cells ./masked.so cells=1
train masked_plan sfnec-plan ./masked.so 1 1500
check masked_plan ./masked.so
for pattern in "POLICY_ROLLOUT_STEPS [1-9]" "POLICY_MASKS [1-9]" "POLICY_SLOW 1"; do
  grep -qE "define $pattern" masked_plan.c || { echo "the plan of a masked world has no $pattern"; exit 1; }
done

echo "== on other machines"
check_on aarch64-linux-gnu sfnec_plus embedded pictured plan_pole plan_drive masked_plan
check_on arm-linux-gnueabihf sfnec_plus sfql plan_pole masked_plan
check_on i386 sfnec_plus sfql plan_pole masked_plan

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
