"""What differs between model families once their inputs are ready, and one way to run them all.

A family is described, not hard-coded: positions of three axes where the model computes such, token
types where its mask needs them, and whether its cache can be cut. ``Runner`` then reads a prompt
from any place on: the tokens that the cache lacks, and only the pictures among them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cadwright.agent.models.growing import growing_cache
from cadwright.agent.models.pictures import Picture, join_inputs
from cadwright.agent.models.prompts import Prompt

if TYPE_CHECKING:
    import torch
    from transformers import Cache


@dataclass(frozen=True, slots=True)
class Family:
    """How a model wants to be called.

    Attributes:
        kind: ``model_type`` of its config.
        image_token_id: Of the tokens that the vision tower fills; -1 where it has none.
        has_grid_positions: Positions have three axes and depend on the pictures (M-RoPE).
        types_name: Argument that tells its mask which tokens are pictures, or empty.
        can_cut: Its cache holds keys and values alone: it can be cut, copied and batched. Where
            not (recurrent states), a session only grows and a changed history is read again.
    """

    kind: str
    image_token_id: int
    has_grid_positions: bool
    types_name: str
    can_cut: bool


def family_of(model: Any) -> Family:
    """Describe a loaded model."""
    from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

    config, body = model.config, getattr(model, "model", model)
    taken = inspect.signature(model.forward).parameters
    image_token_id = getattr(config, "image_token_id", None)
    plain = (DynamicLayer, DynamicSlidingWindowLayer)
    layers = DynamicCache(config=config).layers
    has_grid_positions = hasattr(body, "get_rope_index")
    return Family(
        kind=config.model_type,
        image_token_id=-1 if image_token_id is None else image_token_id,
        has_grid_positions=has_grid_positions,
        types_name="token_type_ids" if "token_type_ids" in taken and not has_grid_positions else "",
        can_cut=all(type(layer) in plain for layer in layers),
    )


class Runner:
    """Runs a model forward over a cache, without gradients.

    Args:
        model: A transformers model in evaluation mode.
        family: Its description.
    """

    def __init__(self, model: Any, family: Family) -> None:
        self.model, self.family = model, family
        takes = inspect.signature(model.forward).parameters
        self._cache_name = "cache" if "cache" in takes else "past_key_values"

    @property
    def max_tokens(self) -> int | None:
        """The most tokens that positions were trained for, where the model says."""
        limit = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        return int(limit) if limit else None

    @property
    def bytes_per_token(self) -> int:
        """What a cached token takes in memory: keys and values of every layer."""
        text = self.model.config.get_text_config()
        heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
        size = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
        number = self.model.dtype.itemsize
        return int(2 * text.num_hidden_layers * heads * size * number)

    def empty_cache(self) -> Cache:
        """Return a cache that holds nothing yet."""
        from transformers import DynamicCache

        return growing_cache() if self.family.can_cut else DynamicCache(config=self.model.config)

    def positions(self, prompt: Prompt) -> torch.Tensor:
        """Return the positions of a prompt: (3, 1, n) for grid positions, (1, n) otherwise."""
        import torch

        if not self.family.has_grid_positions:
            return torch.arange(len(prompt), device=self.model.device)[None]
        ids = torch.from_numpy(prompt.ids).to(self.model.device)[None]
        grids = [picture.inputs["image_grid_thw"] for picture in prompt.pictures]
        positions, _ = self.model.model.get_rope_index(
            input_ids=ids,
            mm_token_type_ids=(ids == self.family.image_token_id).int(),
            image_grid_thw=torch.cat(grids).to(self.model.device) if grids else None,
        )
        return positions

    def read(
        self, prompt: Prompt, start: int, cache: Cache, positions: torch.Tensor, *, keep: int = 1
    ) -> torch.Tensor:
        """Read what ``cache`` lacks of ``prompt`` and return the last logits.

        Args:
            prompt: All of it.
            start: How many of its tokens the cache holds.
            cache: Grows by the rest.
            positions: Of the whole prompt.
            keep: How many logits to return.

        Returns:
            (keep, vocabulary) logits of the last tokens.
        """
        logits = None
        for begin, end, pictures in self._pieces(prompt, start):
            logits = self.forward(
                prompt.ids[None, begin:end],
                cache,
                positions[..., begin:end],
                keep=min(keep, end - begin),
                **self._seen(prompt, end, pictures),
            )[0]
        assert logits is not None  # start is below the length: lease() leaves at least one token
        return logits

    def forward(
        self, ids: Any, cache: Cache, positions: torch.Tensor, *, keep: int = 1, **more: Any
    ) -> torch.Tensor:
        """Run (B, n) ids with their positions and return (B, keep, vocabulary) float32 logits."""
        import torch

        with torch.inference_mode():
            out = self.model(
                input_ids=torch.as_tensor(ids, device=self.model.device),
                position_ids=positions,
                use_cache=True,
                logits_to_keep=keep,
                **{self._cache_name: cache},
                **more,
            )
        logits: torch.Tensor = out.logits.float()
        return logits

    def _pieces(self, prompt: Prompt, start: int) -> Iterator[tuple[int, int, Sequence[Picture]]]:
        """Yield begin, end and pictures: all at once, or one by one where they do not stack."""
        spans = zip(prompt.spans, prompt.pictures, strict=True)
        fresh = [(span, picture) for span, picture in spans if span[0] >= start]
        pictures = [picture for _, picture in fresh]
        if not pictures or join_inputs(pictures) is not None:
            yield start, len(prompt), pictures
            return
        for (_, end), picture in fresh:
            yield start, end, [picture]
            start = end
        if start < len(prompt):
            yield start, len(prompt), ()

    def _seen(self, prompt: Prompt, end: int, pictures: Sequence[Picture]) -> dict[str, Any]:
        """Return the model inputs of new pictures, and the token types up to ``end``."""
        import torch

        if not pictures:
            return {}
        device, dtype = self.model.device, self.model.dtype
        found: dict[str, Any] = {}
        for name, value in (join_inputs(pictures) or {}).items():
            is_real = isinstance(value, torch.Tensor) and value.is_floating_point()
            found[name] = value.to(device, dtype if is_real else None)
        if self.family.types_name:  # counted from the start of the conversation, also with a cache
            types = torch.from_numpy(prompt.ids[:end] == self.family.image_token_id)
            found[self.family.types_name] = types.long().to(device)[None]
        return found
