"""The records that describe what a part is made of: its faces and the features they form.

Lengths are mm, areas mm², angles degrees, Z is up. Every record names the faces it came from
(``Mesh.face_ids`` of the inspection of the same bytes), so that a picture can highlight it, and
says where it is, which way it points and on which side the material lies. One face may belong
to several records: the corner of a pocket is a fillet too, a step of a shaft is a boss.

Directions of features that are cut or added are never ambiguous: the axis of a hole, slot or
pocket points from its opening into the material, the axis of a boss out of the part. Where
both ends of a hole are alike, the entry is the end that lies farther along the direction whose
largest component is positive (the upper end, for a vertical hole): compare such axes up to sign.
Nothing here imports a CAD kernel; ``recognise.py`` makes these records in a worker process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cadwright.tools.geometry.faces import (
    ConeFace,
    CylinderFace,
    Faces,
    PlaneFace,
    SphereFace,
    TorusFace,
)
from cadwright.tools.geometry.part import Vector

BottomKind = Literal["open", "flat", "cone", "round", "other"]
BossShape = Literal["round", "rectangular", "other"]
PatternKind = Literal["line", "grid", "circle"]


@dataclass(frozen=True, slots=True)
class Counterbore:
    """A wider cylinder at one end of a hole; its depth is measured from that end."""

    diameter_mm: float
    depth_mm: float


@dataclass(frozen=True, slots=True)
class Countersink:
    """A cone at one end of a hole: its widest diameter and its full opening angle."""

    diameter_mm: float
    angle_deg: float


@dataclass(frozen=True, slots=True)
class HoleFeature:
    """One drilled hole with everything on its axis: counterbores, countersinks, drill point.

    Attributes:
        diameter_mm: Of the narrowest cylinder.
        depth_mm: Along the axis from the entry to the far opening, or to the end of the
            narrowest cylinder where the hole is blind (a drill point is not counted).
        position_mm: Where the axis meets the entry surface.
        end_mm: Where the axis meets the far opening, or the end of the depth.
        axis: Unit, from the entry into the material.
        is_through: The far end is open too.
        bottom: ``open`` where it is; else the form of the bottom.
        tip_angle_deg: Full angle of a conical bottom.
        counterbore, countersink: At the entry, or None.
        far_counterbore, far_countersink: At the far opening, or None.
        rim, far_rim: A cone that only breaks the edge of an opening, or None: a chamfer to most,
            a small countersink to who asks for one.
    """

    diameter_mm: float
    depth_mm: float
    position_mm: Vector
    end_mm: Vector
    axis: Vector
    is_through: bool
    bottom: BottomKind
    faces: Faces
    tip_angle_deg: float | None = None
    counterbore: Counterbore | None = None
    countersink: Countersink | None = None
    far_counterbore: Counterbore | None = None
    far_countersink: Countersink | None = None
    rim: Countersink | None = None
    far_rim: Countersink | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A straight cut with two round ends (obround).

    Attributes:
        width_mm: Diameter of its ends.
        length_mm: Overall, over both ends.
        position_mm: Centre of its opening.
        axis: Unit, from the opening into the material.
        direction: Unit, along its length, its largest component positive.
    """

    width_mm: float
    length_mm: float
    depth_mm: float
    position_mm: Vector
    axis: Vector
    direction: Vector
    is_through: bool
    faces: Faces


@dataclass(frozen=True, slots=True)
class Pocket:
    """A cut with walls all round that is neither a round hole nor a slot; or a cut-out.

    Attributes:
        length_mm: Longer side of the smallest rectangle around its outline.
        width_mm: Shorter side.
        corner_radius_mm: Of its inner corners, 0 where they are sharp, None where they differ.
        position_mm: Centre of that rectangle at the opening.
        axis: Unit, from the opening into the material.
        direction: Unit, along its length, its largest component positive.
        is_rectangular: Its walls lie on that rectangle, but for round corners.
    """

    length_mm: float
    width_mm: float
    depth_mm: float
    corner_radius_mm: float | None
    position_mm: Vector
    axis: Vector
    direction: Vector
    is_rectangular: bool
    is_through: bool
    faces: Faces


@dataclass(frozen=True, slots=True)
class Boss:
    """Material that stands on a surface.

    Attributes:
        length_mm: Longer side of the smallest rectangle around its outline; the diameter of a
            round one.
        width_mm: Shorter side; the diameter of a round one.
        position_mm: Centre of that rectangle where the boss meets the surface it stands on.
        axis: Unit, from that surface outwards.
        direction: Unit, along its length; some direction across the axis for a round one.
    """

    shape: BossShape
    length_mm: float
    width_mm: float
    height_mm: float
    position_mm: Vector
    axis: Vector
    direction: Vector
    faces: Faces


@dataclass(frozen=True, slots=True)
class BlendEdge:
    """One rounded or bevelled edge of a chain.

    Attributes:
        position_mm: A point of its face, halfway along.
        axis: Along a straight edge or through the centre of a round one.
    """

    position_mm: Vector
    axis: Vector | None
    faces: Faces


