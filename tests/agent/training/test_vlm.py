"""The fast paths of training compute what transformers computes."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from cadwright.agent.messages import Message
from cadwright.agent.models.local import open_model
from cadwright.agent.models.options import parse_options
from cadwright.agent.training import talk
from cadwright.agent.training.greedy import answers
from cadwright.agent.training.records import Attempt, Bank, Writer, program_of
from cadwright.agent.training.sheets import Sheet
from cadwright.agent.training.tiny import encode
from cadwright.agent.training.vlm import (
    IGNORED,
    Encoder,
    Example,
    batch_of,
    fast_vision,
    grids_of,
    loss_of,
    patches_of,
    positions_of,
    suppressed,
)
from cadwright.tools.tool import ImageBlock, TextBlock, ToolCall

CLOSE = 1e-4  # of logits in single precision


def example_of(encoder: Encoder, target: Sheet, attempt: Sheet) -> Example:
    """Return the second decision of an episode."""
    prompt = talk.asked("Model it.", has_picture=True)
    prompt += talk.turn(talk.execute(program_of(attempt)))
    prompt += talk.answered(talk.result_text(attempt.facts)) + talk.turn()
    pictures = [target.picture, Attempt.at(attempt, target, target.picture).picture]
    return encoder.example(talk.opening(), prompt, talk.SUBMIT + talk.STOP, pictures)


def test_an_episode_reads_the_same_through_the_hf_path(folder: Path, sheets: list[Sheet]) -> None:
    local = open_model(parse_options(str(folder)))
    target, attempt = sheets[0], sheets[1]
    grey = np.stack([target.picture] * 3, axis=-1)
    over = Attempt.at(attempt, target, target.picture).picture
    call = ToolCall("execute", {"code": program_of(attempt)}, "1.1")
    messages = [
        Message("user", (TextBlock("Model it."), ImageBlock(grey, "measured/2"))),
        Message("assistant", (), (call,)),
        Message(
            "tool",
            (TextBlock(talk.result_text(attempt.facts)), ImageBlock(over, "measured/2")),
            call_id="1.1",
        ),
    ]
    prompt = local.prompt_builder().build(messages, talk.TOOLS)
    example = example_of(Encoder(local.loaded.tokenizer), target, attempt)
    assert list(prompt.ids) == list(example.prompt)
    shown = torch.cat([picture.inputs["pixel_values"] for picture in prompt.pictures])
    ours = patches_of(example.pictures)
    assert torch.equal(shown.reshape(len(shown), 3, 2, -1)[:, :, 0].flatten(1), ours)


def test_fast_logits_are_those_of_the_stock_forward(
    model: Any, tokenizer: Any, sheets: list[Sheet]
) -> None:
    encoder = Encoder(tokenizer)
    example = example_of(encoder, sheets[0], sheets[1])
    ids = torch.tensor([example.prompt])
    patches, grids = patches_of(example.pictures), grids_of(example.pictures)
    twice = patches.reshape(len(patches), 3, 1, -1).expand(-1, -1, 2, -1).flatten(1)
    places = positions_of(example.prompt, example.pictures, encoder.image_id)
    with torch.no_grad():
        stock = model(
            input_ids=ids,
            pixel_values=twice,
            image_grid_thw=grids,
            mm_token_type_ids=(ids == encoder.image_id).long(),
        ).logits
        with fast_vision():
            fast = model(
                input_ids=ids,
                position_ids=torch.from_numpy(places)[:, None],
                pixel_values=patches,
                image_grid_thw=grids,
            ).logits
    assert (stock - fast).abs().max() < CLOSE


def test_a_batch_gives_the_mean_of_its_parts(
    model: Any, tokenizer: Any, bank: Bank, recipe: dict[str, Any]
) -> None:
    encoder = Encoder(tokenizer)
    writer = Writer(bank, recipe["mix"], np.random.default_rng(1))
    examples = [encode(encoder, writer.draw()) for _ in range(6)]
    pad = tokenizer.pad_token_id
    with torch.no_grad(), fast_vision():
        whole = loss_of(model, batch_of(examples, encoder.image_id, pad)).item()
        each = [loss_of(model, batch_of([e], encoder.image_id, pad)).item() for e in examples]
    weights = [len(e.answer) for e in examples]
    assert abs(whole - np.average(each, weights=weights)) < CLOSE


def test_only_the_answer_is_learned(tokenizer: Any, sheets: list[Sheet]) -> None:
    encoder = Encoder(tokenizer)
    example = example_of(encoder, sheets[0], sheets[1])
    batch = batch_of([example], encoder.image_id, tokenizer.pad_token_id)
    learned = batch.labels[batch.labels != IGNORED].tolist()
    assert learned == list(example.answer)


def test_no_vision_token_is_ever_said(model: Any, tokenizer: Any, sheets: list[Sheet]) -> None:
    for token in suppressed(tokenizer):  # a model that would say nothing else
        model.lm_head.weight.data[token] = 50.0 * model.lm_head.weight.data.abs().max()
    example = example_of(Encoder(tokenizer), sheets[0], sheets[1])
    with fast_vision():
        said = answers(model, tokenizer, [example], temperature=1.0)
    assert not any(mark in said[0] for mark in ("<|image_pad|>", "<|vision_start|>"))
