"""Tables of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cadwright.agent.terminal import visible

_COLOURS = {"met": "green", "residual": "red", "could_not_check": "yellow"}

if TYPE_CHECKING:
    from rich.table import Table

    from cadwright.agent.replay import Check
    from cadwright.rewards.constraints.result import ConstraintReport
    from cadwright.tools.geometry.part import Measures


def score_table(score: Mapping[str, Any]) -> Table:
    """Return the terms of a score; gates that found nothing share one row."""
    table = _table("term", ">credit", ">weight", ">measured", "unit", "note")
    silent = [term for term in score["terms"] if term["unit"] == "gate" and term["value"] == 1]
    for term in score["terms"]:
        if term in silent:
            continue
        table.add_row(
            term["name"],
            number(term["value"]),
            number(term["weight"], 2),
            "–" if term["raw"] is None else f"{term['raw']:.4g}",
            term["unit"],
            _safe(term["note"]),
        )
    if silent:
        names = ", ".join(term["name"].replace("_", " ") for term in silent)
        table.add_row("gates", number(1.0), "", "", "", f"nothing found: {names}")
    table.add_section()
    reason = _safe(score["reason"])  # may quote what a model wrote
    table.add_row("score", number(score["value"]), "", "", "", reason, style="bold")
    return table


def constraints_table(report: ConstraintReport) -> Table:
    """Return what was asked of a part and what it has."""
    table = _table("constraint", "asked", "got", ">residual", ">credit", "verdict")
    for result in report.results:
        off = "–" if result.residual is None else f"{result.residual:.4g} {result.unit}".strip()
        verdict = f"[{_COLOURS[result.verdict]}]{result.verdict.replace('_', ' ')}[/]"
        said = f"{verdict}: {_safe(result.reason)}" if result.reason else verdict
        table.add_row(
            _safe(result.id),
            _safe(result.asked),
            _safe(result.got),
            off,
            number(result.credit),
            said,
        )
    table.add_section()
    num_met = sum(result.verdict == "met" for result in report.results)
    total = f"{num_met} of {len(report.results)} met"
    table.add_row("all", "", "", "", number(report.value), total, style="bold")
    return table


def measures_table(measures: Measures) -> Table:
    """Return what was measured of a part."""
    table = _table("measure", ">value", "unit")
    size = " x ".join(f"{length:.6g}" for length in measures.size_mm)
    volume = "–" if measures.volume_mm3 is None else f"{measures.volume_mm3:.6g}"
    table.add_row("size", size, "mm")
    table.add_row("volume", volume, "mm³")
    table.add_row("area", f"{measures.area_mm2:.6g}", "mm²")
    table.add_row("bodies", str(measures.bodies), "")
    table.add_row("faces", str(measures.num_faces), "")
    table.add_row("watertight", "yes" if measures.is_watertight else "no", "")
    table.add_row("valid", "yes" if measures.is_valid else "no", "")
    return table


def figures_table(columns: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return the figures of one or more runs, one column each."""
    runs = list(columns.values())
    table = _table("", *(f">{label}" for label in columns))
    table.add_row("episodes", *(str(f["n"]) for f in runs))
    for name in sorted({name for f in runs for name in f["outcomes"]}, key=_ok_first):
        table.add_row(f"  {name}", *(str(f["outcomes"].get(name, 0)) for f in runs))
    if any(f["end_reasons"].get("stopped") for f in runs):
        stopped = (str(f["end_reasons"].get("stopped", 0)) for f in runs)
        table.add_row("declined or stopped", *stopped)
    if any(f["unscorable"]["count"] for f in runs):
        table.add_row("unscorable reference", *(str(f["unscorable"]["count"]) for f in runs))
    if any(f["infra_errors"] for f in runs):
        table.add_row("our own faults", *(str(f["infra_errors"]) for f in runs), style="red")
    table.add_section()
    table.add_row("mean IoU, failures as 0", *(number(f["iou"]["mean_all"]) for f in runs))
    table.add_row("mean IoU, survivors", *(number(f["iou"]["mean_scored"]) for f in runs))
    table.add_row("median IoU, survivors", *(number(f["iou"]["median"]) for f in runs))
    table.add_row("IoU above 0.99", *(str(f["iou"]["over_0_99"]) for f in runs))
    table.add_row("mean score", *(number(f["score_mean"]) for f in runs), style="bold")
    table.add_row("mean score, survivors", *(number(f["score_mean_scored"]) for f in runs))
    for name in dict.fromkeys(name for f in runs for name in f["tolerance_recall"]):
        curves = [f["tolerance_recall"].get(name) for f in runs]
        areas = [None if curve is None else curve["auc"] for curve in curves]
        table.add_row(f"AUC-TR, {name}", *(number(area) for area in areas))
    table.add_section()
    table.add_row("seconds", *(f"{f['seconds']:.1f}" for f in runs))
    return table


def measured_table(title: str, measured: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return mean and median of measured numbers over the parts that have them."""
    table = _table("measured", ">parts", ">mean", ">median", ">noise", "unit")
    table.title = _safe(title)
    for name, found in measured.items():
        numbers = (found.get(key) for key in ("mean", "median", "noise_floor"))
        shown = ("–" if value is None else f"{value:.4g}" for value in numbers)
        table.add_row(name, str(found["n"]), *shown, found["unit"])
    return table


def checks_table(checks: Sequence[Check]) -> Table:
    """Return what a replay compared."""
    table = _table("compared", ">count", "result")
    for check in checks:
        result = (
            "[green]equal[/]" if check.is_equal else f"[red]differs[/] {_safe(check.difference)}"
        )
        table.add_row(check.name, str(check.num_compared), result)
    return table


def number(value: float | None, digits: int = 3) -> str:
    """Return a number, or a dash for one that does not exist."""
    return "–" if value is None else f"{value:.{digits}f}"


def _ok_first(name: str) -> tuple[bool, str]:
    return (name != "ok", name)


def _safe(text: str) -> str:
    from rich.markup import escape

    return escape(visible(text))


def _table(*columns: str) -> Table:
    """Return an empty table; a column that begins with ``>`` is aligned right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(
            _safe(column.removeprefix(">")), justify="right" if column.startswith(">") else "left"
        )
    return table


def bill(record: Mapping[str, Any]) -> str:
    """Return what deciding cost and what went wrong with calls, in one line; empty for nothing.

    Args:
        record: A result or the figures of a run: ``usage``, ``problems``, ``repairs``.
    """
    usage = record.get("usage")
    parts = []
    if usage is not None:
        parts.append(
            f"{usage['prompt_tokens']:,} tokens read, {usage['completion_tokens']:,} written in "
            f"{usage['attempts']:,} requests"
        )
        if usage.get("estimated_tokens"):
            parts.append(f"{usage['estimated_tokens']:,} of them estimated")
        if usage.get("cost") is not None:
            parts.append(f"cost {usage['cost']:.4f}")
    if record.get("problems"):
        parts.append(f"{record['problems']} calls not run")
    if record.get("repairs"):
        parts.append(f"{record['repairs']} repairs of calls")
    return "; ".join(parts)
