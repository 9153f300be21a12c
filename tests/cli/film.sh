#!/usr/bin/env bash
# film.sh: films and pictures have their format, size and frames; what cannot be filmed is refused in one sentence.
source "$(dirname "$0")/lib/cli.bash"

# fontconfig keeps what it has found out about fonts until the end, which the leak sanitizer takes for lost
echo 'leak:libfontconfig' >fonts.sfnec
export LSAN_OPTIONS=suppressions=$PWD/fonts.sfnec:print_suppressions=0

works "train" train --tasks 2 --steps 600 --seed 2 --save a.sfnec --quiet
works "train in cartpole" train --env cartpole --agent nec --tasks 1 --steps 300 --save cart.sfnec --quiet

# wrong use, and agents that cannot be played
refuses 2 'needs --out' film a.sfnec
refuses 2 'must end in .gif, .mp4 or .png' film a.sfnec -o film.avi
refuses 2 'must end in .gif, .mp4 or .png' film a.sfnec -o film
refuses 2 'must end in' film a.sfnec -o x.gif/film
refuses 2 '3 weights but four_rooms has 4 features' film a.sfnec -o f.gif --w 1,2,3
refuses 2 "weight 2 is 'x'" film a.sfnec -o f.gif --w 1,x,3,4
refuses 2 'has 2 tasks' film a.sfnec -o f.gif --task 3
refuses 2 'whole number from 160' film a.sfnec -o f.gif --size 10
refuses 2 'option predict' film cart.sfnec -o f.gif --w 1
refuses 1 'nothing.sfnec' film nothing.sfnec -o f.gif
check "nothing was left behind" test -z "$(ls | grep -v -e '\.sfnec$' -e '^out$' -e '^err$')"

if ! "$SFNEC" film a.sfnec -o probe.png --size 160 2>err; then
  check "without cairo there is a sentence" grep -q 'built without cairo' err
  check "without cairo nothing is left behind" test ! -e probe.png
  finish
  exit
fi

# a big-endian or little-endian number of some bytes of a file
be32() { od -An -tu1 -j "$2" -N 4 "$1" | awk '{print (($1 * 256 + $2) * 256 + $3) * 256 + $4}'; }
le16() { od -An -tu1 -j "$2" -N 2 "$1" | awk '{print $1 + 256 * $2}'; }

works "a picture" film a.sfnec -o a.png --size 200 --steps 40
check "it is a PNG" test "$(head -c 8 a.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a
check "its height" test "$(be32 a.png 20)" -eq 200
check "its width" test "$(be32 a.png 16)" -eq 324
works "train an agent that plans" train --agent sfnec-plan --tasks 2 --steps 600 --seed 2 --save plan.sfnec --quiet
works "its film, with its places and its path" film plan.sfnec -o plan.gif --size 160 --steps 20
works "its picture" film plan.sfnec -o plan.png --size 160 --steps 20
works "the same picture again" film a.sfnec --out=b.png --size 200 --steps 40
check "same bytes" cmp -s a.png b.png
works "another reward" film a.sfnec -o c.png --size 200 --steps 40 --w=-1,-1,-1,1
check "another picture" test "$(cmp -s a.png c.png; echo $?)" -eq 1

works "a film" film a.sfnec -o a.gif --size 160 --steps 12 --w 0,0,0,0
check "it is a GIF" test "$(head -c 6 a.gif)" = GIF89a
check "its size" test "$(le16 a.gif 6)x$(le16 a.gif 8)" = 258x160
check "it ends as a GIF does" test "$(tail -c 1 a.gif | od -An -tx1 | tr -d ' ')" = 3b
works "a film of a cart" film cart.sfnec -o cart.gif --size 160 --steps 5

if command -v ffprobe >/dev/null; then
  frames() { ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "$1" | tr -d ','; }
  # 12 steps have 13 states, unless the goal came first
  check "as many frames as states" test "$(frames a.gif)" -eq 13
fi
if command -v ffmpeg >/dev/null; then
  works "an mp4" film a.sfnec -o a.mp4 --size 160 --steps 12 --speed 10 --w 0,0,0,0
  check "it is an MP4" test "$(head -c 8 a.mp4 | tail -c 4)" = ftyp
  # 12 frames and two seconds of the last one
  ! command -v ffprobe >/dev/null || check "frames of the mp4" test "$(frames a.mp4)" -eq 32
fi

# without ffmpeg on the path
code=0
PATH=/nowhere "$SFNEC" film a.sfnec -o no.mp4 --size 160 --steps 3 2>err >out || code=$?
check "no ffmpeg is told" test "$code" -eq 1
check "in one sentence" grep -q '^sfnec: the program ffmpeg.*not found' err
check "and leaves nothing behind" test -z "$(ls | grep no.mp4)"

# targets that cannot be written
refuses 1 'cannot write' film a.sfnec -o nowhere/film.gif
mkdir folder.gif
refuses 1 'cannot write' film a.sfnec -o folder.gif
ln -s /dev/full full.gif
refuses 1 'cannot write' film a.sfnec -o full.gif --size 160 --steps 5
ln -s /dev/full full.png
refuses 1 'cannot write' film a.sfnec -o full.png --size 160 --steps 5
ln -s /dev/null null.mp4
refuses 1 'plain file' film a.sfnec -o null.mp4 --size 160 --steps 5
check "no part is left behind" test -z "$(ls | grep -F .tmp.)"

finish
