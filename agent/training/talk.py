"""How the embedded policy's conversations read, as text.

The same text as the chat template renders (a test compares them), written without Jinja because
training renders a hundred thousand of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from cadwright import assets
from cadwright.agent.training.sheets import Facts
from cadwright.tools import narrate
from cadwright.tools.cad import UNCHANGED, CadTools
from cadwright.tools.geometry.part import Inspection, Measures
from cadwright.tools.rendering.offset import Offset
from cadwright.tools.tool import ToolSpec, spec_of

IMAGE = "<|image_pad|>"
PICTURE = f"<|vision_start|>{IMAGE}<|vision_end|>"
DECLINE = "This is not a part that I know."
TOOLS: tuple[ToolSpec, ...] = tuple(
    spec_of(tool) for tool in (CadTools.execute, CadTools.undo, CadTools.submit)
)
UNDO = '<tool_call>{"name": "undo", "arguments": {}}</tool_call>'
SUBMIT = '<tool_call>{"name": "submit", "arguments": {}}</tool_call>'
STOP = "<|im_end|>"
UNDONE = "undone, the part is again:\n"
SAME_AGAIN = narrate.notice_lines([UNCHANGED])
SILENT = "ok"  # a result without numbers: what is wrong must be seen


def template() -> str:
    """Return the chat template."""
    return assets.path("training/tiny.jinja").read_text(encoding="utf-8")


def opening(system: str = "", tools: Sequence[ToolSpec] = TOOLS) -> str:
    """Return the system turn."""
    schemas = "".join("\n" + _json(spec.to_openai()) for spec in tools)
    return f"<|im_start|>system\n{system}\n# Tools\n<tools>{schemas}\n</tools>{STOP}\n"


def asked(text: str, *, has_picture: bool) -> str:
    """Return the task."""
    return f"<|im_start|>user\n{text}{PICTURE if has_picture else ''}{STOP}\n"


def answered(text: str) -> str:
    """Return what the execute tool said and showed."""
    return f"<|im_start|>tool\n{text}{PICTURE}{STOP}\n"


def turn(answer: str = "") -> str:
    """Return the policy's turn; without an answer, the opening of one."""
    return "<|im_start|>assistant\n" + (f"{answer}{STOP}\n" if answer else "")


def execute(program: str) -> str:
    """Return the call that runs a program."""
    arguments = _json({"code": program})
    return f'<tool_call>{{"name": "execute", "arguments": {arguments}}}</tool_call>'


def result_text(facts: Facts, before: Facts | None = None) -> str:
    """Return what ``execute`` says about a part."""
    headline = "ok: " + narrate.headline(cast(Measures, _measures(facts)))
    if before is None:
        return headline
    deltas = narrate.changes(_inspection(before), _inspection(facts))
    return f"{headline}\n{narrate.change_line(deltas)}" if deltas else headline


@dataclass(slots=True)
class Told:
    """What an episode has told about the attempts that stand.

    Attributes:
        facts: Of each attempt.
        offsets: How far each of them was off.
    """

    facts: list[Facts] = field(default_factory=list)
    offsets: list[Offset | None] = field(default_factory=list)

    def after(self, facts: Facts, offset: Offset | None) -> str:
        """Return what ``execute`` says of the next attempt."""
        before = self.facts[-1] if self.facts else None
        told = result_text(facts, before)
        if offset is not None:
            told += "\n" + offset.line(self.offsets)
        if before == facts:
            told += "\n" + SAME_AGAIN
        self.facts.append(facts)
        self.offsets.append(offset)
        return told

    def undone(self) -> str:
        """Take back the last attempt and return what ``undo`` says of the one before."""
        self.facts.pop()
        self.offsets.pop()
        return UNDONE + result_text(self.facts[-1]).removeprefix("ok: ")


def _measures(facts: Facts) -> Any:
    holes = (None,) * facts.num_holes
    return SimpleNamespace(
        volume_mm3=facts.volume_mm3,
        area_mm2=facts.area_mm2,
        size_mm=facts.size_mm,
        centre_mm=facts.centre_mm,
        bodies=facts.bodies,
        num_faces=facts.num_faces,
        holes=holes,
    )


def _inspection(facts: Facts) -> Inspection:
    return cast(Inspection, SimpleNamespace(measures=_measures(facts)))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
