"""Pictures and frames as JSON headers and blobs, between the render worker and its client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.tools.rendering.frame import Frame, Pixels
from cadwright.tools.tool import ImageBlock

Header = dict[str, Any]
Message = tuple[Header, list[bytes]]


@dataclass(frozen=True, slots=True, eq=False)
class Channels:
    """A frame as the main process gets it, without the scene behind it.

    Attributes:
        colour: (H, W, 3) uint8 RGB.
        depth_mm: (H, W) float32 from the camera plane, inf where nothing is hit.
        normals: (H, W, 3) float32 unit normals of the part's space, 0 for background.
        face_ids: (H, W) int32, -1 for background.
        render_id: Backend, camera, size and version.
    """

    colour: Pixels
    depth_mm: npt.NDArray[np.float32]
    normals: npt.NDArray[np.float32]
    face_ids: npt.NDArray[np.int32]
    render_id: str


def encode_block(block: ImageBlock) -> Message:
    """Return a picture as a header and its one blob."""
    header = {
        "render_id": block.render_id,
        "caption": block.caption,
        "shape": list(block.pixels.shape),
    }
    return header, [np.ascontiguousarray(block.pixels, dtype=np.uint8).tobytes()]


def decode_block(header: Mapping[str, Any], blob: bytes) -> ImageBlock:
    """Read the picture that ``encode_block`` wrote."""
    pixels = np.frombuffer(blob, dtype=np.uint8).reshape(header["shape"])
    return ImageBlock(pixels, str(header["render_id"]), str(header["caption"]))


def encode_frame(frame: Frame) -> Message:
    """Return all channels of a frame as a header and four blobs."""
    arrays = (frame.colour, frame.depth_mm, frame.normals, frame.face_ids)
    header = {"render_id": frame.render_id, "shape": list(frame.depth.shape)}
    return header, [np.ascontiguousarray(array).tobytes() for array in arrays]


def decode_frame(header: Mapping[str, Any], blobs: Sequence[bytes]) -> Channels:
    """Read the channels that ``encode_frame`` wrote."""
    height, width = header["shape"]
    return Channels(
        colour=np.frombuffer(blobs[0], dtype=np.uint8).reshape(height, width, 3),
        depth_mm=np.frombuffer(blobs[1], dtype=np.float32).reshape(height, width),
        normals=np.frombuffer(blobs[2], dtype=np.float32).reshape(height, width, 3),
        face_ids=np.frombuffer(blobs[3], dtype=np.int32).reshape(height, width),
        render_id=str(header["render_id"]),
    )
