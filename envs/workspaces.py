"""The workspaces by name: which class works on the tasks of an environment."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from cadwright.tools.errors import InfraError

if TYPE_CHECKING:
    from cadwright.envs.core import Workspace
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task

WORKSPACES = {  # loaded when a task asks for one: each has heavy imports of its own
    "cad": "cadwright.envs.cad:CadWorkspace",
    "mesh": "cadwright.envs.mesh:MeshWorkspace",
    "browser": "cadwright.envs.browser:BrowserWorkspace",
}


def make_workspace(task: Task, runtime: Runtime, **settings: bool) -> Workspace:
    """Return a workspace of the kind that the task asks for.

    Args:
        task: Its ``env`` says which.
        runtime: What it works with.
        settings: More arguments of the workspace.

    Raises:
        InfraError: This installation has none of that kind.
    """
    return cast("Workspace", _kind(task)(runtime, **settings))


def gold_workspace(task: Task, runtime: Runtime) -> Workspace:
    """Return a workspace that shows no more than gold calls of its kind need.

    Raises:
        InfraError: This installation has none of that kind.
    """
    return make_workspace(task, runtime, **_kind(task).GOLD_SETTINGS)


def _kind(task: Task) -> Any:
    module, _, name = WORKSPACES[task.env].partition(":")
    try:
        return getattr(import_module(module), name)
    except ImportError as error:
        raise InfraError(f"task {task.id}: env {task.env!r} cannot be loaded: {error}") from error
