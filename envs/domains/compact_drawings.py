"""What the drawings of compact families say.

Plates and blocks are centred on the origin; profiles begin at it and reach to negative Y; what is
turned stands on Z = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cadwright.envs.domains.dimensioning import diameter, note, radius, round_body, span
from cadwright.envs.domains.family import Annotation, Design

Marks = tuple[Annotation, ...]


def _box(d: Design, height: str) -> Marks:
    """Return the extents of a body around the origin."""
    x, y, z = d["length"] / 2, d["width"] / 2, d[height] / 2
    return (
        span("length", "top", (-x, -y, z), (x, -y, z)),
        span("width", "top", (-x, -y, z), (-x, y, z)),
        span(height, "front", (-x, -y, -z), (-x, -y, z)),
    )


def _bored_plate(d: Design) -> Marks:
    z = d["thickness"] / 2
    hole = diameter("hole_diameter", "top", (0, 0, z), d["hole_diameter"], "⌀{value} THRU")
    return (*_box(d, "thickness"), hole)


def _four_hole_plate(d: Design) -> Marks:
    x, y, z = d["pitch_length"] / 2, d["pitch_width"] / 2, d["thickness"] / 2
    return (
        *_box(d, "thickness"),
        span("pitch_length", "top", (-x, y, z), (x, y, z)),
        span("pitch_width", "top", (x, -y, z), (x, y, z)),
        diameter("hole_diameter", "top", (x, y, z), d["hole_diameter"], "4x ⌀{value} THRU"),
    )


def _two_hole_plate(d: Design) -> Marks:
    x, z = d["pitch"] / 2, d["thickness"] / 2
    return (
        *_box(d, "thickness"),
        span("pitch", "top", (-x, 0, z), (x, 0, z)),
        diameter("hole_diameter", "top", (x, 0, z), d["hole_diameter"], "2x ⌀{value} THRU"),
    )


def _slotted_plate(d: Design) -> Marks:
    x, y, z = d["slot_length"] / 2, d["slot_width"] / 2, d["thickness"] / 2
    return (
        *_box(d, "thickness"),
        span("slot_length", "top", (-x, 0, z), (x, 0, z), "{value} THRU"),
        span("slot_width", "top", (x - y, -y, z), (x - y, y, z)),
    )


def _countersunk_plate(d: Design) -> Marks:
    z = d["thickness"] / 2
    return (
        *_box(d, "thickness"),
        diameter("hole_diameter", "top", (0, 0, z), d["hole_diameter"], "⌀{value} THRU"),
        diameter("sink_diameter", "top", (0, 0, z), d["sink_diameter"], "CSK ⌀{value} x 90°"),
    )


def _boss_plate(d: Design) -> Marks:
    z, r, high = d["thickness"] / 2, d["boss_radius"], d["thickness"] / 2 + d["boss_height"]
    return (
        *_box(d, "thickness"),
        round_body("boss_radius", "top", (0, 0, high), r),
        span("boss_height", "front", (r, 0, z), (r, 0, high)),
    )


def _cross_plate(d: Design) -> Marks:
    x, y, a, z = d["length"] / 2, d["width"] / 2, d["arm_width"] / 2, d["thickness"] / 2
    return (
        span("length", "top", (-x, -a, z), (x, -a, z)),
        span("width", "top", (-a, -y, z), (-a, y, z)),
        span("arm_width", "top", (x, -a, z), (x, a, z), "{value}, both arms"),
        span("thickness", "front", (-x, 0, -z), (-x, 0, z)),
    )


def _pocket_block(d: Design) -> Marks:
    x, y, z = d["pocket_length"] / 2, d["pocket_width"] / 2, d["height"] / 2
    return (
        *_box(d, "height"),
        span("pocket_length", "top", (-x, y, z), (x, y, z)),
        span("pocket_width", "top", (x, -y, z), (x, y, z)),
        span("pocket_depth", "front", (x, 0, z - d["pocket_depth"]), (x, 0, z)),
    )


def _chamfered_block(d: Design) -> Marks:
    x, y, z = d["length"] / 2 - d["chamfer"] / 2, d["width"] / 2 - d["chamfer"] / 2, d["height"] / 2
    return (*_box(d, "height"), note("top", (x, y, z), "4x {value} x 45°", "chamfer"))


def _grooved_block(d: Design) -> Marks:
    x, y, z = d["length"] / 2, d["groove_width"] / 2, d["height"] / 2
    low = z - d["groove_depth"]
    return (
        *_box(d, "height"),
        span("groove_width", "right", (x, -y, z), (x, y, z)),
        span("groove_depth", "right", (x, y, low), (x, y, z)),
    )


def _counterbored_block(d: Design) -> Marks:
    z = d["height"] / 2
    return (
        *_box(d, "height"),
        diameter("hole_diameter", "top", (0, 0, z), d["hole_diameter"], "⌀{value} THRU"),
        diameter("bore_diameter", "top", (0, 0, z), d["bore_diameter"]),
        span("bore_depth", "front", (d["bore_diameter"] / 2, 0, z - d["bore_depth"]), (0, 0, z)),
    )


def _window_block(d: Design) -> Marks:
    x, y, z = d["window_length"] / 2, d["width"] / 2, d["window_height"] / 2
    return (
        *_box(d, "height"),
        span("window_length", "front", (-x, -y, z), (x, -y, z), "{value} THRU"),
        span("window_height", "front", (x, -y, -z), (x, -y, z)),
    )


def _step_block(d: Design) -> Marks:
    x, z = d["length"], d["height"]
    return (
        span("length", "front", (0, 0, 0), (x, 0, 0)),
        span("height", "front", (0, 0, 0), (0, 0, z)),
        span("step_length", "front", (0, 0, z), (d["step_length"], 0, z)),
        span("step_height", "front", (x, 0, 0), (x, 0, d["step_height"])),
        span("width", "top", (x, -d["width"], 0), (x, 0, 0)),
    )


def _wedge_block(d: Design) -> Marks:
    x, z = d["base_length"], d["height"]
    return (
        span("base_length", "front", (0, 0, 0), (x, 0, 0)),
        span("top_length", "front", (0, 0, z), (d["top_length"], 0, z)),
        span("height", "front", (0, 0, 0), (0, 0, z)),
        span("width", "top", (x, -d["width"], 0), (x, 0, 0)),
    )


def _angle_profile(d: Design) -> Marks:
    x, z, t = d["length"], d["height"], d["thickness"]
    return (
        span("length", "front", (0, 0, 0), (x, 0, 0)),
        span("height", "front", (0, 0, 0), (0, 0, z)),
        span("thickness", "front", (x, 0, 0), (x, 0, t), "2x {value}"),
        span("width", "top", (x, -d["width"], t), (x, 0, t)),
    )


def _tee_profile(d: Design) -> Marks:
    x, y, z = d["length"] / 2, d["width"] / 2, d["thickness"] / 2
    w, low = d["web_thickness"] / 2, -d["thickness"] / 2 - d["web_height"]
    return (
        *_box(d, "thickness"),
        span("web_thickness", "front", (-w, -y, low), (w, -y, low)),
        span("web_height", "front", (w, -y, low), (x, -y, -z)),
    )


def _half_round_bar(d: Design) -> Marks:
    r = d["radius"]
    return (
        radius("radius", "front", (0, 0, 0), r, 45.0),
        span("width", "top", (r, -d["width"], 0), (r, 0, 0)),
    )


def _hexagon_bar(d: Design) -> Marks:
    x, z = d["corner_diameter"] / 2, d["height"]
    return (
        span("corner_diameter", "top", (-x, 0, z), (x, 0, z), "{value} over corners"),
        span("height", "front", (x, 0, 0), (x, 0, z)),
    )


def _two_step_shaft(d: Design) -> Marks:
    low, high = d["lower_length"], d["lower_length"] + d["upper_length"]
    return (
        round_body("lower_radius", "top", (0, 0, low), d["lower_radius"]),
        round_body("upper_radius", "top", (0, 0, high), d["upper_radius"]),
        span("lower_length", "front", (d["lower_radius"], 0, 0), (d["lower_radius"], 0, low)),
        span("upper_length", "front", (d["upper_radius"], 0, low), (d["upper_radius"], 0, high)),
    )


def _bolt_flange(d: Design) -> Marks:
    r, z, at = d["radius"], d["thickness"], d["bolt_radius"]
    bolts = "{bolt_count}x ⌀{value} THRU, evenly spaced"
    return (
        round_body("radius", "top", (0, 0, z), r),
        span("thickness", "front", (r, 0, 0), (r, 0, z)),
        diameter("bore_diameter", "top", (0, 0, z), d["bore_diameter"], "⌀{value} THRU"),
        span("bolt_radius", "top", (0, 0, z), (at, 0, z)),
        diameter("bolt_diameter", "top", (at, 0, z), d["bolt_diameter"], bolts),
    )


def _drilled_disc(d: Design) -> Marks:
    r, z, at = d["radius"], d["thickness"], d["hole_radius"]
    holes = "{hole_count}x ⌀{value} THRU, evenly spaced"
    return (
        round_body("radius", "top", (0, 0, z), r),
        span("thickness", "front", (r, 0, 0), (r, 0, z)),
        span("hole_radius", "top", (0, 0, z), (at, 0, z)),
        diameter("hole_diameter", "top", (at, 0, z), d["hole_diameter"], holes),
    )


def _plain_tube(d: Design) -> Marks:
    r, z = d["outer_radius"], d["height"]
    return (
        round_body("outer_radius", "top", (0, 0, z), r),
        round_body("inner_radius", "top", (0, 0, z), d["inner_radius"], "⌀{value} THRU"),
        span("height", "front", (r, 0, 0), (r, 0, z)),
    )


def _collar_bush(d: Design) -> Marks:
    low, high = d["collar_height"], d["collar_height"] + d["body_height"]
    return (
        round_body("collar_radius", "top", (0, 0, low), d["collar_radius"]),
        round_body("body_radius", "top", (0, 0, high), d["body_radius"]),
        diameter("bore_diameter", "top", (0, 0, high), d["bore_diameter"], "⌀{value} THRU"),
        span("collar_height", "front", (d["collar_radius"], 0, 0), (d["collar_radius"], 0, low)),
        span("body_height", "front", (d["body_radius"], 0, low), (d["body_radius"], 0, high)),
    )


def _flatted_shaft(d: Design) -> Marks:
    r, z, flat = d["radius"], d["height"], d["flat_distance"]
    return (
        radius("radius", "top", (0, 0, z), r, 180.0),
        span("flat_distance", "top", (0, 0, z), (flat, 0, z)),
        span("height", "front", (-r, 0, 0), (-r, 0, z)),
    )


ANNOTATE: Mapping[str, Callable[[Design], Marks]] = {
    "bored_plate": _bored_plate,
    "four_hole_plate": _four_hole_plate,
    "two_hole_plate": _two_hole_plate,
    "slotted_plate": _slotted_plate,
    "countersunk_plate": _countersunk_plate,
    "boss_plate": _boss_plate,
    "cross_plate": _cross_plate,
    "pocket_block": _pocket_block,
    "chamfered_block": _chamfered_block,
    "grooved_block": _grooved_block,
    "counterbored_block": _counterbored_block,
    "window_block": _window_block,
    "step_block": _step_block,
    "wedge_block": _wedge_block,
    "angle_profile": _angle_profile,
    "tee_profile": _tee_profile,
    "half_round_bar": _half_round_bar,
    "hexagon_bar": _hexagon_bar,
    "two_step_shaft": _two_step_shaft,
    "bolt_flange": _bolt_flange,
    "drilled_disc": _drilled_disc,
    "plain_tube": _plain_tube,
    "collar_bush": _collar_bush,
    "flatted_shaft": _flatted_shaft,
}
