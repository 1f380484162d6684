"""The jobs of a geometry worker that answer one question about a part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.clearance import clearance
from cadwright.tools.geometry.feature_wire import decode_value, encode_record
from cadwright.tools.geometry.gauged import gauged
from cadwright.tools.geometry.gauges import BoxRegion, CylinderRegion
from cadwright.tools.geometry.overhang import draft, overhang
from cadwright.tools.geometry.part import Part, Vector
from cadwright.tools.geometry.regions import region_solid
from cadwright.tools.geometry.section import section_cut
from cadwright.tools.geometry.shares import region_body, share
from cadwright.tools.geometry.symmetry import mirrors
from cadwright.tools.geometry.thickness import thickness
from cadwright.tools.geometry.wire import Blobs, decode_part

Reply = tuple[dict[str, Any], list[bytes]]
Gauge = Callable[[Part, Mapping[str, Any], Blobs], Any]


def _thickness(part: Part, header: Mapping[str, Any], blobs: Blobs) -> Any:
    return thickness(gauged(part))


def _clearance(part: Part, header: Mapping[str, Any], blobs: Blobs) -> Any:
    return clearance(gauged(part), gauged(decode_part(header["other"], blobs)))


def _section(part: Part, header: Mapping[str, Any], blobs: Blobs) -> Any:
    point, normal = (decode_value(Vector, header[name]) for name in ("point", "normal"))
    return section_cut(part, point, normal)


def _overhang(part: Part, header: Mapping[str, Any], blobs: Blobs) -> Any:
    limit_deg = decode_value(float, header["limit_deg"])
    return overhang(gauged(part), decode_value(Vector, header["up"]), limit_deg=limit_deg)


def _draft(part: Part, header: Mapping[str, Any], blobs: Blobs) -> Any:
    return draft(gauged(part), decode_value(Vector, header["pull"]))


def _inside(part: Part, header: Mapping[str, Any], blobs: Blobs) -> Any:
    return share(gauged(part), region_body(_region(header["region"], blobs))).fraction


def _region(header: Mapping[str, Any], blobs: Blobs) -> BoxRegion | CylinderRegion | Part:
    """Return the region of ``{"box": ...}``, ``{"cylinder": ...}`` or ``{"part": ...}``."""
    for name, kind in (("box", BoxRegion), ("cylinder", CylinderRegion)):
        if name in header:
            region: BoxRegion | CylinderRegion = decode_value(kind, header[name])
            region_solid(region)  # refuses a flat one
            return region
    if "part" not in header:
        raise GeometryError("a region is a box, a cylinder or a part", Outcome.BAD_CALL)
    return decode_part(header["part"], blobs)


def symmetry_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Compare ``header["part"]`` with its image in planes of ``header["normals"]``."""
    part = decode_part(header["part"], blobs)
    normals = decode_value(tuple[Vector, ...], header["normals"])
    found = mirrors(gauged(part), normals)
    return {"mirrors": [encode_record(mirror) for mirror in found]}, []


def _job(gauge: Gauge) -> Callable[[dict[str, Any], list[bytes]], Reply]:
    def job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
        found = gauge(decode_part(header["part"], blobs), header, blobs)
        return {"gauge": encode_record(found)}, []

    return job


GAUGE_JOBS: dict[str, Callable[[dict[str, Any], list[bytes]], Reply]] = {
    "thickness": _job(_thickness),
    "clearance": _job(_clearance),
    "section": _job(_section),
    "overhang": _job(_overhang),
    "draft": _job(_draft),
    "inside_fraction": _job(_inside),
    "symmetry": symmetry_job,
}
