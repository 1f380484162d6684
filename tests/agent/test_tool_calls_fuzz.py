"""Mutated assistant texts: nothing raises, and nothing runs that was not plainly written.

Two judges that share no code with the parser look at every call that would run. One reads the
repaired text with ``json.loads`` and nothing else. The other asks whether the letters and digits
of the call stand, in this order, in what the model said outside its thoughts.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from cadwright.agent.tool_calls import (
    DIALECTS,
    ParsedTurn,
    ProviderCall,
    parse_calls,
    read_provider_calls,
)
from cadwright.tools.tool import ToolCall, ToolSpec, check_arguments

CASES = Path(__file__).parent.parent / "cases/toolcalls"
TOOLS = tuple(
    ToolSpec(tool["name"], tool["description"], {"required": [], **tool["parameters"]})
    for tool in json.loads((CASES / "tools.json").read_text(encoding="utf-8"))
)
OWN = (
    '<tool_call>[render(view="iso", width=512), submit()]</tool_call>',
    '<tool_call>{"name": "run_cad", "arguments": {"code": "x = 1\\ny = \\"2\\" “q”"}}</tool_call>',
    'This. <tool_call>{"name": "click", "arguments": {"x": 1.5, "y": -2}}</tool_call> That.',
    "<|tool_call_start|>[render(view='top')]<|tool_call_end|>",
    "```tool_code\nclick(x=1.5, y=-2e3)\n```",
    '<invoke name="run_cad"><parameter name="code">x = "<tool_call>"\ny = 1</parameter></invoke>',
    '<tool_call>{"name": "run_cad", "arguments": {"code": "a\\n</tool_call>\\u00d8"}}</tool_call>',
    '{"name": "submit", "parameters": {}}',
    '<tool_call>run_cad(code="""a = 1\nb = \'c\'""")</tool_call>',
    "[{'name': 'render', 'arguments': {'view': 'iso'}}, {'name': 'submit', 'arguments': {}}]",
)
SEEDS = (*(path.read_text(encoding="utf-8") for path in sorted(CASES.glob("*.txt"))), *OWN)
PIECES = (
    "<think>", "</think>", "<tool_call>", "</tool_call>", "```", "```json\n", "\n", '"', "'", "\\",
    "{", "}", "[", "]", ",", ":", "“", "”", "NaN", "-Infinity", "1e999", "submit", "null", "True",
    "<function=submit>", "</function>", "<parameter=view>", "</parameter>", "\ud800", "\x00",
    "arguments", "name", "{" * 50, "[" * 5000, "9" * 5000, "submit()", '"name": "submit"', "\\u12",
    "é", " ", "  ", "x", "7", "Ø12 ", ", ", "A word. ", "<invoke name=\"submit\">", "</invoke>",
)  # fmt: skip


CALLING = tuple(text for text in SEEDS if parse_calls(text, TOOLS).calls)


def mutated(rng: random.Random) -> str:
    text = rng.choice(CALLING if rng.random() < 0.8 else SEEDS)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 4))):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.choice((1, 1, 2, 8, 40)))
        match rng.randrange(6):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:at] + rng.choice(PIECES) + text[at:]
            case 2:
                text = text[:at] + rng.choice(PIECES) + text[end:]
            case 3:
                text = text[:at] + text[at:end] * 2 + text[end:]
            case 4:
                text = text[:at]
            case _:
                other = rng.choice(SEEDS)
                text = text[:at] + other[rng.randrange(len(other)) :]
    return text


def strict_calls(text: str) -> list[tuple[str, Any]]:
    """Find calls as strictly as can be: a tag, ``json.loads`` without its leniences, a tag."""
    found = []
    for opening in re.finditer("<tool_call>", text):
        body = text[opening.end() :].lstrip()
        try:
            value, end = STRICT.raw_decode(body)
        except (ValueError, RecursionError):
            continue
        if body[end:].lstrip().startswith("</tool_call>") and isinstance(value, dict):
            found.append((value.get("name"), value.get("arguments")))
    return found


def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)


def no_constants(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


STRICT = json.JSONDecoder(object_pairs_hook=no_duplicates, parse_constant=no_constants)


def content(text: str) -> str:
    """Return the letters and digits of a text, whatever quotes and escapes stand between them."""
    plain = re.sub(r"\\+u[0-9a-fA-F]{4}|\\+[nrtbf]", "", text)
    return re.sub(r"[\W_]|null|none", "", plain.casefold().encode("ascii", "ignore").decode())


def content_of(call: ToolCall) -> list[str]:
    """Return the pieces of a call that must stand in its source, one by one."""
    pieces = [call.name]
    for key, value in call.arguments.items():
        pieces += [key, value if isinstance(value, str) else ""]
    return [piece for piece in map(content, pieces) if piece]


def outside_thoughts(text: str) -> str:
    """Return what no reading could call a thought; written apart from the parser on purpose."""
    while (inner := re.sub(r"<think>(?:(?!</?think>).)*</think>", "", text, flags=re.S)) != text:
        text = inner
    return text.rpartition("</think>")[2].partition("<think>")[0]


def check(text: str, turn: ParsedTurn) -> None:
    found = strict_calls(turn.repaired)
    said = content(outside_thoughts(text))
    for call in turn.calls:
        assert (call.name, dict(call.arguments)) in found, text
        check_arguments(next(spec for spec in TOOLS if spec.name == call.name), call.arguments)
        for piece in content_of(call):
            assert piece in said, (text, piece)
    assert turn.calls or turn.problems
    assert len({call.id for call in turn.calls}) == len(turn.calls)


def fuzz(first: int, number: int) -> int:
    num_calls = 0
    for seed in range(first, first + number):
        rng = random.Random(seed)
        text = mutated(rng)
        is_truncated = rng.random() < 0.2
        turn = parse_calls(
            text, TOOLS, dialect=rng.choice((*DIALECTS, *["auto"] * 18)), is_truncated=is_truncated
        )
        check(text, turn)
        num_calls += len(turn.calls)
        given = read_provider_calls([ProviderCall("render", text, "x")], TOOLS)
        assert len(given.calls) + len(given.problems) == 1
        strict = parse_calls(text, TOOLS, is_repair_on=False, is_truncated=is_truncated)
        check(text, strict)
        assert strict.repairs == ()
        again = parse_calls(turn.repaired, TOOLS, dialect="hermes", is_repair_on=False)
        if not turn.problems:
            assert again.calls == turn.calls, text
    return num_calls


def test_500_mutated_texts_run_only_what_is_plainly_written() -> None:
    assert fuzz(0, 500) > 50, "the mutations must leave something to run"


@pytest.mark.slow
def test_10000_mutated_texts_run_only_what_is_plainly_written() -> None:
    assert fuzz(1000, 10_000) > 1000


def test_the_strict_judge_finds_no_call_that_json_refuses() -> None:
    bad = '<tool_call>{"name": "a", "name": "b", "arguments": {}}</tool_call>'
    assert strict_calls(bad) == []
    assert strict_calls(bad.replace('"name": "b", ', "")) == [("a", {})]
