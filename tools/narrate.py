"""Measured geometry as short text for a policy: what the part is, and what a step changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cadwright.tools.geometry.part import Hole, Inspection, Measures, Notice, Vector

SAME = 1e-7  # relative; far below what matters, far above the noise of integrating over faces
MAX_HOLES = 40  # a perforated sheet would fill the context


def number(value: float) -> str:
    """Return ``value`` with six significant digits and no trailing zeros, never ``-0``."""
    return f"{value + 0.0:.6g}"


def vector(values: Iterable[float]) -> str:
    """Return ``(1, 2.5, 3)``."""
    return "(" + ", ".join(number(round(v, 6)) for v in values) + ")"


def size(extents: Vector) -> str:
    """Return ``80 x 60 x 10 mm``."""
    return " x ".join(number(v) for v in extents) + " mm"


def headline(measures: Measures) -> str:
    """Return the part in one line."""
    bodies = f"{measures.bodies} bod{'y' if measures.bodies == 1 else 'ies'}"
    volume = "no volume (not closed)"
    if measures.volume_mm3 is not None:
        volume = f"volume {number(measures.volume_mm3)} mm3"
    return f"{bodies}, {size(measures.size_mm)}, {volume}, {measures.num_faces} faces"


def summary(measures: Measures) -> str:
    """Return the measures that an engineer would ask for first, a line each."""
    low, high = measures.bbox_mm
    kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(measures.faces_by_kind.items()))
    lines = [
        headline(measures),
        f"bounding box {vector(low)} to {vector(high)} mm",
        f"centre of mass {vector(measures.centre_mm)} mm",
        f"area {number(measures.area_mm2)} mm2",
        f"faces: {kinds or 'none'}; {measures.num_edges} edges",
        f"watertight: {_yes(measures.is_watertight)}; valid: {_yes(measures.is_valid)}",
    ]
    if measures.holes:
        lines.append(f"holes: {len(measures.holes)} ({_diameters(measures.holes)})")
    return "\n".join(lines)


def hole_table(holes: tuple[Hole, ...]) -> str:
    """Return the holes, a line each, in the order that the judge found them."""
    if not holes:
        return "no cylindrical holes"
    lines = [
        f"diameter {number(h.diameter_mm)} mm, depth {number(h.depth_mm)} mm "
        f"({'through' if h.is_through else 'blind'}), middle {vector(h.position_mm)}, "
        f"axis {vector(h.axis)}"
        for h in holes[:MAX_HOLES]
    ]
    if len(holes) > MAX_HOLES:
        lines.append(f"... and {len(holes) - MAX_HOLES} more")
    return "\n".join(lines)


def mass_properties(measures: Measures) -> str:
    """Return volume, area, centre and inertia, a line each."""
    volume = "none (not closed)" if measures.volume_mm3 is None else number(measures.volume_mm3)
    lines = [
        f"volume {volume} mm3",
        f"area {number(measures.area_mm2)} mm2",
        f"centre of mass {vector(measures.centre_mm)} mm",
    ]
    if measures.inertia_mm5 is not None:
        rows = "; ".join(vector(row) for row in measures.inertia_mm5)
        lines.append(f"inertia about the centre of mass at density 1, mm5: {rows}")
    return "\n".join(lines)


def changes(before: Inspection | None, after: Inspection) -> dict[str, Any]:
    """Return what a step changed, by name; empty where nothing measurable did.

    Keys: ``volume_mm3``, ``area_mm2`` (signed differences), ``size_mm`` (new extents),
    ``centre_mm`` (shift), ``bodies``, ``num_faces``, ``holes`` (signed counts).
    """
    if before is None or before.measures is None or after.measures is None:
        return {}
    old, new = before.measures, after.measures
    found: dict[str, Any] = {}
    if old.volume_mm3 is not None and new.volume_mm3 is not None:
        _note(found, "volume_mm3", old.volume_mm3, new.volume_mm3)
    _note(found, "area_mm2", old.area_mm2, new.area_mm2)
    if any(_differs(a, b) for a, b in zip(old.size_mm, new.size_mm, strict=True)):
        found["size_mm"] = new.size_mm
    shift = tuple(b - a for a, b in zip(old.centre_mm, new.centre_mm, strict=True))
    if max(map(abs, shift)) > SAME * max(new.size_mm):
        found["centre_mm"] = shift
    for name in ("bodies", "num_faces"):
        if getattr(old, name) != getattr(new, name):
            found[name] = getattr(new, name) - getattr(old, name)
    if len(old.holes) != len(new.holes):
        found["holes"] = len(new.holes) - len(old.holes)
    return found


def change_line(deltas: Mapping[str, Any]) -> str:
    """Return ``changes`` in one line."""
    words = {
        "volume_mm3": lambda v: f"volume {v:+.6g} mm3",
        "area_mm2": lambda v: f"area {v:+.6g} mm2",
        "size_mm": lambda v: f"size now {size(v)}",
        "centre_mm": lambda v: f"centre of mass moved by {vector(v)} mm",
        "bodies": lambda v: f"bodies {v:+d}",
        "num_faces": lambda v: f"faces {v:+d}",
        "holes": lambda v: f"holes {v:+d}",
    }
    return "changed: " + ", ".join(words[name](value) for name, value in deltas.items())


def notice_lines(notices: Iterable[Notice]) -> str:
    """Return one line per notice, each with its code."""
    return "\n".join(f"warning ({n.code}): {n.message}" for n in notices)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _diameters(holes: tuple[Hole, ...]) -> str:
    counts: dict[str, int] = {}
    for hole in holes:
        key = number(round(hole.diameter_mm, 4))
        counts[key] = counts.get(key, 0) + 1
    return ", ".join(f"{n} x {d} mm" for d, n in counts.items())


def _note(found: dict[str, Any], name: str, old: float, new: float) -> None:
    if _differs(old, new):
        found[name] = new - old


def _differs(old: float, new: float) -> bool:
    return abs(new - old) > SAME * max(abs(old), abs(new))
