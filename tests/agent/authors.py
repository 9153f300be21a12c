# The update of the authors' program (preset sfnec-authors), written once more from its rules as we read them. What that
# program itself computed is in authors_record.py; this has other horizons, bootstraps and numbers of actions:
#
# - a target is written once N + 1 transitions wait: the discounted features of N of them, and the psi that was found
#   when the agent acted in the state after them, for the action that was greedy there;
# - when an episode terminates, the transitions that still wait get their discounted features up to the end, in one
#   batch: a key that occurs in it again first moves the batch's own value by alpha towards the later target, and then
#   the stored value moves once, towards that; when the episode is truncated, they are dropped;
# - after every transition one step of gradient descent on the squared error of the target written last, whichever
#   episode it is of;
# - a policy of another task that GPI chose takes one step of its own, on the residual of a one-step target.
#
# Usage: authors.py TOOL HORIZON BOOTSTRAP SEED: makes a stream of transitions with the psi of every policy and action
# in every state, and gives it to TOOL (tool_follow.c), which takes the agent along and compares.
import math
import random
import struct
import subprocess
import sys

ACTIONS, FEATURES, NEIGHBOURS = 3, 3, 5
GAMMA, ALPHA, RATE, DELTA = 0.9, 0.2, 0.1, 1e-3
TASKS, STEPS = 3, 90


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


