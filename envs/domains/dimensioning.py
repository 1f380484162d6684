"""What drawings say about parts: annotations as families write them, in one line each.

Places are mm in the frame of the part. A view drops one of their coordinates: the front y, the
top z, the right x.
"""

from __future__ import annotations

import math

from cadwright.envs.domains.family import Annotation, DrawingView, Number, Point

_LEADER_DEG = 45.0  # where on a circle the leader of a diameter ends


def span(name: str, view: DrawingView, start: Point, end: Point, text: str = "") -> Annotation:
    """Dimension the distance between two points."""
    return Annotation(name, "linear", view, (start, end), text)


def diameter(
    name: str, view: DrawingView, centre: Point, value: float, text: str = ""
) -> Annotation:
    """Dimension a circle that the view shows as a circle."""
    points = (centre, on_circle(view, centre, value / 2, _LEADER_DEG))
    return Annotation(name, "diameter", view, points, text)


def round_body(
    name: str, view: DrawingView, centre: Point, value: float, text: str = ""
) -> Annotation:
    """Dimension a radius by the whole circle that the view shows: a full circle has a diameter."""
    points = (centre, on_circle(view, centre, value, _LEADER_DEG))
    return Annotation(name, "diameter", view, points, text, times=2)


def radius(
    name: str,
    view: DrawingView,
    centre: Point,
    value: float,
    angle_deg: float = _LEADER_DEG,
    text: str = "",
) -> Annotation:
    """Dimension an arc; the angle says where on its circle the leader ends."""
    points = (centre, on_circle(view, centre, value, angle_deg))
    return Annotation(name, "radius", view, points, text)


def note(view: DrawingView, place: Point, text: str, name: str = "") -> Annotation:
    """Say something about a place: a count, a chamfer, a thread."""
    return Annotation(name, "note", view, (place,), text)


def next_on_circle(centre: Point, radius_mm: float, count: Number) -> Point:
    """Return where the second of features on a circle stands, which begin at +X.

    Opposite the first there is one only where their number is even.
    """
    return on_circle("top", centre, radius_mm, 360.0 / count)


def on_circle(view: DrawingView, centre: Point, value: float, angle_deg: float) -> Point:
    """Return the point of a circle at an angle from the view's own horizontal."""
    across = value * math.cos(math.radians(angle_deg))
    up = value * math.sin(math.radians(angle_deg))
    x, y, z = centre
    if view == "front":
        return (x + across, y, z + up)
    if view == "top":
        return (x + across, y + up, z)
    return (x, y + across, z + up)
