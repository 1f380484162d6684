"""A small Qwen3-VL for training on a CPU: its size, its batches, its loss.

Two methods of the vision tower are replaced while training. They compute the same numbers (a test
compares them): attention runs over all pictures of one size at once instead of one by one, and the
patch embedding, a convolution over a single patch, is written as the linear map that it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F

from cadwright.agent.training.talk import IMAGE

PATCH, MERGE, FRAMES = 16, 2, 2
CHANGED = 6.0  # weight of a token that the last answer did not have
IGNORED = -100  # label of what the policy does not say itself
POSITIONS = 256  # learned places of patches in the vision tower, 16 x 16, interpolated

Array = npt.NDArray[Any]
Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """Tokens and pictures of one record.

    Attributes:
        prompt: Token ids, each picture's places filled with image tokens.
        answer: Token ids that the policy has to say, the stop token included.
        pictures: (H, W) or (H, W, 3) uint8, in the order of the prompt.
        weights: Of each token of the answer in the loss.
    """

    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    pictures: tuple[Pixels, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """What one forward pass takes.

    Attributes:
        ids: (B, T).
        positions: (3, B, T), time, row and column of each token.
        labels: (B, T), the next token where the policy says it.
        weights: (B, T), of that token in the loss.
        pixels: (patches of all pictures, 3 * 16 * 16).
        grids: (pictures, 3), frames, rows and columns of patches.
    """

    ids: torch.Tensor
    positions: torch.Tensor
    labels: torch.Tensor
    weights: torch.Tensor
    pixels: torch.Tensor
    grids: torch.Tensor


def build_model(tokenizer: Any, size: Mapping[str, int], seed: int) -> Any:
    """Return a ``Qwen3VLForConditionalGeneration`` with random weights.

    Args:
        tokenizer: Whose vocabulary it speaks.
        size: ``text_*`` and ``vision_*`` numbers of the recipe.
        seed: Of the weights.
    """
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    token = tokenizer.convert_tokens_to_ids
    head = size["text_hidden"] // size["text_heads"]
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": size["text_hidden"],
        "intermediate_size": size["text_inner"],
        "num_hidden_layers": size["text_layers"],
        "num_attention_heads": size["text_heads"],
        "num_key_value_heads": size["text_heads"],
        "head_dim": head,
        "max_position_embeddings": 2048,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 10000.0,
            "mrope_section": [head // 2 - 2 * (head // 6), head // 6, head // 6],
            "mrope_interleaved": True,
        },
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "bos_token_id": None,
    }
    vision = {
        "depth": size["vision_layers"],
        "hidden_size": size["vision_hidden"],
        "intermediate_size": size["vision_inner"],
        "num_heads": size["vision_heads"],
        "patch_size": PATCH,
        "spatial_merge_size": MERGE,
        "temporal_patch_size": FRAMES,
        "out_hidden_size": size["text_hidden"],
        "num_position_embeddings": POSITIONS,
        "deepstack_visual_indexes": [],
    }
    config = Qwen3VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=token("<|image_pad|>"),
        video_token_id=token("<|video_pad|>"),
        vision_start_token_id=token("<|vision_start|>"),
        vision_end_token_id=token("<|vision_end|>"),
        tie_word_embeddings=True,
    )
    torch.manual_seed(seed)
    model = Qwen3VLForConditionalGeneration(config)
    generation = model.generation_config
    generation.eos_token_id, generation.pad_token_id = (
        tokenizer.eos_token_id,
        tokenizer.pad_token_id,
    )
    generation.suppress_tokens = suppressed(tokenizer)
    return model


def load_run(
    recipe: Mapping[str, Any], run: Path, tokenizer_of: Path | None = None
) -> tuple[Any, Any]:
    """Return the model of a training run, in evaluation mode, and its tokenizer.

    Args:
        recipe: That it was trained with.
        run: Folder with tokenizer and checkpoint.
        tokenizer_of: Run that made the tokenizer, where it is another one.
    """
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast.from_pretrained((tokenizer_of or run) / "tokenizer")
    model = build_model(tokenizer, recipe["model"], seed=0)
    model.load_state_dict(torch.load(run / "checkpoint.pt", weights_only=True)["model"])
    return model.eval(), tokenizer


def suppressed(tokenizer: Any) -> list[int]:
    """Return tokens that must never be said: one image token too many breaks the next turn."""
    names = ("<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>")
    return [tokenizer.convert_tokens_to_ids(name) for name in names]


class Encoder:
    """Turns text and pictures into an ``Example``; texts that come often are kept.

    Args:
        tokenizer: Of ``phrases.build_tokenizer``.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._encode = tokenizer._tokenizer.encode
        self.image_id: int = tokenizer.convert_tokens_to_ids(IMAGE)
        self._kept: dict[str, list[int]] = {}

    def example(
        self,
        opening: str,
        prompt: str,
        answer: str,
        pictures: Sequence[Pixels],
        before: str = "",
    ) -> Example:
        """Encode one record; ``opening`` is the system turn, which is kept.

        Args:
            opening: System turn.
            prompt: The rest of what the policy reads.
            answer: What it has to say; tokens that are not in ``before`` weigh more.
            pictures: What it sees.
            before: What it said last.
        """
        if opening not in self._kept:
            self._kept[opening] = self._ids(opening)
        ids = [*self._kept[opening], *self._ids(prompt)]
        places = iter(num_tokens(picture) for picture in pictures)
        spread: list[int] = []
        for token in ids:
            spread += [token] * (next(places) if token == self.image_id else 1)
        said = self._ids(answer)
        weights = _weights(said, self._ids(before)) if before else (1.0,) * len(said)
        return Example(tuple(spread), tuple(said), tuple(pictures), weights)

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._encode(text, add_special_tokens=False).ids
        return ids


