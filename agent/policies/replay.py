"""A policy that runs programs written elsewhere: one execute, then submit.

``replay:programs.jsonl`` holds one JSON object per line with an ``id`` and a ``program`` (or
``code``, ``completion``); several rows of one id become its variants, named by ``variant``,
``prompt_kind`` or ``sample`` where a row has it. ``replay:folder`` holds ``ID.py`` or
``ID/program.py``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent.messages import AssistantTurn
from cadwright.agent.policies.policy import TurnList
from cadwright.tools.errors import UsageError
from cadwright.tools.files import read_text
from cadwright.tools.tool import ToolCall

if TYPE_CHECKING:
    from cadwright.envs.task import PublicTask, Task

Programs = Mapping[str, Mapping[str, str]]  # task id -> variant -> program text

MAX_PROGRAMS_BYTES = 256 * 2**20  # of one JSONL file: some hundred thousand programs

_PROGRAM_FIELDS = ("program", "code", "completion")
_VARIANT_FIELDS = ("variant", "prompt_kind", "sample")


class ReplayPolicy(TurnList):
    """Runs the program of each task.

    Args:
        programs: Task id to variant to program text.
        name: How the policy is called in tables.
    """

    def __init__(self, programs: Programs, *, name: str = "replay") -> None:
        text = json.dumps({key: dict(programs[key]) for key in programs}, sort_keys=True)
        super().__init__(name, hashlib.sha256(text.encode()).hexdigest())
        self.programs = programs

    def variants(self, task: Task | PublicTask) -> tuple[str, ...]:
        """Return the variants of a task, in the order of the file."""
        return tuple(self.programs.get(task.id, {}))

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        """Begin with the program of ``task``."""
        del seed
        programs = self.programs.get(task.id, {})
        if variant not in programs:
            known = ", ".join(map(repr, programs)) or "none"
            raise UsageError(
                f"{self.name} has no program {variant!r} for {task.id}: it has {known}"
            )
        self.begin(execute_and_submit(programs[variant]))


def execute_and_submit(program: str) -> tuple[AssistantTurn, AssistantTurn]:
    """Return the two turns that run a finished program and hand its result in."""
    return (
        AssistantTurn("", (ToolCall("execute", {"code": program}, "1"),)),
        AssistantTurn("", (ToolCall("submit", {}, "2"),)),
    )


def read_programs(path: Path) -> dict[str, dict[str, str]]:
    """Read programs from a JSONL file or a folder.

    Raises:
        UsageError: Nothing is there, or a line is unusable (its number is named).
    """
    if path.is_dir():
        programs = _read_folder(path)
    elif path.exists():
        programs = _read_jsonl(path)
    else:
        raise UsageError(f"{path}: no such file or folder of programs")
    if not programs:
        raise UsageError(f"{path}: holds no program (ID.py, ID/program.py or JSONL rows)")
    return programs


def _read_folder(folder: Path) -> dict[str, dict[str, str]]:
    flat = {path.stem: path for path in folder.glob("*.py")}
    nested = {path.parent.name: path for path in folder.glob("*/program.py")}
    found = {**flat, **nested}
    return {name: {"": read_text(found[name])} for name in sorted(found)}


def _read_jsonl(path: Path) -> dict[str, dict[str, str]]:
    programs: dict[str, dict[str, str]] = {}
    for number, row in _rows(path):
        task_id, program = _id_and_program(row, f"{path}:{number}")
        variants = programs.setdefault(task_id, {})
        variant = _variant(row) or (str(len(variants) + 1) if variants else "")
        if variant in variants:
            raise UsageError(
                f"{path}:{number}: id {task_id!r} has variant {variant!r} already; "
                "give each row its own `variant`"
            )
        variants[variant] = program
    return programs


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(read_text(path, MAX_PROGRAMS_BYTES).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}:{number}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise UsageError(f"{path}:{number}: must be an object, not {type(row).__name__}")
        yield number, row


def _id_and_program(row: Mapping[str, Any], where: str) -> tuple[str, str]:
    if "id" not in row:
        raise UsageError(f"{where}: has no `id`")
    for field in _PROGRAM_FIELDS:
        if isinstance(row.get(field), str):
            return str(row["id"]), row[field]
    raise UsageError(f"{where}: has no text in any of {', '.join(_PROGRAM_FIELDS)}")


def _variant(row: Mapping[str, Any]) -> str:
    return next((str(row[field]) for field in _VARIANT_FIELDS if field in row), "")
