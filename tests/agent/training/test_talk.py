"""What training writes is what the chat template, the tools and the environment write."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cadwright.agent.training import talk
from cadwright.agent.training.records import program_of
from cadwright.agent.training.sheets import Facts, Sheet
from cadwright.envs.cad import CadWorkspace
from cadwright.envs.runtime import Runtime
from cadwright.envs.sources import GeometrySource, ImageSource
from cadwright.envs.task import Task
from cadwright.tools.rendering.measured import laid_over
from cadwright.tools.tool import ImageBlock, ToolCall

CALL = {
    "type": "function",
    "function": {"name": "execute", "arguments": {"code": "result = 'a\"b'\n"}},
}


@pytest.mark.parametrize("system", ["", "Be precise."])
def test_the_text_of_training_is_the_text_of_the_template(tokenizer: Any, system: str) -> None:
    picture = {"type": "image"}
    messages = [
        *([{"role": "system", "content": system}] if system else []),
        {"role": "user", "content": [{"type": "text", "text": "Model it."}, picture]},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "content": [{"type": "text", "text": "ok"}, picture]},
    ]
    rendered = tokenizer.apply_chat_template(
        messages,
        tools=[spec.to_openai() for spec in talk.TOOLS],
        tokenize=False,
        add_generation_prompt=True,
    )
    written = (
        talk.opening(system)
        + talk.asked("Model it.", has_picture=True)
        + talk.turn(talk.execute("result = 'a\"b'\n"))
        + talk.answered("ok")
        + talk.turn()
    )
    assert rendered == written


@pytest.fixture(scope="module")
def workspace() -> Iterator[CadWorkspace]:
    with Runtime.open(backend="raycast") as runtime:
        made = CadWorkspace(runtime)
        yield made
        made.close()


def test_results_read_and_look_as_in_an_episode(
    workspace: CadWorkspace, sheets: list[Sheet]
) -> None:
    wanted, first, second = sheets[0], sheets[1], sheets[2]
    task = Task(
        id="test/talk",
        brief="Model it.",
        images=(ImageSource(view="measured"),),
        reference=GeometrySource(program_of(wanted)),
    )
    target = workspace.reset(task, seed=0)[1]
    assert isinstance(target, ImageBlock)
    assert np.array_equal(target.pixels[..., 0], wanted.picture)
    before: Facts | None = None
    for sheet in (first, second):
        result = workspace.call(ToolCall("execute", {"code": program_of(sheet)}))
        assert result.text == talk.result_text(sheet.facts, before)
        assert np.array_equal(result.images[0].pixels, laid_over(sheet.picture, wanted.picture))
        before = sheet.facts
