#!/usr/bin/env bash
# learn.sh: training writes a log, and agents learn from logs: the program's own, and those of others.
source "$(dirname "$0")/lib/cli.bash"

# ---- the program's own ----
works "train with a log" train --agent sfnec-plan --tasks 2 --steps 1500 --seed 4 --log rooms.npz --save online.agent
check "says where the log is" grep -q 'transitions written to rooms.npz' out
works "the same without" train --agent sfnec-plan --tasks 2 --steps 1500 --seed 4 --save plain.agent
check "a log changes nothing" cmp -s online.agent plain.agent
works "learn" learn rooms.npz --save offline.agent
check "counts transitions" grep -q '^rooms.npz: 3000 transitions, ' out
check "and says what the model holds" grep -Eq '^model: [0-9]+ states, [0-9]+ samples$' out
works "learned alike again" learn rooms.npz --save again.agent
check "to the byte" cmp -s offline.agent again.agent
works "it knows where it was recorded" eval offline.agent --w 0,0,0,1 --steps 1000
earned=$(awk 'NR == 2 { print $2 }' out)
check "and finds the goal ($earned)" awk -v r="$earned" 'BEGIN { exit !(r > 10) }'
works "both tasks are there" inspect offline.agent
check "with their steps" test "$(grep -Ec '^ +[12] +1500 ' out)" -eq 2
works "another agent" learn rooms.npz --agent sfnec --save memory.agent
works "under weights of one's own" learn rooms.npz --w 1,0,0,0 --save one.agent
works "as one task" inspect one.agent
check "of all steps" grep -Eq '^ +1 +3000 ' out
works "learn on" learn rooms.npz --from offline.agent --save more.agent
works "two logs at once" learn rooms.npz rooms.npz --save two.agent
check "each is told" test "$(grep -c "^rooms.npz: 3000" out)" -eq 2
works "it has the tasks again" inspect more.agent
check "four of them" test "$(grep -Ec '^ +[1-4] +1500 ' out)" -eq 4

refuses 2 'leave out -o' train --tasks 1 --steps 50 --log a.npz -o folder
refuses 1 'cannot' train --tasks 1 --steps 50 --log no/a.npz
refuses 1 'rooms.npz does not fit the agent' learn rooms.npz --env cartpole
refuses 2 'weights but four_rooms has 4' learn rooms.npz --w 1,2
refuses 1 'no.npz' learn no.npz
printf 'PK' >short.npz
refuses 1 'short.npz cannot be read as an archive of NumPy: it is no zip file' learn short.npz
head -c 20000 rooms.npz >cut.npz
refuses 1 'cut.npz cannot be read' learn cut.npz

# ---- NumPy's ----
python=${SFNEC_PYTHON:-python3}
if "$python" -c 'import numpy' 2>/dev/null; then
  cat >make.py <<'PYTHON'
import numpy as np
rng = np.random.default_rng(1)
# a corridor of five places: to the right is 1, and the end pays
n, at, rows = 3000, 0, []
for _ in range(n):
    action = int(rng.integers(2))
    to = max(at - 1, 0) if action == 0 else at + 1
    rows.append((at, action, float(to == 4), to, to == 4))
    at = 0 if to == 4 else to
before, actions, rewards, after, ends = map(np.array, zip(*rows))
common = dict(observations=before[:, None], actions=actions, rewards=rewards, terminals=ends)
np.savez("corridor.npz", next_observations=after[:, None], **common)
np.savez("short_names.npz", **common)
np.savez_compressed("packed.npz", **common)
np.savez("objects.npz", **{**common, "rewards": np.array([None] * n)})
np.savez("vector.npz", **{**common, "rewards": np.stack([rewards, ends], 1)})
PYTHON
  "$python" make.py
  works "a log of NumPy" learn corridor.npz --agent sfnec-plan:terminal=zero --save corridor.agent
  check "knows all of it" grep -q '^corridor.npz: 3000 transitions' out
  works "one without next_observations" learn short_names.npz --save short.agent
  works "rewards as vectors need weights" learn vector.npz --w 1,0 --save vector.agent
  refuses 1 'does not say the reward weights of its 2 features' learn vector.npz
  refuses 1 'it is compressed; write the log by numpy.savez' learn packed.npz
  refuses 1 'Python objects' learn objects.npz
  "$python" -c '
import numpy as np
f = np.load("rooms.npz", allow_pickle=False)
assert f["observations"].shape == (3000, 113) and f["terminals"].dtype == bool and f["weights"].shape == (2, 4)
assert np.allclose(f["rewards"], (f["features"] * f["weights"][f["tasks"]]).sum(1))
' && result=0 || result=1
  count $result "NumPy reads the program's logs"
fi

finish
