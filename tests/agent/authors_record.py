# What the authors' published program computed, as the oracle of the preset sfnec-authors.
#
# authors-604.npz holds 4,000 transitions of four_rooms (seed 604, at most 200 steps an episode, 3 tasks) and the psi
# that the program (SFNEC with observations as keys, exact search) found in every state when it was led along them.
#
#   task, new_episode, action, policy, terminated, truncated, phi   one row per transition; `policy` is the one whose
#                                       one-step update the program was made to take
#   position, taken                     the state before each transition: x and y, and 12 bits, the objects taken
#   end_position, end_taken             the state after those that end an episode or a task, in their order
#   w                                   the reward weights of the tasks
#   psi                                 float32 (policy, action, feature) of all policies so far, row after row
#
# The observation is made of the state as the world makes it; to the bit, it is the one that the program was given.
#
# Usage: authors_record.py TOOL RECORD: gives the record to TOOL (tool_follow.c), which leads the agent and compares.
import subprocess
import sys

import numpy as np

ACTIONS, FEATURES = 4, 4
PSI_TOLERANCE = 1e-4
CLEAR = 1e-4  # the choice is compared where the best value leads by more than this


def observations(position, taken):
    centres = np.arange(10) / 9
    across, up = (np.exp(-((position[:, axis, None] - centres) ** 2) / 0.1) for axis in (0, 1))
    bases = (up[:, :, None] * across[:, None, :]).reshape(len(position), 100)
    bits = np.unpackbits(taken, axis=1)[:, :12]
    return np.hstack([bases, bits, np.ones((len(position), 1))]).astype(np.float32)


def words(numbers):
    return " ".join(map(repr, np.asarray(numbers, dtype=np.float64).ravel().tolist()))


def stream(record):
    here = observations(record["position"], record["taken"])
    after_end = iter(observations(record["end_position"], record["end_taken"]))
    yield f"shape {here.shape[1]} {ACTIONS} {FEATURES} {len(record['w'])}"
    yield f"tolerance {PSI_TOLERANCE}"
    yield from ("option epsilon=0", "option ties=first")
    at = 0
    for i, task in enumerate(record["task"]):
        if i == 0 or task != record["task"][i - 1]:
            yield "task " + words(record["w"][task])
        if record["new_episode"][i]:
            yield "episode"
        size = (int(task) + 1) * ACTIONS * FEATURES
        psi = record["psi"][at : at + size]
        at += size
        values = psi.reshape(-1, FEATURES).astype(np.float64) @ record["w"][task]
        clear = values.max() - np.partition(values, -2)[-2] > CLEAR
        policy, greedy = divmod(int(values.argmax()), ACTIONS)
        assert policy == record["policy"][i] or not clear, f"row {i}: the record contradicts itself"
        end = int(record["terminated"][i]) + 2 * int(record["truncated"][i])
        after = next(after_end) if i + 1 == len(here) or record["new_episode"][i + 1] else here[i + 1]
        yield " ".join(
            [
                "step",
                words(here[i]),
                str(record["policy"][i]),
                str(greedy),
                str(int(clear)),
                words(psi),
                str(record["action"][i]),
                words(record["phi"][i]),
                words(after),
                str(end),
            ]
        )
    assert at == len(record["psi"]), "psi is left over"


tool, path = sys.argv[1:]
lines = "\n".join(stream(dict(np.load(path)))) + "\n"
sys.exit(subprocess.run([tool], input=lines, text=True).returncode)
