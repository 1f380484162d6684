"""What the render worker does for one request: decode, draw, encode.

Parts travel once: a request names a part by digest, and its arrays follow only after the worker
has answered ``missing``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.wire import decode_inspection
from cadwright.tools.rendering.difference import difference
from cadwright.tools.rendering.frame import Renderer
from cadwright.tools.rendering.layout import Layout
from cadwright.tools.rendering.measured import measured_block
from cadwright.tools.rendering.overlay import overlay_parts
from cadwright.tools.rendering.picture_overlay import overlay_picture
from cadwright.tools.rendering.relief import compared
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.section import section_view
from cadwright.tools.rendering.views import single_view, view_sheet
from cadwright.tools.rendering.wire import Header, Message, decode_block, encode_block, encode_frame

MAX_SCENES = 8  # parts kept by digest


class Studio:
    """A renderer and the parts it knows.

    Args:
        renderer: Backend.
    """

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._scenes: OrderedDict[str, Scene] = OrderedDict()

    def answer(self, request: Mapping[str, Any], blobs: Sequence[bytes]) -> Message:
        """Carry out one request.

        Raises:
            ToolError: The request cannot be met; the message is for the policy.
            RenderFailure: The backend broke.
        """
        parts = request["parts"]
        if any(part["digest"] not in self._scenes and "arrays" not in part for part in parts):
            return {"missing": True}, []
        scenes = [self._scene(part, blobs) for part in parts]
        options = dict(request["options"])
        if "picture" in request:  # its pixels are the last blob
            options["picture"] = decode_block(request["picture"], blobs[-1])
        header, answer = _DRAW[request["op"]](self._renderer, scenes, options)
        return {"answer": header}, answer

    def _scene(self, part: Mapping[str, Any], blobs: Sequence[bytes]) -> Scene:
        digest = str(part["digest"])
        if digest not in self._scenes:
            while len(self._scenes) >= MAX_SCENES:
                self._scenes.popitem(last=False)
            self._scenes[digest] = _decode_scene(part["arrays"], blobs)
        self._scenes.move_to_end(digest)
        return self._scenes[digest]


def _decode_scene(header: Mapping[str, Any], blobs: Sequence[bytes]) -> Scene:
    inspection = decode_inspection(header, blobs)
    if inspection.mesh is None:
        raise GeometryError("the part has no triangles to draw")
    return Scene(inspection.mesh, inspection.edges)


def _sheet(renderer: Renderer, scenes: Sequence[Scene], options: Header) -> Message:
    return encode_block(view_sheet(renderer, scenes[0], **options))


def _view(renderer: Renderer, scenes: Sequence[Scene], options: Header) -> Message:
    return encode_block(single_view(renderer, scenes[0], **options))


def _section(renderer: Renderer, scenes: Sequence[Scene], options: Header) -> Message:
    return encode_block(section_view(renderer, scenes[0], **options))


def _overlay(renderer: Renderer, scenes: Sequence[Scene], options: Header) -> Message:
    return encode_block(overlay_parts(renderer, scenes[0], scenes[1], **options))


def _difference(renderer: Renderer, scenes: Sequence[Scene], options: Header) -> Message:
    return encode_block(difference(renderer, scenes[0], scenes[1], **options))


def _overlay_picture(renderer: Renderer, scenes: Sequence[Scene], options: Header) -> Message:
    picture = options.pop("picture")
    return encode_block(overlay_picture(renderer, scenes[0], picture, **options))


def _measured(renderer: Renderer, scenes: Sequence[Scene], options: Header) -> Message:
    del renderer  # drawn without one, so that it is the same everywhere
    return encode_block(measured_block(scenes[0].mesh, options["table"]))


def _compared(renderer: Renderer, scenes: Sequence[Scene], options: Header) -> Message:
    del renderer
    block, offset = compared(scenes[0].mesh, scenes[1].mesh, options["table"])
    header, blobs = encode_block(block)
    return {**header, "offset": offset.to_json()}, blobs


def _frame(renderer: Renderer, scenes: Sequence[Scene], options: Header) -> Message:
    scene = scenes[0]
    layout = Layout.choose(options["view"], scene.box, scene.framed_points, options["size"])
    return encode_frame(layout.frames(renderer, scene)[0])


_DRAW: dict[str, Callable[[Renderer, Sequence[Scene], Header], Message]] = {
    "sheet": _sheet,
    "view": _view,
    "section": _section,
    "overlay": _overlay,
    "overlay_picture": _overlay_picture,
    "difference": _difference,
    "measured": _measured,
    "compared": _compared,
    "frame": _frame,
}
