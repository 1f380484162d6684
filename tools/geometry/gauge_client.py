"""Typed questions about a part to a geometry worker; nothing is parsed where they are asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from cadwright.tools.geometry.feature_wire import decode_record, encode_record
from cadwright.tools.geometry.gauges import (
    BoxRegion,
    Clearance,
    CylinderRegion,
    Draft,
    Fraction,
    Mirror,
    Overhang,
    SectionCut,
    Thickness,
)
from cadwright.tools.geometry.part import Part, Vector
from cadwright.tools.geometry.wire import encode_part

if TYPE_CHECKING:
    from cadwright.tools.geometry.client import Worker

UP: Vector = (0.0, 0.0, 1.0)

R = TypeVar("R")


class GaugeClient:
    """Measurements that need a question. Each raises GeometryError where it has no answer.

    Args:
        worker: Any worker whose jobs include those of ``cadwright.tools.geometry.jobs``.
        timeout_s: Wall-clock limit of each call.
    """

    def __init__(self, worker: Worker, *, timeout_s: float = 20.0) -> None:
        self._worker = worker
        self._timeout_s = timeout_s

    def thickness(self, part: Part) -> Thickness:
        """Return how thick the material of a closed part is, and where it is thinnest."""
        return self._ask(Thickness, "thickness", part)

    def clearance(self, part: Part, other: Part) -> Clearance:
        """Return gap and overlap of two closed parts in the same frame."""
        blobs = encode_part(part)[1]
        header, more = encode_part(other, first_blob=len(blobs))
        return self._ask(Clearance, "clearance", part, {"other": header}, more)

    def section(self, part: Part, point: Vector, normal: Vector) -> SectionCut:
        """Return the material in the plane through ``point``."""
        return self._ask(SectionCut, "section", part, {"point": point, "normal": normal})

    def overhang(self, part: Part, up: Vector = UP, *, limit_deg: float = 45.0) -> Overhang:
        """Return the surface that leans out by more than the limit when printed along ``up``."""
        return self._ask(Overhang, "overhang", part, {"up": up, "limit_deg": limit_deg})

    def draft(self, part: Part, pull: Vector = UP) -> Draft:
        """Return the least angle between a side of a part and a pull direction."""
        return self._ask(Draft, "draft", part, {"pull": pull})

    def inside(self, part: Part, region: BoxRegion | CylinderRegion | Part) -> Fraction:
        """Return how much of a part lies in a region, and how much of the region it fills."""
        if isinstance(region, Part):
            blobs = encode_part(part)[1]
            header, more = encode_part(region, first_blob=len(blobs))
            return self._ask(Fraction, "inside_fraction", part, {"region": {"part": header}}, more)
        name = "box" if isinstance(region, BoxRegion) else "cylinder"
        asked = {"region": {name: encode_record(region)}}
        return self._ask(Fraction, "inside_fraction", part, asked)

    def symmetry(self, part: Part, normals: Sequence[Vector] = ()) -> tuple[Mirror, ...]:
        """Return how symmetric a closed part is in planes through its centre, best first."""
        header, blobs = encode_part(part)
        request = {"part": header, "normals": [list(normal) for normal in normals]}
        reply, _ = self._worker.call("symmetry", request, blobs, timeout_s=self._timeout_s)
        return tuple(decode_record(Mirror, mirror) for mirror in reply["mirrors"])

    def _ask(
        self,
        kind: type[R],
        job: str,
        part: Part,
        asked: dict[str, Any] | None = None,
        more: Sequence[bytes] = (),
    ) -> R:
        header, blobs = encode_part(part)
        request = {"part": header, **(asked or {})}
        reply, _ = self._worker.call(job, request, [*blobs, *more], timeout_s=self._timeout_s)
        return decode_record(kind, reply["gauge"])