class Memory:
    def __init__(self):
        self.keys, self.values = [], []

    # the nearest entries, the older of equally near ones first, with weights that add up to 1
    def near(self, key):
        squares = [sum((a - b) ** 2 for a, b in zip(key, k, strict=True)) for k in self.keys]
        order = sorted(range(len(squares)), key=lambda i: (squares[i], i))[:NEIGHBOURS]
        weights = [1 / (math.sqrt(squares[i] + 1e-8) + DELTA) for i in order]
        return [(i, u / sum(weights)) for i, u in zip(order, weights, strict=True)]

    def psi(self, key):
        return [sum(u * self.values[i][f] for i, u in self.near(key)) for f in range(FEATURES)]

    def write(self, key, target):
        if key in self.keys:
            value = self.values[self.keys.index(key)]
            value[:] = [v + ALPHA * (t - v) for v, t in zip(value, target, strict=True)]
        else:
            self.keys.append(key)
            self.values.append(list(target))

    def descend(self, near, step):
        for i, u in near:
            self.values[i] = [v + u * s for v, s in zip(self.values[i], step, strict=True)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


class Agent:
    def __init__(self, horizon, bootstrap):
        self.horizon, self.bootstrap = horizon, bootstrap
        self.policies, self.w = [], []
        self.least_gap = math.inf

    def begin_task(self, w):
        self.policies.append([Memory() for _ in range(ACTIONS)])
        self.w.append(w)
        self.last = None  # the target written last: state, action, target

    def begin_episode(self):
        self.waiting = []  # state, action, phi, psi found when acting there

    # the best of some policies' actions under some weights: (policy, action), the first of equal ones
    def best(self, state, policies, w):
        values = [(dot(self.policies[k][b].psi(state), w), k, b) for k in policies for b in range(ACTIONS)]
        top = max(v for v, _, _ in values)
        self.least_gap = min([self.least_gap] + [top - v for v, _, _ in values if v != top])
        return next((k, b) for v, k, b in values if v == top)

    def act(self, state):
        active = len(self.policies) - 1
        self.policy, greedy = self.best(state, range(active + 1), self.w[active])
        a = greedy if self.bootstrap == "gpi" else self.best(state, [active], self.w[active])[1]
        self.found = self.policies[active][a].psi(state)
        return greedy

    def write(self, i, target):
        state, action, _, _ = self.waiting[i]
        self.policies[-1][action].write(state, target)
        self.last = (state, action, target)

    # the targets of the transitions from `first` on: equal keys are folded into one value, which is written once
    def write_batch(self, first):
        folded = {}
        for i in range(first, len(self.waiting)):
            state, action, _, _ = self.waiting[i]
            rest = self.waiting[i:]
            target = [sum(GAMMA**j * w[2][f] for j, w in enumerate(rest)) for f in range(FEATURES)]
            value = folded.setdefault((tuple(state), action), target)
            if value is not target:
                value[:] = [v + ALPHA * (t - v) for v, t in zip(value, target, strict=True)]
            self.last = (state, action, list(target))
        for (state, action), value in folded.items():
            self.policies[-1][action].write(list(state), value)

    def observe(self, state, action, phi, after, terminated):
        self.waiting.append((state, action, phi, self.found))
        n = len(self.waiting)
        if n > self.horizon:
            window = self.waiting[n - 1 - self.horizon : n - 1]
            target = [
                GAMMA**self.horizon * self.found[f] + sum(GAMMA**j * w[2][f] for j, w in enumerate(window))
                for f in range(FEATURES)
            ]
            self.write(n - 1 - self.horizon, target)
        if terminated:
            self.write_batch(max(0, n - self.horizon))
        if self.policy != len(self.policies) - 1:
            self.learn_other(state, action, phi, after, terminated)
        if self.last:
            state, action, target = self.last
            memory = self.policies[-1][action]
            psi = memory.psi(state)
            memory.descend(
                memory.near(state), [2 * RATE / FEATURES * (t - p) for t, p in zip(target, psi, strict=True)]
            )

    def learn_other(self, state, action, phi, after, terminated):
        memories, w = self.policies[self.policy], self.w[self.policy]
        near, psi = memories[action].near(state), memories[action].psi(state)
        target, near_after = list(phi), []
        if not terminated:
            a = self.best(after, [self.policy], w)[1]
            near_after = memories[a].near(after)
            target = [p + GAMMA * q for p, q in zip(phi, memories[a].psi(after), strict=True)]
        step = [2 * RATE / FEATURES * (t - p) for t, p in zip(target, psi, strict=True)]
        memories[action].descend(near, step)
        if near_after:
            memories[a].descend(near_after, [-GAMMA * s for s in step])


# ---- a world: a walk on a ring, with two things to fetch and a goal; states are equal at the beginning of episodes and
# where a step fails ----


def place(at, taken):
    angle = 2 * math.pi * at / 12
    return [single(x) for x in (math.cos(angle), math.sin(angle), 0.7 * taken[0], 0.7 * taken[1])]


def follow(horizon, bootstrap, seed):
    draw = random.Random(seed)
    agent = Agent(horizon, bootstrap)
    lines = [f"shape 4 {ACTIONS} {FEATURES} {TASKS}", "tolerance 1e-5"]
    settings = {
        "epsilon": 0,
        "ties": "first",
        "neighbours": NEIGHBOURS,
        "gamma": GAMMA,
        "alpha": ALPHA,
        "rate": RATE,
        "horizon": horizon,
        "bootstrap": bootstrap,
    }
    lines += [f"option {key}={value}" for key, value in settings.items()]
    for _ in range(TASKS):
        w = [draw.uniform(-1, 1), draw.uniform(-1, 1), 1]
        agent.begin_task(w)
        lines.append("task " + " ".join(map(repr, w)))
        at, taken, steps = None, None, 0
        for _ in range(STEPS):
            if at is None:
                at, taken, steps = 0, [0, 0], 0
                agent.begin_episode()
                lines.append("episode")
            state = place(at, taken)
            greedy = agent.act(state)
            psi = [p for policy in agent.policies for memory in policy for p in memory.psi(state)]
            action = draw.randrange(ACTIONS) if draw.random() < 0.3 else greedy
            if draw.random() < 0.8:
                at = (at + (1, -1, 2)[action] + draw.gauss(0, 0.1)) % 12
            steps += 1
            phi = [0.0, 0.0, 0.0]
            for i, where in enumerate((3, 8)):
                if abs(at - where) < 0.6 and not taken[i]:
                    taken[i], phi[i] = 1, 1.0
            terminated = abs(at - 6) < 0.6
            phi[2] = float(terminated)
            truncated = not terminated and steps == 14
            after = place(at, taken)
            agent.observe(state, action, phi, after, terminated)
            lines.append(
                " ".join(
                    [
                        "step",
                        *map(repr, state),
                        str(agent.policy),
                        str(greedy),
                        "1",
                        *map(repr, psi),
                        str(action),
                        *map(repr, phi),
                        *map(repr, after),
                        str(2 * truncated + terminated),
                    ]
                )
            )
            if terminated or truncated:
                at = None
    # nearer than this, rounding could decide between two actions
    assert agent.least_gap > 1e-7, f"seed {seed} has a choice that is too close: {agent.least_gap}"
    return "\n".join(lines) + "\n"


tool, horizon, bootstrap, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
sys.exit(subprocess.run([tool], input=follow(horizon, bootstrap, seed), text=True).returncode)
