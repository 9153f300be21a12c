"""Transfer: rewards change, and what was learned before is of use at once.

The world has objects of three classes and a goal. What they are worth is the task, a weight vector w. The agent learns
two tasks. Then it gets weights that it has never seen, and a fresh agent gets them too: what does each of them earn in
its first 2,000 steps?
"""

import copy
import sys

import sfnec

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000


def earned(agent: sfnec.Agent, w: list[float], steps: int) -> float:
    """What the agent collects while it learns a new task."""
    task = agent.begin_task(w)
    agent.learn(steps)
    return sum(episode.total for episode in agent.episodes if episode.task == task)


agent = sfnec.Agent("sfnec-plan", "four_rooms", seed=2)
for w in ([1.0, -1.0, 0.5, 1.0], [-1.0, 1.0, 0.5, 1.0]):  # circles, squares, triangles, goal
    print(f"learned w = {w}: return {earned(agent, w, steps):.1f}")

print("new weights: return of the first 2,000 steps")
for w in ([1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0], [-1.0, -1.0, 1.0, 1.0]):
    experienced = earned(copy.deepcopy(agent), w, 2_000)
    fresh = earned(sfnec.Agent("sfnec-plan", "four_rooms", seed=2), w, 2_000)
    print(f"  w = {w}: {experienced:.1f} with what it learned, {fresh:.1f} without")

# no learning at all: it acts greedily, for rewards that it was never given
result = agent.evaluate([0.0, 0.0, 0.0, 1.0], steps=2_000)
print(f"goal alone, without learning: {result.goals} of {result.episodes} episodes reached it")

# why does it go where it goes?
first = sfnec.World("four_rooms", seed=1).reset()[0]
told = agent.explain(first, w=[1.0, 1.0, 1.0, 1.0])
print(f"first action {told.action}: its value is {told.value:.2f}, the others' are {told.q[told.policy].round(2)}")
