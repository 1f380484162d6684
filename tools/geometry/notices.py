"""What an inspection notices without refusing the part: each a stable code and one line."""

from __future__ import annotations

from cadwright.tools.geometry.part import Notice

Notices = tuple[Notice, ...]

MIN_EXTENT_MM = 0.1
MAX_EXTENT_MM = 10_000.0
_CROSSING_SHARE = 0.05  # tessellations of sound parts stay within 2 %


def scale(extent_mm: float) -> Notices:
    """``suspicious_scale``: the whole part is so small or large that a unit slipped."""
    if MIN_EXTENT_MM <= extent_mm <= MAX_EXTENT_MM:
        return ()
    likely = "metres or inches taken for mm" if extent_mm < MIN_EXTENT_MM else "mm scaled twice"
    return (Notice("suspicious_scale", f"the part measures {extent_mm:.6g} mm: {likely}?"),)


def inside_out(num_inverted: int) -> Notices:
    """``inside_out``: surfaces faced inwards; measures and triangles are given turned round."""
    if num_inverted == 0:
        return ()
    words = "1 body faced" if num_inverted == 1 else f"{num_inverted} bodies faced"
    return (Notice("inside_out", f"{words} inwards and was measured turned round"),)


def bodies(num_bodies: int) -> Notices:
    """``several_bodies``: the part is more than one piece."""
    if num_bodies < 2:
        return ()
    return (Notice("several_bodies", f"the part consists of {num_bodies} separate bodies"),)


def contact(num_edges: int) -> Notices:
    """``non_manifold_contact``: bodies touch along an edge without being joined."""
    if num_edges == 0:
        return ()
    return (
        Notice(
            "non_manifold_contact",
            f"surfaces touch along {num_edges} edges of the tessellation without being joined: "
            "overlap the bodies or keep them apart",
        ),
    )


def loose(num_loose: int) -> Notices:
    """``loose_geometry``: faces, edges or points beside the solids were left out."""
    if num_loose == 0:
        return ()
    return (
        Notice("loose_geometry", f"{num_loose} faces, edges or points in no solid were left out"),
    )


def crossing(exact_mm3: float, tessellated_mm3: float | None) -> Notices:
    """``volume_mismatch``: exact surfaces and triangles enclose different volumes."""
    if tessellated_mm3 is None or abs(tessellated_mm3 - exact_mm3) <= _CROSSING_SHARE * exact_mm3:
        return ()
    return (
        Notice(
            "volume_mismatch",
            f"the surfaces enclose {exact_mm3:.6g} mm3, the triangles {tessellated_mm3:.6g} mm3: "
            "the part may cross itself",
        ),
    )