def _weights(said: Sequence[int], before: Sequence[int]) -> tuple[float, ...]:
    """Return what each token weighs: one that repeats the last answer in its place 1, others more.

    A correction is one or two digits in thirty tokens; at equal weights it is not learned.
    """
    weights = [CHANGED] * len(said)
    for same in SequenceMatcher(None, before, said, autojunk=False).get_matching_blocks():
        weights[same.b : same.b + same.size] = [1.0] * same.size
    return tuple(weights)


def num_tokens(picture: Pixels) -> int:
    """Return how many tokens a picture takes in the prompt."""
    height, width = picture.shape[:2]
    return int((height // PATCH // MERGE) * (width // PATCH // MERGE))


def batch_of(examples: Sequence[Example], image_id: int, pad_id: int) -> Batch:
    """Pad examples on the right and stack them."""
    length = max(len(e.prompt) + len(e.answer) for e in examples) - 1
    ids = np.full((len(examples), length), pad_id, dtype=np.int64)
    labels = np.full((len(examples), length), IGNORED, dtype=np.int64)
    weights = np.zeros((len(examples), length), dtype=np.float32)
    positions = np.zeros((3, len(examples), length), dtype=np.int64)
    for row, example in enumerate(examples):
        whole = (*example.prompt, *example.answer)
        ids[row, : len(whole) - 1] = whole[:-1]
        spoken = slice(len(example.prompt) - 1, len(whole) - 1)
        labels[row, spoken], weights[row, spoken] = example.answer, example.weights
        positions[:, row, : len(whole) - 1] = positions_of(whole[:-1], example.pictures, image_id)
    pictures = [picture for example in examples for picture in example.pictures]
    return Batch(
        torch.from_numpy(ids),
        torch.from_numpy(positions),
        torch.from_numpy(labels),
        torch.from_numpy(weights),
        patches_of(pictures),
        grids_of(pictures),
    )


def positions_of(ids: Sequence[int], pictures: Sequence[Pixels], image_id: int) -> Array:
    """Return (3, T) places as Qwen3-VL counts them: a picture is a grid in the row of tokens."""
    found = np.zeros((3, len(ids)), dtype=np.int64)
    row_of = np.asarray(ids) == image_id
    at = place = 0
    waiting = iter(pictures)
    while at < len(ids):
        if not row_of[at]:
            found[:, at] = place
            at, place = at + 1, place + 1
            continue
        height, width = (side // PATCH // MERGE for side in next(waiting).shape[:2])
        rows, columns = np.divmod(np.arange(height * width), width)
        found[:, at : at + height * width] = place + np.stack([0 * rows, rows, columns])
        at, place = at + height * width, place + max(height, width)
    return found


def patches_of(pictures: Sequence[Pixels]) -> torch.Tensor:
    """Return (patches, 3 * 16 * 16) in -1 to 1, in the order in which patches are merged."""
    if not pictures:
        return torch.zeros((0, 3 * PATCH * PATCH))
    return torch.cat([_patches(picture) for picture in pictures]).float().div_(127.5).sub_(1.0)


def _patches(picture: Pixels) -> torch.Tensor:
    colour = (
        picture if picture.ndim == 3 else np.broadcast_to(picture[..., None], (*picture.shape, 3))
    )
    height, width = (side // PATCH // MERGE for side in colour.shape[:2])
    blocks = colour.reshape(height, MERGE, PATCH, width, MERGE, PATCH, 3)
    ordered = blocks.transpose(0, 3, 1, 4, 6, 2, 5)  # merged patch, patch in it, channel, pixel
    return torch.from_numpy(np.ascontiguousarray(ordered).reshape(-1, 3 * PATCH * PATCH))


def grids_of(pictures: Sequence[Pixels]) -> torch.Tensor:
    """Return (pictures, 3): frames, rows and columns of patches."""
    sizes = [(1, p.shape[0] // PATCH, p.shape[1] // PATCH) for p in pictures]
    return torch.tensor(sizes, dtype=torch.int64).reshape(-1, 3)


def loss_of(model: Any, batch: Batch) -> torch.Tensor:
    """Return the mean cross entropy of what the policy has to say, by the weight of each token."""
    inputs: dict[str, Any] = {}
    if len(batch.grids):
        inputs = {"pixel_values": batch.pixels, "image_grid_thw": batch.grids}
    hidden = model.model(
        input_ids=batch.ids, position_ids=batch.positions, use_cache=False, **inputs
    ).last_hidden_state  # (B, T, hidden)
    said = batch.labels != IGNORED
    weights = batch.weights[said]
    losses = F.cross_entropy(model.lm_head(hidden[said]), batch.labels[said], reduction="none")
    return (losses * weights).sum() / weights.sum()


@contextmanager
def fast_vision() -> Iterator[None]:
    """Replace the two slow methods of the vision tower inside the block."""
    from transformers.models.qwen3_vl import modeling_qwen3_vl as stock

    attention, embed = stock.Qwen3VLVisionAttention, stock.Qwen3VLVisionPatchEmbed
    before = attention.forward, embed.forward
    attention.forward, embed.forward = _attend, _embed
    try:
        yield
    finally:
        attention.forward, embed.forward = before


def _attend(
    self: Any,
    hidden_states: torch.Tensor,
    cu_seqlens: torch.Tensor,
    position_embeddings: Any = None,
    **_: Any,
) -> torch.Tensor:
    """Attend within each picture, all neighbouring pictures of one size together."""
    from transformers.models.qwen3_vl.modeling_qwen3_vl import apply_rotary_pos_emb_vision

    total = hidden_states.shape[0]
    joined = self.qkv(hidden_states).reshape(total, 3, self.num_heads, -1).permute(1, 0, 2, 3)
    query, key = apply_rotary_pos_emb_vision(joined[0], joined[1], *position_embeddings)
    lengths, counts = torch.unique_consecutive(cu_seqlens.diff(), return_counts=True)
    parts, start = [], 0
    for length, count in zip(lengths.tolist(), counts.tolist(), strict=True):
        cut = slice(start, start + length * count)
        asking, asked, told = (
            t[cut].view(count, length, self.num_heads, -1).transpose(1, 2)
            for t in (query, key, joined[2])
        )
        seen = F.scaled_dot_product_attention(asking, asked, told, scale=self.scaling)
        parts.append(seen.transpose(1, 2).reshape(length * count, -1))
        start += length * count
    mixed: torch.Tensor = self.proj(torch.cat(parts))
    return mixed


def _embed(self: Any, hidden_states: torch.Tensor) -> torch.Tensor:
    """Embed patches (n, 3 * 16 * 16): both frames of a still picture are the same."""
    weight = self.proj.weight.sum(2).flatten(1)
    embedded: torch.Tensor = F.linear(hidden_states, weight, self.proj.bias)
    return embedded
