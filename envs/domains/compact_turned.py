"""Compact bars and turned parts: a profile run along Y, or circles stacked along Z."""

from __future__ import annotations

import math

from cadwright.envs.domains.asking import Record, bodies, box, circle, hole
from cadwright.envs.domains.compact_grid import CompactFamily, Grid, compact
from cadwright.envs.domains.family import Design, Number

RUN = Grid(16, 50, 2)  # of a profile along Y
TOP = ".faces('>Z').workplane()"
DISC = "cq.Workplane('XY').circle({radius}).extrude({thickness})"


def _bar(d: Design, length: Number, height: Number) -> tuple[Record, ...]:
    """Ask for a profile whose lower left corner runs along Y from the origin to -Y."""
    run = d["width"]
    return (box((length, run, height), (length / 2, -run / 2, height / 2)), bodies())


def _turned(radius: Number, height: Number, *more: Record) -> tuple[Record, ...]:
    """Ask for a round part that stands on Z = 0."""
    return (box((2 * radius, 2 * radius, height), (0, 0, height / 2)), bodies(), *more)


ANGLE_PROFILE = compact(
    "angle_profile",
    "angle profile",
    "profiles",
    grids={
        "length": Grid(24, 60, 2),
        "height": Grid(20, 50, 2),
        "thickness": Grid(3, 8),
        "width": RUN,
    },
    code=(
        "cq.Workplane('XZ').polyline([(0,0),({length},0),({length},{thickness}),"
        "({thickness},{thickness}),({thickness},{height}),(0,{height})]).close().extrude({width})"
    ),
    wordings=(
        "Angle profile with its corner at the origin: leg {length} along X, leg {height} along Z, "
        "both {thickness} thick, from Y = 0 to -{width}.",
        "Angle profile, corner at the origin, width towards -Y: length {length}, height {height}, "
        "thickness {thickness}, width {width}.",
        "An L bracket {length} long in X, {height} high in Z, {width} wide from Y = 0 to -Y, sheet "
        "thickness {thickness}, outer corner at the origin.",
        "Fold of {thickness} mm with a foot of {length} mm on Z = 0 and a wall of {height} mm at X "
        "= 0, {width} mm wide towards -Y.",
    ),
    constrain=lambda d: _bar(d, d["length"], d["height"]),
)

TEE_PROFILE = compact(
    "tee_profile",
    "tee profile",
    "profiles",
    grids={
        "length": Grid(24, 60, 2),
        "width": RUN,
        "thickness": Grid(3, 12),
        "web_thickness": Grid(4, 24, 2),
        "web_height": Grid(8, 40, 2),
    },
    code=(
        "cq.Workplane('XY').box({length},{width},{thickness}).faces('<Z').workplane()"
        ".rect({web_thickness},{width}).extrude({web_height})"
    ),
    wordings=(
        "Tee profile along Y: a flange {length} x {width} x {thickness} about the origin, and "
        "under its middle a web {web_thickness} thick and {web_height} high.",
        "Tee profile, flange about the origin: length {length}, width {width}, thickness "
        "{thickness}, web thickness {web_thickness}, web height {web_height}.",
        "A T section {width} long in Y: top plate {length} wide in X and {thickness} thick, "
        "centred on the origin, stem {web_thickness} wide hanging {web_height} down.",
        "Centre a {length} x {width} x {thickness} mm plate on the origin and hang a rib of "
        "{web_thickness} mm, {web_height} mm deep, under it, all along Y.",
    ),
    fits=lambda v: (
        v["web_thickness"] <= v["length"] - 10 and v["thickness"] + v["web_height"] <= 48
    ),
    constrain=lambda d: (
        box(
            (d["length"], d["width"], d["thickness"] + d["web_height"]),
            (0, 0, -d["web_height"] / 2),
        ),
        bodies(),
    ),
)

