"""One HTML file for a run, and one page per episode.

The report needs no network and no server: style, script and thumbnails are inside the file, and
links to episodes are relative, so a run folder can be zipped and sent. Everything that a task or
a model wrote is escaped.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent.artifacts import write_json
from cadwright.agent.evaluation import summary as summaries
from cadwright.agent.evaluation.pictures import data_url
from cadwright.agent.evaluation.store import Row, read_run
from cadwright.agent.trajectory import FILE_NAME, Trajectory, read_trajectory
from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    from jinja2 import Environment

REPORT, SUMMARY, EPISODE_PAGE = "report.html", "summary.json", "index.html"
NUM_BINS = 20  # of the IoU histogram

_PER_PART = ("transform", "noise_floor", "notes")  # card fields that differ between any two parts
_TONES = {"ok": "good", "infra_error": "ours", "unscorable": "apart"}


def write_report(folder: Path) -> dict[str, Any]:
    """Write summary, report and episode pages of the run in ``folder``; return the summary.

    Returns:
        What `summary.summarise` says, ``out``, and ``damaged``: the trajectories that cannot be
        read and have no page, with the reason.

    Raises:
        UsageError: ``folder`` holds no run.
    """
    config, rows = read_run(folder)
    finals = summaries.final_rows(rows)
    damaged = [said for row in finals if (said := _damage(folder / row["episode"]))]
    figures = {**summaries.summarise(rows), "out": str(folder), "damaged": damaged}
    write_json(folder / SUMMARY, figures)
    thumbnail = functools.cache(lambda name: data_url(folder / name))
    page = (
        templates()
        .get_template("report.html")
        .render(
            config=config,
            title=title_of(config["suite"]),
            figures=figures,
            rows=[view_of(row, thumbnail) for row in finals],
            chips=_chips(finals),
            bins=histogram(finals),
            cards=[metric_rows(card) for card in cards_of(finals)],
            run_lines=metric_rows(
                {k: v for k, v in config.items() if k not in ("suite", "policy")}
            ),
        )
    )
    write_page(folder / REPORT, page)
    return figures


def figures_of(folder: Path) -> dict[str, Any]:
    """Return what ``write_report`` returns, and write nothing; ``damaged`` is not looked for.

    Raises:
        UsageError: ``folder`` holds no run.
    """
    _, rows = read_run(folder)
    return {**summaries.summarise(rows), "out": str(folder), "damaged": []}


def _damage(folder: Path) -> str:
    """Write the page of an episode; say why where its record cannot be read."""
    try:
        write_episode_page(folder)
    except UsageError as error:
        return str(error)
    return ""


def write_episode_page(folder: Path) -> Path | None:
    """Write a readable page beside a trajectory; None where the trajectory is gone."""
    if not (folder / FILE_NAME).is_file():
        return None
    trajectory = read_trajectory(folder)
    page = (
        templates()
        .get_template("episode.html")
        .render(
            header=trajectory.header,
            ending=trajectory.ending,
            tone=tone_of(trajectory.ending["outcome"]) if trajectory.ending else "ours",
            is_torn=trajectory.is_torn,
            walls=[w for record in trajectory.of_kind("confinement") for w in record["walls"]],
            messages=list(_messages(trajectory)),
            bill=metric_rows((trajectory.ending or {}).get("usage") or {}),
            results={r["call"]["id"]: r for r in trajectory.of_kind("result")},
            files=sorted(
                p.name for p in folder.iterdir() if p.is_file() and p.name != EPISODE_PAGE
            ),
        )
    )
    path = folder / EPISODE_PAGE
    write_page(path, page)
    return path


def _messages(trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    """Yield the messages, those of the policy with what is on record about their decision."""
    decisions = trajectory.of_kind("decision")
    for message in trajectory.of_kind("message"):
        is_own = message["role"] == "assistant"
        yield {**message, "decision": _decision(next(decisions, {})) if is_own else None}


def _decision(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a page shows of a decision: words, and figures in one line."""
    context, usage = record.get("context"), record.get("usage")
    notes = [f"by {record['author']}"] if record.get("author") else []
    notes += [f"repaired: {', '.join(record['repairs'])}"] if record.get("repairs") else []
    if context is not None:
        dropped = context["images_full"] - context["images_sent"]
        notes.append(
            f"sent {context['tokens_sent']} of {context['tokens_full']} tokens, "
            f"{context['images_sent']} pictures ({dropped} dropped)"
        )
    if usage is not None and usage["attempts"] > 1:
        notes.append(f"{usage['attempts']} attempts")
    return {"thinking": record.get("thinking", ""), "notes": notes}


def title_of(suite: str) -> str:
    """Return a short name for a suite spec: ``cadprompt`` for ``cadprompt:/data/cadprompt?x=y``."""
    scheme, colon, path = suite.partition(":")
    name = Path(path.partition("?")[0] if colon else scheme).name or scheme
    return name if not colon or name.startswith(scheme) else f"{scheme} {name}"


def view_of(row: Row, thumbnail: Callable[[str], str | None]) -> dict[str, Any]:
    """Return what the table shows of one row."""
    result = row["files"].get("thumbnail")
    return {
        **row,
        "status": status_of(row),
        "tone": tone_of(status_of(row)),
        "iou": summaries.iou(row),
        "value": row["score"]["value"] if row["score"] is not None else None,
        "terms": row["score"]["terms"] if row["score"] is not None else [],
        "target_image": thumbnail(row["target"]) if row.get("target") else None,
        "result_image": thumbnail(f"{row['episode']}/{result}") if result else None,
        "page": f"{row['episode']}/{EPISODE_PAGE}",
    }


def status_of(row: Row) -> str:
    """Return the one word of a row: its outcome, or ``unscorable`` / ``invalid`` of the judge."""
    if row["outcome"] == "ok" and summaries.verdict(row) != "scored":
        return summaries.verdict(row)
    return str(row["outcome"])


def tone_of(status: str) -> str:
    """Return the colour class of a status."""
    return _TONES.get(status, "bad")


def histogram(rows: Iterable[Row]) -> list[int]:
    """Count IoU values in equal bins over [0, 1]."""
    bins = [0] * NUM_BINS
    for row in rows:
        value = summaries.iou(row)
        if value is not None:
            bins[min(int(value * NUM_BINS), NUM_BINS - 1)] += 1
    return bins


def cards_of(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the distinct metric cards of a run without what differs from part to part."""
    cards: list[dict[str, Any]] = []
    for row in rows:
        card = row["score"]["card"] if row["score"] is not None else None
        if card is None:
            continue
        common = {key: value for key, value in card.items() if key not in _PER_PART}
        if common not in cards:
            cards.append(common)
    return cards


def write_page(path: Path, page: str) -> None:
    """Write HTML; half a surrogate pair in what a model wrote is spelled out, not an error."""
    path.write_text(page, encoding="utf-8", errors="backslashreplace")


@functools.cache
def templates() -> Environment:
    """Return the packaged templates; everything in them is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("cadwright.agent.evaluation", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=_number, percent=_percent)
    return environment


def _chips(rows: Iterable[Row]) -> list[dict[str, Any]]:
    counts = Counter(status_of(row) for row in rows)
    names = sorted(counts, key=lambda name: (name != "ok", -counts[name], name))
    return [{"name": name, "count": counts[name], "tone": tone_of(name)} for name in names]


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def metric_rows(card: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a card as lines of name and text."""
    return [(name, str(value)) for name, value in card.items() if value not in (None, {}, (), [])]
