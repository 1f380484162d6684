"""Tables show text of anybody's making as it is: brackets in it are no markup."""

from __future__ import annotations

import pytest
from rich.console import Console
from rich.table import Table

from cadwright.agent.cli.tables import measured_table, score_table

HOSTILE = "ValueError: [/b] and [red]"


def shown(table: Table) -> str:
    console = Console(width=200, record=True, quiet=False, file=None, force_terminal=False)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


@pytest.mark.parametrize("where", ["reason", "note"])
def test_a_score_that_quotes_brackets(where: str) -> None:
    term = {"name": "iou", "value": 0.0, "weight": 1.0, "raw": None, "unit": "ratio", "note": ""}
    score = {"value": 0.0, "reason": "", "terms": [term]}
    (score if where == "reason" else term)[where] = HOSTILE
    assert HOSTILE in shown(score_table(score))


def test_a_title_with_brackets() -> None:
    assert HOSTILE in shown(measured_table(HOSTILE, {}))
