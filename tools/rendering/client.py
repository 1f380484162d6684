"""Draw parts from the main process, which itself loads no GL and parses no geometry.

A ``RenderClient`` owns one worker process, started at the first picture. A worker that crashes or
hangs is replaced. Where ``auto`` finds no working OpenGL it goes on with the ray tracer, and says
so in ``backend_note``, in every caption and in every render id.
"""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cadwright.tools.errors import Outcome, ToolError, WorkerCrash, WorkerTimeout
from cadwright.tools.geometry.part import Inspection, Mesh, Part
from cadwright.tools.geometry.wire import encode_inspection
from cadwright.tools.rendering.backends import FALLBACK_LABEL, check_backend
from cadwright.tools.rendering.frame import RenderFailure
from cadwright.tools.rendering.offset import Offset
from cadwright.tools.rendering.process import WorkerProcess
from cadwright.tools.rendering.wire import Channels, decode_block, decode_frame, encode_block
from cadwright.tools.sandbox.protocol import Frame
from cadwright.tools.tool import ImageBlock

Drawable = Inspection | Mesh | Part

CALL_S = 60.0  # one picture; a 2048 px sheet of a large part on a loaded machine
THUMBNAIL_PX = 160
MAX_CRASHES = 2  # with one backend, before the part is tried with the ray tracer


class RenderClient:
    """Pictures of parts, from a worker process of its own. Safe to use from several threads.

    Args:
        backend: ``auto``, ``moderngl``, ``pyrender`` or ``raycast``.
        gl_device: Number of the EGL device, or None for the one EGL gives.
        call_s: Wall time of one picture.

    Raises:
        UsageError: No such backend.
    """

    def __init__(
        self, backend: str = "auto", gl_device: int | None = None, *, call_s: float = CALL_S
    ) -> None:
        self._wanted = check_backend(backend)
        self._label: str = "moderngl" if self._wanted == "auto" else self._wanted
        self._gl_device = gl_device
        self._call_s = call_s
        self._lock = threading.RLock()
        self._slot = _Slot()
        self._finalizer = weakref.finalize(self, self._slot.clear)
        self._note = ""
        self._timeouts = 0

    @property
    def backend_note(self) -> str:
        """Empty, or why pictures come from the ray tracer instead of OpenGL."""
        return self._note

    @property
    def device(self) -> str:
        """What draws; starts the worker where there is none."""
        with self._lock:
            return self._worker().device

    def sheet(
        self, item: Drawable, *, size: int = 512, highlight: Iterable[int] = ()
    ) -> ImageBlock:
        """Return top, isometric, front and right views on one square sheet.

        Args:
            item: What to draw.
            size: Edge length in pixels.
            highlight: Face ids painted orange.

        Raises:
            ToolError: The part or an option cannot be drawn; the message is for the policy.
            InfraError: No picture could be made.
        """
        options = {"size": size, "highlight": list(highlight)}
        return self._picture("sheet", [item], options)

    def view(
        self,
        item: Drawable,
        view: str = "iso",
        *,
        size: int = 512,
        zoom: float = 1.0,
        pan_mm: tuple[float, float] = (0.0, 0.0),
        direction: tuple[float, float] | None = None,
        kind: str = "colour",
        highlight: Iterable[int] = (),
    ) -> ImageBlock:
        """Return one view; the arguments are those of ``views.single_view``."""
        options = {
            "view": view,
            "size": size,
            "zoom": zoom,
            "pan_mm": list(pan_mm),
            "direction": None if direction is None else list(direction),
            "kind": kind,
            "highlight": list(highlight),
        }
        return self._picture("view", [item], options)

    def section(
        self,
        item: Drawable,
        *,
        axis: str = "x",
        offset_mm: float | None = None,
        size: int = 512,
        look: str = "flat",
    ) -> ImageBlock:
        """Return the part cut open; the arguments are those of ``section.section_view``."""
        options = {"axis": axis, "offset_mm": offset_mm, "size": size, "look": look}
        return self._picture("section", [item], options)

    def thumbnail(self, item: Drawable, *, size: int = THUMBNAIL_PX) -> ImageBlock:
        """Return a small isometric view."""
        return self.view(item, "iso", size=size)

    def overlay(
        self,
        result: Drawable,
        target: Drawable | ImageBlock,
        *,
        view: str = "sheet",
        size: int = 512,
    ) -> ImageBlock:
        """Return the result laid over the target: green both, red too much, blue missing.

        Args:
            result: What was made.
            target: What was wanted: a part, or a picture, whose size and frame are then kept.
            view: ``sheet`` or the name of a view.
            size: Edge length in pixels where the target is a part.
        """
        if isinstance(target, ImageBlock):
            return self._picture("overlay_picture", [result], {"view": view}, target)
        return self._picture("overlay", [result, target], {"view": view, "size": size})

    def difference(
        self, result: Drawable, target: Drawable, *, view: str = "sheet", size: int = 512
    ) -> ImageBlock:
        """Return both surfaces side by side, coloured by the distance to each other.

        Args:
            result: What was made.
            target: What was wanted.
            view: ``sheet`` or the name of a view.
            size: Height in pixels; the picture is twice as wide.
        """
        return self._picture("difference", [result, target], {"view": view, "size": size})

    def measured(self, item: Drawable, *, table: Sequence[int] = ()) -> ImageBlock:
        """Return the small sheet at a fixed scale; see ``measured``.

        Args:
            item: What to draw.
            table: Dimensions for its strip, at most eight, 0 to 99.
        """
        return self._picture("measured", [item], {"table": list(table)})

    def compared(
        self, item: Drawable, wanted: Drawable, *, table: Sequence[int] = ()
    ) -> tuple[ImageBlock, Offset]:
        """Return a part laid over the measured sheet of the wanted one; see ``relief``.

        Args:
            item: What was made.
            wanted: What was wanted.
            table: Dimensions for its strip, at most eight, 0 to 99.

        Returns:
            The picture, and how far the part is off.
        """
        answer = self._ask("compared", [item, wanted], {"table": list(table)}, None)
        header = answer.header["answer"]
        offset = Offset.from_json(header["offset"])
        return self._noted(decode_block(header, answer.blobs[0])), offset

    def frame(self, item: Drawable, view: str = "iso", *, size: int = 512) -> Channels:
        """Return colour, depth, normals and face ids of one view, without labels."""
        answer = self._ask("frame", [item], {"view": view, "size": size}, None)
        return decode_frame(answer.header["answer"], answer.blobs)

    def close(self) -> None:
        """End the worker. Idempotent; a later call starts another one."""
        with self._lock:
            self._slot.clear()

    def _picture(
        self,
        op: str,
        items: Sequence[Drawable],
        options: dict[str, Any],
        picture: ImageBlock | None = None,
    ) -> ImageBlock:
        answer = self._ask(op, items, options, picture)
        return self._noted(decode_block(answer.header["answer"], answer.blobs[0]))

    def _noted(self, block: ImageBlock) -> ImageBlock:
        """Say in the caption where the ray tracer had to draw."""
        if self._note:
            block = replace(block, caption=f"{block.caption}; {self._note}")
        return block

    def _ask(
        self,
        op: str,
        items: Sequence[Drawable],
        options: dict[str, Any],
        picture: ImageBlock | None,
    ) -> Frame:
        request = _Request(op, tuple(_Arrays.of(item) for item in items), options, picture)
        with self._lock:
            answer = self._ask_until_answered(request)
        if "error" in answer.header:
            raise ToolError(str(answer.header["error"]), Outcome(answer.header["outcome"]))
        return answer

    def _ask_until_answered(self, request: _Request) -> Frame:
        """Ask the worker, a fresh worker, and at last the ray tracer."""
        before = (self._label, self._note)
        crashes = 0
        while True:
            worker = self._worker()
            try:
                answer = request.send(worker, self._call_s)
            except WorkerTimeout as error:
                self._slot.clear()
                self._timeouts += 1
                if self._timeouts < MAX_CRASHES or not self._fall_back(error):
                    raise
                continue
            except WorkerCrash as error:
                self._slot.clear()
                crashes += 1
                if crashes < MAX_CRASHES or self._fall_back(error):
                    continue
                self._label, self._note = before  # the part kills every backend: blame no driver
                raise
            self._timeouts = 0
            if "failure" not in answer.header:
                return answer
            failure = RenderFailure(str(answer.header["failure"]))
            self._slot.clear()
            if not self._fall_back(failure):
                raise failure

    def _worker(self) -> WorkerProcess:
        """Return the worker, started now where there is none."""
        worker = self._slot.worker
        if worker is not None and worker.is_ours:
            return worker
        try:
            worker = WorkerProcess(self._label, self._gl_device)
        except (RenderFailure, WorkerCrash, WorkerTimeout) as error:
            if not self._fall_back(error):
                raise
            worker = WorkerProcess(self._label, self._gl_device)
        self._slot.worker = worker
        return worker

    def _fall_back(self, error: Exception) -> bool:
        """Turn to the ray tracer, where that is allowed and not done yet."""
        if self._wanted != "auto" or self._label == FALLBACK_LABEL:
            return False
        self._note = f"drawn by the ray tracer, because {self._label} failed: {error}"
        self._label = FALLBACK_LABEL
        return True


