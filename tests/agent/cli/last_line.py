"""What ``--json`` promises: one object in one line on standard output, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest


def last_line(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out = capsys.readouterr().out
    assert out.count("\n") == 1, "standard output holds the JSON object and nothing else"
    data: dict[str, Any] = json.loads(out)
    return data
