"""Examine a trained policy and write down what came out, misses included."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cadwright.agent.training.evaluate_tiny import Examiner
from cadwright.agent.training.exam_rows import Row, report
from cadwright.agent.training.others import load_unknown
from cadwright.agent.training.sheets import load_sheets
from cadwright.agent.training.vlm import fast_vision

_ORDER = ("valid", "iou", "exact", "last_iou", "last_exact", "gain", "declined", "false_decline")


def examine(folder: Path, data: Path) -> list[Row]:
    """Examine the policy in a model folder.

    Args:
        folder: Model folder.
        data: Folder with ``held_out`` and ``strangers``.
    """
    from transformers import AutoModelForImageTextToText, PreTrainedTokenizerFast

    from cadwright.envs.runtime import Runtime

    model: Any = AutoModelForImageTextToText.from_pretrained(folder, dtype="float32").eval()
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    with Runtime.open(backend="raycast") as runtime, fast_vision():
        examiner = Examiner(model, tokenizer, runtime)
        return report(examiner, load_sheets(data / "held_out"), load_unknown(data / "strangers"))


def save_rows(rows: Sequence[Row], path: Path) -> None:
    """Write rows as JSON."""
    path.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


def table(rows: Sequence[Row]) -> str:
    """Return rows as a Markdown table; what misses its mark is bold."""
    lines = ["| tasks | n | " + " | ".join(_ORDER) + " |", "|---|---" + "|---" * len(_ORDER) + "|"]
    for row in rows:
        cells = [_cell(row, name) for name in _ORDER]
        lines.append(f"| {row.name} | {row.count} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def misses(rows: Sequence[Row]) -> list[str]:
    """Return what was asked and not reached, one line each."""
    return [
        f"{row.name}: {name} {row.figures[name]:.3f}, asked {wanted:g}"
        for row in rows
        for name, wanted in row.asked.items()
        if name in row.figures and not _is_met(row, name)
    ]


def _cell(row: Row, name: str) -> str:
    if name not in row.figures:
        return ""
    text = f"{row.figures[name]:.3f}"
    if name == "gain":
        text += f" [{row.figures['gain_low']:.3f}, {row.figures['gain_high']:.3f}]"
    if name in row.asked:
        text += f" ({row.asked[name]:g})"
        text = text if _is_met(row, name) else f"**{text}**"
    return text


def _is_met(row: Row, name: str) -> bool:
    if name == "gain":
        return row.figures["gain_low"] > row.asked[name]
    if name == "false_decline":
        return row.figures[name] <= row.asked[name]
    return row.figures[name] >= row.asked[name]
