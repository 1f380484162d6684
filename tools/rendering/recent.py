"""A small bounded cache for things that must be freed: buffers, framebuffers, ray tracers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class Releasable(Protocol):
    """Something that must be freed."""

    def release(self) -> None:
        """Free it."""


Resource = TypeVar("Resource", bound=Releasable)


class Recent(Generic[Resource]):
    """The most recently used resources by key; the oldest goes when there are too many.

    Args:
        limit: Most resources kept.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[object, Resource] = OrderedDict()

    def get(self, key: object, make: Callable[[], Resource]) -> Resource:
        """Return the resource of ``key``, made now where it is not kept."""
        if key not in self._kept:
            while len(self._kept) >= self._limit:
                self._kept.popitem(last=False)[1].release()
            self._kept[key] = make()
        self._kept.move_to_end(key)
        return self._kept[key]

    def release(self) -> None:
        """Free all of them."""
        while self._kept:
            self._kept.popitem()[1].release()
