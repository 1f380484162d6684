"""Share of all parts that come within a tolerance, as a curve: failures count, nobody drops out.

A mean over the parts that could be measured improves when bad parts fail. The recall at a
tolerance cannot: its denominator is every part that counts. IterCAD (2606.13368) proposes this for
the chamfer as CD-TR with its area AUC-TR; its range of tolerances was not to be had, so the one
used here is part of the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cadwright.agent.evaluation.store import Row

POINTS_PER_DECADE = 4


@dataclass(frozen=True, slots=True)
class Range:
    """Tolerances from ``10**low`` to ``10**high``."""

    low: int
    high: int


# Distance terms that have a curve: from the noise or the tolerance of making to "another part".
RANGES: Mapping[str, Range] = {
    "chamfer_sq_unit_x1000": Range(-2, 2),
    "chamfer_l2_mm": Range(-2, 2),
    "surface": Range(-3, 1),
}


def tolerance_recall(counted: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return the curve of every distance that was measured.

    Args:
        counted: Final rows without the masked ones; failed parts are within no tolerance.

    Returns:
        By term: its ``unit``, the ``tolerances``, the ``recall`` at each and ``auc``, the mean of
        the recall over the logarithm of the tolerance.
    """
    curves = {}
    for name, span in RANGES.items():
        terms = [_term(row, name) for row in counted]
        units = [term["unit"] for term in terms if term is not None]
        if units:
            gaps = [np.inf if t is None or t["raw"] is None else t["raw"] for t in terms]
            curves[name] = {"unit": units[0], **_curve(np.array(gaps), span)}
    return curves


def _curve(gaps: np.ndarray[Any, Any], span: Range) -> dict[str, Any]:
    steps = (span.high - span.low) * POINTS_PER_DECADE
    tolerances = np.logspace(span.low, span.high, steps + 1)
    recall = (gaps[:, None] <= tolerances).mean(axis=0)
    auc = float(np.trapezoid(recall)) / steps
    return {
        "tolerances": [float(f"{value:.4g}") for value in tolerances],
        "recall": [round(float(value), 6) for value in recall],
        "auc": round(auc, 6),
    }


def _term(row: Row, name: str) -> dict[str, Any] | None:
    if row["score"] is None or row["score"]["verdict"] != "scored":
        return None
    return next((term for term in row["score"]["terms"] if term["name"] == name), None)
