"""Tables that a person reads."""

import io
from typing import Any

from rich.console import Console

from cadwright.agent.cli.tables import score_table


def shown(terms: list[dict[str, Any]]) -> str:
    stream = io.StringIO()
    table = score_table({"terms": terms, "reason": "", "value": 1.0})
    Console(file=stream, width=120).print(table)
    return stream.getvalue()


def gate(name: str, value: float) -> dict[str, Any]:
    return {"name": name, "value": value, "weight": 0, "raw": 0.0, "unit": "gate", "note": "why"}


def test_gates_that_found_nothing_share_a_row() -> None:
    text = shown([gate("stray_bodies", 1.0), gate("inside_out", 1.0)])
    assert "nothing found: stray bodies, inside out" in text
    assert "stray_bodies" not in text


def test_a_gate_that_found_something_has_a_row_of_its_own() -> None:
    text = shown([gate("stray_bodies", 0.05), gate("inside_out", 1.0)])
    assert "stray_bodies" in text
    assert "nothing found: inside out" in text
