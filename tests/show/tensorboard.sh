#!/usr/bin/env bash
# tensorboard.sh: the event files as the real tensorboard package reads them, against the JSON export.
source "$(dirname "$0")/../cli/lib/cli.bash"
study="${SFNEC_BUILD:?set SFNEC_BUILD to the build folder}/tests/study/tool_study"
if [ -z "${SFNEC_PYTHON:-}" ] || ! "$SFNEC_PYTHON" -c 'import tensorboard' 2>/dev/null; then
  echo "skipped: SFNEC_PYTHON has no tensorboard"
  exit 77
fi

"$study" study 3 3 5
"$study" backwards 3 3 5 reversed
"$study" part 2 2 3 partial
for name in study part; do
  works "export of $name" export $name --json $name.json --tensorboard $name.events --seconds
done
works "without seconds" export study --tensorboard plain.events --json plain.json
works "without seconds, other order of execution" export backwards --tensorboard backwards.events
check "the same bytes" diff -r plain.events backwards.events
works "once more into the same folder" export study --tensorboard plain.events
check "replaces the files" diff -r plain.events backwards.events

cat >compare.py <<'PYTHON'
import json, math, os, re, sys
import numpy
from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer

document, folder, seconds = sys.argv[1], sys.argv[2], sys.argv[3] == "seconds"
results = json.load(open(document))
board = EventMultiplexer(size_guidance={"scalars": 0, "tensors": 0}).AddRunsFromDirectory(folder)
board.Reload()


def curves(tasks):
    found = {
        "return/task": [t["return"] for t in tasks],
        "return/average": [t["average"] for t in tasks],
        "memory/entries": [t["entries"] for t in tasks],
        "w/error": [t["w_error"] for t in tasks],
        "return/optimum": [t["optimum"] for t in tasks],
        "model/places": [t["places"] for t in tasks],
        "episodes/count": [t["episodes"] for t in tasks],
    }
    if seconds:
        found["speed/steps_per_second"] = [t["steps"] / t["seconds"] for t in tasks]
    return found


def bins(tasks):
    names = {"reward": "reward", "episode_return": "episode_return", "episode_length": "episode_steps"}
    names |= {name: name for name in ("exploration", "loss", "entries", "places")}
    steps = [step for t in tasks for step in t["bins"]["step"]]
    found = {f"steps/{tag}": list(zip(steps, (v for t in tasks for v in t["bins"][name]))) for tag, name in names.items()}
    for tag in ("return", "success", "length"):
        found[f"evaluation/{tag}"] = [(t["evaluations"][0]["step"], sum(e[tag] for e in t["evaluations"]) / 2) for t in tasks]
    return found


def check(run, expected, over_steps, tolerance=0):
    assert set(board.Runs()[run]["scalars"]) == set(expected) | set(over_steps), (run, board.Runs()[run]["scalars"])
    for tag, points in over_steps.items():
        events = board.Scalars(run, tag)
        assert [e.step for e in events] == [step for step, _ in points], (run, tag)
        for event, (_, value) in zip(events, points):
            assert math.isclose(event.value, numpy.float32(value), rel_tol=tolerance), (run, tag, event, value)
    for tag, values in expected.items():
        events = board.Scalars(run, tag)
        assert [e.step for e in events] == list(range(1, len(values) + 1)), (run, tag)
        for event, value in zip(events, values):
            assert math.isclose(event.value, numpy.float32(value), rel_tol=tolerance), (run, tag, event, value)


seen, points = set(), 0
for configuration in results["configurations"]:
    name = re.sub(r"[^A-Za-z0-9=._-]", "_", configuration["name"])
    all_curves, all_bins = [], []
    for run in configuration["runs"]:
        if not run["tasks"]:
            continue
        expected = curves(run["tasks"])
        all_curves.append(expected)
        all_bins.append(bins(run["tasks"]))
        path = f"{name}/seed-{run['seed']}"
        with_episodes = dict(expected)
        with_episodes["episode/return"] = [e["return"] for t in run["tasks"] for e in t["episode_list"]]
        check(path, with_episodes, all_bins[-1])
        seen.add(path)
        points += sum(map(len, with_episodes.values()))
    if not configuration["runs"] or not all_curves:
        continue
    mean, mean_bins = {}, {}
    for tag in all_curves[0]:
        columns = [[c[tag][i] for c in all_curves if i < len(c[tag])] for i in range(max(len(c[tag]) for c in all_curves))]
        mean[tag] = [sum(column) / len(column) for column in columns]
    for tag in (tag for tag in all_bins[0] if tag.startswith("steps/")):
        columns = [[b[tag][i] for b in all_bins if i < len(b[tag])] for i in range(max(len(b[tag]) for b in all_bins))]
        mean_bins[tag] = [(column[0][0], sum(v for _, v in column) / len(column)) for column in columns]
    check(f"{name}/mean", mean, mean_bins, 1e-6)
    seen.add(f"{name}/mean")
assert set(board.Runs()) == seen, (board.Runs().keys(), seen)
print(points, "points agree")
PYTHON

check "all values of the study" "$SFNEC_PYTHON" compare.py study.json study.events seconds
check "all values of a part" "$SFNEC_PYTHON" compare.py part.json part.events seconds
sed 's/"seconds": [^,]*, //' study.json >without.json
check "all values without seconds" "$SFNEC_PYTHON" compare.py without.json plain.events plain
check "a damaged file is noticed by the reader" bash -c \
  'f=$(find plain.events -path "*seed-1*" -type f | head -1); printf "\377" | dd of="$f" bs=1 seek=60 conv=notrunc 2>/dev/null
   ! "$SFNEC_PYTHON" compare.py without.json plain.events plain >/dev/null 2>&1'

finish
