"""Separates what a model thought from what it said. Nothing in a thought is ever run."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)(think|thinking|reasoning)>")


def split_thinking(text: str) -> tuple[str, str]:
    """Return what is said and what is thought.

    In doubt text is thought: all that stands before an end mark without a beginning (templates
    open the block in the prompt), and all that follows a beginning without an end.
    """
    said: list[str] = []
    thought: list[str] = []
    depth, at = 0, 0
    for tag in _TAG.finditer(text):
        (thought if depth else said).append(text[at : tag.start()])
        at = tag.end()
        if not tag.group(1):
            depth += 1
        elif depth:
            depth -= 1
        else:
            thought.extend(said)
            said.clear()
    (thought if depth else said).append(text[at:])
    return "".join(said), "\n".join(part.strip("\n") for part in thought if part.strip())
