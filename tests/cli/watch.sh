#!/usr/bin/env bash
# watch.sh: the player in a terminal of tmux: its keys, its sizes, and the terminal afterwards.
source "$(dirname "$0")/lib/cli.bash"

works "train" train --tasks 2 --steps 3000 --seed 2 --save a.sfnec --quiet
works "train nec" train --agent nec --tasks 1 --steps 300 --save nec.sfnec --quiet

# not a terminal, and what is wrong before one is needed
refuses 1 'plays in a terminal, but standard input' watch a.sfnec
refuses 1 'nothing.sfnec' watch nothing.sfnec
refuses 2 '2 weights but four_rooms has 4' watch a.sfnec --w 1,2
refuses 2 'option predict' watch nec.sfnec --w 1,1,1,1
refuses 2 'whole number from 1' watch a.sfnec --speed 0

if ! command -v tmux >/dev/null; then
  echo "tmux is not there: the keys are not tried"
  [ "$failed" -eq 0 ] && exit 77 || exit 1
fi

# a server of its own for every terminal: one that is being ended refuses new ones for a moment
number=0
tmux() { command tmux -L "sfnec-$$-$number" -f /dev/null "$@"; }
next_server() {
  tmux kill-server 2>/dev/null || true
  number=$((number + 1))
}
trap 'tmux kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT

screen() { tmux capture-pane -p; }

# shows PATTERN: the screen shows it, now or within a while
shows() {
  for _ in $(seq 150); do
    if screen | grep -q -e "$1"; then return 0; fi
    sleep 0.1
  done
  screen
  return 1
}

# begin COLUMNS ROWS COMMAND: a shell in a terminal that runs the command, then tells its exit code and its settings
begin() {
  next_server
  tmux new-session -d -x "$1" -y "$2" "env LANG=C TERM=screen NO_COLOR=1 bash --norc --noprofile"
  tmux send-keys "PS1='ready> '; clear; stty -g >before" Enter
  shows '^ready>'
  tmux send-keys "$3; echo ended with \$?; stty -g >after" Enter
}

# given_back DESCRIPTION: the terminal is as it was, and shows the shell again
given_back() {
  shows '^ready> *$' || true
  for _ in $(seq 50); do [ -s after ] && break; sleep 0.1; done
  check "$1: the settings are back" cmp -s before after
  check "$1: the shell's screen is back" shows 'ended with'
  check "$1: the cursor is back" test "$(tmux display-message -p '#{cursor_flag} #{alternate_on}')" = "1 0"
  rm -f after
}

# the keys
begin 80 24 "$SFNEC watch a.sfnec --speed 1 --w 0.5,0,0,0"
check "it plays" shows 'sfnec in four_rooms'
check "the map is there" shows '^+----.*+ sfnec'
tmux send-keys Space
check "space pauses" shows 'paused'
before=$(screen | grep -o 'step [0-9]*' | head -1)
tmux send-keys s
check "s makes a step" shows "step $((${before#step } + 1))  paused"
check "the first weight is chosen" shows '> circle .* 0.50'
q=$(screen | grep -A4 'Q of each')
tmux send-keys Right
check "right raises it" shows '> circle .* 0.60'
tmux send-keys Left Left
check "left lowers it" shows '> circle .* 0.40'
tmux send-keys h h h h
check "a weight of 0" shows '> circle .* 0.00'
check "no reward is no Q, at once" test "$(screen | grep -A4 'Q of each' | grep -c ' 0.000')" -eq 4
tmux send-keys 0
check "0 takes the changes back" shows '> circle .* 0.50'
check "and Q with them" test "$(screen | grep -A4 'Q of each' | grep -o '[0-9.]*$')" = "$(grep -o '[0-9.]*$' <<<"$q")"
check "which was not 0" test "$(grep -c ' 0.000' <<<"$q")" -lt 4
tmux send-keys Down
check "down chooses the next" shows '> square .* 0.00'
tmux send-keys Up Up
check "up goes around" shows '> goal .* 0.00'
tmux send-keys +
check "+ is faster" shows 'speed 2 '
tmux send-keys -- -
check "- is slower" shows 'speed 1 '
tmux send-keys n
check "n begins another episode" shows 'episode 2  step 0'
tmux send-keys x F5 Escape
check "other keys do nothing" shows 'episode 2  step 0  paused'
check "no colour was used" test -z "$(tmux capture-pane -p -e | grep -P '\x1b\[([0-9;]*;)?[34][0-8][;m]' || true)"

# another size
tmux resize-window -x 60 -y 20
check "a terminal that became too small says so" shows 'too small: needs 80 x 24'
tmux resize-window -x 100 -y 40
check "and plays on when it is large again" shows 'sfnec in four_rooms'

# stopped and continued
tmux send-keys C-z
check "Ctrl-Z gives the terminal back" shows 'Stopped'
check "with its cursor" test "$(tmux display-message -p '#{cursor_flag} #{alternate_on}')" = "1 0"
tmux send-keys fg Enter
check "fg continues" shows 'episode 2  step 0  paused'
tmux send-keys q
check "q quits" shows 'ended with'
tmux send-keys 'stty -g >after' Enter
given_back "after q"

# other ends
begin 80 24 "$SFNEC watch a.sfnec --speed 50"
shows 'in four_rooms' || true
tmux send-keys C-c
check "Ctrl-C ends it" shows 'ended with 130'
given_back "after Ctrl-C"

begin 80 24 "$SFNEC watch a.sfnec & echo \$! >pid; fg >/dev/null"
shows 'in four_rooms' || true
kill -TERM "$(cat pid)"
check "SIGTERM ends it" shows 'ended with 130'
given_back "after SIGTERM"

begin 80 24 "$SFNEC watch a.sfnec & echo \$! >pid; fg >/dev/null"
shows 'in four_rooms' || true
kill -ABRT "$(cat pid)"
check "an abort ends it" shows 'ended with 134'
given_back "after an abort"

begin 60 20 "$SFNEC watch a.sfnec"
check "too small is told" shows '60 columns and 20 rows'
check "and is a failure" shows 'ended with 1'
given_back "too small"

# fixed weights
begin 80 24 "$SFNEC watch nec.sfnec"
shows 'in four_rooms' || true
tmux send-keys Right
check "fixed weights are told" shows 'its weights are fixed'
tmux send-keys q
given_back "fixed weights"

# colours and UTF-8
next_server
tmux -u new-session -d -x 80 -y 24 "env LANG=C.UTF-8 TERM=screen-256color NO_COLOR= $SFNEC watch a.sfnec"
check "boxes in UTF-8" shows '┌──'
check "values in 256 colours" test -n "$(tmux capture-pane -p -e | grep -P '48;5;' || true)"
tmux send-keys v
sleep 0.5
for _ in $(seq 50); do
  [ "$(tmux capture-pane -p -e | grep -o '48;5;' | wc -l)" -lt 10 ] && break
  sleep 0.1
done
check "v hides the values" test "$(tmux capture-pane -p -e | grep -o '48;5;' | wc -l)" -lt 10

finish
