"""Greedy answers in batches, for the checks between training steps.

The real path (processor, chat template, ``hf:`` policy, environment) is slower and is what the
final evaluation uses; this one shares the batches of training.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from cadwright.agent.training.vlm import Example, grids_of, patches_of, positions_of, suppressed

LONGEST = 80  # tokens of an answer


def answers(
    model: Any,
    tokenizer: Any,
    examples: Sequence[Example],
    *,
    temperature: float = 0.0,
    batch: int = 100,
) -> list[str]:
    """Return what the policy says to each prompt, special tokens included.

    Args:
        model: In evaluation mode.
        tokenizer: Its tokenizer.
        examples: Prompts; their answers are not looked at.
        temperature: 0 is greedy.
        batch: Prompts at once.
    """
    order = sorted(range(len(examples)), key=lambda n: len(examples[n].prompt))
    said: dict[int, str] = {}
    for start in range(0, len(order), batch):
        places = order[start : start + batch]
        with torch.no_grad():
            texts = _answers(model, tokenizer, [examples[n] for n in places], temperature)
        said.update(zip(places, texts, strict=True))
    return [said[n] for n in range(len(examples))]


def _answers(
    model: Any, tokenizer: Any, examples: Sequence[Example], temperature: float
) -> list[str]:
    ids, mask, positions = _left_padded(model, tokenizer, examples)
    pictures = [picture for example in examples for picture in example.pictures]
    inputs: dict[str, Any] = {}
    if pictures:
        inputs = {"pixel_values": patches_of(pictures), "image_grid_thw": grids_of(pictures)}
    seen = model(
        input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=True, **inputs
    )
    banned = suppressed(tokenizer)
    place = positions.amax(dim=(0, 2))  # (B,)
    tokens: list[torch.Tensor] = []
    is_over = torch.zeros(len(examples), dtype=torch.bool)
    while len(tokens) < LONGEST and not is_over.all():
        logits = seen.logits[:, -1].float()
        logits[:, banned] = -torch.inf
        chosen = _chosen(logits, temperature).masked_fill(is_over, tokenizer.pad_token_id)
        tokens.append(chosen)
        is_over |= chosen == tokenizer.eos_token_id
        mask = torch.cat([mask, torch.ones_like(mask[:, :1])], dim=1)
        place = place + 1
        seen = model(
            input_ids=chosen[:, None],
            attention_mask=mask,
            position_ids=place[None, :, None].expand(3, -1, 1),
            cache=seen.cache,
            use_cache=True,
        )
    rows = torch.stack(tokens, dim=1).tolist()
    return [_text(tokenizer, row) for row in rows]


def _chosen(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    if temperature <= 0:
        return logits.argmax(dim=-1)
    return torch.multinomial(torch.softmax(logits / temperature, dim=-1), 1)[:, 0]


def _left_padded(
    model: Any, tokenizer: Any, examples: Sequence[Example]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return ids (B, T), mask (B, T) and positions (3, B, T)."""
    length = max(len(example.prompt) for example in examples)
    ids = torch.full((len(examples), length), tokenizer.pad_token_id)
    mask = torch.zeros((len(examples), length), dtype=torch.int64)
    positions = torch.zeros((3, len(examples), length), dtype=torch.int64)
    for row, example in enumerate(examples):
        start = length - len(example.prompt)
        ids[row, start:] = torch.tensor(example.prompt)
        mask[row, start:] = 1
        places = positions_of(example.prompt, example.pictures, model.config.image_token_id)
        positions[:, row, start:] = torch.from_numpy(places)
    return ids, mask, positions


def _text(tokenizer: Any, row: list[int]) -> str:
    if tokenizer.eos_token_id in row:
        row = row[: row.index(tokenizer.eos_token_id)]
    text: str = tokenizer.decode(row, clean_up_tokenization_spaces=False)
    return text
