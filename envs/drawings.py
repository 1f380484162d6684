"""The drawing of a task: drawn at reset from the hidden reference and the task's own notes.

The notes (``meta.drawing``) hold what the drawing says as plain data, so that a task file carries
its drawing without a picture, and the policy sees the picture alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cadwright.tools.drawing.callout import Callout
from cadwright.tools.drawing.draw import draw_part
from cadwright.tools.drawing.sheet import SheetSettings
from cadwright.tools.errors import TaskError

if TYPE_CHECKING:
    from cadwright.envs.task import Task
    from cadwright.tools.drawing.record import Drawing
    from cadwright.tools.geometry.client import GeometryClient
    from cadwright.tools.geometry.part import Part

WIDTH_PX = 1024  # of a sheet: small text stays readable when a model sees 768 of them


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
    return draw_part(geometry, part, [_callout(mark) for mark in notes["annotations"]], settings)


def _callout(mark: Mapping[str, Any]) -> Callout:
    return Callout(
        name=mark["name"],
        kind=mark["kind"],
        view=mark["view"],
        points=tuple((float(x), float(y), float(z)) for x, y, z in mark["points"]),
        value=mark["value"],
        text=mark["text"],
        others=mark.get("others", {}),
    )
