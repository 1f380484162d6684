"""Tasks that are made when they are asked for: a suite of meshes takes seconds to make whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, overload

from cadwright.tools.errors import TaskError, UsageError

if TYPE_CHECKING:
    from cadwright.envs.task import Task


class Promise:
    """A task to come.

    Args:
        task_id: Its id.
        make: Makes it.
    """

    def __init__(self, task_id: str, make: Callable[[], Task]) -> None:
        self.id = task_id
        self._make = make
        self._made: Task | None = None

    @property
    def task(self) -> Task:
        """The task, made at the first use.

        Raises:
            TaskError: It cannot be made.
        """
        if self._made is None:
            try:
                self._made = self._make()
            except UsageError as err:
                raise TaskError(f"{self.id}: {err}") from err
        return self._made


class LazyTasks(Sequence["Task"]):
    """Tasks by place, each made when it is first looked at; their number and ids are known.

    Args:
        promises: In the order of the suite.
    """

    def __init__(self, promises: Iterable[Promise]) -> None:
        self._promises = tuple(promises)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all, without making one."""
        return tuple(promise.id for promise in self._promises)

    def only(self, ids: Collection[str]) -> LazyTasks:
        """Return those of some ids, in the same order."""
        return LazyTasks(promise for promise in self._promises if promise.id in ids)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._promises)

    @overload
    def __getitem__(self, place: int) -> Task: ...

    @overload
    def __getitem__(self, place: slice) -> LazyTasks: ...

    def __getitem__(self, place: int | slice) -> Task | LazyTasks:
        """Return one task, or some that are still to be made."""
        if isinstance(place, slice):
            return LazyTasks(self._promises[place])
        return self._promises[place].task
