#!/usr/bin/env bash
# replay.sh: the replay of an agent is JSON of the agreed shape, and agrees with the scene.
set -euo pipefail

python=${SFNEC_PYTHON:-}
[ -n "$python" ] || python=$(command -v python3) || { echo "no python"; exit 77; }
tool=$SFNEC_BUILD/tests/show/tool_replay
label=$'odd "label" \\ \t ü'

train() { # FILE ENV AGENT
  "$SFNEC" train --env "$2" --agent "$3" --tasks 3 --steps 1500 --seed 5 --save "$1" --quiet
}
train rooms.sfnec four_rooms sfnec
train nec.sfnec four_rooms nec
train learned.sfnec four_rooms sfnec:w=sgd
train one.sfnec one_room sfql
train grid.sfnec four_rooms_grid sfnec
train plan.sfnec four_rooms sfnec-plan
train cart.sfnec cartpole nec

for agent in rooms nec learned one grid plan; do
  "$tool" $agent.sfnec "$label" 11 1 >$agent.json
done
"$tool" cart.sfnec "$label" 11 0 | head -n 1 >cart.json

"$python" - "$label" <<'PYTHON'
import json, math, sys

label = sys.argv[1]
for name in ("rooms", "nec", "learned", "one", "grid", "plan"):
    replay, scene = [json.loads(line) for line in open(name + ".json", encoding="utf-8")]
    assert replay["label"] == label and replay["seed"] == 11 and replay["task"] == 1, name
    assert replay["policy_count"] == 3
    actions = len(replay["action_names"])
    frames, path = replay["frames"], scene["path"]
    assert len(frames) == scene["steps"] + 1 == len(path) + 1
    in_vain, last = set(), None
    for frame, (x, y, action, policy, reward) in zip(frames, path):
        assert abs(frame["x"] - x) < 1e-4 and abs(frame["y"] - y) < 1e-4
        assert (frame["action"], frame["policy"]) == (action, policy)
        assert abs(frame["reward"] - reward) < 1e-4 and frame["explored"] is False
        assert len(frame["q"]) == actions
        # what was chosen has the largest value, up to the four decimals; a plan leaves what has done nothing here
        here = (x, y)
        if last and last[0] == here:
            in_vain.add(last)
        left = [q for a, q in enumerate(frame["q"]) if name != "plan" or (here, a) not in in_vain]
        assert frame["q"][action] >= max(left) - 1e-4, name
        last = (here, action)
    assert (frames[-1]["action"], frames[-1]["policy"], frames[-1]["reward"]) == (-1, -1, 0)
    assert frames[0]["taken"] == [] and sum(1 << i for i in frames[-1]["taken"]) == scene["taken"]
    assert abs(replay["total"] - scene["total"]) < 1e-3 and replay["terminated"] == scene["terminated"]
    assert abs(sum(f["reward"] for f in frames) - scene["total"]) < 1e-2

    walls = replay["walls"]
    inside = lambda x, y: any(a < x < c and b < y < d for a, b, c, d in walls)
    assert all(0 <= a <= c <= 1 and 0 <= b <= d <= 1 for a, b, c, d in walls)
    values = replay["value_map"]
    columns, rows = values["columns"], values["rows"]
    assert (columns, rows) == ((13, 13) if name == "grid" else (41, 41))
    assert len(values["values"]) == columns * rows
    for i, value in enumerate(values["values"]):
        x, y = (i % columns + 0.5) / columns, (i // columns + 0.5) / rows
        assert (value is None) == inside(x, y), (name, x, y)
    classes = len(replay["class_names"])
    shapes = ["circle", "square", "triangle", "cross", "star"]
    assert len(replay["glyphs"]) == classes and all(glyph in shapes for glyph in replay["glyphs"])
    assert all(0 <= o["class"] < classes and 0 <= o["x"] <= 1 for o in replay["objects"])
    memories = replay["memories"]
    assert len(memories) <= 400 and all(-0.02 < x < 1.02 and -0.02 < y < 1.02 for x, y in memories)
    assert (len(memories) > (0 if name == "grid" else 100)) == (name not in ("one", "plan")), (name, len(memories))
    assert ("places" in replay) == ("path" in frames[0]) == (name == "plan")
    if name == "plan":
        places = replay["places"]
        assert 50 < len(places) <= 2000 and {mark for x, y, mark in places} == {0, 1}
        assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y, mark in places)
        assert all(len(f["path"]) % 2 == 0 and len(f["path"]) <= 48 for f in frames) and len(frames[0]["path"]) > 4
        assert frames[-1]["path"] == []

cart = json.load(open("cart.json"))
assert cart == {"env": "cartpole", "label": label, "unsupported": True}
PYTHON

# nothing is written for what cannot be played
"$SFNEC" train --tasks 1 --steps 50 --save bad.sfnec --quiet
printf 'x' >>bad.sfnec
if "$tool" bad.sfnec label 1 0 >out 2>err; then exit 1; fi
[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ]
