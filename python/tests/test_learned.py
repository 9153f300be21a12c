"""Features that are learned from rewards alone."""

from __future__ import annotations

import numpy as np
import pytest

import sfnec


def test_learned() -> None:
    """An agent says what it has learned, takes no weights, and plays on after it was saved."""
    env = sfnec.World("four_rooms", seed=1)
    agent = sfnec.Agent("sfnec-plan", env, predict="learned", seed=1, backups=100)
    agent.learn(300, progress_bar=False)
    assert agent.learned == sfnec.Learned(0, 0, 1, 0.0)
    agent.begin_task()
    agent.learn(300, progress_bar=False)
    assert agent.learned is not None
    assert agent.learned.features == 0
    with pytest.raises(sfnec.Error, match="rewards that it was trained on|reward weights"):
        agent.predict(np.asarray(env.observations[0]), w=[1.0, 0.0, 0.0, 1.0])
    assert sfnec.Agent("sfnec-plan", env, seed=1).learned is None
