"""The files an episode leaves beside its trajectory: part, exports, pictures.

They are written before anything is scored. A file that cannot be made is a line in the
trajectory, not a fault: the part itself is what counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent.trajectory import png
from cadwright.envs.core import Submission
from cadwright.tools.errors import InfraError, ToolError

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime


@dataclass(frozen=True, slots=True)
class _File:
    """A file to write: its name, and what makes its bytes."""

    name: str
    make: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to leave behind besides the exact part.

    Attributes:
        formats: Part formats to export.
        sheet: A view sheet of the final part.
        thumbnail: A small picture of the final part, for reports.
    """

    formats: tuple[str, ...] = ("stl",)
    sheet: bool = False
    thumbnail: bool = False


ALL = Wanted(formats=("stl", "step"), sheet=True, thumbnail=True)


def save(
    submission: Submission, runtime: Runtime, folder: Path, wanted: Wanted
) -> tuple[dict[str, str], list[str]]:
    """Write what ``wanted`` asks for.

    Returns:
        File names by role, and what could not be made, in words.
    """
    files: dict[str, str] = {}
    problems: list[str] = []
    for role, file in _plan(submission, runtime, wanted).items():
        try:
            (folder / file.name).write_bytes(file.make())
            files[role] = file.name
        except (ToolError, InfraError) as error:
            problems.append(f"{file.name}: {error}")
        except OSError as error:  # a full disk may still hold the score
            (folder / file.name).unlink(missing_ok=True)  # rather than half of it
            problems.append(f"{file.name}: {error.strerror or error}")
    return files, problems


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write readable JSON; a reader never sees half of it."""
    whole = path.with_name(path.name + ".partial")
    whole.write_text(json.dumps(data, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    whole.replace(path)


def _plan(submission: Submission, runtime: Runtime, wanted: Wanted) -> dict[str, _File]:
    part, inspection = submission.part, submission.inspection
    if part is None:
        return {}
    plan = {} if part.brep is None else {"part": _File("part.brep", partial(_bytes, part.brep))}
    for fmt in wanted.formats:
        if fmt != "step" or part.brep is not None:  # triangles have no exact form
            plan[fmt] = _File(f"part.{fmt}", partial(runtime.judge.write, part, fmt))
    if inspection is not None and inspection.mesh is not None:
        if wanted.sheet:
            plan["sheet"] = _File("sheet.png", lambda: png(runtime.renderer.sheet(inspection)))
        if wanted.thumbnail:
            plan["thumbnail"] = _File(
                "thumbnail.png", lambda: png(runtime.renderer.thumbnail(inspection))
            )
    return plan


def _bytes(data: bytes) -> bytes:
    return data
