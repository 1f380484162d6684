"""The operations by name, as a mesh worker does them: plain arguments in, meshes and facts out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cadwright.tools.geometry.gauged import direction_of
from cadwright.tools.geometry.part import FloatArray, Mesh, Notice
from cadwright.tools.geometry.vectors import as_vector
from cadwright.tools.meshing import (
    aligning,
    combining,
    mending,
    moving,
    offsetting,
    orienting,
    planes,
    resampling,
)
from cadwright.tools.meshing.distance import distance
from cadwright.tools.meshing.made import Made, Operation
from cadwright.tools.meshing.primitives import primitive_mesh
from cadwright.tools.meshing.triangles import diagonal_mm, joined

_FAR_OFF = 0.02  # of the diagonal: a fit that is worse is worth a warning
_COARSE = 0.01  # of the diagonal: a deviation that shows


def add(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Make a basic solid."""
    axis = direction_of(tuple(given["axis"]), "axis")
    return Made((primitive_mesh(given["shape"], given["size"], _point(given["centre"]), axis),))


def move(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Move by an offset."""
    return Made((moving.moved(meshes[0], _point(given["offset"])),))


def rotate(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Turn about an axis through a point."""
    axis = direction_of(tuple(given["axis"]), "axis")
    centre = _point(given["centre"])
    return Made((moving.rotated(meshes[0], axis, given["angle_deg"], centre),))


def scale(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Scale about a point."""
    return Made((moving.scaled(meshes[0], _point(given["factors"]), _point(given["centre"])),))


def mirror(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Reflect in a plane across an axis; keep the original beside it where that is wanted."""
    image = moving.mirrored(meshes[0], given["axis"], given["offset_mm"])
    if not given["keep"]:
        return Made((image,))
    return Made((combining.combined("union", {"the mesh": meshes[0], "its image": image}),))


def combine(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Unite, subtract or intersect."""
    if len(meshes) == 1:
        return Made((combining.self_united(meshes[0]),))
    return Made(
        (combining.combined(given["kind"], dict(zip(given["names"], meshes, strict=True))),)
    )


def merge(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Put triangles together without uniting anything."""
    return Made((joined(meshes),))


def split(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Take a mesh apart into its bodies."""
    bodies = combining.split(meshes[0])
    return Made(tuple(bodies), (f"bodies {len(bodies)}, the largest first",))


def cut(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Cut by a plane; gives what is above it and what is below."""
    normal = direction_of(tuple(given["normal"]), "normal")
    mesh, offset_mm = meshes[0], given["offset_mm"]
    parts = planes.cut(mesh, normal, offset_mm, is_capped=given["is_capped"])
    heights = [float((part.vertices @ normal).mean()) - offset_mm for part in parts]
    sides = tuple("above" if height > 0.0 else "below" for height in heights)
    return Made(tuple(parts), sides)


def section(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Measure the material in a plane."""
    normal = direction_of(tuple(given["normal"]), "normal")
    found = planes.section_facts(meshes[0], normal, given["offset_mm"])
    told = (
        f"area {found['area_mm2']:.6g} mm2, perimeter {found['perimeter_mm']:.6g} mm, "
        f"regions {found['regions']}, openings {found['openings']}"
    )
    return Made((), (told,), found)


def clean(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Take out collapsed, repeated and sticking-out triangles, and specks."""
    found = mending.cleaned(meshes[0], weld_mm=given["weld_mm"])
    mesh, num_specks = found.mesh, 0
    if given["min_body_mm"] > 0.0:
        mesh, num_specks = mending.without_specks(mesh, given["min_body_mm"])
    counts = {
        "vertices joined": found.num_joined,
        "degenerate triangles": found.num_degenerate,
        "duplicate triangles": found.num_duplicate,
        "triangles that stuck out": found.num_fins,
        "small bodies": num_specks,
    }
    told = [f"{name} {count}" for name, count in counts.items() if count]
    return Made((mesh,), ("removed: " + (", ".join(told) or "nothing"),), counts)


def fix_winding(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Make neighbours agree and outsides face outwards."""
    found = mending.with_fixed_winding(meshes[0])
    return Made((found.mesh,), (f"triangles turned {found.num_turned}",))


def fill_holes(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Close holes."""
    found = mending.with_filled_holes(meshes[0], max_edges=given["max_edges"])
    told = f"holes filled {found.num_filled}, left {found.num_left}"
    return Made((found.mesh,), (told,))


def remesh(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Make edges about equally long."""
    return _compared(meshes[0], resampling.remeshed(meshes[0], given["edge_mm"]))


def decimate(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Leave at most so many triangles."""
    return _compared(meshes[0], resampling.decimated(meshes[0], given["max_triangles"]))


def smooth(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Take noise off."""
    return _compared(meshes[0], resampling.smoothed(meshes[0], given["rounds"]))


def hollow(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Leave a wall, drilled from below."""
    drains, drain_mm = given["drains"], given["drain_mm"]
    mesh = offsetting.hollowed(meshes[0], given["wall_mm"], drain_mm=drain_mm, drains=drains)
    closed = "it has no drain hole: what is inside stays inside"
    notices = () if drains else (Notice("closed_cavity", closed),)
    return Made((mesh,), notices=notices)


def thicken(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Give an open surface a thickness."""
    return Made((offsetting.thickened(meshes[0], given["thickness_mm"], given["side"]),))


def align(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Bring the first mesh onto the second, or its principal axes onto x, y, z."""
    if len(meshes) == 1:
        found = aligning.axes_aligned(meshes[0])
        return Made((found.mesh,), ("principal axes along x, y, z, the longest along x",))
    found = aligning.aligned(meshes[0], meshes[1], is_near=given["is_near"])
    told = f"moved by {_told(found.shift)} mm after a turn of {_angle_deg(found.rotation):.4g} deg"
    fit = f"mean distance to the target {found.mean_mm:.4g} mm"
    notices: tuple[Notice, ...] = ()
    if found.mean_mm > _FAR_OFF * diagonal_mm(meshes[1]):
        notices = (Notice("poor_fit", f"the shapes do not match: {fit}"),)
    return Made((found.mesh,), (told, fit), {"mean_mm": found.mean_mm}, notices)


def orient(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Lay a part down as it prints best."""
    mesh, lie = orienting.oriented(meshes[0])
    told = (
        f"overhang {lie.overhang_mm2:.5g} mm2, on the bed {lie.foot_mm2:.5g} mm2, "
        f"height {lie.height_mm:.5g} mm; what looked towards {_told(lie.down)} now lies down"
    )
    return Made((mesh,), (told,))


def compare(meshes: Sequence[Mesh], given: Mapping[str, Any]) -> Made:
    """Measure how far two meshes are apart."""
    found = distance(meshes[0], meshes[1])
    told = f"largest distance {found.hausdorff_mm:.5g} mm, mean {found.mean_mm:.5g} mm"
    return Made((), (told,), {"hausdorff_mm": found.hausdorff_mm, "mean_mm": found.mean_mm})


def _compared(before: Mesh, after: Mesh) -> Made:
    """Return a mesh with what it lost against the one before."""
    found = distance(before, after)
    counts = f"triangles {len(before.faces)} -> {len(after.faces)}"
    told = f"largest distance to before (Hausdorff) {found.hausdorff_mm:.4g} mm"
    notices: tuple[Notice, ...] = ()
    if found.hausdorff_mm > _COARSE * diagonal_mm(before):
        notices = (Notice("shape_changed", f"the shape is visibly different: {told}"),)
    return Made((after,), (counts, told), {"hausdorff_mm": found.hausdorff_mm}, notices)


def _point(values: Sequence[float]) -> FloatArray:
    return np.array(values, np.float64)


def _told(values: FloatArray) -> str:
    return "(" + ", ".join(f"{v:.5g}" for v in as_vector(np.round(values, 6))) + ")"


def _angle_deg(rotation: FloatArray) -> float:
    return float(np.degrees(np.arccos(np.clip((np.trace(rotation) - 1.0) / 2.0, -1.0, 1.0))))


OPERATIONS: Mapping[str, Operation] = {
    function.__name__: function
    for function in (
        add,
        move,
        rotate,
        scale,
        mirror,
        combine,
        merge,
        split,
        cut,
        section,
        clean,
        fix_winding,
        fill_holes,
        remesh,
        decimate,
        smooth,
        hollow,
        thicken,
        align,
        orient,
        compare,
    )
}
