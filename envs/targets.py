"""The pictures that belong to a task: given as files, or drawn from its hidden reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cadwright.envs.observation import decode_image
from cadwright.tools.cad import Target
from cadwright.tools.tool import ImageBlock

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.sources import ImageSource
    from cadwright.envs.task import Task
    from cadwright.tools.geometry.part import Inspection


def targets_of(runtime: Runtime, task: Task, image_px: int) -> tuple[Target, ...]:
    """Return the pictures that a task shows, in its order.

    Args:
        runtime: Measures and draws.
        task: The whole task: views are drawn from its reference.
        image_px: Edge length of what is drawn; a given file keeps its own size.
    """
    return tuple(_target(runtime, task, image, image_px) for image in task.images)


def drawn(runtime: Runtime, inspection: Inspection, view: str, image_px: int) -> ImageBlock:
    """Return a part in a view of ``envs.sources.VIEWS``."""
    if view == "sheet":
        return runtime.renderer.sheet(inspection, size=image_px)
    return runtime.renderer.view(inspection, view, size=image_px)


def _target(runtime: Runtime, task: Task, image: ImageSource, image_px: int) -> Target:
    if image.view is None:
        return Target(decode_image(image))
    assert task.reference is not None  # the task file was checked for it
    part = runtime.part_of(task.reference)
    if image.view == "drawing":
        from cadwright.envs.drawings import draw_task

        return Target(draw_task(task, part, runtime.judge).block(image.caption))
    inspection = runtime.judge.inspect(part)
    if image.view == "measured":
        table = tuple(int(value) for value in task.meta.get("table", ()))
        image_block = runtime.renderer.measured(inspection, table=table)
        return Target(image_block, image.view, table, inspection)
    return Target(drawn(runtime, inspection, image.view, image_px), image.view)
