"""What an operation gives back: meshes, and facts in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cadwright.tools.geometry.part import Mesh, Notice
from cadwright.tools.geometry.wire import encode_mesh


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """Result of one operation.

    Attributes:
        meshes: What was made, in order.
        facts: One line each, for the policy: ``filled 3 holes``.
        numbers: The same as values by name.
        notices: Warnings with stable codes.
    """

    meshes: tuple[Mesh, ...] = ()
    facts: tuple[str, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


Operation = Callable[[Sequence[Mesh], Mapping[str, Any]], Made]


def encode_meshes(meshes: Sequence[Mesh]) -> tuple[list[dict[str, Any]], list[bytes]]:
    """Return headers of several meshes and the blobs that they share."""
    headers: list[dict[str, Any]] = []
    blobs: list[bytes] = []
    for mesh in meshes:
        header, more = encode_mesh(mesh, first_blob=len(blobs))
        headers.append(header)
        blobs += more
    return headers, blobs
