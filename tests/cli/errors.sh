#!/usr/bin/env bash
# errors.sh: bad input gets one sentence that begins with "sfnec: ", and the right exit code.
source "$(dirname "$0")/lib/cli.bash"

tiny=(--tasks 1 --steps 50 --quiet)

# commands and options: exit 2
refuses 2 'no command'
refuses 2 "did you mean 'train'" tran
refuses 2 "did you mean 'list'" help lst
refuses 2 'after the command' --tasks 3 train
refuses 2 "did you mean '--steps'" train --stpes 3
refuses 2 "did you mean '--json'" inspect --jsn x
refuses 2 'two dashes' train -q
refuses 2 'needs a value' train --tasks
refuses 2 'needs a value' train --csv --quiet
refuses 2 'takes no value' train --quiet=yes
refuses 2 "'extra'" train extra
refuses 2 'needs AGENT' inspect
refuses 2 "'b'" inspect a b
refuses 2 'needs envs' list
refuses 2 'envs, agents or options' list everything
refuses 2 'goes with options' list envs --agent nec
refuses 2 "must be a whole number from 1" train --tasks 0
refuses 2 "must be a whole number from 1" train --tasks three
refuses 2 "must be a whole number from 1" train --tasks 3x
refuses 2 "must be a whole number from 1" train --steps ''
refuses 2 "must be a whole number from 1" train --steps 99999999999999999999
refuses 2 "must be a whole number from 0" train --seed -1
refuses 2 "must be a whole number from 0" train --seed 1.5
refuses 2 "must be a whole number from 1" compare --jobs 0
refuses 2 "must be a whole number from 1" compare --episodes 0
refuses 2 'option of four_rooms; give it by --set' compare --agents sfnec:max_episode_steps=5

# names, keys and values
refuses 2 "'sfnek'.*'sfnec'" train --agent sfnek
refuses 2 "did you mean 'four_rooms'" train --env four_room
refuses 2 "did you mean 'neighbours'" train --set neighbors=5
refuses 2 "did you mean 'max_episode_steps'" train --set max_episode_step=5
refuses 2 'key=value' train --set neighbours
refuses 2 'key=value' train --set =5
refuses 2 'neighbours' train --set neighbours=0
refuses 2 'neighbours' train --set neighbours=few
refuses 2 'capacity' train --set capacity=0
refuses 2 'gamma' train --set gamma=1
refuses 2 'gamma' train --set gamma=-0.1
refuses 2 'epsilon' train --set epsilon=nan
refuses 2 'epsilon' train --set epsilon=2
refuses 2 'kernel' train --set kernel=gauss
refuses 2 'inverse_squared' train --set kernel=
refuses 2 'max_episode_steps' train --set max_episode_steps=-1
refuses 2 'neighbours' train --agent sfnec:neighbours=0
refuses 2 'key=value' train --agent sfnec:neighbours
refuses 2 'commas' train --agent sfnec,nec
refuses 2 'line' train --agent $'sfnec\nnec'

# seeds and agents of a comparison
refuses 2 "'' is neither" compare --seeds ''
refuses 2 "'x' is neither" compare --seeds 1,x
refuses 2 "',2' is neither" compare --seeds 1,,2
refuses 2 "'1-2-3' is neither" compare --seeds 1-2-3
refuses 2 "'-3' is neither" compare --seeds=-3
refuses 2 'write 1-4' compare --seeds 4-1
refuses 2 'seed 2 is there twice' compare --seeds 1-3,2
refuses 2 'more than' compare --seeds 0-18446744073709551615
refuses 2 "'nec' twice" compare --agents nec,ql,nec
refuses 2 "no agent ''" compare --agents sfnec,,nec
refuses 2 'neighbours' compare --agents sfnec,sfnec:neighbours=0
refuses 2 "did you mean 'neighbours'" compare --agents sfnec:neighbors=4

# outputs that cannot be written are refused before the run; these would take hours
long=(--tasks 1000 --steps 20000)
refuses 1 'nowhere/a.csv' train "${long[@]}" --csv nowhere/a.csv
refuses 1 'nowhere/a.agent' train "${long[@]}" --save nowhere/a.agent
refuses 1 'nowhere/a.csv' compare "${long[@]}" --csv nowhere/a.csv
mkdir folder
refuses 1 'folder' train "${long[@]}" --csv folder
refuses 1 'folder' train "${long[@]}" --save folder
refuses 1 'save' train "${long[@]}" --save ''
ln -s elsewhere link
refuses 1 'not a regular file' train "${long[@]}" --save link
check "the link is still a link" test -L link
mkfifo pipe
refuses 1 'not a regular file' train "${long[@]}" --save pipe
check "the pipe is still a pipe" test -p pipe
if [ -w /dev/full ]; then
  # through a link: a test that runs as root must not be able to harm a device
  ln -s /dev/full full.csv
  refuses 1 'No space left' train "${long[@]}" --csv full.csv
  refuses 1 'No space left' compare "${long[@]}" --csv full.csv
