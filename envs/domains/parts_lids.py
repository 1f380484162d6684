"""A lid with a lip that locates it."""

from __future__ import annotations

from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bevelled,
    bodies,
    box,
    cone,
    corners,
    dimensions,
    disc,
    face,
    hole,
    keep_out,
    rounded_rectangle,
    volume,
    when,
)
from cadwright.envs.domains.dimensioning import diameter, note, radius, span
from cadwright.envs.domains.family import Annotation, Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler


def _lid_values(draw: Draw) -> Mapping[str, Number]:
    return {
        "length": draw.length(70, 160),
        "width": draw.length(50, 110),
        "thickness": draw.length(2, 4),
        "corner_radius": draw.length(5, 10),
        "lip_inset": draw.length(1.5, 3.5),
        "lip_height": draw.length(2, 6),
        "lip_width": draw.length(1.5, 3),
        "chamfer_size": draw.choice((0.5, 0.8, 1)),
        "window_length": draw.length(20, 80),
        "window_width": draw.length(10, 50),
        "screw_diameter": draw.choice((2.4, 2.9, 3.4)),
        "screw_spacing_x": draw.length(40, 150),
        "screw_spacing_y": draw.length(30, 100),
        "sink_diameter": draw.choice((5.5, 6, 6.5)),
    }


def _lid_fits(d: Design) -> bool:
    inset, sink = d["lip_inset"] + d["lip_width"], d["sink_diameter"]
    radius = d["corner_radius"]
    return (
        radius >= inset + 0.5
        and d["chamfer_size"] + 0.5 <= d["thickness"]
        and d["chamfer_size"] + 0.5 <= radius
        and (sink - d["screw_diameter"]) / 2 + 0.5 <= d["thickness"]
        and sink >= d["screw_diameter"] + 1
        and d["screw_spacing_x"] + sink + 1 <= d["length"] - 2 * radius
        and d["screw_spacing_y"] + sink + 1 <= d["width"] - 2 * radius
        and d["window_length"] + sink + 2 <= d["screw_spacing_x"]
        and d["window_width"] + 2 * inset + 4 <= d["width"]
    )


def _lid_asked(d: Design) -> tuple[Record, ...]:
    long, wide, t, r = d["length"], d["width"], d["thickness"], d["corner_radius"]
    outer, inner = 2 * d["lip_inset"], 2 * (d["lip_inset"] + d["lip_width"])
    ring = rounded_rectangle(long - outer, wide - outer, r - outer / 2)
    ring -= rounded_rectangle(long - inner, wide - inner, r - inner / 2)
    solid = rounded_rectangle(long, wide, r) * t + ring * d["lip_height"]
    if "window" in d.options:
        solid -= d["window_length"] * d["window_width"] * t
    if "chamfer" in d.options:
        size = d["chamfer_size"]
        solid -= rounded_rectangle(long, wide, r) * size - bevelled(long, wide, r, size)
    if "screws" in d.options:
        deep = (d["sink_diameter"] - d["screw_diameter"]) / 2
        sink = cone(d["sink_diameter"], d["screw_diameter"], deep)
        solid -= 4 * (sink + disc(d["screw_diameter"]) * (t - deep))
    x, y, tall = d["screw_spacing_x"], d["screw_spacing_y"], t + d["lip_height"]
    return (
        box((long, wide, tall), (0, 0, tall / 2)),
        bodies(),
        volume(solid),
        face("+z", (0, wide / 2 - d["lip_inset"] / 2, t)),
        *when("screws" in d.options, hole(d["screw_diameter"], *corners(x, y, (0, 0)))),
        *when(
            "window" in d.options,
            keep_out(
                (-d["window_length"] / 2, -d["window_width"] / 2, 0),
                (d["window_length"] / 2, d["window_width"] / 2, t),
            ),
        ),
    )


def _lid_drawn(d: Design) -> tuple[Annotation, ...]:
    x, y, t, r = d["length"] / 2, d["width"] / 2, d["thickness"], d["corner_radius"]
    top, edge = t + d["lip_height"], x - d["lip_inset"]
    marks = [
        span("length", "top", (-x, -y, t), (x, -y, t)),
        span("width", "top", (-x, -y, t), (-x, y, t)),
        span("thickness", "front", (-x, -y, 0), (-x, -y, t)),
        radius("corner_radius", "top", (x - r, y - r, t), r, text="4x R{value}"),
        span("lip_inset", "front", (edge, -y, top), (x, -y, top), "{value} all round"),
        span("lip_height", "front", (x, -y, t), (x, -y, top)),
        span("lip_width", "top", (edge - d["lip_width"], 0, top), (edge, 0, top)),
        note("top", (0, y - d["lip_inset"], top), "lip corners concentric"),
    ]
    if "chamfer" in d.options:
        marks.append(note("front", (x, -y, 0), "{value} x 45° all round", "chamfer_size"))
    if "window" in d.options:
        a, b = d["window_length"] / 2, d["window_width"] / 2
        marks += [
            span("window_length", "top", (-a, b, t), (a, b, t)),
            span("window_width", "top", (-a, -b, t), (-a, b, t)),
        ]
    if "screws" in d.options:
        a, b, size = d["screw_spacing_x"] / 2, d["screw_spacing_y"] / 2, d["screw_diameter"]
        marks += [
            span("screw_spacing_x", "top", (-a, -b, t), (a, -b, t)),
            span("screw_spacing_y", "top", (a, -b, t), (a, b, t)),
            diameter("screw_diameter", "top", (a, b, t), size, "4x ⌀{value} THRU"),
            note("top", (-a, b, 0), "4x far side ⌀{value} x 90°", "sink_diameter"),
        ]
    return tuple(marks)


