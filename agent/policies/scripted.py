"""A policy that plays a written list of turns: demos, regression episodes, tests.

A list is JSON or YAML data, one entry per turn::

    - text: The plate first.
      calls:
        - {name: execute, arguments: {code: "..."}}
    - calls: [{name: submit, arguments: {}}]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent.messages import AssistantTurn
from cadwright.agent.policies.policy import TurnList
from cadwright.tools.errors import UsageError
from cadwright.tools.files import read_text
from cadwright.tools.tool import ToolCall
from cadwright.tools.yaml_lines import YamlFault, parse_yaml

if TYPE_CHECKING:
    from cadwright.envs.task import PublicTask, Task


class ScriptedPolicy(TurnList):
    """Plays ``turns``, or where none are given the ``demo`` list in the task's hidden ``meta``."""

    def __init__(
        self, turns: Sequence[AssistantTurn] | None = None, *, name: str = "scripted"
    ) -> None:
        super().__init__(name)
        self._script = turns

    @property
    def is_privileged(self) -> bool:
        """Whether the turns come from the hidden half of the task."""
        return self._script is None

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        """Begin at the first turn."""
        del seed, variant
        self.begin(_turns_of(task) if self._script is None else self._script)


def read_script(path: Path) -> tuple[AssistantTurn, ...]:
    """Read a list of turns from a JSON or YAML file."""
    try:
        data = parse_yaml(read_text(path), expected="a list of turns").data
    except YamlFault as error:
        raise UsageError(f"{path}:{error.line}: {error}") from error
    return parse_turns(data, where=str(path))


def parse_turns(data: Any, *, where: str) -> tuple[AssistantTurn, ...]:
    """Turn plain data into turns.

    Raises:
        UsageError: An entry is not as the module describes; ``where`` says whose entry.
    """
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise UsageError(f"{where}: must be a list of turns, not {type(data).__name__}")
    return tuple(_turn(entry, index, where) for index, entry in enumerate(data, start=1))


def _turns_of(task: Task | PublicTask) -> tuple[AssistantTurn, ...]:
    script = getattr(task, "meta", {}).get("demo")
    if script is None:
        raise UsageError(f"task {task.id} has no meta.demo for the scripted policy to play")
    return parse_turns(script, where=f"task {task.id}, meta.demo")


def _turn(entry: Any, index: int, where: str) -> AssistantTurn:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("calls", []), Sequence):
        raise UsageError(f"{where}, turn {index}: must hold `text` and a list of `calls`")
    calls = (
        _call(call, f"{where}, turn {index}, call {number}", f"{index}.{number}")
        for number, call in enumerate(entry.get("calls", []), start=1)
    )
    return AssistantTurn(str(entry.get("text", "")), tuple(calls))


def _call(data: Any, where: str, call_id: str) -> ToolCall:
    if not isinstance(data, Mapping) or not isinstance(data.get("name"), str):
        raise UsageError(f"{where}: must hold `name` and `arguments`")
    return ToolCall(data["name"], data.get("arguments", {}), call_id)