HALF_ROUND_BAR = compact(
    "half_round_bar",
    "half-round bar",
    "profiles",
    grids={"radius": Grid(8, 30), "width": Grid(10, 60, 2)},
    code=(
        "cq.Workplane('XZ').moveTo(-{radius},0).threePointArc((0,{radius}),({radius},0))"
        ".close().extrude({width})"
    ),
    wordings=(
        "Half-round bar of radius {radius} on Z = 0, its axis Y, from Y = 0 to -{width}.",
        "Half-round bar lying on Z = 0, width towards -Y: radius {radius}, width {width}.",
        "Half a cylinder of radius {radius}, flat side down on Z = 0, axis along Y through the "
        "origin, {width} long towards -Y.",
        "D section of radius {radius} mm with its flat on Z = 0, run {width} mm along -Y.",
    ),
    constrain=lambda d: (
        box(
            (2 * d["radius"], d["width"], d["radius"]),
            (0, -d["width"] / 2, d["radius"] / 2),
        ),
        bodies(),
    ),
)

HEXAGON_BAR = compact(
    "hexagon_bar",
    "hexagon bar",
    "profiles",
    grids={"corner_diameter": Grid(16, 60, 2), "height": Grid(4, 50, 2)},
    code="cq.Workplane('XY').polygon(6,{corner_diameter}).extrude({height})",
    wordings=(
        "Hexagon bar on Z = 0, axis Z, {corner_diameter} over its corners, which lie on X, and "
        "{height} high.",
        "Hexagon bar standing on Z = 0: corner diameter {corner_diameter}, height {height}.",
        "A regular hexagonal prism, {corner_diameter} across corners along X, {height} tall from "
        "Z = 0, about the Z axis.",
        "Six-sided bar with a circumscribed diameter of {corner_diameter} mm, corner on X, "
        "extruded {height} mm upwards from Z = 0.",
    ),
    constrain=lambda d: (
        box(
            (d["corner_diameter"], d["corner_diameter"] * math.sqrt(3) / 2, d["height"]),
            (0, 0, d["height"] / 2),
        ),
        bodies(),
    ),
)

TWO_STEP_SHAFT = compact(
    "two_step_shaft",
    "stepped shaft",
    "turned",
    grids={
        "lower_radius": Grid(8, 25),
        "lower_length": Grid(8, 30, 2),
        "upper_radius": Grid(4, 22),
        "upper_length": Grid(8, 30, 2),
    },
    code=(
        "cq.Workplane('XY').circle({lower_radius}).extrude({lower_length})"
        f"{TOP}.circle({{upper_radius}}).extrude({{upper_length}})"
    ),
    wordings=(
        "Stepped shaft on Z = 0, axis Z: radius {lower_radius} for {lower_length} mm, then radius "
        "{upper_radius} for {upper_length} mm.",
        "Stepped shaft standing on Z = 0: lower radius {lower_radius}, lower length "
        "{lower_length}, upper radius {upper_radius}, upper length {upper_length}.",
        "A shaft about Z from Z = 0 with a lower part of radius {lower_radius}, {lower_length} "
        "long, and an upper part of radius {upper_radius}, {upper_length} long.",
        "Stack two cylinders on Z = 0: below {lower_length} mm of radius {lower_radius} mm, above "
        "{upper_length} mm of radius {upper_radius} mm.",
    ),
    fits=lambda v: v["upper_radius"] <= v["lower_radius"] - 3,
    constrain=lambda d: _turned(d["lower_radius"], d["lower_length"] + d["upper_length"]),
)

