"""One environment in a process of its own: makes an agent in it, learns and acts, and says what came of it."""

from __future__ import annotations

import json
import math
import resource
import sys
import time
import warnings
from typing import Any

__all__ = ["STEPS", "main"]

STEPS = 400  # learned in each environment: enough for the model of a planner to be fitted and used
ASKED = 50  # steps of greedy play


def _peak() -> float:
    """Megabytes that this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _try(key: str, preset: str) -> dict[str, Any]:
    import numpy as np

    import sfnec

    from .worlds import WORLDS, made

    world = next(each for each in WORLDS if each.key == key)
    try:
        env = made(world)
    except Exception as error:  # the package's own failure is not the agent's
        return {"outcome": "unavailable", "told": _sentence(error)}
    before = _peak()
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            agent = sfnec.Agent(preset, env, seed=1)
            if world.weights:
                agent.begin_task(np.full(agent.feature_count, 1.0 / agent.feature_count))
            start = time.process_time()
            agent.learn(STEPS, progress_bar=False)
            learned = time.process_time() - start
            found = agent.evaluate(steps=ASKED)
    except sfnec.Error as error:
        return {"outcome": "refused", "told": _sentence(error)}
    except Exception as error:
        return {"outcome": "failed", "told": f"{type(error).__name__}: {_sentence(error)}"}
    ours = [str(each.message) for each in heard if "sfnec" in type(each.message).__module__]
    steps = sum(task.steps for task in agent.tasks)
    fine = steps == STEPS and math.isfinite(found.total)
    return {
        "outcome": "runs" if fine else "wrong",
        "told": " ".join(ours),
        "us": round(1e6 * learned / STEPS, 1),
        "mb": round(_peak() - before, 1),
        "per_episode": round(found.per_episode, 3),
    }


def _sentence(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or "(no sentence)"


def main() -> None:
    """The result of `key preset` as a line of JSON."""
    print(json.dumps(_try(sys.argv[1], sys.argv[2])))


if __name__ == "__main__":
    main()
