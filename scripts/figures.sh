#!/bin/sh
# figures.sh FROM [SFNEC]: draws the figures of docs/figures again from the stored results in the folder FROM, one experiment
# per line of the table below. An experiment that is not there is told, with the command that makes it, and its figure
# stays as it is.
set -u
from=${1:?"the folder that has the experiments: make figures FROM=runs"}
sfnec=${2:-build/sfnec}
figures=docs/figures
missing=0

# the folder of FROM, its figures, and how it was made
while read -r folder wanted how; do
  if [ ! -e "$from/$folder/experiment.db" ]; then
    echo "figures: $from/$folder is not there: sfnec run experiments/$how -o $from/$folder"
    missing=1
    continue
  fi
  for figure in $(echo "$wanted" | tr , ' '); do
    drawn=$(mktemp -d) || exit 1
    "$sfnec" plot "$from/$folder" --figure "$figure" --out "$drawn" >/dev/null || exit 1
    cp "$drawn"/*"-$figure.svg" "$figures/$folder-$figure.svg" || exit 1
    rm -r "$drawn"
    echo "figures: $figures/$folder-$figure.svg"
  done
done <<'TABLE'
main average,boxes,differences,regret,step-time main.yaml --seeds 1-10 --tasks 10
main-50 average main.yaml --set max_episode_steps=0
capacity boxes capacity.yaml
neighbours boxes neighbours.yaml
learned-w average learned-w.yaml
embedding boxes embedding.yaml
cartpole-horizon episodes cartpole-horizon.yaml
TABLE

# the picture of docs/watch.md, of an agent that takes half a minute to train, the film of README and the landing page, and
# the heat map of docs/statistics.md
agents=$(mktemp -d) || exit 1
"$sfnec" train --tasks 8 --steps 12000 --seed 3 --save "$agents/eight.agent" --quiet &&
  "$sfnec" film "$agents/eight.agent" -o "$figures/film.png" --size 640 &&
  "$sfnec" train --agent sfnec-plan --tasks 3 --steps 10000 --seed 1 --save "$agents/rooms.agent" --quiet &&
  "$sfnec" film "$agents/rooms.agent" --w 0.5,-1,0.2,1 -o "$figures/film.gif" --size 360 &&
  "$sfnec" film "$agents/rooms.agent" -o "$figures/env-four_rooms.png" --size 280 &&
  "$sfnec" eval "$agents/rooms.agent" --w 0,0,0,1 --heat circle,square -o "$agents/eval-heat.svg" >/dev/null &&
  cp "$agents/eval-heat.svg" "$figures" || exit 1

# the pictures of the other environments: name, agent, how it is trained
while read -r env agent how; do
  # shellcheck disable=SC2086 # words
  "$sfnec" train --agent "$agent" --env "$env" --seed 1 $how --save "$agents/$env.agent" --quiet </dev/null &&
    "$sfnec" film "$agents/$env.agent" -o "$figures/env-$env.png" --size 280 </dev/null || exit 1
done <<'TABLE'
one_room sfnec-plan --tasks 1 --steps 6000
cartpole nec --tasks 1 --episodes 100
four_rooms_grid sfnec-plan --tasks 3 --steps 5000
navigation sfnec-plan --tasks 1 --steps 5000
TABLE
rm -r "$agents"
exit $missing
