"""Pictures as a model takes them: processed once, counted in tokens.

Each picture goes through the family's own image processor alone, so what it becomes depends on
nothing else in the conversation and can be kept. A prompt of twenty pictures processes one. Large
pictures are scaled down before they come here, by the context budget, which puts it on record.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import Image

from cadwright.agent.messages import pixels_digest
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ImageBlock, Pixels

KEPT_PICTURES = 256  # processed pictures in memory, oldest out

_TEXT_INPUTS = ("input_ids", "attention_mask", "mm_token_type_ids", "token_type_ids")


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One processed picture.

    Attributes:
        inputs: What the model's forward takes for it, by argument name.
        text: What stands in the prompt for it: start marks, image tokens, end marks.
        num_tokens: Image tokens in that text: places that the vision tower fills.
        digest: Of the pixels.
    """

    inputs: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)
    num_tokens: int
    digest: str

    @property
    def key(self) -> int:
        """A negative number that stands for its tokens where prompts are compared."""
        return -1 - int(self.digest[:15], 16)


class PictureReader:
    """Turns image blocks into ``Picture``.

    Args:
        processor: A processor with ``image_token`` (see ``processors``).
        image_token_id: Of the tokens that the vision tower fills.
    """

    def __init__(self, processor: Any, image_token_id: int) -> None:
        self._processor, self._image_token_id = processor, image_token_id
        self._kept: OrderedDict[str, Picture] = OrderedDict()
        self._digests: dict[int, tuple[weakref.ref[Pixels], str]] = {}

    @property
    def placeholder(self) -> str:
        """What the chat template writes where a picture belongs."""
        return str(self._processor.image_token)

    def read(self, block: ImageBlock) -> Picture:
        """Return the picture of a block; the same pixels are processed once."""
        digest = self._digest(block.pixels)
        if digest in self._kept:
            self._kept.move_to_end(digest)
        else:
            self._kept[digest] = self._process(block.pixels, digest)
            while len(self._kept) > KEPT_PICTURES:
                self._kept.popitem(last=False)
        return self._kept[digest]

    def _digest(self, pixels: Pixels) -> str:
        """Return the digest of pixels; the same array is hashed once, not once a turn."""
        known = self._digests.get(id(pixels))
        if known is not None and known[0]() is pixels:
            return known[1]
        digest, place = pixels_digest(pixels), id(pixels)
        self._digests[place] = (
            weakref.ref(pixels, lambda _: self._digests.pop(place, None)),
            digest,
        )
        return digest

    def _process(self, pixels: Pixels, digest: str) -> Picture:
        found = self._processed(Image.fromarray(np.ascontiguousarray(pixels)))
        replaced = found.pop("text_replacement_offsets", [[]])[0]
        if len(replaced) != 1:
            raise UsageError(f"{type(self._processor).__name__} lost a picture that it was given")
        num_tokens = int((found["input_ids"] == self._image_token_id).sum())
        if not num_tokens:
            raise UsageError(
                f"a picture becomes no image token: {self._image_token_id}, as the model's config "
                f"has it, is not {self.placeholder!r} of its tokenizer"
            )
        inputs = {name: value for name, value in found.items() if name not in _TEXT_INPUTS}
        return Picture(inputs, replaced[0]["replacement"], num_tokens, digest)

    def _processed(self, image: Image.Image) -> Any:
        try:
            return self._processor(
                text=[self.placeholder],
                images=[image],
                return_text_replacement_offsets=True,
                return_tensors="pt",
            )
        except ValueError as error:  # a strip one pixel high, say
            size = f"{image.width} x {image.height} px"
            raise UsageError(f"this model takes no picture of {size}: {error}") from error


def join_inputs(pictures: Sequence[Picture]) -> dict[str, Any] | None:
    """Return the model inputs of several pictures as one, or None where they do not stack.

    Families differ: patches in one long row (Qwen), one image per row (Gemma), or a batch of one
    with tiles in the second place (Idefics). Pictures whose tensors differ in the other sizes go
    through the model one by one.
    """
    import torch

    if len(pictures) == 1:
        return dict(pictures[0].inputs)
    joined = {}
    for name in pictures[0].inputs:
        values = [picture.inputs[name] for picture in pictures]
        if not all(isinstance(value, torch.Tensor) for value in values):
            return None
        axis = _stacking_axis(pictures[0].inputs, name)
        rest = {tuple(s for n, s in enumerate(v.shape) if n != axis) for v in values}
        if len(rest) > 1:
            return None
        joined[name] = torch.cat(values, dim=axis)
    return joined


def _stacking_axis(inputs: dict[str, Any], name: str) -> int:
    """Return 1 where the inputs hold a batch of one with tiles: (1, tiles, C, H, W)."""
    has_tiles = inputs["pixel_values"].ndim == 5
    return 1 if has_tiles and inputs[name].ndim >= 4 else 0
