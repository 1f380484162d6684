"""Make the zygote's memory cheap to fork.

A fork copies one page-table entry for each page that was ever written: 35,000 of them after
CadQuery is imported, and its exit drops them again. Packed into huge pages, the same memory has a
few hundred. This halves the cost of a fork; a child that writes gets a copy of 4 KiB as ever.
"""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path

_HUGE = 2 << 20
_MADV_COLLAPSE = 25  # Linux 6.1
_libc = ctypes.CDLL(None, use_errno=True)


def settle() -> None:
    """Prepare for forking: collect garbage for the last time and pack the heap.

    Objects alive now are hidden from the collector, whose visits would make children copy them.
    """
    gc.collect()
    gc.freeze()
    pack()


def pack() -> int:
    """Pack anonymous memory into huge pages; returns how many were packed.

    A kernel that lacks the call, or has no huge page to spare, leaves a range as it was.
    """
    return sum(
        _collapse(address) for begin, end in _heap_ranges() for address in _whole(begin, end)
    )


def _collapse(address: int) -> bool:
    size = ctypes.c_size_t(_HUGE)
    return bool(_libc.madvise(ctypes.c_void_p(address), size, _MADV_COLLAPSE) == 0)


def _whole(begin: int, end: int) -> range:
    """Return the addresses of the huge pages that lie within a range."""
    first = -(-begin // _HUGE) * _HUGE
    return range(first, end - _HUGE + 1, _HUGE)


def _heap_ranges() -> list[tuple[int, int]]:
    ranges = []
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        addresses, permissions, _, _, _, *name = line.split(maxsplit=5)
        if permissions == "rw-p" and name in ([], ["[heap]"]):
            begin, end = (int(address, 16) for address in addresses.split("-"))
            ranges.append((begin, end))
    return ranges
