"""Success against the length of a specification and the depth of the numbers that matter.

A task of such a suite says in ``meta.long`` how many tokens its document has and how deep in it
the needed numbers stand (0 is the top, 1 the end). A run of any policy becomes one heat map:
length to the right, depth downwards, the share of parts that came out right in each cell. Beside
it stands what of the conversation each episode sent, and what its budget dropped: a policy that
fails because the numbers were never sent fails for another reason than one that overlooked them.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cadwright.agent.evaluation import summary as summaries
from cadwright.agent.evaluation.report import (
    EPISODE_PAGE,
    status_of,
    templates,
    tone_of,
    write_page,
)
from cadwright.agent.evaluation.store import Row

PAGE = "long-spec.html"
SUCCESS_SCORE = 0.95  # a part with every number right scores 1.0; one wrong number costs more
MAX_COLUMNS, MAX_ROWS = 12, 11  # more distinct values than these share bins
DEPTH_BINS = 5

_LOW, _HIGH = (0xF6, 0xE8, 0xE0), (0x0B, 0x4F, 0x8A)  # one light-to-dark scale: also for print


@dataclass(frozen=True, slots=True)
class Cell:
    """The episodes of one length and depth.

    Attributes:
        total: Episodes that say something about the policy.
        successes: Of them, those with a score of ``SUCCESS_SCORE`` at least.
        mean: Mean score, failures as 0.
    """

    total: int
    successes: int
    mean: float

    @property
    def share(self) -> float:
        """The share of successes."""
        return self.successes / self.total


@dataclass(frozen=True, slots=True)
class HeatMap:
    """One run.

    Attributes:
        label: The policy.
        lengths: Tokens of each column, ascending.
        depths: Depth of each row, ascending.
        cells: By column and row; what nobody ran is missing.
        num_masked: Episodes left out, since our own machinery failed.
    """

    label: str
    lengths: tuple[int, ...]
    depths: tuple[float, ...]
    cells: Mapping[tuple[int, int], Cell]
    num_masked: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "policy": self.label,
            "success_score": SUCCESS_SCORE,
            "masked": self.num_masked,
            "cells": [
                {
                    "tokens": self.lengths[column],
                    "depth": self.depths[row],
                    "episodes": cell.total,
                    "successes": cell.successes,
                    "score_mean": cell.mean,
                }
                for (column, row), cell in sorted(self.cells.items())
            ],
        }


def heat_map(label: str, rows: Iterable[Row]) -> HeatMap | None:
    """Return the heat map of a run, or None where no task of it has a length and a depth."""
    finals = [row for row in summaries.final_rows(rows) if row.get("long")]
    if not finals:
        return None
    counted = [row for row in finals if not summaries.is_masked(row)]
    lengths = _axis([int(row["long"]["tokens"]) for row in finals], MAX_COLUMNS, _power_of_two)
    depths = _axis([float(row["long"]["depth"]) for row in finals], MAX_ROWS, _depth_bin)
    scores: dict[tuple[int, int], list[float]] = {}
    for row in counted:
        column = lengths.index(_place(int(row["long"]["tokens"]), lengths, _power_of_two))
        line = depths.index(_place(float(row["long"]["depth"]), depths, _depth_bin))
        scores.setdefault((column, line), []).append(_value(row))
    cells = {
        key: Cell(
            total=len(values),
            successes=sum(value >= SUCCESS_SCORE for value in values),
            mean=round(statistics.fmean(values), 6),
        )
        for key, values in scores.items()
    }
    return HeatMap(
        label,
        tuple(int(length) for length in lengths),
        tuple(depths),
        cells,
        len(finals) - len(counted),
    )


def write_long_report(path: Path, runs: Sequence[tuple[HeatMap, Sequence[Row], Path]]) -> None:
    """Write the page of one run or several: heat maps, then what each episode sent.

    Args:
        path: Of the page.
        runs: Heat map, rows and folder of each run.
    """
    page = (
        templates()
        .get_template("longspec.html")
        .render(
            maps=[(map_, svg(map_)) for map_, _, _ in runs],
            rows=[
                view
                for map_, rows, folder in runs
                for view in _views(map_.label, rows, folder, path.parent)
            ],
            success_score=SUCCESS_SCORE,
        )
    )
    write_page(path, page)


def svg(map_: HeatMap) -> str:
    """Return a heat map as an SVG picture that needs no style sheet."""
    wide, tall, left, top = 74, 40, 62, 46
    width = left + wide * len(map_.lengths) + 10
    height = top + tall * len(map_.depths) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="system-ui, sans-serif" '
        f'font-size="12" text-anchor="middle">',
        "<title>Share of right parts by length and depth</title>",
        _label(left + wide * len(map_.lengths) / 2, 14, "tokens in the specification"),
        _label(left / 2, top - 8, "depth"),
    ]
    for column, length in enumerate(map_.lengths):
        parts.append(_label(left + wide * (column + 0.5), top - 8, tokens_text(length)))
    for row, depth in enumerate(map_.depths):
        y = top + tall * row
        parts.append(_label(left / 2, y + tall / 2 + 4, f"{depth:.0%}"))
        for column in range(len(map_.lengths)):
            parts.append(
                _square(map_.cells.get((column, row)), left + wide * column, y, wide, tall)
            )
    return "\n".join([*parts, "</svg>"])


def tokens_text(count: float) -> str:
    """Return a number of tokens in short: ``500``, ``4k``, ``1.5k``, ``2M``."""
    for size, unit in ((1_000_000, "M"), (1000, "k")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return f"{count:.0f}"


def colour_of(share: float) -> tuple[tuple[int, int, int], bool]:
    """Return the RGB colour of a share, and whether text on it must be light."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(_LOW, _HIGH, strict=True))
    return (red, green, blue), share > 0.5


