"""The tasks of an agent: weights that rewards are made of, and what was learned under them."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from . import errors
from ._base import Base
from ._native import check, ffi, lib, whole
from .answers import Task, read_task
from .rewards import AskedReward, Reward


class Tasks(Base):
    """The part of `Agent` that keeps its tasks."""

    @property
    def task_count(self) -> int:
        """Tasks that the agent has."""
        with self.handle as handle:
            return int(lib.sfnec_agent_get_task_count(handle))

    @property
    def tasks(self) -> list[Task]:
        """All tasks, in the order of their numbers."""
        with self.handle as handle:
            return [read_task(handle, i) for i in range(lib.sfnec_agent_get_task_count(handle))]

    @property
    def active_task(self) -> int | None:
        """The number of the task that is being learned; None: there is none."""
        return next((i for i, task in enumerate(self.tasks) if task.active), None)

    def begin_task(self, w: ArrayLike | None = None, *, reward: Reward | None = None) -> int:
        """Adds a task and makes it the active one; its number.

        Args:
            w: one weight per feature, negative ones are fine. None: learned from the environment's reward, which needs
                the option w="sgd" or w="rls", or an agent that predicts the reward (nec, ql). Such an agent is paid
                phi . w where weights are given, but does not know them: it cannot be asked about others.
            reward: any reward instead, as for `set_reward`, of an agent with rewards="any" or one that predicts the
                reward. Files do not keep it: a loaded agent needs it again (`set_task`).
        """
        if reward is None:
            return self._new_task(w, lib.sfnec_agent_begin_task)
        if w is not None:
            raise errors.ArgumentError("a task has weights w or a reward, not both")
        asked, number = self._asked_reward(reward), ffi.new("uint32_t *")
        with self.handle as handle:
            self.end_episode()
            check(lib.sfnec_agent_begin_reward(handle, asked.function, asked.context, number))
            self._functions[int(number[0])] = asked
        return int(number[0])

    def _asked_reward(self, reward: Reward) -> AskedReward:
        return AskedReward(reward, self._world.kind if self._world else None, self._shape, self._actions)

    def add_task(self, w: ArrayLike | None = None) -> int:
        """Adds a task without making it the active one; its number."""
        return self._new_task(w, lib.sfnec_agent_add_task)

    def _new_task(self, w: ArrayLike | None, call: Any) -> int:
        array, where = self._weights(w)
        number = ffi.new("uint32_t *")
        with self.handle as handle:
            self.end_episode()
            check(call(handle, where, number))
            if array is not None:
                self._rewards[int(number[0])] = array
        return int(number[0])

    def set_task(self, task: int, *, reward: Reward | None = None) -> None:
        """Makes an existing task the active one again; learning resumes where it stopped.

        Args:
            task: its number.
            reward: what it rewards from now on, as for `begin_task`; None: as before.
        """
        number = self._number(task)
        asked = self._functions.get(task) if reward is None else self._asked_reward(reward)
        with self.handle as handle:
            self.end_episode()
            if asked is None:
                check(lib.sfnec_agent_set_task(handle, number))
                return
            if self._predicts_rewards():
                check(lib.sfnec_agent_set_task(handle, number))
            else:
                check(lib.sfnec_agent_set_reward(handle, number, asked.function, asked.context))
            self._functions[task] = asked
            self._rewards.pop(task, None)

    def set_weights(self, task: int, w: ArrayLike) -> None:
        """Changes the weights of a task and keeps what was learned."""
        array, where = self._weights(w)
        with self.handle as handle:
            check(lib.sfnec_agent_set_task_weights(handle, self._number(task), where))
            self._functions.pop(task, None)
            if array is not None:
                self._rewards[task] = array

    def replace_task(self, task: int, w: ArrayLike | None = None) -> None:
        """Replaces an existing task by a fresh one."""
        array, where = self._weights(w)
        with self.handle as handle:
            self.end_episode()
            check(lib.sfnec_agent_replace_task(handle, self._number(task), where))
            self._rewards.pop(task, None)
            self._functions.pop(task, None)
            if array is not None:
                self._rewards[task] = array

    def forget_task(self, task: int) -> None:
        """Removes a task and frees its memory; later ones move down."""
        with self.handle as handle:
            self.end_episode()
            check(lib.sfnec_agent_forget_task(handle, self._number(task)))
            self._rewards = {k - (k > task): w for k, w in self._rewards.items() if k != task}
            self._functions = {k - (k > task): f for k, f in self._functions.items() if k != task}

    def _predicts_rewards(self) -> bool:
        with self.handle as handle:
            return bool(lib.sfnec_agent_get_options(handle).predict != lib.SFNEC_PREDICT_FEATURES)

    def _number(self, task: int) -> int:
        number = whole(task, "the number of a task")
        if not 0 <= number < 2**32:
            raise errors.ArgumentError(f"there is no task {task}: the agent has {self.task_count}, numbered from 0")
        return number