BOLT_FLANGE = compact(
    "bolt_flange",
    "bolt flange",
    "turned",
    grids={
        "radius": Grid(18, 30),
        "thickness": Grid(3, 10),
        "bore_diameter": Grid(6, 44, 2),
        "bolt_radius": Grid(9, 26),
        "bolt_count": Grid(3, 8, unit="count"),
        "bolt_diameter": Grid(3, 5),
    },
    labels={"bolt_radius": "radius of the bolt circle"},
    code=(
        f"{DISC}{TOP}.hole({{bore_diameter}}){TOP}"
        ".polarArray({bolt_radius},0,360,{bolt_count}).hole({bolt_diameter})"
    ),
    wordings=(
        "Bolt flange on Z = 0, axis Z: radius {radius}, thickness {thickness}, bore "
        "{bore_diameter}, {bolt_count} through holes of {bolt_diameter} mm on radius "
        "{bolt_radius}, the first on +X.",
        "Bolt flange standing on Z = 0, first bolt on +X: radius {radius}, thickness {thickness}, "
        "bore diameter {bore_diameter}, bolt radius {bolt_radius}, bolt count {bolt_count}, bolt "
        "diameter {bolt_diameter}.",
        "A round flange of radius {radius}, {thickness} thick from Z = 0, with a central bore of "
        "diameter {bore_diameter} and a bolt circle of radius {bolt_radius}: {bolt_count} holes of "
        "diameter {bolt_diameter}, one of them on +X.",
        "Disc of radius {radius} mm and thickness {thickness} mm on Z = 0, bored {bore_diameter} "
        "mm; {bolt_count} times {bolt_diameter} mm at {bolt_radius} mm from the axis, from +X on.",
    ),
    fits=lambda v: (
        v["radius"] // 2 <= v["bolt_radius"] <= v["radius"] - 4
        and v["bore_diameter"] <= 2 * (v["bolt_radius"] - 4)
        and 2 * v["bolt_radius"] * math.sin(math.pi / v["bolt_count"]) >= v["bolt_diameter"] + 2
    ),
    constrain=lambda d: _turned(
        d["radius"],
        d["thickness"],
        hole(d["bore_diameter"], (0, 0, None), through=True),
        circle(
            d["bolt_diameter"],
            int(d["bolt_count"]),
            2 * d["bolt_radius"],
            (0, 0, d["thickness"] / 2),
        ),
    ),
)

DRILLED_DISC = compact(
    "drilled_disc",
    "drilled disc",
    "turned",
    grids={
        "radius": Grid(14, 30),
        "thickness": Grid(3, 20),
        "hole_radius": Grid(7, 25),
        "hole_count": Grid(3, 6, unit="count"),
        "hole_diameter": Grid(4, 8),
    },
    labels={"hole_radius": "radius of the hole circle"},
    code=f"{DISC}{TOP}.polarArray({{hole_radius}},0,360,{{hole_count}}).hole({{hole_diameter}})",
    wordings=(
        "Drilled disc on Z = 0, axis Z: radius {radius}, thickness {thickness}, {hole_count} "
        "through holes of {hole_diameter} mm on radius {hole_radius}, the first on +X.",
        "Drilled disc standing on Z = 0, first hole on +X: radius {radius}, thickness {thickness}, "
        "hole radius {hole_radius}, hole count {hole_count}, hole diameter {hole_diameter}.",
        "A solid round plate of radius {radius}, {thickness} thick from Z = 0, with {hole_count} "
        "holes of diameter {hole_diameter} evenly on a circle of radius {hole_radius} from +X.",
        "Cylinder of radius {radius} mm and height {thickness} mm on Z = 0; drill {hole_count} "
        "times {hole_diameter} mm at {hole_radius} mm from the axis, from +X on.",
    ),
    fits=lambda v: (
        v["radius"] // 2 <= v["hole_radius"] <= v["radius"] - v["hole_diameter"] / 2 - 2
        and 2 * v["hole_radius"] * math.sin(math.pi / v["hole_count"]) >= v["hole_diameter"] + 2
    ),
    constrain=lambda d: _turned(
        d["radius"],
        d["thickness"],
        circle(
            d["hole_diameter"],
            int(d["hole_count"]),
            2 * d["hole_radius"],
            (0, 0, d["thickness"] / 2),
        ),
    ),
)

PLAIN_TUBE = compact(
    "plain_tube",
    "tube",
    "turned",
    grids={
        "outer_radius": Grid(8, 30),
        "inner_radius": Grid(3, 28),
        "height": Grid(4, 50, 2),
    },
    code="cq.Workplane('XY').circle({outer_radius}).circle({inner_radius}).extrude({height})",
    wordings=(
        "Tube on Z = 0, axis Z: outer radius {outer_radius}, inner radius {inner_radius}, height "
        "{height}.",
        "Tube standing on Z = 0: outer radius {outer_radius}, inner radius {inner_radius}, height "
        "{height}.",
        "A ring about Z, from Z = 0 {height} up, of outer radius {outer_radius} and inner radius "
        "{inner_radius}.",
        "Hollow cylinder {height} mm tall on Z = 0, radius {outer_radius} mm outside and "
        "{inner_radius} mm inside.",
    ),
    fits=lambda v: v["inner_radius"] <= v["outer_radius"] - 2,
    constrain=lambda d: _turned(d["outer_radius"], d["height"]),
)

