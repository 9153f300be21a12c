"""Asking an agent, without teaching it: actions, values, reasons, and how well it does."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import errors
from ._native import c_text, check, ffi, lib, pointer, seed_number, whole
from ._tasks import Tasks
from .answers import Coverage, Explanation, read_memories
from .diagnosis import SLOW
from .evaluation import Evaluation, Limits, evaluate_env, evaluate_native, evaluate_world
from .places import copied, like
from .rewards import AskedReward, Reward

# choices of the library as an array: of each, its action
CHOICE = np.dtype(
    {
        "names": ["action"],
        "formats": [np.int32],
        "offsets": [ffi.offsetof("sfnec_choice", "action")],
        "itemsize": ffi.sizeof("sfnec_choice"),
    }
)


class Asking(Tasks):
    """The part of `Agent` that answers questions."""

    def _weights_to_ask(self, w: ArrayLike | None) -> tuple[NDArray[np.float64] | None, Any]:
        if w is not None and self._predicts_rewards():
            raise errors.ArgumentError(
                f"{self._label} knows only the rewards that it was trained on: leave w out, or take an agent "
                "that predicts features, such as sfnec"
            )
        return self._weights(w)

    def set_reward(self, reward: Reward | None) -> None:
        """Questions are about this reward from now on, linear in the features or not; None: about weights again.

        For agents that plan, and those with rewards="any": `predict`, `q`, `explain` and `evaluate` answer about it,
        without a step of learning. What the agent learns is not changed.

            agent.set_reward("1 if goal else -0.1 * (observation[0] > 0.5)")
            agent.set_reward(lambda s, a, s2, phi, end: np.where(phi[:, 0] > 0.5, 1.0, -0.1))

        Args:
            reward: an expression, whose names are the library's features and actions, phi[i], observation[i],
                next_observation[i], action and terminated; or a function of n transitions at once: observations
                (n, size), actions (n), next observations, features (n, features) and terminated (n), which returns n
                rewards. Components that the model does not use (`components`) are 0 in the observations.
        """
        asked = None if reward is None else self._asked_reward(reward)
        function, context = (asked.function, asked.context) if asked else (ffi.NULL, ffi.NULL)
        with self.handle:
            check(lib.sfnec_scratch_set_reward(self.handle.scratch, function, context))
            self._asked = asked  # it lives as long as the scratch may call it

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
        *,
        w: ArrayLike | None = None,
        action_masks: Any = None,
    ) -> tuple[Any, Any]:
        """The action for an observation (or one for each of several), and `state` unchanged.

        Nothing is learned.

        Args:
            observation: one of the environment's, or several in an array.
            state: handed back as it is; for programs that expect it.
            episode_start: not used; for programs that give it.
            deterministic: greedy; otherwise random with the option epsilon.
            w: under these weights, by all policies, instead of under the active task.
            action_masks: which actions are allowed, as the environment has it (a mask for each observation, if there
                are several); no other is chosen. None: all are.
        """
        rows, several = self._observations.batch(observation)
        weights, where = self._weights_to_ask(w)
        masks = None if action_masks is None else self._actions.masks(action_masks, len(rows))
        choices = np.zeros(len(rows), CHOICE)
        with self.handle as handle:
            masks_at = ffi.NULL if masks is None else pointer(masks, "uint8_t *")
            chosen = pointer(choices, "sfnec_choice *")
            start = time.monotonic()
            check(
                lib.sfnec_agent_choose_many_masked(
                    handle, self.handle.scratch, len(rows), pointer(rows, "float *"), masks_at, where, chosen
                )
            )
            if time.monotonic() - start > SLOW:
                self._watch.check(self.handle)
            actions = choices["action"].astype(np.int64)
            if not deterministic:
                explored = self._noise.random(len(rows)) < lib.sfnec_agent_get_options(handle).epsilon
                actions = np.where(explored, self._any_actions(masks, len(rows)), actions)
        del weights
        return (self._actions.several(actions) if several else self._actions.given(actions[0])), state

    def _any_actions(self, masks: NDArray[np.uint8] | None, count: int) -> NDArray[np.int64]:
        if masks is None:
            return self._noise.integers(self.action_count, size=count)
        return np.array([self._noise.choice(np.flatnonzero(mask)) for mask in masks], np.int64)

    def tell(
        self,
        observation: Any,
        action: Any,
        reward: float,
        next_observation: Any,
        terminated: bool = False,
        truncated: bool = False,
        *,
        action_masks: Any = None,
    ) -> None:
        """Feedback on an action of `predict`, for your own loop that plays without learning.

        An agent that plans then lowers the value of an action that it overestimated, until the episode ends. Without
        feedback it may oscillate where its model is wrong. `evaluate` gives feedback itself. `action_masks` are the
        actions that are allowed after the transition.
        """
        mask = None if action_masks is None else self._actions.masks(action_masks)
        row, after = self._observations.vector(observation), self._observations.vector(next_observation)
        with self.handle as handle:
            transition = ffi.new("sfnec_transition *")
            transition.action = self._actions.number(action)
            transition.reward = float(reward)
            transition.next_observation = pointer(after, "float *")
            transition.terminated, transition.truncated = bool(terminated), bool(truncated)
            transition.next_mask = ffi.NULL if mask is None else pointer(mask, "uint8_t *")
            check(lib.sfnec_agent_tell(handle, self.handle.scratch, pointer(row, "float *"), transition))

    def psi(self, observation: Any) -> NDArray[np.float64]:
        """psi of every policy and action: (tasks, actions, features)."""
        row = self._observations.vector(observation)
        with self.handle as handle:
            psi = np.zeros((self.task_count, self.action_count, lib.sfnec_agent_get_psi_size(handle)))
            check(
                lib.sfnec_agent_ask_psi(handle, self.handle.scratch, pointer(row, "float *"), pointer(psi, "double *"))
            )
        return psi

    def q(self, observation: Any, w: ArrayLike | None = None) -> NDArray[np.float64]:
        """psi . w of every policy and action: (tasks, actions); w None: the active task's."""
        row = self._observations.vector(observation)
        weights, where = self._weights_to_ask(w)
        with self.handle as handle:
            q = np.zeros((self.task_count, self.action_count))
            check(
                lib.sfnec_agent_ask_q(
                    handle, self.handle.scratch, pointer(row, "float *"), where, pointer(q, "double *")
                )
            )
        del weights
        return q

    def cover(self, observation: Any, w: ArrayLike | None = None) -> Coverage:
        """What the data of an agent that plans cover, and where the plan from an observation leaves them."""
        row = self._observations.vector(observation)
        weights, where = self._weights_to_ask(w)
        info = ffi.new("sfnec_plan_coverage *")
        with self.handle as handle:
            check(
                lib.sfnec_agent_ask_coverage(
                    handle, self.handle.scratch, pointer(row, "float *"), where, 0, ffi.NULL, ffi.NULL, info
                )
            )
        del weights
        return Coverage(*(getattr(info, name) for name in Coverage._fields))

    @property
    def is_planning(self) -> bool:
        """Whether the last answer came from a plan that `question_backups` cut; asking again resumes it."""
        with self.handle:
            return bool(lib.sfnec_scratch_is_planning(self.handle.scratch))

    def explain(self, observation: Any, w: ArrayLike | None = None, memories: int = 5) -> Explanation:
        """The greedy choice, and the nearest memories that its value comes from.

        Args:
            observation: one of the environment's.
            w: under these weights; None: under those of the active task.
            memories: how many at most.
        """
        row = self._observations.vector(observation)
        weights, where = self._weights_to_ask(w)
        with self.handle as handle:
            choice = ffi.new("sfnec_choice *")
            check(lib.sfnec_agent_choose(handle, self.handle.scratch, pointer(row, "float *"), where, choice))
            found = read_memories(self.handle, row, choice.policy, choice.action, memories)
            q = self.q(observation, w)
        del weights
        return Explanation(self._actions.given(choice.action), choice.policy, choice.value, q, found)

    def evaluate(
        self,
        w: ArrayLike | None = None,
        steps: int | None = None,
        episode_steps: int | None = None,
        env: Any = None,
        seed: int | None = None,
        *,
        episodes: int | None = None,
    ) -> Evaluation:
        """Acts greedily without learning, and returns the rewards.

        It plays in a copy of the environment, so learning is not disturbed. An environment that can neither be copied
        nor made again is used itself; its open episode then ends.

        Args:
            w: the weights to act under and to compute rewards with; None: the active task's.
            steps: number of transitions; None: 20,000, or as many as the episodes need.
            episode_steps: most transitions of an episode; 0: no limit. None: the environment's own limit; environments
                of the library without one have 500, as in `sfnec eval`.
            env: another environment instead of a copy of the agent's own.
            seed: of the environment; None: the agent's + 1, as in `sfnec eval`.
            episodes: number of episodes; None: as many as the steps hold.
        """
        limits = self._limits(steps, episodes, episode_steps)
        number = (self.seed + 1) % 2**64 if seed is None else seed_number(seed)
        weights, where = self._weights_to_ask(w)
        paid = self._paid() if weights is None and self._judge(w) is None else weights
        if self._world is not None and env is None:
            world = like(self._world, number)
            if where == ffi.NULL and self._asked is None:
                return evaluate_world(self, world, paid, limits, self._judge(w))
            with self.handle as handle:
                return evaluate_native(handle, self.handle.scratch, world, where, limits)
        place = copied(self.env) if env is None else env
        if place is None:
            self.end_episode()
        played = self.env if place is None else place
        try:
            return evaluate_env(self, played, self._features, weights, paid, limits, number, self._judge(w))
        finally:
            if env is None and place is not None:
                place.close()

    def _limits(self, steps: int | None, episodes: int | None, episode_steps: int | None) -> Limits:
        """How long an evaluation is, with the defaults of `evaluate`."""
        own = 0 if self._world is None else (self._world.max_episode_steps or 500)
        most = 2**62 if steps is None and episodes is not None else 20_000 if steps is None else steps
        limits = Limits(
            whole(most, "the number of steps"),
            0 if episodes is None else whole(episodes, "the number of episodes"),
            own if episode_steps is None else whole(episode_steps, "episode_steps"),
        )
        if limits.steps < 1 or limits.episode_steps < 0 or (episodes is not None and limits.episodes < 1):
            raise errors.ArgumentError("an evaluation needs at least one step or episode and no negative limit")
        return limits

    def _judge(self, w: ArrayLike | None) -> AskedReward | None:
        """What makes the rewards of an evaluation, if no weights do: that of `set_reward`, or of the active task."""
        task = self.active_task
        if self._asked is not None or w is not None or task is None:
            return self._asked
        return self._functions.get(task)

    def _reward_of(self, judge: AskedReward, before: Any, action: int, after: Any, phi: Any, end: bool) -> float:
        """The reward of a transition that is no phi . w."""
        rows = self._observations.vector(before), self._observations.vector(after)
        return judge.of(rows[0], self._actions.number(action), rows[1], np.asarray(phi, np.float64), end)

    @property
    def evaluates_aside(self) -> bool:
        """Whether `evaluate` needs no other environment to leave an episode that is being learned alone."""
        if self._world is not None:
            return True
        place = copied(self.env)
        if place is not None:
            place.close()
        return place is not None

    def value_map(self, side: int = 41, w: ArrayLike | None = None) -> NDArray[np.float64]:
        """The greedy values of positions in rooms: (side, side), the lowest row first, no object taken.

        NaN where there is no such position. For `matplotlib.pyplot.imshow(map, origin="lower")`.
        """
        side = whole(side, "side")
        world = self._world if self._world is not None else getattr(self.env.unwrapped, "world", None)
        if world is None or side < 1:
            raise errors.ArgumentError("a value map needs one of the library's worlds, and a side of at least 1")
        row = np.zeros(world.observation_size, np.float32)
        values = np.full((side, side), np.nan)
        for i, j in np.ndindex(side, side):
            x, y = (j + 0.5) / side, (i + 0.5) / side
            if lib.sfnec_env_observe_at(world.handle(), x, y, pointer(row, "float *")):
                values[i, j] = self.q(row.reshape(self._observations.shape or -1), w).max()
        if np.isnan(values).all():
            raise errors.StateError(f"{world.kind} has no positions to draw values at")
        return values

    def export_c(
        self,
        path: str | os.PathLike[str],
        w: ArrayLike | None = None,
        *,
        name: str = "policy",
        embedded: bool = False,
    ) -> None:
        """Exports the frozen agent as one C99 file, by `sfnec_agent_export_c`.

        The policy takes the agent's vectors: the environment's observations, flattened, and scaled if they are pixels
        or with `unit=True`.

        Args:
            path: the file.
            w: the weights to act under; None: those of the active task.
            name: prefix of all names in the file.
            embedded: for an agent with an embedding that is a callable: the policy takes its outputs.
        """
        if self._how["embedding"] is not None and not embedded:
            raise errors.ArgumentError(
                "a callable embedding cannot be exported: use one of the library's (embedding='random', 'pca' or "
                "'mlp'), or give embedded=True and compute the embedding in front of the policy"
            )
        where = c_text(os.fsencode(path))
        weights, pointed = self._weights_to_ask(w)
        with self.handle as handle:
            check(lib.sfnec_agent_export_c(handle, pointed, c_text(name), where))
        del weights

    def film(
        self,
        path: str | os.PathLike[str],
        w: ArrayLike | None = None,
        *,
        steps: int = 500,
        speed: int = 10,
        seed: int | None = None,
    ) -> Path:
        """Plays an episode into a .gif, .mp4 or .png, by the command `sfnec film`; the path.

        Args:
            path: the file; its ending decides what it is.
            w: the weights to play under; None: those of the last task.
            steps: the episode is cut off after so many.
            speed: steps per second.
            seed: of the world's noise; None: the agent's + 1.
        """
        from .experiment import call

        with tempfile.TemporaryDirectory(prefix="sfnec-") as folder:
            saved = os.path.join(folder, "agent")
            self.save(saved)
            words = ["film", saved, "-o", os.fspath(path), "--steps", str(whole(steps, "steps")), "--speed", str(speed)]
            weights, _ = self._weights_to_ask(w)
            words += [] if weights is None else ["--w=" + ",".join(repr(float(each)) for each in weights)]
            words += [] if seed is None else ["--seed", str(seed_number(seed))]
            call(words)
        return Path(path)

    def _paid(self) -> NDArray[np.float64] | None:
        """The weights that make the rewards of the active task; None: the environment makes them."""
        task = self.active_task
        if task is None:
            raise errors.StateError("no task is active: give w, or choose a task with set_task")
        return self._rewards.get(task)
