"""Transfer: rewards change, and what was learned before is of use at once.

The world has objects of three classes and a goal. What they are worth is the task, a weight vector w. The agent learns
two tasks, then acts under weights that it has never seen, without a single step of learning.
"""

import sys

import sfnec

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000

agent = sfnec.Agent("sfnec-plus", "four_rooms", seed=2)
for w in ([1.0, -1.0, 0.5, 1.0], [-1.0, 1.0, 0.5, 1.0]):  # circles, squares, triangles, goal
    task = agent.begin_task(w)
    agent.learn(steps)
    total = sum(episode.total for episode in agent.episodes if episode.task == task)
    print(f"task {task}: return {total:.1f} while learning")

for w in ([1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0], [-1.0, -1.0, 1.0, 1.0]):
    result = agent.evaluate(w, steps=2_000)
    print(f"w = {w}: return {result.total:.1f}, {result.goals} of {result.episodes} episodes reached the goal")

# why does it go where it goes?
first = sfnec.World("four_rooms", seed=1).reset()[0]
told = agent.explain(first, w=[1.0, 1.0, 1.0, 1.0])
print(f"first action {told.action}, by the policy of task {told.policy}: its value is {told.value:.2f}, from memories")
for memory in told.memories:
    print(f"  at distance {memory.distance:.3f} with weight {memory.weight:.2f}: psi {memory.psi.round(2)}")
