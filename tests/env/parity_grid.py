"""Replays a trace of four_rooms_grid (standard input, observation=coordinates) in MO-Gymnasium's four-room-v0.

Everything must be equal: observations, features, ends.
"""

import sys

import mo_gymnasium
import read_trace


def replay(env, episode):
    """Compares an episode; returns the cells that it saw and whether it met the goal."""
    observation, _ = env.reset(seed=0)
    assert observation.tolist() == episode.start, f"starts at {observation}, ours at {episode.start}"
    cells = set()
    for number, (action, state, features, terminated, truncated) in enumerate(episode.steps, start=1):
        observation, reward, ended, cut, _ = env.step(action)
        assert observation.tolist() == state, f"step {number}, action {action}: {observation}, ours {state}"
        assert reward.tolist() == features, f"step {number}, action {action}: {reward}, ours {features}"
        assert ended == terminated, f"step {number}: ours terminated: {terminated}, MO-Gymnasium's: {ended}"
        # at the limit MO-Gymnasium may say both; ours says truncated only if the world went on
        assert (cut and not ended) == truncated, f"step {number}: ours truncated: {truncated}, MO-Gymnasium's: {cut}"
        cells.add(tuple(state[:2]))
    assert ended or cut, "the trace ended before MO-Gymnasium's episode"
    return cells


episodes = read_trace.episodes(sys.stdin, 14)
env = mo_gymnasium.make("four-room-v0")
cells = set.union(*(replay(env, episode) for episode in episodes))
steps = sum(len(episode.steps) for episode in episodes)
goals = sum(episode.steps[-1][3] for episode in episodes)
shapes = {index for episode in episodes for index, bit in enumerate(episode.steps[-1][1][2:]) if bit}
print(f"{len(episodes)} episodes, {goals} of them to the goal, {steps} steps, {len(cells)} cells: all equal")
assert len(cells) == 152, f"{len(cells)} of the 152 free cells were visited"
assert len(shapes) == 12, f"only the shapes {sorted(shapes)} were collected"
assert 0 < goals < len(episodes), "some episodes must reach the goal and some the limit"
