"""The drawing of a task: drawn at reset from the hidden reference and the task's own notes.

The notes (``meta.drawing``) hold what the drawing says as plain data, so that a task file carries
its drawing without a picture, and the policy sees the picture alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cadwright.tools.drawing.callout import Callout
from cadwright.tools.drawing.draw import draw_part
from cadwright.tools.drawing.sheet import SheetSettings
from cadwright.tools.errors import TaskError
from cadwright.tools.kept import Kept

if TYPE_CHECKING:
    from cadwright.envs.task import Task
    from cadwright.tools.drawing.record import Drawing
    from cadwright.tools.geometry.client import GeometryClient
    from cadwright.tools.geometry.part import Part

KEPT = 16  # drawings, 2 MB each: the rollouts of a group begin with the same one
WIDTH_PX = 1024  # of a sheet: small text stays readable when a model sees 768 of them

_kept: Kept[Drawing] = Kept(KEPT)


def draw_task(task: Task, part: Part, geometry: GeometryClient) -> Drawing:
    """Return the dimensioned drawing of a task.

    Args:
        task: Its ``meta.drawing`` says what the drawing says.
        part: The part that it shows.
        geometry: Finds the lines of the part.

    Raises:
        TaskError: The task has no notes for a drawing.
        GeometryError: The drawing finds no room for what it has to say.
    """
    notes = task.meta.get("drawing")
    if notes is None:
        raise TaskError(f"task {task.id}: a drawing needs notes: meta.drawing is missing")
    settings = SheetSettings(title=notes["title"], angle=notes["projection"], width_px=WIDTH_PX)
    callouts = [_callout(mark) for mark in notes["annotations"]]
    key = (part.digest, json.dumps(notes, sort_keys=True))
    return _kept.get(key, lambda: draw_part(geometry, part, callouts, settings))


def _callout(mark: Mapping[str, Any]) -> Callout:
    return Callout(
        name=mark["name"],
        kind=mark["kind"],
        view=mark["view"],
        points=tuple((float(x), float(y), float(z)) for x, y, z in mark["points"]),
        value=mark["value"],
        text=mark["text"],
        others=mark.get("others", {}),
        times=mark.get("times", 1),
    )
