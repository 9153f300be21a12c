"""The tasks of an agent: weights that rewards are made of, and what was learned under them."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from . import errors
from ._base import Base
from ._native import check, ffi, lib, whole
from .answers import Task, read_task


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

    def begin_task(self, w: ArrayLike | None = None) -> int:
        """Adds a task and makes it the active one; its number.

        Args:
            w: one weight per feature, negative ones are fine. None: learned from the environment's reward, which needs
                the option w="sgd" or w="rls", or an agent that predicts the reward (nec, ql).
        """
        return self._new_task(w, lib.sfnec_agent_begin_task)

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

    def set_task(self, task: int) -> None:
        """Makes an existing task the active one again; learning resumes where it stopped."""
        with self.handle as handle:
            self.end_episode()
            check(lib.sfnec_agent_set_task(handle, self._number(task)))

    def set_weights(self, task: int, w: ArrayLike) -> None:
        """Changes the weights of a task and keeps what was learned."""
        array, where = self._weights(w)
        with self.handle as handle:
            check(lib.sfnec_agent_set_task_weights(handle, self._number(task), where))
            if array is not None:
                self._rewards[task] = array

    def replace_task(self, task: int, w: ArrayLike | None = None) -> None:
        """Puts a fresh task in the place of an existing one."""
        array, where = self._weights(w)
        with self.handle as handle:
            self.end_episode()
            check(lib.sfnec_agent_replace_task(handle, self._number(task), where))
            self._rewards.pop(task, None)
            if array is not None:
                self._rewards[task] = array

    def forget_task(self, task: int) -> None:
        """Removes a task and frees its memory; later ones move down."""
        with self.handle as handle:
            self.end_episode()
            check(lib.sfnec_agent_forget_task(handle, self._number(task)))
            self._rewards = {k - (k > task): w for k, w in self._rewards.items() if k != task}

    def _number(self, task: int) -> int:
        number = whole(task, "the number of a task")
        if not 0 <= number < 2**32:
            raise errors.ArgumentError(f"there is no task {task}: the agent has {self.task_count}, numbered from 0")
        return number
