"""``human``: a person at the terminal decides.

A line is a tool call, ``render(view="iso")``, or the name of a tool, whose arguments are then asked
for one by one (code in an editor). A line that cannot be run is explained at once and asked again;
it never reaches the episode.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cadwright.agent.messages import AssistantTurn, Conversation
from cadwright.agent.policies.desk import Desk, TerminalDesk
from cadwright.agent.policies.policy import ONE_VARIANT
from cadwright.agent.tool_calls import parse_calls
from cadwright.tools.tool import ToolSpec

if TYPE_CHECKING:
    from cadwright.envs.task import PublicTask, Task

AUTHOR = "human"
_QUIT = ("quit", "q", "exit")
_HELP = ("help", "h", "?")


class HumanPolicy:
    """Asks a person for every turn.

    Args:
        desk: Where the person sits; the terminal where it is None.
        name: How the policy is called in tables.
    """

    is_privileged = False
    digest = ""

    def __init__(self, desk: Desk | None = None, *, name: str = "human") -> None:
        self.name = name
        self._desk = desk or TerminalDesk()
        self._code = ""  # where the next edit begins
        self._is_new = True

    def variants(self, task: Task | PublicTask) -> tuple[str, ...]:
        """Return the one unnamed attempt."""
        del task
        return ONE_VARIANT

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        """Begin an episode."""
        del task, seed, variant
        self._code, self._is_new = "", True

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        """Ask until there is a turn."""
        turn = self.ask(conversation, tools)
        return turn or AssistantTurn("", is_stop=True, author=AUTHOR)

    def ask(
        self, conversation: Conversation, tools: Sequence[ToolSpec], *, words: str = ""
    ) -> AssistantTurn | None:
        """Return the person's turn, or None where they say one of ``words``.

        Args:
            conversation: So far.
            tools: What may be called.
            words: A further word that ends the asking, for whoever asks on behalf of a policy.
        """
        if self._is_new:
            self._desk.show(_help(tools, words), style="dim")
            self._is_new = False
        while True:
            line = self._desk.ask("you> ")
            if line is None or line.strip().lower() in _QUIT:
                return AssistantTurn("", is_stop=True, author=AUTHOR)
            if words and line.strip().lower() == words:
                return None
            turn = self._turn(line.strip(), conversation, tools, words)
            if turn is not None:
                return turn

    def close(self) -> None:
        """Nothing to free."""

    def _turn(
        self, line: str, conversation: Conversation, tools: Sequence[ToolSpec], words: str
    ) -> AssistantTurn | None:
        """Return the turn of a line; where there is none, say why."""
        if not line:
            return None
        if line.lower() in _HELP:
            self._desk.show(_help(tools, words), style="dim")
            return None
        spec = next((spec for spec in tools if spec.name == line), None)
        text = line if spec is None else self._filled_in(spec)
        if text is None:
            return None
        prefix = f"{conversation.num_turns + 1}."
        parsed = parse_calls(f"<tool_call>{text}</tool_call>", tools, id_prefix=prefix)
        for problem in parsed.problems:
            wrong = problem.message.partition(" It was not run.")[0]  # the rest is advice to models
            self._desk.show(wrong, style="red")
        if spec is None and parsed.problems:
            near = difflib.get_close_matches(line.partition("(")[0], [t.name for t in tools], n=1)
            self._desk.show(
                f"did you mean {near[0]}? " if near else "help shows how to call a tool"
            )
        if parsed.problems or not parsed.calls:
            return None
        return AssistantTurn("", parsed.calls, author=AUTHOR)

    def _filled_in(self, spec: ToolSpec) -> str | None:
        """Ask for the arguments of a tool; None where the person gives up."""
        arguments: dict[str, Any] = {}
        for name, schema in spec.parameters["properties"].items():
            is_required = name in spec.parameters["required"]
            if name == "code":
                value = self._desk.edit(self._code, ".py")
                self._code = value or self._code
            else:
                value = self._desk.ask(f"  {name} ({_hint(schema, is_required)}): ")
            if value is None:
                return None
            if value or is_required:
                arguments[name] = value
        return json.dumps({"name": spec.name, "arguments": arguments})


def edited(turn: AssistantTurn, desk: Desk) -> AssistantTurn | None:
    """Return a turn as the person changed it: each call in the editor, code as code."""
    calls = []
    for call in turn.tool_calls:
        code = call.arguments.get("code") if isinstance(call.arguments, Mapping) else None
        if isinstance(code, str):
            text = desk.edit(code, ".py")
            arguments: Any = None if text is None else {**call.arguments, "code": text}
        else:
            arguments = _edited_json(call.arguments, desk)
        if arguments is None:
            return None
        calls.append(replace(call, arguments=arguments))
    return replace(turn, tool_calls=tuple(calls), author=AUTHOR)


def _edited_json(arguments: Any, desk: Desk) -> Any:
    text = desk.edit(json.dumps(arguments, indent=2), ".json")
    while text is not None:
        try:
            value = json.loads(text)
        except ValueError as error:
            desk.show(f"not JSON: {error}", style="red")
        else:
            if isinstance(value, dict):
                return value
            desk.show("arguments must be an object: {...}", style="red")
        text = desk.edit(text, ".json")
    return None


def _hint(schema: Mapping[str, Any], is_required: bool) -> str:
    allowed = ", ".join(map(str, schema["enum"])) if "enum" in schema else schema.get("type", "")
    return (
        str(allowed) if is_required else f"{allowed}; Enter for {schema.get('default') or 'none'}"
    )


def _help(tools: Sequence[ToolSpec], words: str) -> str:
    lines = [f"  {_signature(spec)}  {spec.description.splitlines()[0]}" for spec in tools]
    back = f"; {words} gives the policy its turn again" if words else ""
    return "\n".join(
        ["Type a call, or the name of a tool:", *lines, f"  help, quit (ends the episode){back}"]
    )


def _signature(spec: ToolSpec) -> str:
    return f"{spec.name}({', '.join(spec.parameters['properties'])})"