@dataclass(frozen=True, slots=True)
class Fillet:
    """A rounded edge, or a chain of rounded edges with one radius that run into each other.

    Attributes:
        is_convex: It rounds an outer edge (material inside); else it fills an inner corner.
        length_mm: Of the path of the rolling ball's centre.
        position_mm: Mean of the middles of its faces, weighted by length.
        axis: Along a straight edge or through the centre of a round one; None for a chain
            that turns corners.
        num_edges: Faces with an edge of their own; spherical corners are not counted.
        edges: One for each of those.
    """

    radius_mm: float
    is_convex: bool
    length_mm: float
    position_mm: Vector
    axis: Vector | None
    num_edges: int
    faces: Faces
    edges: tuple[BlendEdge, ...] = ()


@dataclass(frozen=True, slots=True)
class Chamfer:
    """A bevelled outer edge, or a chain of them with the same sizes that meet.

    Attributes:
        sizes_mm: Setbacks from the sharp edge on both faces, the smaller first.
        angle_deg: Between the bevel and the face with the larger setback: 45 for equal ones.
        length_mm: Length of the bevel along its middle.
        position_mm: Mean of the middles of its faces, weighted by length.
        axis: Along a straight edge or through the centre of a round one; None for a chain
            that turns corners.
        num_edges: Faces.
        edges: One for each face.
    """

    sizes_mm: tuple[float, float]
    angle_deg: float
    length_mm: float
    position_mm: Vector
    axis: Vector | None
    num_edges: int
    faces: Faces
    edges: tuple[BlendEdge, ...] = ()


@dataclass(frozen=True, slots=True)
class ShaftStep:
    """One cylinder of a turned body; ``position_mm`` is the middle of its axis."""

    diameter_mm: float
    length_mm: float
    position_mm: Vector
    faces: Faces


@dataclass(frozen=True, slots=True)
class Shaft:
    """A turned body: outer cylinders on one axis, in their order along it.

    Attributes:
        axis: Unit, its largest component positive.
        position_mm: Middle of the axis inside the body.
        length_mm: From the first step's start to the last one's end.
    """

    axis: Vector
    position_mm: Vector
    length_mm: float
    steps: tuple[ShaftStep, ...]
    faces: Faces


@dataclass(frozen=True, slots=True)
class Wall:
    """Two parallel flat faces back to back, thin against their overlap.

    Attributes:
        normal: Unit, across the wall, its largest component positive.
        position_mm: Middle of the overlap, halfway through the material.
        length_mm, width_mm: Sides of the rectangle around the overlap, the longer first.
        is_rib: Both faces rise from the same surface: a rib or web rather than a plate.
    """

    thickness_mm: float
    normal: Vector
    position_mm: Vector
    length_mm: float
    width_mm: float
    is_rib: bool
    faces: Faces


@dataclass(frozen=True, slots=True)
class Pattern:
    """Equal holes in a regular arrangement.

    Attributes:
        holes: Indices into ``Features.holes``.
        counts: (n,) of a line or circle, (n, m) of a grid: along ``direction``, then across.
        pitches_mm: One for each count; for a circle the distance of neighbours.
        diameter_mm: Of the pitch circle, or None.
        centre_mm: Centre of the pattern at the entries of the holes.
        axis: The holes' own.
        direction: Unit, along a line or the first side of a grid; from the centre of a circle
            to its first hole.
        residual_mm: Largest distance of a hole from its place in the fitted pattern.
    """

    kind: PatternKind
    holes: tuple[int, ...]
    hole_diameter_mm: float
    counts: tuple[int, ...]
    pitches_mm: tuple[float, ...]
    diameter_mm: float | None
    centre_mm: Vector
    axis: Vector
    direction: Vector
    residual_mm: float


@dataclass(frozen=True, slots=True)
class Unchecked:
    """What could not be determined: a field of ``Features``, why, and the faces concerned."""

    feature: str
    reason: str
    faces: Faces = ()


@dataclass(frozen=True, slots=True)
class Features:
    """Everything recognised in a part.

    Attributes:
        source: ``brep`` for exact geometry, ``mesh`` where triangles had to be fitted.
        sunk_chamfers: The cones of countersinks as the chamfers that they are to who asks for one.
        open_holes: Holes that break out sideways, more than half of their wall left; not in
            ``holes``.
        open_slots: Slots with one round end that run out at the other; not in ``slots``.
        leaning_pockets: Pockets with leaning walls, as large as their mouths; not in ``pockets``.
        unchecked: What could not be determined; an empty list of a kind that is named here
            does not mean that the part has none.
    """

    source: Literal["brep", "mesh"]
    planes: tuple[PlaneFace, ...] = ()
    cylinders: tuple[CylinderFace, ...] = ()
    cones: tuple[ConeFace, ...] = ()
    spheres: tuple[SphereFace, ...] = ()
    tori: tuple[TorusFace, ...] = ()
    holes: tuple[HoleFeature, ...] = ()
    slots: tuple[Slot, ...] = ()
    pockets: tuple[Pocket, ...] = ()
    bosses: tuple[Boss, ...] = ()
    fillets: tuple[Fillet, ...] = ()
    chamfers: tuple[Chamfer, ...] = ()
    sunk_chamfers: tuple[Chamfer, ...] = ()
    shafts: tuple[Shaft, ...] = ()
    walls: tuple[Wall, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    open_holes: tuple[HoleFeature, ...] = ()
    open_slots: tuple[Slot, ...] = ()
    leaning_pockets: tuple[Pocket, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
