#!/usr/bin/env bash
# cover.sh: what a log and a saved agent know, and where plans leave that.
source "$(dirname "$0")/lib/cli.bash"

works "train with a log" train --agent sfnec-plan --tasks 1 --steps 2000 --seed 4 --log rooms.npz --save rooms.agent
works "of a log" cover rooms.npz
check "says what is in it" grep -q '^rooms.npz: 2000 transitions, ' out
check "counts states" grep -Eq '^states: [0-9]+$' out
check "and what was tried" grep -Eq '^their actions: [0-9.]+ % were tried in the very state, [0-9.]+ % there or within a step$' out
check "and says what plans are worth" grep -Eq '^plans from [0-9]+ starts: worth [-0-9.e]+, standard error [-0-9.e]+ by the model$' out
works "fewer starts" cover rooms.npz --starts 1
check "one" grep -q '^plans from 1 start: ' out
works "of an agent" cover rooms.agent
check "from its start" grep -q '^plans from 1 start: ' out
works "under other weights" cover rooms.agent --w 0,0,0,1
refuses 2 'weights but' cover rooms.agent --w 1
refuses 1 'no.agent' cover no.agent
works "train another" train --agent sfnec --tasks 1 --steps 200 --save memory.agent
refuses 1 'does not' cover memory.agent
finish