def _square(cell: Cell | None, x: float, y: float, wide: float, tall: float) -> str:
    box = f'x="{x + 1}" y="{y + 1}" width="{wide - 2}" height="{tall - 2}" rx="4"'
    if cell is None:
        return f'<rect {box} fill="none" stroke="#8888" stroke-dasharray="3 3"/>'
    rgb, is_dark = colour_of(cell.share)
    ink = "#ffffff" if is_dark else "#16202c"
    text = f"{cell.share:.0%}"
    middle = x + wide / 2
    return (
        f"<g><title>{cell.successes} of {cell.total}, mean score {cell.mean:.3f}</title>"
        f'<rect {box} fill="rgb{rgb}"/>'
        f'<text x="{middle}" y="{y + tall / 2}" fill="{ink}" font-weight="600">{text}</text>'
        f'<text x="{middle}" y="{y + tall / 2 + 13}" fill="{ink}" font-size="10">'
        f"{cell.successes}/{cell.total}</text></g>"
    )


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x}" y="{y}" fill="currentColor">{text}</text>'


def _views(label: str, rows: Sequence[Row], folder: Path, base: Path) -> list[dict[str, Any]]:
    prefix = "" if folder == base else f"{folder.resolve().as_uri()}/"
    return [
        {
            **row,
            "policy": label,
            "status": status_of(row),
            "tone": tone_of(status_of(row)),
            "value": row["score"]["value"] if row["score"] is not None else None,
            "context": row.get("context"),
            "page": f"{prefix}{row['episode']}/{EPISODE_PAGE}",
        }
        for row in summaries.final_rows(rows)
        if row.get("long")
    ]


def _value(row: Row) -> float:
    return float(row["score"]["value"] or 0.0) if row["score"] is not None else 0.0


def _axis(values: Sequence[float], limit: int, bin_of: Any) -> list[float]:
    distinct = sorted(set(values))
    return distinct if len(distinct) <= limit else sorted({bin_of(value) for value in distinct})


def _place(value: float, axis: Sequence[float], bin_of: Any) -> float:
    return value if value in axis else float(bin_of(value))


def _power_of_two(tokens: float) -> float:
    return float(2 ** math.floor(math.log2(max(tokens, 1))))


def _depth_bin(depth: float) -> float:
    """Return the middle of the bin of a depth."""
    return (min(int(depth * DEPTH_BINS), DEPTH_BINS - 1) + 0.5) / DEPTH_BINS
