"""A small memory of results by key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """The most recent results by key.

    Args:
        limit: How many are kept.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result kept under ``key``, or make and keep it."""
        if key not in self._items:
            self._items[key] = make()
        self._items.move_to_end(key)
        while len(self._items) > self._limit:
            self._items.popitem(last=False)
        return self._items[key]

    def drop(self, key: Hashable) -> None:
        """Forget what is kept under ``key``."""
        self._items.pop(key, None)
