"""Drilled holes as a drawing has them: entry and depth, bottom, counterbores and countersinks."""

from __future__ import annotations

from collections.abc import Sequence

from cadwright.tools.geometry.bores import Bore, Section
from cadwright.tools.geometry.features import Counterbore, Countersink, HoleFeature
from cadwright.tools.geometry.vectors import add, dot, scaled, signed

CHAMFER_WIDENING = 1.4  # a cone at the rim that widens a hole by less is a chamfer
_ALIKE = 1e-3  # of a radius: two ends of a hole are alike


def hole_of(bore: Bore) -> HoleFeature:
    """Return a walked hole with its entry, depth, counterbores and countersinks."""
    bore = _from_entry(bore)
    drill = min((s for s in bore.sections if s.is_cylinder), key=_narrowest)
    is_through = bore.high == "open"
    start = bore.sections[0].start
    end = bore.sections[-1].end if is_through else _floor(bore, drill)
    faces = {face for section in bore.sections for face in section.patch.faces} | bore.extra
    back = bore.turned().sections if is_through else []
    cone, far_cone = _cone(bore.sections, drill), _cone(back, drill)
    return HoleFeature(
        diameter_mm=2.0 * drill.patch.radius,
        depth_mm=end - start,
        position_mm=add(bore.origin, bore.axis, start),
        end_mm=add(bore.origin, bore.axis, end),
        axis=scaled(bore.axis, 1.0),
        is_through=is_through,
        bottom=bore.high,
        faces=tuple(sorted(faces)),
        tip_angle_deg=bore.tip_deg,
        counterbore=_counterbore(bore.sections, drill),
        countersink=_sunk(cone, breaks_edge=False),
        far_counterbore=_counterbore(back, drill) if is_through else None,
        far_countersink=_sunk(far_cone, breaks_edge=False),
        rim=_sunk(cone, breaks_edge=True),
        far_rim=_sunk(far_cone, breaks_edge=True),
    )


def _narrowest(section: Section) -> tuple[float, float]:
    return (section.patch.radius, -section.length)


def _from_entry(bore: Bore) -> Bore:
    """Return the hole so that it runs from its entry into the material."""
    if bore.low != bore.high:
        return bore if bore.low == "open" else bore.turned()
    first, last = bore.sections[0].start_radius, bore.sections[-1].end_radius
    if abs(first - last) > _ALIKE * max(first, last):
        return bore if first > last else bore.turned()
    up = dot(signed(bore.axis), bore.axis)
    return bore if up < 0.0 else bore.turned()  # alike: drilled from above


def _floor(bore: Bore, drill: Section) -> float:
    """Return where a blind hole ends: a rounded corner counts, a drill point does not."""
    place = next(k for k, section in enumerate(bore.sections) if section.patch is drill.patch)
    end = max(section.end for section in bore.sections[: place + 1])
    rest = bore.sections[place + 1 :]
    corners = [s.end for s in rest if s.is_cylinder or s.patch.kind == "torus"]
    return max([end, *corners])


def _counterbore(sections: Sequence[Section], drill: Section) -> Counterbore | None:
    start = sections[0].start
    for section in sections:
        if section.patch.radius <= drill.patch.radius * (1.0 + _ALIKE) and section.is_cylinder:
            return None
        if section.is_cylinder:
            return Counterbore(2.0 * section.patch.radius, section.end - start)
    return None


def _cone(sections: Sequence[Section], drill: Section) -> Section | None:
    """Return the cone that widens from the drilled diameter."""
    for section in sections:
        if section.is_cylinder and section.patch.radius <= drill.patch.radius * (1.0 + _ALIKE):
            return None
        is_next = abs(section.end_radius - drill.patch.radius) < _ALIKE * drill.patch.radius
        if section.patch.kind == "cone" and is_next:
            return section
    return None


def _sunk(cone: Section | None, *, breaks_edge: bool) -> Countersink | None:
    """Return a cone as a countersink if it is one of a screw head, or only breaks an edge."""
    if cone is None or (cone.widening < CHAMFER_WIDENING) != breaks_edge:
        return None
    return Countersink(2.0 * cone.start_radius, 2.0 * cone.patch.half_deg)
