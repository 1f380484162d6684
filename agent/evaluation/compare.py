"""Runs side by side, where they may be set side by side.

Two numbers are compared only where they were measured alike: for each task the metric cards of
all runs have to agree, else the field that differs is named and nothing is printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cadwright.agent.evaluation import summary as summaries
from cadwright.agent.evaluation.pictures import data_url
from cadwright.agent.evaluation.plan import Key
from cadwright.agent.evaluation.report import status_of, templates, tone_of, write_page
from cadwright.agent.evaluation.store import Row, read_run
from cadwright.rewards.score import Score, require_same_card
from cadwright.tools.errors import UsageError


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One run to compare."""

    label: str
    folder: Path
    config: dict[str, Any]
    rows: dict[Key, Row]

    def row(self, key: Key) -> Row | None:
        """Return the row for ``key``.

        A run without variants, such as the expert's, has one row to set beside all of them.
        """
        return self.rows.get(key) or self.rows.get((key[0], ""))

    def shared_rows(self, keys: Sequence[Key]) -> list[Row]:
        """Return the rows for ``keys``, all of which this run has."""
        return [row for key in keys if (row := self.row(key)) is not None]


def read_runs(folders: Sequence[Path]) -> list[Run]:
    """Read runs and make sure that they may be compared.

    Raises:
        UsageError: A folder holds no run, the runs share no task, or two metric cards differ.
    """
    runs = [_read(folder) for folder in folders]
    runs = [replace(run, label=_label(run, runs)) for run in runs]
    keys = shared_keys(runs)
    for rows in zip(*(run.shared_rows(keys) for run in runs), strict=True):
        _require_comparable(rows)
    return runs


def shared_keys(runs: Sequence[Run]) -> list[Key]:
    """Return what all runs have an episode of, sorted.

    Raises:
        UsageError: There is nothing of the kind.
    """
    every = set().union(*(run.rows for run in runs))
    shared = sorted(key for key in every if all(run.row(key) is not None for run in runs))
    if not shared:
        raise UsageError("these runs have no task in common: nothing to compare")
    return shared


def write_comparison(runs: Sequence[Run], path: Path) -> None:
    """Write one self-contained HTML file with the runs side by side."""
    keys = shared_keys(runs)
    columns = zip(*(run.shared_rows(keys) for run in runs), strict=True)
    page = (
        templates()
        .get_template("compare.html")
        .render(
            runs=runs,
            figures=shared_figures(runs),
            lines=[_line(key, runs, rows) for key, rows in zip(keys, columns, strict=True)],
            num_shared=len(keys),
        )
    )
    write_page(path, page)


def shared_figures(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the figures of each run over what all runs share, so that they mean the same."""
    keys = shared_keys(runs)
    return [summaries.summarise(run.shared_rows(keys)) for run in runs]


def _read(folder: Path) -> Run:
    config, rows = read_run(folder)
    finals = {(row["task"], row["variant"]): row for row in summaries.final_rows(rows)}
    return Run(config["policy"], folder, config, finals)


def _label(run: Run, runs: Sequence[Run]) -> str:
    """Return the policy's name, with the folder where two runs have the same policy."""
    is_unique = sum(other.label == run.label for other in runs) == 1
    return run.label if is_unique else f"{run.label} ({run.folder.name})"


def _require_comparable(rows: Sequence[Row]) -> None:
    scores = [row["score"] for row in rows]
    try:
        require_same_card(Score.from_json(score) for score in scores if score is not None)
    except UsageError as error:
        raise UsageError(f"task {rows[0]['task']}: {error}") from error


def _line(key: Key, runs: Sequence[Run], rows: Sequence[Row]) -> dict[str, Any]:
    ious = [summaries.iou_or_zero(row) for row in rows]
    targets = (
        run.folder / row["target"] for run, row in zip(runs, rows, strict=True) if row["target"]
    )
    target = next(targets, None)
    return {
        "task": key[0],
        "variant": key[1],
        "target_image": data_url(target) if target is not None else None,
        "cells": [_cell(run, row) for run, row in zip(runs, rows, strict=True)],
        "change": _difference(ious[0], ious[-1]),
    }


def _difference(first: float | None, last: float | None) -> float | None:
    return None if first is None or last is None else last - first


def _cell(run: Run, row: Row) -> dict[str, Any]:
    thumbnail = row["files"].get("thumbnail")
    status = status_of(row)
    return {
        "status": status,
        "tone": tone_of(status),
        "iou": summaries.iou(row),
        "image": data_url(run.folder / row["episode"] / thumbnail) if thumbnail else None,
    }
