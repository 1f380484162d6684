"""A template that loses pictures or calls is found out at start, and worked around or refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from tiny_models import CHATML, FAMILIES, TOOLS, byte_tokenizer, conversation

from cadwright.agent.models.generation import Sampling
from cadwright.agent.models.local import LocalModel
from cadwright.agent.models.prompts import PromptBuilder
from cadwright.agent.models.rendering import Rendering
from cadwright.agent.models.selfcheck import TemplateCheck, check_cache, check_template
from cadwright.tools.errors import UsageError

OpenFamily = Callable[..., LocalModel]

MARK = "IMAGE"

# What is wrong with each, as a change of a template that loses nothing.
BLIND_IN_TOOLS = CHATML.replace(
    "<tool_response>{{ show(message.content) }}",
    "<tool_response>{% for item in message.content %}{{ item.text }}{% endfor %}",
)
NO_CALLS = CHATML.replace("message.tool_calls or []", "[]")
NO_SCHEMAS = CHATML.replace("{%- if tools %}", "{%- if false %}")
NO_TOOLS = NO_CALLS.replace("{%- if tools %}", "{%- if false %}")
BLOCKS_ALONE = CHATML.replace("{%- if content is string %}{{ content }}", "{%- if false %}")
ALTERNATING = NO_TOOLS.replace(
    "{%- for message in messages %}",
    "{%- for message in messages %}{%- if loop.index0 and message.role == "
    "messages[loop.index0 - 1].role %}{{ raise_exception('roles must alternate') }}{% endif %}",
)
BLIND = CHATML.replace("IMAGE", "")


def check(template: str, *, may_describe_tools: bool = False) -> TemplateCheck:
    owner = byte_tokenizer()
    owner.chat_template = template
    return check_template(
        owner, placeholder=MARK, may_describe_tools=may_describe_tools, name="model"
    )


def test_template_that_loses_nothing_is_used_as_it_is() -> None:
    assert check(CHATML) == TemplateCheck(Rendering())


def test_pictures_that_tool_messages_drop_follow_in_a_user_turn() -> None:
    found = check(BLIND_IN_TOOLS)
    assert found.rendering.pictures == "user_turn"
    assert "drops pictures of tool results" in found.notes[0]


def test_template_that_takes_lists_alone_gets_lists() -> None:
    assert check(BLOCKS_ALONE).rendering.answers == "blocks"


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        (NO_CALLS, "drops tool calls"),
        (NO_SCHEMAS, "does not describe the tools"),
        (NO_TOOLS, "drops tool calls, does not describe the tools"),
    ],
    ids=["calls", "schemas", "both"],
)
def test_template_without_tools_is_refused_with_the_reason(template: str, reason: str) -> None:
    with pytest.raises(UsageError, match=f"^model: its chat template {reason}; add dialect=hermes"):
        check(template)


def test_blind_template_is_refused() -> None:
    with pytest.raises(UsageError, match=r"shows 0 of 2 pictures$"):
        check(BLIND)


@pytest.mark.parametrize("template", [NO_TOOLS, ALTERNATING], ids=["plain", "alternating"])
def test_declared_dialect_describes_the_tools_in_the_system_message(template: str) -> None:
    found = check(template, may_describe_tools=True)
    assert found.rendering.calls == "text"
    assert "described in the system message" in found.notes[0]


@pytest.mark.parametrize("name", FAMILIES)
def test_families_under_test_pass_with_their_cache(name: str, open_family: OpenFamily) -> None:
    local = open_family(name)
    assert not local.engine.store.is_forgetful
    assert [note for note in local.notes if "see" not in note] == []


def test_cache_that_cannot_be_continued_is_found_out(open_family: OpenFamily) -> None:
    local = open_family("qwen3")
    builder: PromptBuilder = local.prompt_builder()
    runner = local.engine.runner
    read = runner.read

    def lossy(prompt: object, start: int, *rest: object, **more: object) -> torch.Tensor:
        logits = read(prompt, start, *rest, **more)  # type: ignore[arg-type]
        return logits + bool(start) * torch.randn_like(logits) * 10

    runner.read = lossy  # type: ignore[method-assign, assignment]
    notes = check_cache(local.engine, builder, tolerance=1e-3)
    assert "every turn is read in full" in notes[0]
    prompt = builder.build(conversation(1), TOOLS)
    for _ in range(2):
        found = local.engine.generate(prompt, Sampling(max_new_tokens=2), owner="me")
    assert found.cached_tokens == 0


def test_model_that_cannot_read_its_own_pictures_is_refused(open_family: OpenFamily) -> None:
    local = open_family("qwen3_vl")
    builder = local.prompt_builder()
    build = builder.build

    def without_pictures(*arguments: object, **more: object) -> object:
        prompt = build(*arguments, **more)  # type: ignore[arg-type]
        prompt.pictures[0].inputs["pixel_values"] = prompt.pictures[0].inputs["pixel_values"][:4]
        return prompt

    builder.build = without_pictures  # type: ignore[method-assign, assignment]
    with pytest.raises(UsageError, match="cannot read the probe conversation"):
        check_cache(local.engine, builder, tolerance=1e-3)