class _Slot:
    """Holds the worker, so that it can be ended when the client is gone."""

    worker: WorkerProcess | None = None

    def clear(self) -> None:
        """End the worker, where there is one."""
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.close()


@dataclass(frozen=True, slots=True, eq=False)
class _Arrays:
    """What is drawn of an item, with a digest by which the worker knows it."""

    inspection: Inspection
    digest: str

    @classmethod
    def of(cls, item: Drawable) -> _Arrays:
        mesh, edges = item if isinstance(item, Mesh) else item.mesh, None
        if isinstance(item, Inspection):
            edges = item.edges
        if mesh is None or not len(mesh.faces):
            raise ToolError("there is no mesh to draw: inspect the part first", Outcome.NO_RESULT)
        sha = hashlib.sha256()
        for array in (mesh.vertices, mesh.faces, mesh.face_ids):
            sha.update(np.ascontiguousarray(array).data)
        if edges is not None:
            sha.update(b"edges")
            sha.update(np.ascontiguousarray(edges.segments).data)
        return cls(Inspection(Outcome.OK, "", None, mesh, edges), sha.hexdigest())


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    """One request, sent with the parts' arrays only where the worker lacks them."""

    op: str
    parts: tuple[_Arrays, ...]
    options: dict[str, Any]
    picture: ImageBlock | None

    def send(self, worker: WorkerProcess, timeout_s: float) -> Frame:
        answer = worker.ask(*self._message(whole=False), timeout_s)
        if "missing" in answer.header:
            answer = worker.ask(*self._message(whole=True), timeout_s)
        return answer

    def _message(self, *, whole: bool) -> tuple[dict[str, Any], list[bytes]]:
        blobs: list[bytes] = []
        parts = []
        for part in self.parts:
            described: dict[str, Any] = {"digest": part.digest}
            if whole:
                described["arrays"], more = encode_inspection(
                    part.inspection, first_blob=len(blobs)
                )
                blobs += more
            parts.append(described)
        header: dict[str, Any] = {"op": self.op, "parts": parts, "options": self.options}
        if self.picture is not None:
            header["picture"], pixels = encode_block(self.picture)
            blobs += pixels
        return header, blobs