fi
refuses 2 'different names' train --csv same --save same
echo precious >kept.csv
refuses 2 'gamma' train --set gamma=1 --csv kept.csv
check "a refused run leaves an older table alone" grep -qx precious kept.csv

# a full disk or a closed pipe behind stdout
full() {
  code=0
  "$SFNEC" "$@" >/dev/full 2>err || code=$?
  local result=0
  [ "$code" -eq 1 ] && one_sentence && grep -q 'standard output: No space left' err || result=1
  count "$result" "a full disk is noticed: sfnec $* (exit $code)"
}
"$SFNEC" train --tasks 2 --steps 100 --quiet --save good.agent
if [ -w /dev/full ]; then
  for command in --help --version 'train --help' 'list envs' 'list agents' 'list options' 'inspect good.agent' \
    'inspect good.agent --json' 'eval good.agent --w 0,0,0,1 --steps 20' 'train --tasks 1000'; do
    # shellcheck disable=SC2086 # words on purpose
    full $command
  done
  code=0
  "$SFNEC" compare --agents ql --seeds 1 --tasks 1 --steps 20 >/dev/full 2>err || code=$?
  check "a full disk is noticed by compare" test "$code" -eq 1
  check "and told" grep -q '^sfnec: .*standard output: No space left' err
fi
set +o pipefail
{ code=0; "$SFNEC" train --tasks 1000 --steps 100 2>err || code=$?; echo "$code" >closed; } | true
set -o pipefail
check "a closed pipe ends a training as SIGPIPE would" grep -qx 141 closed
check "a closed pipe is not told" test ! -s err

code=0
"$SFNEC" train --tasks 2 --steps 50 --csv closed.csv >&- 2>err || code=$?
check "a closed stdout is told with exit 1" test "$code" -eq 1
check "in one sentence" one_sentence
check "the table does not land in another file" test "$(grep -c average closed.csv)" -eq 0

# weights
refuses 2 '3 weights.*4 features' eval good.agent --w 1,2,3
refuses 2 '5 weights.*4 features' eval good.agent --w 1,2,3,4,5
refuses 2 'finite' eval good.agent --w nan,0,0,1
refuses 2 'finite' eval good.agent --w 0,inf,0,1
refuses 2 'finite' eval good.agent --w 0,1e999,0,1
refuses 2 'finite' eval good.agent --w 0,,0,1
refuses 2 'finite' eval good.agent --w 0,x,0,1
refuses 2 'needs reward weights' eval good.agent
"$SFNEC" train --agent nec --tasks 1 --steps 50 --quiet --save nec.agent
refuses 2 'option predict' eval nec.agent --w 0,0,0,1
refuses 2 'choose another --env' eval good.agent --env one_room --random 1
refuses 2 "did you mean 'one_room'" eval good.agent --env oneroom --random 1
refuses 2 'keeps its own options' eval good.agent --random 1 --set neighbours=5
refuses 2 "four_rooms has no option 'nothing'" eval good.agent --random 1 --set nothing=5

# files
size=$(stat -c %s good.agent)
head -c $((size / 2)) good.agent >truncated.agent
head -c 5 good.agent >stub.agent
: >empty.agent
cp good.agent corrupted.agent
byte=$(od -An -tu1 -j $((size / 2)) -N1 good.agent)
# shellcheck disable=SC2059 # the byte is the format
printf "\\x$(printf %02x $((byte ^ 1)))" | dd of=corrupted.agent bs=1 seek=$((size / 2)) conv=notrunc status=none
cp good.agent longer.agent
echo more >>longer.agent
head -c 100000 /dev/zero >foreign.agent
for command in inspect 'eval --random 1'; do
  for file in missing truncated stub empty corrupted longer foreign; do
    # shellcheck disable=SC2086 # words on purpose
    refuses 1 "$file.agent" $command $file.agent
  done
  # shellcheck disable=SC2086
  refuses 1 'folder' $command folder
done
works "the good one is still good" inspect good.agent

works "tiny run" train "${tiny[@]}"
finish
