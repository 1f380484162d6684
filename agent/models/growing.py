"""A key-value cache that grows in place and shrinks for free.

The stock dynamic layer copies all of its keys and values for every new token. This one keeps spare
room, so a token costs its own size, and cutting the end off (a rejected guess, an undone turn)
moves a number. Sliding-window models use it too: their masks hide what is out of the window, and a
window that forgets nothing can be cut back to any length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from transformers import Cache

MIN_ROOM = 64  # tokens of spare room at least


def growing_cache() -> Cache:
    """Return an empty cache of growing layers."""
    from transformers import Cache

    return Cache(layer_class_to_replicate=_layer_class())


def copy_of(cache: Cache, length: int) -> Cache:
    """Return a cache that holds a copy of the first ``length`` tokens of ``cache``."""
    import torch

    made = growing_cache()
    with torch.inference_mode():
        for number, layer in enumerate(cache.layers):
            made.update(layer.keys[:, :, :length], layer.values[:, :, :length], number)
    return made


def merged(caches: Sequence[Cache]) -> Cache:
    """Return one cache whose rows are ``caches``, each padded on the left with zeros."""
    import torch

    length = max(cache.get_seq_length() for cache in caches)
    made = growing_cache()
    with torch.inference_mode():
        for number in range(len(caches[0].layers)):
            layers = [cache.layers[number] for cache in caches]
            keys = torch.cat([_padded(layer.keys, length) for layer in layers])
            values = torch.cat([_padded(layer.values, length) for layer in layers])
            made.update(keys, values, number)
    return made


def move_row(source: Cache, row: int, count: int, target: Cache) -> None:
    """Append the last ``count`` tokens of one row of ``source`` to ``target``."""
    import torch

    with torch.inference_mode():
        for number, layer in enumerate(source.layers):
            start = layer.keys.shape[2] - count
            keys, values = (part[row : row + 1, :, start:] for part in (layer.keys, layer.values))
            target.update(keys, values, number)


def _padded(tensor: torch.Tensor, length: int) -> torch.Tensor:
    """Pad (1, heads, tokens, size) on the left of its tokens."""
    from torch.nn.functional import pad

    return pad(tensor, (0, 0, length - tensor.shape[2], 0))


def _layer_class() -> type[Any]:
    """Return the layer class; it is made here because its base needs torch."""
    from transformers.cache_utils import DynamicLayer

    class GrowingLayer(DynamicLayer):  # type: ignore[misc]
        """Keys and values as views into buffers with spare room."""

        keys: torch.Tensor  # (B, heads, tokens, size)
        values: torch.Tensor

        def update(
            self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
        ) -> tuple[torch.Tensor, torch.Tensor]:
            """Write the new tokens behind the old ones and return all of them."""
            if not self.is_initialized:
                self.lazy_initialization(key_states, value_states)
                self._key_room, self._value_room = self.keys, self.values
            length = self.get_seq_length()
            self._key_room = _with_room(self._key_room, self.keys, length, key_states)
            self._value_room = _with_room(self._value_room, self.values, length, value_states)
            end = length + key_states.shape[-2]
            self._key_room[:, :, length:end] = key_states
            self._value_room[:, :, length:end] = value_states
            self.keys = self._key_room[:, :, :end]
            self.values = self._value_room[:, :, :end]
            return self.keys, self.values

    return GrowingLayer


def _with_room(
    room: torch.Tensor, used: torch.Tensor, length: int, new: torch.Tensor
) -> torch.Tensor:
    """Return ``room``, or a larger copy of it where ``new`` does not fit behind ``length``."""
    end = length + new.shape[-2]
    if room.data_ptr() == used.data_ptr() and room.ndim == 4 and room.shape[-2] >= end:
        return room  # rows that were selected or reordered lie elsewhere and get room of their own
    shape = list(new.shape)
    shape[-2] = end + max(MIN_ROOM, end // 2)
    larger = new.new_zeros(shape)
    if length:
        larger[:, :, :length] = used
    return larger
