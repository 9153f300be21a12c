"""Reads what tool_trace prints: a list of episodes."""


class Episode:
    def __init__(self, start):
        self.start = start  # the state, a list of floats
        self.steps = []  # (action, state, features, terminated, truncated)


def episodes(lines, state_size):
    """The episodes of a trace whose states have state_size numbers."""
    found = []
    for line in lines:
        kind, *words = line.split()
        if kind == "reset":
            found.append(Episode([float.fromhex(word) for word in words]))
            continue
        action, *numbers, terminated, truncated = words
        numbers = [float.fromhex(number) for number in numbers]
        ends = terminated == "1", truncated == "1"
        found[-1].steps.append((int(action), numbers[:state_size], numbers[state_size:], *ends))
    return found
