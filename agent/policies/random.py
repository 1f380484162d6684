"""A policy that calls tools at random, well and badly formed, to shake the machinery.

It never looks at the conversation. A loop that survives it answers every call with a result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cadwright.agent.messages import AssistantTurn, Conversation
from cadwright.agent.policies.policy import ONE_VARIANT
from cadwright.tools.tool import ToolCall, ToolSpec

if TYPE_CHECKING:
    from cadwright.envs.task import PublicTask, Task

MALFORMED_SHARE = 0.3  # of all calls: wrong names, missing, extra and mistyped arguments
SILENT_SHARE = 0.1  # of all turns: words without a call
MAX_CALLS = 3

_PROGRAMS = (
    "result = cq.Workplane().box({a}, {b}, {c})",
    "result = cq.Workplane().cylinder({a}, {b})",
    "result = cq.Workplane().box({a}, {b}, {c}).faces('>Z').workplane().hole({c})",
    "result = cq.Workplane().box({a}, {b}, {c}).edges().fillet({a})",
    "result = cq.Workplane().box({a}, {b}, 0)",
    "import cadquery as cq\nresult = cq.Workplane().sphere({a})",
    "raise ValueError('{a}')",
    "x = {a} +",
    "",
)
_ODD_VALUES: tuple[Any, ...] = (None, True, -1, float("nan"), 10**30, "Ø\x00\ud800", [], {}, [[]])


class RandomPolicy:
    """Seeded random tool calls."""

    is_privileged = False
    digest = ""

    def __init__(self, *, name: str = "random") -> None:
        self.name = name
        self._rng = np.random.default_rng(0)

    def variants(self, task: Task | PublicTask) -> tuple[str, ...]:
        """Return the one unnamed attempt."""
        del task
        return ONE_VARIANT

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        """Begin a sequence that depends on the task's id and the seed only."""
        del variant
        self._rng = np.random.default_rng([seed, *task.id.encode("utf-8", "surrogatepass")])

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        """Return zero to three random calls."""
        if self._rng.random() < SILENT_SHARE:
            return AssistantTurn("thinking aloud")
        turn = conversation.num_turns
        num_calls = int(self._rng.integers(1, MAX_CALLS + 1))
        return AssistantTurn("", tuple(self._call(tools, f"{turn}.{n}") for n in range(num_calls)))

    def close(self) -> None:
        """Nothing to free."""

    def _call(self, tools: Sequence[ToolSpec], call_id: str) -> ToolCall:
        spec = tools[int(self._rng.integers(len(tools)))]
        schemas: Mapping[str, Any] = spec.parameters["properties"]
        arguments = {name: self._value(name, schema) for name, schema in schemas.items()}
        if self._rng.random() < MALFORMED_SHARE:
            return self._spoil(spec.name, arguments, call_id)
        return ToolCall(spec.name, arguments, call_id)

    def _spoil(self, name: str, arguments: dict[str, Any], call_id: str) -> ToolCall:
        odd = _ODD_VALUES[int(self._rng.integers(len(_ODD_VALUES)))]
        spoilt = (
            ToolCall(name + "s", arguments, call_id),
            ToolCall(name, {}, call_id),
            ToolCall(name, {**arguments, "colour": odd}, call_id),
            ToolCall(name, dict.fromkeys(arguments, odd), call_id),
        )
        return spoilt[int(self._rng.integers(len(spoilt)))]

    def _value(self, name: str, schema: Mapping[str, Any]) -> Any:
        if name == "code":
            program = _PROGRAMS[int(self._rng.integers(len(_PROGRAMS)))]
            a, b, c = self._rng.uniform(1, 50, 3).round(2)
            return program.format(a=a, b=b, c=c)
        if "enum" in schema:
            return schema["enum"][int(self._rng.integers(len(schema["enum"])))]
        return self._value_of_type(schema)

    def _value_of_type(self, schema: Mapping[str, Any]) -> Any:
        low, high = schema.get("minimum", -10), schema.get("maximum", 10)
        match schema.get("type"):
            case "integer":
                return int(self._rng.integers(int(low), int(high) + 1))
            case "number":
                return float(self._rng.uniform(low, high))
            case "boolean":
                return bool(self._rng.integers(2))
            case "array":
                return [self._value_of_type(schema["items"]) for _ in range(3)]
            case _:
                return str(schema.get("default", "part"))
