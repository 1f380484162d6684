"""Runs side by side, where they may be set side by side.

Two numbers are compared only where they were measured alike: for each task the metric cards of
all runs have to agree, else the field that differs is named and nothing is printed.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cadwright.agent.evaluation import summary as summaries
from cadwright.agent.evaluation.pictures import data_url
from cadwright.agent.evaluation.plan import Key
from cadwright.agent.evaluation.report import status_of, templates, tone_of
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
    figures: dict[str, Any]


def read_runs(folders: Sequence[Path]) -> list[Run]:
    """Read runs and make sure that they may be compared.

    Raises:
        UsageError: A folder holds no run, the runs share no task, or two metric cards differ.
    """
    runs = [_read(folder) for folder in folders]
    runs = [Run(_label(run, runs), run.folder, run.config, run.rows, run.figures) for run in runs]
    for key in shared_keys(runs):
        _require_comparable(key, runs)
    return runs


def shared_keys(runs: Sequence[Run]) -> list[Key]:
    """Return what all runs have an episode of, sorted.

    Raises:
        UsageError: There is nothing of the kind.
    """
    shared = functools.reduce(lambda a, b: a & b, (set(run.rows) for run in runs))
    if not shared:
        raise UsageError("these runs have no task and variant in common: nothing to compare")
    return sorted(shared)


def write_comparison(runs: Sequence[Run], path: Path) -> None:
    """Write one self-contained HTML file with the runs side by side."""
    keys = shared_keys(runs)
    page = (
        templates()
        .get_template("compare.html")
        .render(
            runs=runs,
            figures=shared_figures(runs),
            lines=[_line(key, runs) for key in keys],
            num_shared=len(keys),
        )
    )
    path.write_text(page, encoding="utf-8")


def shared_figures(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the figures of each run over what all runs share, so that they mean the same."""
    keys = shared_keys(runs)
    return [summaries.summarise(run.rows[key] for key in keys) for run in runs]


def _read(folder: Path) -> Run:
    config, rows = read_run(folder)
    finals = {(row["task"], row["variant"]): row for row in summaries.final_rows(rows)}
    return Run(config["policy"], folder, config, finals, summaries.summarise(rows))


def _label(run: Run, runs: Sequence[Run]) -> str:
    """Return the policy's name, with the folder where two runs have the same policy."""
    is_unique = sum(other.label == run.label for other in runs) == 1
    return run.label if is_unique else f"{run.label} ({run.folder.name})"


def _require_comparable(key: Key, runs: Sequence[Run]) -> None:
    scores = [run.rows[key]["score"] for run in runs]
    try:
        require_same_card(Score.from_json(score) for score in scores if score is not None)
    except UsageError as error:
        raise UsageError(f"task {key[0]}: {error}") from error


def _line(key: Key, runs: Sequence[Run]) -> dict[str, Any]:
    rows = [run.rows[key] for run in runs]
    ious = [None if summaries.is_masked(row) else summaries.iou(row) or 0.0 for row in rows]
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
