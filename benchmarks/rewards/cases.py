"""Ten rewards of four rooms that no weights of its features express."""

from __future__ import annotations

# what was taken before a transition, by the flags of the observation
CIRCLES = "(observation[100] + observation[101] + observation[102] + observation[103])"
SQUARES = "(observation[104] + observation[105] + observation[106] + observation[107])"
TRIANGLES = "(observation[108] + observation[109] + observation[110] + observation[111])"
# a radial basis function around (4/9, 4/9): above 0.8 within 0.15 of it
MIDDLE = "next_observation[44]"

CASES = {
    "at most two circles": f"goal + circle * (1 if {CIRCLES} < 2 else -1)",
    "the goal with a triangle": f"2 * (goal and {TRIANGLES} > 0)",
    "circles times squares": f"circle * {SQUARES}",
    "not through the middle": f"goal + square - 0.5 * ({MIDDLE} > 0.8)",
    "upwards costs": "goal + circle - 0.05 * (action == up)",
    "no square before a triangle": f"triangle + square * (1 if {TRIANGLES} > 0 else -1)",
    "one of each": f"circle * ({CIRCLES} == 0) + square * ({SQUARES} == 0) + triangle * ({TRIANGLES} == 0)",
    "two objects": f"goal + (circle + square + triangle) * ({CIRCLES} + {SQUARES} + {TRIANGLES} < 2)",
    "circles less and less": f"goal + circle / (1 + {CIRCLES})",
    "the lesser of two": f"goal * min({CIRCLES}, {SQUARES})",
}
