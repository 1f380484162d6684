"""Before the first episode: does this model's template lose anything, and does its cache continue?

A chat template that drops pictures in tool messages makes a blind agent; one that drops tool calls
makes an agent that forgets what it did and loops. Neither raises an error. So a probe conversation
is rendered once at start, everything that went in is counted, and the variant of ``Rendering`` that
loses nothing is used. Where no variant does, the model is refused with the reason.

Then the probe is read twice, in one piece and in two with the cache in between. Where the answers
differ, the cache of this model cannot be continued and every turn is read in full.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cadwright.agent.messages import Message
from cadwright.agent.models.engine import Engine
from cadwright.agent.models.prompts import Prompt, PromptBuilder
from cadwright.agent.models.rendering import Rendering, turns_of
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ImageBlock, TextBlock, ToolCall, ToolSpec

TOLERANCES = {"float32": 1e-3, "bfloat16": 0.1, "float16": 0.02}  # of the largest logit

_TOOL = ToolSpec(
    "probe_tool",
    "Description of the probe.",
    {
        "type": "object",
        "properties": {"probe_field": {"type": "string", "description": "Any text."}},
        "required": ["probe_field"],
        "additionalProperties": False,
    },
)
_CALL = ToolCall("probe_tool", {"probe_field": "probe value"}, "probe-1")
_SIDE = 64  # pixels of a probe picture
_EXPECTED = {  # what must be found in the rendered probe, and what is wrong where it is not
    "probe question": "drops what the user says",
    "probe words": "drops what the assistant says",
    "probe result": "drops the text of tool results",
    "probe value": "drops tool calls",
    "Description of the probe.": "does not describe the tools",
}


@dataclass(frozen=True, slots=True)
class TemplateCheck:
    """What the template check found.

    Attributes:
        rendering: The variant that loses nothing.
        notes: What was changed for this model, one line each.
    """

    rendering: Rendering
    notes: tuple[str, ...] = ()


def probe_messages() -> list[Message]:
    """Return a conversation with everything that an episode has."""
    return [
        Message("user", (TextBlock("probe question"), _picture(0))),
        Message("assistant", (TextBlock("probe words"),), (_CALL,)),
        Message("tool", (TextBlock("probe result"), _picture(1)), call_id=_CALL.id),
    ]


def check_template(
    owner: Any, *, placeholder: str, may_describe_tools: bool, name: str
) -> TemplateCheck:
    """Find the rendering that loses nothing.

    Args:
        owner: Processor or tokenizer with the chat template.
        placeholder: What stands for a picture in rendered text; empty for a model without eyes.
        may_describe_tools: A dialect was declared, so tools may go into the system message.
        name: Of the model, for messages.

    Raises:
        UsageError: Every variant loses something; the least loss is named.
    """
    losses: list[list[str]] = []
    for rendering in _variants(bool(placeholder), may_describe_tools):
        loss = _losses(owner, rendering, placeholder)
        if not loss:
            return TemplateCheck(rendering, _notes_on(rendering))
        losses.append(loss)
    worst = min(losses, key=len)
    advice = "" if may_describe_tools else _advice(worst)
    raise UsageError(f"{name}: its chat template {', '.join(worst)}{advice}")


def check_cache(engine: Engine, builder: PromptBuilder, *, tolerance: float) -> tuple[str, ...]:
    """Read the probe in one piece and in two; switch the memory off where they differ.

    Returns:
        What a person should know.

    Raises:
        UsageError: The model cannot read its own prompt: image tokens and features disagree.
    """
    try:
        prompt = builder.build(probe_messages(), [_TOOL])
        whole = _last_logits(engine, prompt, cut=0)
    except (RuntimeError, ValueError, IndexError, UsageError) as error:
        raise UsageError(f"the model cannot read the probe conversation: {error}") from error
    try:
        pieced = _last_logits(engine, prompt, cut=_middle(prompt))
        difference = float((whole - pieced).abs().max() / whole.abs().max())
    except (RuntimeError, ValueError, IndexError, TypeError):
        difference = np.inf
    if difference <= tolerance:
        return ()
    engine.store.is_forgetful = True
    return (f"the cache of {engine.family.kind} cannot be continued: every turn is read in full",)


def check_splicing(builder: PromptBuilder) -> tuple[str, ...]:
    """See whether recorded turns can be put back as tokens."""
    stop = next(iter(builder.stops.values()))
    prompt = builder.build(probe_messages(), [_TOOL], {1: (stop,)})
    if prompt.spliced:
        return ()
    return ("its template re-writes earlier turns: they are encoded again every turn",)


def _variants(can_see: bool, may_describe_tools: bool) -> Iterator[Rendering]:
    """Yield renderings, the most natural first."""
    for calls in ("native", "text") if may_describe_tools else ("native",):
        if not can_see:
            yield Rendering("string", "string", "none", calls)
            continue
        for pictures in ("inline", "user_turn"):
            for answers in ("string", "blocks"):
                yield Rendering("blocks", answers, pictures, calls)


def _losses(owner: Any, rendering: Rendering, placeholder: str) -> list[str]:
    """Return what a rendering of the probe lacks."""
    from jinja2 import TemplateError

    tools = [_TOOL.to_openai()] if rendering.calls == "native" else None
    turns = turns_of(probe_messages(), [_TOOL], rendering)
    try:
        text = owner.apply_chat_template(
            turns, tools=tools, tokenize=False, add_generation_prompt=True
        )
    except (TemplateError, TypeError, KeyError, ValueError) as error:
        return [f"fails ({error})"]
    lost = [what for marker, what in _EXPECTED.items() if marker not in text]
    if placeholder and text.count(placeholder) != 2:
        lost.append(f"shows {text.count(placeholder)} of 2 pictures")
    return lost


def _notes_on(rendering: Rendering) -> tuple[str, ...]:
    notes = []
    if rendering.pictures == "user_turn":
        notes.append("its template drops pictures of tool results: they follow in a user message")
    if rendering.calls == "text":
        notes.append("its template knows no tools: they are described in the system message")
    return tuple(notes)


def _advice(losses: list[str]) -> str:
    if not {"drops tool calls", "does not describe the tools"} & set(losses):
        return ""
    return "; add dialect=hermes to describe the tools in the system message instead"


def _last_logits(engine: Engine, prompt: Prompt, *, cut: int) -> Any:
    """Return the logits behind the prompt, read with a cut in the middle where ``cut`` is set."""
    runner = engine.runner
    cache, positions = runner.empty_cache(), runner.positions(prompt)
    if cut:
        runner.read(prompt.head(cut), 0, cache, positions)
    return runner.read(prompt, cut, cache, positions)[-1]


def _middle(prompt: Prompt) -> int:
    """Return a place between the two pictures, or the middle of the text."""
    return prompt.spans[0][1] + 1 if len(prompt.spans) > 1 else len(prompt) // 2


def _picture(seed: int) -> ImageBlock:
    pixels = np.random.default_rng(seed).integers(0, 256, (_SIDE, _SIDE, 3), dtype=np.uint8)
    return ImageBlock(pixels, "probe", "probe picture")
