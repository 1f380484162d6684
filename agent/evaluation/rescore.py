"""Score parts again from where they lie: after a judge failed, or after the protocol changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent.artifacts import write_json
from cadwright.agent.evaluation.store import Row
from cadwright.agent.evaluation.summary import final_rows
from cadwright.envs.core import Submission
from cadwright.tools.errors import InfraError, Outcome

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task

PART_FILES = ("part.brep", "part.stl")  # exact geometry first


def rescore_rows(
    rows: list[Row], tasks: Mapping[str, Task], runtime: Runtime, folder: Path
) -> Iterator[Row]:
    """Yield each final row with a new score; no episode is run.

    A row that broke for another reason than its score has no part worth scoring and is left out,
    as is a row whose task is no longer in the suite. A row whose part is gone stays as it is.
    """
    for row in final_rows(rows):
        task = tasks.get(row["task"])
        if is_gone(row, folder):
            yield row
        elif task is not None and is_scorable(row):
            yield rescore_row(row, task, runtime, folder / row["episode"])


def is_gone(row: Row, folder: Path) -> bool:
    """Whether the part that a row was scored by has been deleted since."""
    episode = folder / row["episode"]
    had_part = bool(row.get("part_digest"))
    return had_part and not any((episode / name).is_file() for name in PART_FILES)


def rescore_row(row: Row, task: Task, runtime: Runtime, episode: Path) -> Row:
    """Return ``row`` with a new score of the part in ``episode``, and keep the score there."""
    renewed = scored_again(row, task, runtime, episode)
    if renewed["score"] is not None and episode.is_dir():
        write_json(episode / "score.json", renewed["score"])
    return renewed


def scored_again(row: Row, task: Task, runtime: Runtime, episode: Path) -> Row:
    """Return ``row`` with a new score of the part in ``episode``; nothing is written."""
    try:
        score = runtime.score(task, stored_submission(row, runtime, episode))
    except InfraError as error:
        fault = {"area": "reward", "error": type(error).__name__, "message": str(error)}
        return {**row, "score": None, "outcome": Outcome.INFRA_ERROR.value, "fault": fault}
    outcome = Outcome.OK.value if row["fault"] is not None else row["outcome"]
    return {
        **row,
        "score": score.to_json(),
        "outcome": outcome,
        "fault": None,
        "message": score.reason,
    }


def stored_submission(row: Row, runtime: Runtime, episode: Path) -> Submission:
    """Return what an episode handed in, read back from its folder."""
    for name in PART_FILES:
        if (episode / name).is_file():
            return Submission(runtime.judge.read(episode / name), Outcome.OK, is_submitted=True)
    return Submission(None, Outcome(_no_part(row)))


def _no_part(row: Mapping[str, Any]) -> str:
    outcome = str(row["outcome"])
    return Outcome.NO_RESULT.value if outcome == Outcome.INFRA_ERROR.value else outcome


def is_scorable(row: Row) -> bool:
    """Whether a row has a part worth scoring: it broke nowhere, or only in its score."""
    return row["fault"] is None or row["fault"]["area"] == "reward"
