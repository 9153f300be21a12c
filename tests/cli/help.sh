#!/usr/bin/env bash
# help.sh: --help of every command, --version and list say what there is.
source "$(dirname "$0")/lib/cli.bash"

works "version" --version
check "version has the form sfnec X.Y.Z" grep -Eqx 'sfnec [0-9]+\.[0-9]+\.[0-9]+' out

# the commands that --help lists are those of the table in main.c; every one of them is tried below
works "help" --help
mapfile -t commands < <(sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' out | grep -vx help | sort)
check "help names help" grep -Eq '^  help ' out
check "help names many commands" test "${#commands[@]}" -ge 14
table=$(grep -o '&command_[a-z_]*' "$SFNEC_SOURCE/src/cli/main.c" | sed 's/&command_//; s/_/-/' | sort)
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
  check "$command --help has lines of at most 100 columns" test "$(awk 'length > 100' long | wc -l)" -eq 0
  # the manual page has a section of each command, with all its options, and all of them in its synopsis
  manual=$SFNEC_SOURCE/docs/sfnec.1
  check "the manual page tells of $command" grep -qx "\.Ss $command" "$manual"
  sed -n "/^\.Ss $command\$/,/^\.S[sh] /p" "$manual" | sed '1d' >section
  sed -n "/^\.Cm $command\$/,/^\.Nm /p" "$manual" >synopsis
  while read -r option; do
    check "the manual page tells of $command --$option" grep -Eq "Fl -$option( |\$)" section
    check "and has it in the synopsis" grep -Eq "Fl (-$option( |\$)|o )" synopsis
  done < <(sed -n 's/^  \(-o, \)\?--\([a-z-]*\).*/\2/p' long | grep -vx help)
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

works "-V" -V
check "-V is --version" grep -Eqx 'sfnec [0-9]+\.[0-9]+\.[0-9]+' out

works "list envs" list envs
check "names stand in one column" [ "$(grep -E '^[a-z]' out | grep -Eoc '^[a-z_]+ +')" = \
  "$(grep -E '^[a-z]' out | grep -Eo '^[a-z_]+ +' | awk '{ n[length]++ } END { for (i in n) print n[i] }')" ]
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
check "list options shows a default and a range" grep -Eq '^ +neighbours +20 .*' out

for pair in states=places sample_reach=borrow interpolation=blend pessimism=caution; do
  check "list options notes the former name ${pair#*=}" bash -c "tr -s ' \n' ' ' <out | grep -Eq '${pair%%=*} [0-9.]+ [^)]*\); formerly ${pair#*=} '"
done
check "each group of options has a title" test "$(grep -Ec '^(all agents|agents |experimental: )' out)" -ge 6
works "resolved options under a former name" list options --agent sfnec-plan:borrow=1.5
check "is the present one" grep -qx 'sample_reach=1.5' out
works "resolved options of nec" list options --agent nec
check "resolved options are key=value lines" test "$(grep -Evc '^[a-z_0-9]+=[^ ]+$' out)" -eq 0
check "nec predicts the reward" grep -qx 'predict=reward' out
check "nec learns at 0.01" grep -qx 'rate=0.01' out
works "resolved options of a changed preset" list options --agent nec:neighbours=3
check "the change is there" grep -qx 'neighbours=3' out
# what is listed can be given back
mapfile -t settings < <(sed 's/^/--set=/' out)
works "resolved options are accepted by --set" train "${settings[@]}" --tasks 1 --steps 10

check "list options leaves out what is for studies of the agent" test "$("$SFNEC" list options | grep -c '^  without ')" -eq 0
check "list options --all has it" test "$("$SFNEC" list options --all | grep -c '^  without ')" -eq 1
check "list options has lines of at most 100 columns" test "$("$SFNEC" list options | awk 'length > 100' | wc -l)" -eq 0
if command -v python3 >/dev/null; then
  value() { python3 -c "import json, sys; print(eval(sys.argv[1], {'x': json.load(open('out'))}))" "$1"; }
  works "environments as JSON" list envs --json
  check "have names" test "$(value 'x[0]["name"], x[0]["observation_size"], x[0]["features"][3]')" = "('four_rooms', 113, 'goal')"
  works "agents as JSON" list agents --json
  check "have settings" test "$(value '[a["settings"] for a in x if a["name"] == "sfnec-nogpi"]')" = "[['policies=own', 'bootstrap=own']]"
  works "options as JSON" list options --json
  check "have defaults" test "$(value '[o["default"] for o in x["agent"] if o["name"] in ("psi", "neighbours")]')" = "['episodic', 20]"
  check "of worlds too" test "$(value 'len(x["cartpole"]) > 0')" = True
  works "resolved options as JSON" list options --agent nec --json
  check "have values" test "$(value 'x["rate"], x["predict"]')" = "(0.01, 'reward')"
fi

finish
