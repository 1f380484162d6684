"""What training writes is what the chat template, the tools and the environment write."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cadwright.agent.training import talk
from cadwright.agent.training.records import Attempt, program_of
from cadwright.agent.training.sheets import Sheet
from cadwright.envs.cad import CadWorkspace
from cadwright.envs.runtime import Runtime
from cadwright.envs.sources import GeometrySource, ImageSource
from cadwright.envs.task import Task
from cadwright.tools.tool import ImageBlock, ToolCall, ToolResult

EDGE_PX = 6  # in training reliefs are moved, not drawn anew: edges on the middle of a pixel may tip
_NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?")
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
    told = talk.Told()
    for sheet in (first, first, second, wanted):
        result = workspace.call(ToolCall("execute", {"code": program_of(sheet)}))
        attempt = Attempt.at(sheet, wanted, wanted.picture)
        assert is_like(result, told.after(sheet.facts, attempt.offset), attempt)
    assert result.text.endswith("off by 0 px: top +0 -0, front +0 -0, right +0 -0")
    result = workspace.call(ToolCall("undo", {}))
    assert is_like(result, told.undone(), Attempt.at(second, wanted, wanted.picture))


def is_like(result: ToolResult, text: str, attempt: Attempt) -> bool:
    """Whether a result reads and looks as one of training, but for a few pixels at edges."""
    numbers, ours = (np.array(_NUMBER.findall(t), float) for t in (result.text, text))
    drawn = np.abs(result.images[0].pixels.astype(int) - attempt.picture).max(axis=-1)
    return (
        _NUMBER.sub("n", result.text) == _NUMBER.sub("n", text)
        and np.abs(numbers - ours).max() <= EDGE_PX
        and np.count_nonzero(drawn) <= 4 * EDGE_PX
    )
