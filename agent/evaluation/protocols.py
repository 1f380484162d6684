"""A finished run by another protocol: the stored parts are scored, nothing is run again.

The run keeps its own scores. What a protocol says lies beside them in ``protocols/NAME.json``
with every row, so that a number can be traced to the part that it came from.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent.artifacts import write_json
from cadwright.agent.evaluation.rescore import is_gone, is_scorable, scored_again
from cadwright.agent.evaluation.store import Row
from cadwright.agent.evaluation.summary import final_rows, is_masked, summarise

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task

FOLDER = "protocols"


def rows_by(
    protocol: str, rows: list[Row], tasks: Mapping[str, Task], runtime: Runtime, folder: Path
) -> Iterator[Row]:
    """Yield each final row with the score that a protocol gives its part.

    A row that broke stays as it is, so that it is still counted as ours; a row whose task is no
    longer in the suite, or whose part has been deleted, is left out.
    """
    for row in final_rows(rows):
        task = tasks.get(row["task"])
        if task is None or is_gone(row, folder):
            continue
        if is_scorable(row):
            task = replace(task, scoring={"protocol": protocol})
            yield scored_again(row, task, runtime, folder / row["episode"])
        else:
            yield row


def write_protocol(folder: Path, protocol: str, rows: Iterable[Row]) -> dict[str, Any]:
    """Write what a protocol says about a run; return its figures."""
    kept = list(rows)
    figures = {"protocol": protocol, **summarise(kept), "measured": measured(kept)}
    path = folder / FOLDER / f"{protocol}.json"
    path.parent.mkdir(exist_ok=True)
    scores = [{key: row[key] for key in ("task", "variant", "outcome", "score")} for row in kept]
    write_json(path, {"figures": figures, "rows": scores})
    return {**figures, "out": str(path)}


def measured(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return mean and median of every measured number over the parts that have it.

    These are the survivors' numbers that papers print; ``n`` says how many survived. Numbers from
    random samples have a ``noise_floor`` too: the mean of what a true copy would have measured.
    """
    values: dict[str, list[float]] = {}
    floors: dict[str, list[float]] = {}
    units: dict[str, str] = {}
    for row in rows:
        for term in _terms(row):
            if term["raw"] is not None:
                name = term["name"]
                values.setdefault(name, []).append(term["raw"])
                units[name] = term["unit"]
                if (floor := _noise_floors(row).get(name)) is not None:
                    floors.setdefault(name, []).append(floor)
    return {
        name: {
            "unit": units[name],
            "n": len(found),
            "mean": round(statistics.fmean(found), 6),
            "median": round(statistics.median(found), 6),
        }
        | ({"noise_floor": round(statistics.fmean(floors[name]), 6)} if name in floors else {})
        for name, found in values.items()
    }


def _noise_floors(row: Row) -> dict[str, float | None]:
    """Return what a true copy would have measured, by term."""
    return dict((row["score"].get("card") or {}).get("noise_floor") or {})


def _terms(row: Row) -> list[dict[str, Any]]:
    if row["score"] is None or is_masked(row) or row["score"]["verdict"] != "scored":
        return []
    return list(row["score"]["terms"])