COLLAR_BUSH = compact(
    "collar_bush",
    "collar bush",
    "turned",
    grids={
        "collar_radius": Grid(12, 30),
        "collar_height": Grid(3, 12),
        "body_radius": Grid(7, 26),
        "body_height": Grid(8, 40, 2),
        "bore_diameter": Grid(6, 44, 2),
    },
    code=(
        "cq.Workplane('XY').circle({collar_radius}).extrude({collar_height})"
        f"{TOP}.circle({{body_radius}}).extrude({{body_height}}){TOP}.hole({{bore_diameter}})"
    ),
    wordings=(
        "Collar bush on Z = 0, axis Z: collar of radius {collar_radius}, {collar_height} high, on "
        "it a body of radius {body_radius}, {body_height} high, bored through {bore_diameter}.",
        "Collar bush standing on Z = 0: collar radius {collar_radius}, collar height "
        "{collar_height}, body radius {body_radius}, body height {body_height}, bore diameter "
        "{bore_diameter}.",
        "A flanged bushing about Z from Z = 0: flange radius {collar_radius} and height "
        "{collar_height}, sleeve radius {body_radius} and height {body_height} above it, through "
        "bore of diameter {bore_diameter}.",
        "Sleeve {body_height} mm tall of radius {body_radius} mm on a foot {collar_height} mm "
        "thick of radius {collar_radius} mm, foot on Z = 0, drilled {bore_diameter} mm throughout.",
    ),
    fits=lambda v: (
        v["body_radius"] <= v["collar_radius"] - 3
        and v["bore_diameter"] <= 2 * (v["body_radius"] - 2)
    ),
    constrain=lambda d: _turned(
        d["collar_radius"],
        d["collar_height"] + d["body_height"],
        hole(d["bore_diameter"], (0, 0, None), through=True),
    ),
)

FLATTED_SHAFT = compact(
    "flatted_shaft",
    "flatted shaft",
    "turned",
    grids={"radius": Grid(8, 30), "flat_distance": Grid(3, 27), "height": Grid(8, 50, 2)},
    code=(
        "cq.Workplane('XY').circle({radius}).extrude({height}).cut(cq.Workplane('XY')"
        ".box(60,60,{height},centered=(False,True,False)).translate(({flat_distance},0,0)))"
    ),
    wordings=(
        "Flatted shaft on Z = 0, axis Z: radius {radius}, height {height}, cut off flat at X = "
        "{flat_distance}.",
        "Flatted shaft standing on Z = 0, flat on +X: radius {radius}, flat distance "
        "{flat_distance}, height {height}.",
        "A D shaft about Z, {height} tall from Z = 0, radius {radius}, with a flat facing +X at a "
        "distance of {flat_distance} from the axis.",
        "Cylinder of radius {radius} mm and height {height} mm on Z = 0 with everything beyond X = "
        "{flat_distance} mm removed.",
    ),
    fits=lambda v: v["radius"] // 4 <= v["flat_distance"] <= v["radius"] - 3,
    constrain=lambda d: (
        box(
            (d["radius"] + d["flat_distance"], 2 * d["radius"], d["height"]),
            ((d["flat_distance"] - d["radius"]) / 2, 0, d["height"] / 2),
        ),
        bodies(),
    ),
)

FAMILIES: tuple[CompactFamily, ...] = (
    ANGLE_PROFILE,
    TEE_PROFILE,
    HALF_ROUND_BAR,
    HEXAGON_BAR,
    TWO_STEP_SHAFT,
    BOLT_FLANGE,
    DRILLED_DISC,
    PLAIN_TUBE,
    COLLAR_BUSH,
    FLATTED_SHAFT,
)
