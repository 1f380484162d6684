"""Messages as chat templates take them, in the variants that families need.

Templates differ in what they lose: pictures in tool messages, the schema of tools, an assistant's
words when they come as a string. ``selfcheck`` finds out which variant of ``Rendering`` loses
nothing for a model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from cadwright.agent.messages import Message, to_plain
from cadwright.tools.tool import Block, ImageBlock, TextBlock, ToolCall, ToolSpec

Turn = dict[str, Any]

_TOOLS_INTRO = (
    "You may call these tools. Write a call as one line of JSON between tags, for example\n"
    '<tool_call>{"name": "submit", "arguments": {}}</tool_call>\n\nTools:\n'
)


@dataclass(frozen=True, slots=True)
class Rendering:
    """How one family's template wants its messages.

    Attributes:
        content: ``blocks`` for a list of text and image blocks, ``string`` for text alone.
        answers: The same for what the assistant said.
        pictures: Where pictures of tool results go: ``inline``, ``user_turn`` for a user message
            that follows, or ``none`` for a model that cannot see (a line of text stands for each).
        calls: ``native`` where the template renders tools and calls, ``text`` where we describe
            them in the system message and write them as tagged JSON.
    """

    content: Literal["blocks", "string"] = "blocks"
    answers: Literal["blocks", "string"] = "string"
    pictures: Literal["inline", "user_turn", "none"] = "inline"
    calls: Literal["native", "text"] = "native"


def turns_of(
    messages: Sequence[Message], tools: Sequence[ToolSpec], rendering: Rendering
) -> list[Turn]:
    """Return ``messages`` as a template takes them; assistant turns stay one to one."""
    turns: list[Turn] = []
    moved: list[ImageBlock] = []
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    if rendering.calls == "text":
        messages = _with_tools_described(messages, tools)
    for message in messages:
        if message.role != "tool" and moved:
            turns.append(_pictures_turn(moved, rendering))
            moved = []
        if message.role == "tool" and rendering.pictures == "user_turn":
            moved += message.images
        turns.append(_turn(message, rendering, names.get(message.call_id, "")))
    if moved:
        turns.append(_pictures_turn(moved, rendering))
    return _merged(turns) if rendering.calls == "text" else turns


def _turn(message: Message, rendering: Rendering, tool: str) -> Turn:
    if message.role == "assistant":
        return _answer(message, rendering)
    blocks = message.blocks
    if message.role == "tool" and rendering.pictures == "user_turn":
        blocks = tuple(block for block in blocks if isinstance(block, TextBlock))
    if message.role == "tool" and rendering.calls == "text":
        opened, closed = TextBlock("<tool_response>\n"), TextBlock("\n</tool_response>")
        return {"role": "user", "content": _content((opened, *blocks, closed), rendering)}
    turn = {"role": message.role, "content": _content(blocks, rendering)}
    if message.role == "tool" and message.call_id:
        turn |= {"tool_call_id": message.call_id, "name": tool}
    return turn


def _answer(message: Message, rendering: Rendering) -> Turn:
    """Return an assistant turn; empty words are an empty string in every variant."""
    text = message.text
    if rendering.calls == "text" and message.tool_calls:
        text = "\n".join(filter(None, [text, *map(_call_text, message.tool_calls)]))
    turn: Turn = {"role": "assistant", "content": text}
    if rendering.answers == "blocks":
        turn["content"] = [{"type": "text", "text": text}]
    if rendering.calls == "native" and message.tool_calls:
        turn["tool_calls"] = [_call(call) for call in message.tool_calls]
    return turn


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = to_plain(call.arguments)
    return {
        "type": "function",
        "id": call.id,
        "function": {"name": call.name, "arguments": arguments},
    }


def _call_text(call: ToolCall) -> str:
    body = json.dumps({"name": call.name, "arguments": to_plain(call.arguments)})
    return f"<tool_call>{body}</tool_call>"


def _content(blocks: Sequence[Block], rendering: Rendering) -> Any:
    if rendering.content == "string":
        return "\n".join(_shown(block) for block in blocks)
    return [_block(block, rendering) for block in blocks]


def _block(block: Block, rendering: Rendering) -> dict[str, str]:
    if isinstance(block, ImageBlock) and rendering.pictures != "none":
        return {"type": "image"}
    return {"type": "text", "text": _shown(block)}


def _shown(block: Block) -> str:
    """Return a block as text; a picture as a line that says it is not shown."""
    if isinstance(block, TextBlock):
        return block.text
    return f"[picture not shown: {block.caption.partition(';')[0] or block.render_id}]"


def _pictures_turn(pictures: Sequence[ImageBlock], rendering: Rendering) -> Turn:
    blocks: tuple[Block, ...] = (TextBlock("Pictures of the tool results:"), *pictures)
    return {"role": "user", "content": _content(blocks, rendering)}


def _with_tools_described(
    messages: Sequence[Message], tools: Sequence[ToolSpec]
) -> tuple[Message, ...]:
    """Put the tools into the system message, as text."""
    lines = [json.dumps(spec.to_openai()["function"], sort_keys=True) for spec in tools]
    described = TextBlock(_TOOLS_INTRO + "\n".join(lines))
    if messages and messages[0].role == "system":  # one block: some templates show no other
        described = TextBlock(f"{messages[0].text}\n\n{described.text}")
        messages = messages[1:]
    return (Message("system", (described,)), *messages)


def _merged(turns: Sequence[Turn]) -> list[Turn]:
    """Join neighbouring user turns: such templates often insist that roles alternate."""
    merged: list[Turn] = []
    for turn in turns:
        if merged and turn["role"] == merged[-1]["role"] == "user":
            merged[-1] = {"role": "user", "content": _plus(merged[-1]["content"], turn["content"])}
        else:
            merged.append(turn)
    return merged


def _plus(first: Any, second: Any) -> Any:
    return f"{first}\n{second}" if isinstance(first, str) else [*first, *second]
