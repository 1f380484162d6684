from __future__ import annotations

import os

import pytest

from cadwright.tools.sandbox import footprint
from cadwright.tools.sandbox.footprint import MemoryWatch

NOBODY = 0x3FFF_FFFF


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """Bytes by process, instead of what the kernel says."""
    table: dict[int, int] = {}
    monkeypatch.setattr(footprint, "written_bytes", lambda pid: table.get(pid, 0))
    monkeypatch.setattr(footprint, "INTERVAL_S", 0.0)
    return table


def test_process_that_is_gone_holds_nothing() -> None:
    assert footprint.written_bytes(NOBODY) == 0


def test_memory_that_was_written_counts() -> None:
    before = footprint.written_bytes(os.getpid())
    kept = bytearray(b"x") * (64 << 20)
    assert footprint.written_bytes(os.getpid()) - before > len(kept) * 0.9


def test_inherited_memory_is_free(held: dict[int, int]) -> None:
    held.update({1: 1000, 2: 1000, 3: 1000})
    assert not MemoryWatch(lambda: [1, 2, 3], 10).is_over()


def test_what_processes_add_is_summed(held: dict[int, int]) -> None:
    held.update({1: 1000, 2: 1000})
    watch = MemoryWatch(lambda: [1, 2], 10)
    held.update({1: 1006, 2: 1004})
    assert not watch.is_over()
    held[2] = 1005
    assert watch.is_over()


def test_memory_given_back_by_one_is_no_credit_for_another(held: dict[int, int]) -> None:
    held.update({1: 1000, 2: 1000})
    watch = MemoryWatch(lambda: [1, 2], 10)
    held.update({1: 0, 2: 1011})
    assert watch.is_over()


def test_watch_looks_no_more_often_than_it_should(
    held: dict[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(footprint, "INTERVAL_S", 1000.0)
    watch = MemoryWatch(lambda: [1], 10)
    held[1] = 1 << 40
    assert not watch.is_over()
