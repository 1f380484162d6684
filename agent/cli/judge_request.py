"""What ``cadwright judge`` was asked: options that go together, refused before anything starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cadwright.agent.cli.common import one_task
from cadwright.tools.errors import ToolError, UsageError
from cadwright.tools.files import size_of

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task


def check_options(
    redteam: str | None, of_raids: Mapping[str, object], of_parts: Mapping[str, object]
) -> None:
    """Refuse options that would not be looked at.

    Args:
        redteam: The suite to cheat, or None where a part is judged.
        of_raids: Options that count with ``--redteam`` alone, None where not given.
        of_parts: The part, and options that count without it.

    Raises:
        UsageError: The first of them, and what to do.
    """
    unused = of_raids if redteam is None else of_parts
    given = next((name for name, value in unused.items() if value is not None), None)
    if given is not None and redteam is None:
        raise UsageError(f"{given} is for --redteam: give --redteam SUITE, or leave it out")
    if given is not None:
        raise UsageError(f"--redteam makes the parts that it judges: leave out {given}")


def check_file(path: Path) -> None:
    """Refuse what is neither a part file nor a program, before anything is started.

    Raises:
        UsageError: It is not there, no regular file, or of a format that nobody reads.
    """
    from cadwright.tools.geometry.formats import format_of

    if path.is_dir():
        raise UsageError(f"{path} is a folder: give a part file, or a program (.py)")
    size_of(path)
    if path.suffix.lower() == ".py":
        return
    try:
        format_of(path)
    except ToolError as error:
        raise UsageError(f"{error}, or a program (.py)") from error


def check_reference(task: Task | None, runtime: Runtime) -> None:
    """Refuse a reference that cannot be used: a score against it would blame nobody.

    Raises:
        UsageError: It cannot be read, or its program makes no part.
    """
    if task is None or task.reference is None:
        return
    try:
        runtime.part_of(task.reference)
    except (ToolError, UsageError) as error:
        raise UsageError(f"the reference cannot be used: {error}") from error


def target_task(task: str | None, reference: Path | None) -> Task | None:
    """Return what to score against, or None.

    Raises:
        UsageError: Both were given, or the reference is no file.
    """
    from cadwright.envs.sources import GeometrySource
    from cadwright.envs.task import Task

    if task is not None and reference is not None:
        raise UsageError("give --task or --reference, not both")
    if task is not None:
        return one_task(task)
    if reference is None:
        return None
    check_file(reference)
    return Task(id=reference.name, brief="", reference=GeometrySource(reference.absolute()))


def by_protocol(task: Task | None, protocol: str | None) -> Task | None:
    """Return the task scored by a protocol instead of by its own scoring.

    Raises:
        UsageError: There is no such protocol, or nothing to score against.
    """
    from cadwright.rewards.scoring import Scoring

    if protocol is None:
        return task
    Scoring.preset(protocol)
    if task is None:
        raise UsageError("--protocol needs --task or --reference to score against")
    return replace(task, scoring={"protocol": protocol})


def check_picture(path: Path | None, task: Task | None) -> None:
    """Refuse a picture that cannot be drawn before anything is measured.

    Raises:
        UsageError: There is no reference to draw against, no folder to write into, or something
            there that is no file.
    """
    if path is None:
        return
    if task is None or task.reference is None:
        raise UsageError("--picture needs a reference: give --reference, or a task that has one")
    if path.exists():
        size_of(path)  # writing into a pipe would wait for a reader
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.absolute().parent}")