_LID_OPTIONS = {
    "chamfer": "The outer edge of the lower face has a chamfer of {chamfer_size} x 45 degrees.",
    "window": (
        "A rectangular window of {window_length} (X) by {window_width} (Y), centred on the Z axis, "
        "goes through the plate."
    ),
    "screws": (
        "Four through holes of diameter {screw_diameter} lie at the corners of a rectangle of "
        "{screw_spacing_x} (X) by {screw_spacing_y} (Y) centred on the Z axis; each is countersunk "
        "at 90 degrees to diameter {sink_diameter} on the lower face."
    ),
}

LID = Family(
    name="enclosure_lid",
    title="enclosure lid",
    group="housings",
    dimensions=dimensions(
        "length width thickness corner_radius lip_inset lip_height lip_width chamfer_size "
        "window_length window_width screw_diameter screw_spacing_x screw_spacing_y sink_diameter"
    ),
    steps=(
        Step(
            'plate = cq.Workplane("XY").rect({length}, {width}).extrude({thickness})\n'
            'result = plate.edges("|Z").fillet({corner_radius})',
            "a plate of {length} by {width} by {thickness}",
        ),
        Step(
            'result = result.faces("<Z").edges().chamfer({chamfer_size})',
            "a chamfer of {chamfer_size} around the lower face",
            "chamfer",
        ),
        Step(
            "def block(inset):\n"
            '    blank = cq.Workplane("XY", origin=(0, 0, {thickness}))\n'
            "    blank = blank.rect({length} - 2 * inset, {width} - 2 * inset)\n"
            '    return blank.extrude({lip_height}).edges("|Z").fillet({corner_radius} - inset)\n\n'
            "lip = block({lip_inset}).cut(block({lip_inset} + {lip_width}))\n"
            "result = result.union(lip)",
            "a lip {lip_height} high and {lip_width} wide, {lip_inset} from the edge",
        ),
        Step(
            'window = cq.Workplane("XY").rect({window_length}, {window_width})\n'
            "result = result.cut(window.extrude({thickness}))",
            "a window of {window_length} by {window_width}",
            "window",
        ),
        Step(
            'under = result.faces("<Z").workplane(origin=(0, 0, 0))\n'
            "under = under.rarray({screw_spacing_x}, {screw_spacing_y}, 2, 2)\n"
            "result = under.cskHole({screw_diameter}, {sink_diameter}, 90)",
            "four countersunk screw holes of {screw_diameter}",
            "screws",
        ),
    ),
    sample=sampler(_lid_values, _lid_fits, tuple(_LID_OPTIONS)),
    is_possible=_lid_fits,
    wordings=(
        "Lid of an enclosure, all lengths in mm, lying on its outer face: a plate of {length} (X) "
        "by {width} (Y) by {thickness} (Z), centred on X = 0 and Y = 0, from Z = 0, vertical edges "
        "R{corner_radius}. A closed lip stands on its upper face, {lip_height} high and "
        "{lip_width} wide; its outer side keeps {lip_inset} from the plate's edge all round, and "
        "all its corners are concentric with those of the plate. {features}",
        "Model the cover of a box (mm, Z up), outer side down on Z = 0, the Z axis through its "
        "middle. The cover plate is {thickness} thick, {length} in X and {width} in Y, with "
        "corners of R{corner_radius}. A rim to locate it rises {lip_height} from the plate: "
        "{lip_width} thick, running {lip_inset} inside the plate's edge, its corners concentric "
        "with the plate's. {features}",
        "Lid. Units: mm. Plate X {length}, Y {width}, centred, Z 0 to {thickness}, "
        "R{corner_radius} vertical edges. Lip on top: offset {lip_inset} inwards from the "
        "outline, width {lip_width}, height {lip_height}, concentric corners. {features}",
    ),
    options=_LID_OPTIONS,
    constrain=_lid_asked,
    annotate=_lid_drawn,
)

FAMILIES = (LID,)
