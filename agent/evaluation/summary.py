"""One table out of many rows. Pure: the same rows give the same numbers in any order.

A failure of the policy counts as 0 and never drops out of ``iou.mean_all`` or ``score_mean``. A
task that is not measured by IoU, a question say, has no part in the figures of IoU.
What says nothing about the policy is counted apart and masked: our own faults
(``infra_errors``) and references that cannot carry a score (``unscorable``).
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from cadwright.agent.evaluation.recall import tolerance_recall
from cadwright.agent.evaluation.store import Row

NEAR_PERFECT_IOU = 0.99


def summarise(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the figures of a run.

    Returns:
        ``n``, ``outcomes``, ``end_reasons`` and ``infra_errors`` count final attempts; a policy
        that declines has the end reason ``stopped``. ``iou.mean_all`` holds
        failures as 0, ``iou.mean_scored`` and ``iou.median`` only parts that could be measured;
        so do ``score_mean`` and ``score_mean_scored``. ``tolerance_recall`` holds the share of all
        parts within growing distances, see `cadwright.agent.evaluation.recall`.
        ``usage`` (tokens, cost, requests), ``context`` (what was sent, and what whole
        conversations would have been), ``attempts``, ``seconds`` (wall time with somebody at work)
        and ``episode_seconds`` run over all attempts, also those that were tried again.
    """
    attempts = list(rows)
    finals = final_rows(attempts)
    counted = [row for row in finals if not is_masked(row)]
    return {
        "n": len(finals),
        "outcomes": dict(sorted(Counter(row["outcome"] for row in finals).items())),
        "end_reasons": dict(sorted(Counter(str(row.get("end_reason")) for row in finals).items())),
        "infra_errors": sum(is_infra(row) for row in finals),
        "verdicts": dict(sorted(Counter(map(verdict, finals)).items())),
        "unscorable": _unscorable(finals),
        "iou": _iou_figures(counted),
        "score_mean": _mean([_value(row) for row in counted]),
        "score_mean_scored": _mean([_value(r) for r in counted if verdict(r) == "scored"]),
        "tolerance_recall": tolerance_recall(counted),
        "turns": sum(row["turns"] for row in attempts),
        "calls": sum(row["calls"] for row in attempts),
        "attempts": len(attempts),
        "problems": sum(row.get("problems", 0) for row in attempts),
        "repairs": sum(row.get("repairs", 0) for row in attempts),
        "usage": _added([row.get("usage") for row in attempts]),
        "context": _added([row.get("context") for row in attempts]),
        "episode_seconds": round(sum(row["seconds"] for row in attempts), 1),
        "seconds": round(_wall_seconds(attempts), 1),
    }


def final_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the one row of each task and variant that counts, sorted by both."""
    finals = {(row["task"], row["variant"]): row for row in rows if row["is_final"]}
    return [finals[key] for key in sorted(finals)]


def verdict(row: Row) -> str:
    """Return the judge's verdict; a row without a score was our fault or never had a part."""
    if row["score"] is not None:
        return str(row["score"]["verdict"])
    return "infra_error" if is_infra(row) else "invalid"


def is_infra(row: Row) -> bool:
    """Whether the row says nothing about the policy because we failed."""
    in_score = row["score"] is not None and row["score"]["verdict"] == "infra_error"
    return bool(row["outcome"] == "infra_error" or in_score)


def is_masked(row: Row) -> bool:
    """Whether the row is left out of every mean."""
    return is_infra(row) or verdict(row) == "unscorable"


def iou(row: Row) -> float | None:
    """Return the measured IoU of a scored part, or None."""
    if row["score"] is None or verdict(row) != "scored":
        return None
    terms = {term["name"]: term["raw"] for term in row["score"]["terms"]}
    return terms.get("iou")


def iou_or_zero(row: Row) -> float | None:
    """Return the IoU with a failure as 0, or None where the task is not measured by it."""
    terms = row["score"]["terms"] if row["score"] is not None else []
    is_asked = not terms or any(term["name"] == "iou" for term in terms)
    return (iou(row) or 0.0) if is_asked and not is_masked(row) else None


def _value(row: Row) -> float:
    return float(row["score"]["value"] or 0.0) if row["score"] is not None else 0.0


def _iou_figures(counted: Sequence[Row]) -> dict[str, Any]:
    measured = [value for row in counted if (value := iou(row)) is not None]
    return {
        "mean_all": _mean([value for row in counted if (value := iou_or_zero(row)) is not None]),
        "mean_scored": _mean(measured),
        "median": round(statistics.median(measured), 6) if measured else None,
        "over_0_99": sum(value > NEAR_PERFECT_IOU for value in measured),
    }


def _unscorable(finals: Sequence[Row]) -> dict[str, Any]:
    rows = [row for row in finals if verdict(row) == "unscorable" and not is_infra(row)]
    return {
        "count": len(rows),
        "tasks": {row["task"]: row["score"]["reason"] for row in rows},
    }


def _added(parts: Sequence[dict[str, Any] | None]) -> dict[str, Any] | None:
    """Add up the numbers of records by name; None where there are none, or none has a number."""
    found = [part for part in parts if part is not None]
    names = dict.fromkeys(name for part in found for name in part)
    numbers = {name: [p[name] for p in found if p.get(name) is not None] for name in names}
    added = {name: math.fsum(values) if values else None for name, values in numbers.items()}
    whole = {
        name: int(total) if total is not None and name != "cost" else total
        for name, total in added.items()
    }
    return whole or None


def _mean(values: Sequence[float]) -> float | None:
    return round(statistics.fmean(values), 6) if values else None


def _wall_seconds(attempts: Sequence[Row]) -> float:
    """Add up the sessions of a run: each lasted until its last row at least."""
    lasted: dict[str, float] = {}
    for row in attempts:
        lasted[row["session"]] = max(lasted.get(row["session"], 0.0), row["elapsed_s"])
    return sum(lasted.values())
