"""Replays a trace of cartpole (standard input) in Gymnasium's CartPole-v1 and compares every number.

The same actions from the same state. A balanced pole is unstable: a difference of one bit, such as two libraries may
have in a sine, grows by 8 % per step, which is 1e16 times over the 500 steps of an episode. So Gymnasium starts again
from our state every 100 steps (a factor of 2,000), and the comparison does not depend on the machine's sine.
"""

import sys

import gymnasium
import numpy
import read_trace

TOLERANCE = 1e-6
STRETCH = 100


def replay(env, episode):
    """The largest difference of an episode, and its length."""
    env.reset(seed=0)
    world = env.unwrapped
    world.state = numpy.array(episode.start)
    worst = 0.0
    for number, (action, state, features, terminated, truncated) in enumerate(episode.steps, start=1):
        observation, reward, ended, cut, _ = env.step(action)
        worst = max(worst, numpy.abs(world.state - state).max(), numpy.abs(observation - numpy.float32(state)).max())
        assert features == [reward], f"step {number}: our feature is {features}, the reward {reward}"
        assert ended == terminated, f"step {number}: ours terminated: {terminated}, Gymnasium's: {ended}"
        # at the limit Gymnasium may say both; ours says truncated only if the world went on
        assert (cut and not ended) == truncated, f"step {number}: ours truncated: {truncated}, Gymnasium's: {cut}"
        assert worst <= TOLERANCE, f"step {number}: the states differ by {worst}"
        if number % STRETCH == 0:
            world.state = numpy.array(state)
    assert ended or cut, "the trace ended before Gymnasium's episode"
    return worst, len(episode.steps)


episodes = read_trace.episodes(sys.stdin, 4)
env = gymnasium.make("CartPole-v1")
results = [replay(env, episode) for episode in episodes]
steps = sum(length for _, length in results)
full = sum(episode.steps[-1][4] for episode in episodes)
off = sum(abs(episode.steps[-1][1][0]) > 2.4 for episode in episodes)
print(
    f"{len(results)} episodes, {full} of them to the limit, {off} off the track, {steps} steps: "
    f"largest difference {max(worst for worst, _ in results):.3g}"
)
assert len(results) >= 20 and steps >= 10000 and full >= 5 and off >= 5, "the trace is too short to show anything"
assert all(-0.05 <= number <= 0.05 for episode in episodes for number in episode.start), "a start is out of range"
