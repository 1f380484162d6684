"""Tables that a person reads."""

import io
from typing import Any

from rich.console import Console
from rich.table import Table

from cadwright.agent.cli.tables import measured_table, score_table

HOSTILE = "ValueError: [/b] and [red]"


def printed(table: Table) -> str:
    stream = io.StringIO()
    Console(file=stream, width=120).print(table)
    return stream.getvalue()


def shown(terms: list[dict[str, Any]], reason: str = "") -> str:
    return printed(score_table({"terms": terms, "reason": reason, "value": 1.0}))


def gate(name: str, value: float, note: str = "why") -> dict[str, Any]:
    return {"name": name, "value": value, "weight": 0, "raw": 0.0, "unit": "gate", "note": note}


def test_gates_that_found_nothing_share_a_row() -> None:
    text = shown([gate("stray_bodies", 1.0), gate("inside_out", 1.0)])
    assert "nothing found: stray bodies, inside out" in text
    assert "stray_bodies" not in text


def test_a_gate_that_found_something_has_a_row_of_its_own() -> None:
    text = shown([gate("stray_bodies", 0.05), gate("inside_out", 1.0)])
    assert "stray_bodies" in text
    assert "nothing found: inside out" in text


def test_brackets_in_a_reason_or_note_are_no_markup() -> None:
    assert HOSTILE in shown([], reason=HOSTILE)
    assert HOSTILE in shown([gate("stray_bodies", 0.05, note=HOSTILE)])


def test_brackets_in_a_title_are_no_markup() -> None:
    assert "[/b] and [red]" in " ".join(printed(measured_table(HOSTILE, {})).split())


def test_a_number_from_samples_stands_beside_its_noise_floor() -> None:
    sampled = {"n": 2, "mean": 0.196, "median": 0.19, "noise_floor": 0.1313, "unit": "x1000"}
    exact = {"n": 2, "mean": 1.0, "median": 1.0, "unit": "ratio"}
    lines = printed(measured_table("run", {"chamfer": sampled, "iou": exact})).splitlines()
    (chamfer,) = (line.split() for line in lines if "chamfer" in line)
    (iou,) = (line.split() for line in lines if "iou" in line)
    assert chamfer == ["chamfer", "2", "0.196", "0.19", "0.1313", "x1000"]
    assert iou == ["iou", "2", "1", "1", "–", "ratio"]
