"""Small pictures of the references, for reports. They are drawn beside the run, never shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cadwright.agent.trajectory import png
from cadwright.envs.names import safe_name
from cadwright.envs.task import Task
from cadwright.tools.errors import InfraError, TaskError, ToolError

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime


def draw_target(task: Task, runtime: Runtime, folder: Path) -> str | None:
    """Draw the reference of ``task`` once and return its file name inside ``folder``.

    Returns:
        None where there is no reference or it cannot be drawn: a report can do without.
    """
    if task.reference is None:
        return None
    name = f"targets/{safe_name(task.id)}.png"
    path = folder / name
    if path.exists():
        return name
    try:
        inspection = runtime.judge.inspect(runtime.part_of(task.reference))
        data = png(runtime.renderer.thumbnail(inspection))
    except (ToolError, TaskError, InfraError):
        return None
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return name
