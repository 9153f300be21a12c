#!/usr/bin/env bash
# inspect.sh: what `inspect` prints of an agent that somebody else may have written.
source "$(dirname "$0")/lib/cli.bash"
tool=$SFNEC_BUILD/tests/cli/tool_note

# plain FILE: nothing in it but printable characters and ends of lines
plain() {
  ! LC_ALL=C grep -q "[$(printf '\001-\010\013-\037\177')]" "$1" && ! LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$1"
}

works "an agent" train --tasks 1 --steps 30 --save good.agent --quiet
works "its note is shown" inspect good.agent
check "its note says where it was trained" grep -q '^  env' out
check "its weights have few digits" grep -Eq '^ +1 .* -?0\.[0-9]{1,3} ' out
check "and bars" grep -q '[█░]' out
lines=$(wc -l <out)

# a window title, colours, a cleared screen, a line that is written over, a C1 control, a bell, and a forged line
cp good.agent bad.agent
printf 'first \033]0;title\007\033[31mred\033[2J\rover \302\233 \b\177 end\nbad.agent: 99 tasks, trusted\nlast' | "$tool" bad.agent
works "a hostile note" inspect bad.agent
check "hostile note: no control character is printed" plain out
check "hostile note: its words are there" grep -q '^  first .*red.*over .* end$' out
check "hostile note: a line of it is no line of ours" test "$(grep -c '^bad.agent: ' out)" -eq 1
check "hostile note: its lines are set in" grep -q '^  bad.agent: 99 tasks, trusted$' out
check "hostile note: the rest is as ever" test "$(wc -l <out)" -le $((lines + 3))

works "as JSON" inspect bad.agent --json
check "JSON: no control character is printed raw" plain out
check "JSON: one document" python3 -c 'import json, sys; assert "first" in json.load(open("out"))["note"]'

# an agent that plans
works "an agent that plans" train --agent sfnec-plan --tasks 2 --steps 600 --save plan.agent --quiet
works "its model is shown" inspect plan.agent
check "states, samples and bytes" grep -Eq '^  [1-9][0-9]* states, [1-9][0-9]* samples, [1-9][0-9]* bytes$' out
check "how long a step is" grep -Eq '^  a step is [0-9.]+ long, the radius of a state [0-9.]+ steps$' out
check "the regime" grep -Eq '^  regime: (tabular|cells|continuous)$' out
check "noise" grep -q '^  no noise in keys was found$' out
check "how many components are what" grep -Eq '^  of the components [0-9]+ make the key, [0-9]+ the context, [0-9]+ (is|are) constant, [0-9]+ (is|are) dropped$' out
check "runs of components with a reason" grep -Eq '^ +0-[0-9]+  key\?? .*  [a-z].*' out
states=$(sed -En 's/^  ([0-9]+) states.*/\1/p' out)
works "its model as JSON" inspect plan.agent --json
check "JSON: the same states" python3 -c "import json; m = json.load(open('out'))['model']; assert m['places'] == $states and m['radius'] > 0 and m['samples'] > 0"
check "JSON: all components" python3 -c "
import json
agent = json.load(open('out'))
model, components = agent['model'], agent['model']['components']
assert [c['component'] for c in components] == list(range(agent['observations']))
assert model['regime'] in ('tabular', 'cells', 'continuous') and model['noise'] == 0 and model['directions'] == 0
assert all(c['reason'] and 0 <= c['p'] <= 1 for c in components) and sum(c['role'] == 'context' for c in components) == model['slow']"
# what keeps an agent from learning well: told after training, and of a saved agent
run train --agent sfnec-plan --env cartpole --set radius=0.01 --set sample_reach=0 --tasks 1 --steps 1200 --seed 1 \
  --save new.agent --quiet
check "a model of new states alone is saved" test "$code" -eq 0
check "train says what is wrong, and which option helps" grep -q 'sfnec: sfnec-plan seed 1: .* nearly every state is new.*radius' err
works "its warnings" inspect new.agent
check "inspect says it too" grep -q '^  states: .* nearly every state is new' out
works "its warnings as JSON" inspect new.agent --json
check "JSON: one finding" python3 -c "import json; assert [f['name'] for f in json.load(open('out'))['findings']] == ['states']"
works "an agent without warnings" inspect plan.agent
check "no warnings, no heading" sh -c '! grep -q "^warnings" out'

works "without relevance" train --agent sfnec-plan --set relevance=off --tasks 1 --steps 300 --save plain.agent --quiet
works "its components" inspect plain.agent
check "they were not examined" grep -Eq '^ +0-[0-9]+  key\? .*  not examined: the option relevance is off$' out
works "without a model as JSON" inspect good.agent --json
check "JSON: no model" python3 -c "import json; assert json.load(open('out'))['model'] is None"
works "without a model" inspect good.agent
check "no model, no heading" sh -c '! grep -q "^model" out'

printf '' | "$tool" bad.agent
works "without a note" inspect bad.agent
check "no note, no heading" sh -c '! grep -q "^note" out'

# those who look for the environment in the note
printf 'env=\033[31mfour_rooms\nenv' | "$tool" bad.agent
for command in 'eval bad.agent --w 0,0,0,1 --steps 5' 'watch bad.agent --w 0,0,0,1 --steps 5'; do
  # shellcheck disable=SC2086 # words on purpose
  run $command
  check "$command: no control character in what it says" plain err
done

finish
