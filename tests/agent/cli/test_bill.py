from __future__ import annotations

from typing import Any

import pytest

from cadwright.agent.cli.tables import bill

USAGE = {
    "prompt_tokens": 12000, "completion_tokens": 80, "cached_tokens": 0, "estimated_tokens": 0,
    "cost": None, "attempts": 3,
}  # fmt: skip


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({}, ""),
        ({"usage": None, "problems": 0, "repairs": 0}, ""),
        ({"usage": USAGE}, "12,000 tokens read, 80 written in 3 requests"),
        ({"usage": {**USAGE, "cost": 0.5, "estimated_tokens": 7}, "problems": 2, "repairs": 1},
         "12,000 tokens read, 80 written in 3 requests; 7 of them estimated; cost 0.5000; "
         "2 calls not run; 1 repairs of calls"),
    ],
    ids=["old-run", "nothing", "tokens", "all"],
)  # fmt: skip
def test_bill_in_one_line(record: dict[str, Any], text: str) -> None:
    assert bill(record) == text
