#!/usr/bin/env bash
# help.sh: --help of every command, --version and list say what there is.
source "$(dirname "$0")/lib/cli.bash"

works "version" --version
check "version has the form sfnec X.Y.Z" grep -Eqx 'sfnec [0-9]+\.[0-9]+\.[0-9]+' out

# the commands that --help lists are those of the table in main.c; every one of them is tried below
works "help" --help
mapfile -t commands < <(sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out | grep -vx help | sort)
check "help names help" grep -Eq '^  help ' out
check "help names many commands" test "${#commands[@]}" -ge 14
table=$(grep -o '&command_[a-z]*' "$SFNEC_SOURCE/src/cli/main.c" | sed 's/&command_//' | sort)
check "help names each command of main.c" test "$table" = "$(printf '%s\n' "${commands[@]}")"

# one table makes parsing and help: the three ways to the help of a command are the same text
for command in "${commands[@]}"; do
  works "$command --help" "$command" --help
  cp out long
  check "$command --help begins with its usage" grep -q "^usage: sfnec $command" out
  check "$command --help says what the command does" test "$(sed -n '3,/^$/p' out | wc -w)" -ge 5
  check "$command --help says something of each option" test "$(sed -n '/^options:/,$p' out | grep -Ec '^  -[^ ]+( [^ ]+)?$')" -eq 0
  works "help $command" help "$command"
  check "help $command equals $command --help" cmp -s out long
  works "$command -h" "$command" -h
  check "$command -h equals $command --help" cmp -s out long
  check "the manual page tells of $command" grep -qx "\.Ss $command" "$SFNEC_SOURCE/docs/sfnec.1"
done

run train --help
for option in agent env tasks steps seed set csv save quiet; do
  check "train --help names --$option" grep -q "^  --$option " out
done
check "train --help shows defaults" grep -q 'transitions per task (default 20000)' out

# what describes a study has the same words everywhere
for command in run compare train; do
  run "$command" --help
  for option in env set tasks steps episodes seeds jobs; do
    check "$command --help names --$option" grep -q "^  --$option " out
  done
  check "$command --help names -o" grep -q '^  -o, --out ' out
done

works "list envs" list envs
check "four_rooms is listed" grep -q '^four_rooms ' out
check "one_room is listed" grep -q '^one_room ' out
check "four_rooms has 113 observation floats" grep -q 'observation: 113 floats' out

works "list agents" list agents
for agent in sfnec sfnec-nogpi nec sfql ql sfnec-plus; do
  check "agent $agent is listed" grep -q "^$agent " out
done

works "list options" list options
for option in neighbours capacity gamma horizon epsilon kernel gpi_penalty novelty max_episode_steps; do
  check "option $option is listed" grep -Eq "^ +$option " out
done
check "list options shows a default and a range" grep -Eq '^ +neighbours +20 .*1' out

works "resolved options of nec" list options --agent nec
check "resolved options are key=value lines" test "$(grep -Evc '^[a-z_0-9]+=[^ ]+$' out)" -eq 0
check "nec predicts the reward" grep -qx 'predict=reward' out
check "nec learns at 0.01" grep -qx 'rate=0.01' out
works "resolved options of a changed preset" list options --agent nec:neighbours=3
check "the change is there" grep -qx 'neighbours=3' out
# what is listed can be given back
mapfile -t settings < <(sed 's/^/--set=/' out)
works "resolved options are accepted by --set" train "${settings[@]}" --tasks 1 --steps 10

finish
