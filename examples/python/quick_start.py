"""Quick start: an agent learns to find its way in the four rooms."""

import gymnasium

import sfnec

env = gymnasium.make("sfnec/FourRooms-v0")
agent = sfnec.Agent("sfnec-plan", env, seed=1)
agent.learn(10_000)

last = agent.episodes[-10:]
print(f"{len(agent.episodes)} episodes; return of the last ten: {sum(e.total for e in last) / len(last):.2f}")
