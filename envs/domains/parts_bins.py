"""A storage bin that stands on a grid of sockets, in the manner of Gridfinity."""

from __future__ import annotations

from collections.abc import Mapping

from cadwright.envs.domains.asking import (
    Record,
    bodies,
    box,
    dimensions,
    disc,
    face,
    filled,
    hole,
    rounded_rectangle,
    volume,
    when,
)
from cadwright.envs.domains.family import Design, Family, Number, Step
from cadwright.envs.domains.sampling import Draw, sampler


def _bin_values(draw: Draw) -> Mapping[str, Number]:
    foot = draw.length(33, 36)
    return {
        "columns": draw.count(1, 3),
        "rows": draw.count(1, 2),
        "pitch": 42,
        "clearance": 0.5,
        "height": 7 * draw.count(3, 6),
        "wall": draw.length(1, 2.5),
        "floor": draw.length(1, 3),
        "corner_radius": 3.75,
        "foot_height": draw.length(4, 5),
        "foot_bottom": foot,
        "foot_top": draw.length(foot + 1, 39),
        "divider_height": draw.length(10, 32),
        "magnet_diameter": draw.choice((6, 6.2, 6.5)),
        "magnet_depth": draw.choice((2, 2.4, 2.5)),
        "magnet_spacing": 26 if foot >= 34 else 25,
        "label_depth": draw.length(8, 14),
        "label_thickness": draw.length(1, 2),
    }


def _bin_fits(d: Design) -> bool:
    unit, r, wall = d["pitch"] - d["clearance"], d["corner_radius"], d["wall"]
    inset = (unit - d["foot_top"]) / 2  # from the bin's side to the foot's, above
    inner_y = d["rows"] * d["pitch"] - d["clearance"] - 2 * wall
    return (
        min(d["columns"], d["rows"]) >= 1
        and wall >= 0.8
        and d["floor"] >= 0.8
        and r >= wall + 0.3
        and d["foot_top"] >= d["foot_bottom"] + 0.5
        and inset >= r * (1 - 0.5**0.5) + 0.05
        and d["foot_height"] + d["floor"] + 6 <= d["height"]
        and d["foot_height"] + d["floor"] + 2 <= d["divider_height"] <= d["height"]
        and d["magnet_spacing"] + d["magnet_diameter"] + 1 <= d["foot_bottom"]
        and d["magnet_spacing"] >= d["magnet_diameter"] + 2
        and d["magnet_depth"] + 1 <= d["foot_height"] + d["floor"]
        and d["label_depth"] + 4 <= inner_y
        and d["label_thickness"] + d["foot_height"] + d["floor"] + 3 <= d["height"]
        and r - wall + 1 <= d["label_depth"]
    )


def _bin_asked(d: Design) -> tuple[Record, ...]:
    nx, ny, pitch, gap = int(d["columns"]), int(d["rows"]), d["pitch"], d["clearance"]
    long, wide, tall, wall = nx * pitch - gap, ny * pitch - gap, d["height"], d["wall"]
    foot, ground = d["foot_height"], d["foot_height"] + d["floor"]
    low, high, r = d["foot_bottom"], d["foot_top"], d["corner_radius"]
    inside = rounded_rectangle(long - 2 * wall, wide - 2 * wall, r - wall)
    solid = rounded_rectangle(long, wide, r) * (tall - foot) - inside * (tall - ground)
    solid += nx * ny * foot * (low**2 + low * high + high**2) / 3
    if "magnets" in d.options:
        solid -= 4 * nx * ny * disc(d["magnet_diameter"]) * d["magnet_depth"]
    back = wide / 2 - wall
    edge, under = back - d["label_depth"], tall - d["label_thickness"]
    return (
        box((long, wide, tall), (0, 0, tall / 2)),
        bodies(),
        *when(not {"divider", "label"} & d.options, volume(solid)),
        face("+z", (long / 2 - r, -wide / 2 + r, ground)),
        *when("magnets" in d.options, _magnets(d)),
        *when("label" in d.options, filled((-1, edge, under), (1, back, tall))),
        *when(
            "divider" in d.options,
            filled((-wall / 2, -wide / 2 + r, ground), (wall / 2, 0, d["divider_height"])),
        ),
    )


def _magnets(d: Design) -> Record:
    nx, ny, half = int(d["columns"]), int(d["rows"]), d["magnet_spacing"] / 2
    centres = [
        ((i - (nx - 1) / 2) * d["pitch"], (j - (ny - 1) / 2) * d["pitch"])
        for i in range(nx)
        for j in range(ny)
    ]
    spots = [(x + a, y + b, None) for x, y in centres for a in (-half, half) for b in (-half, half)]
    return hole(d["magnet_diameter"], *spots, opens="-z", depth=d["magnet_depth"])


_BIN_OPTIONS = {
    "divider": (
        "A wall as thick as the others, centred on X = 0 and parallel to the YZ plane, divides the "
        "inside over its whole width in Y, from the floor up to Z = {divider_height}."
    ),
    "magnets": (
        "The underside of every foot has four blind holes of diameter {magnet_diameter}, "
        "{magnet_depth} deep with flat ends, at the corners of a square of {magnet_spacing} "
        "centred on the foot."
    ),
    "label": (
        "Along the whole inside length of the +Y wall a shelf for a label reaches {label_depth} "
        "into the bin; it is {label_thickness} thick and flush with the rim."
    ),
}

GRID_BIN = Family(
    name="grid_bin",
    title="grid storage bin",
    group="housings",
    dimensions=(
        *dimensions("columns rows", "count"),
        *dimensions("pitch clearance height wall floor corner_radius foot_height foot_bottom"),
        *dimensions("foot_top divider_height magnet_diameter magnet_depth magnet_spacing"),
        *dimensions("label_depth label_thickness"),
    ),
    steps=(
        Step(
            "long = {columns} * {pitch} - {clearance}\n"
            "wide = {rows} * {pitch} - {clearance}\n"
            "ground, top = {foot_height} + {floor}, {height}\n\n"
            "def block(inset, low):\n"
            '    blank = cq.Workplane("XY", origin=(0, 0, low))\n'
            "    blank = blank.rect(long - 2 * inset, wide - 2 * inset).extrude(top - low)\n"
            '    return blank.edges("|Z").fillet({corner_radius} - inset)\n\n'
            'foot = cq.Workplane("XY").rect({foot_bottom}, {foot_bottom})\n'
            "foot = foot.workplane(offset={foot_height}).rect({foot_top}, {foot_top})\n"
            "foot = foot.loft(ruled=True).val()\n"
            "result = block(0, {foot_height}).cut(block({wall}, ground))\n"
            "for i in range({columns}):\n"
            "    for j in range({rows}):\n"
            "        x, y = i - ({columns} - 1) / 2, j - ({rows} - 1) / 2\n"
            "        result = result.union(foot.translate(cq.Vector(x, y) * {pitch}))",
            "an open bin of {columns} by {rows} units on tapered feet",
        ),
        Step(
            'divider = cq.Workplane("XY", origin=(0, 0, ground)).rect({wall}, wide - {wall})\n'
            "result = result.union(divider.extrude({divider_height} - ground))",
            "a divider up to {divider_height}",
            "divider",
        ),
        Step(
            'feet = cq.Workplane("XY").rarray({pitch}, {pitch}, {columns}, {rows})\n'
            "holes = feet.rect({magnet_spacing}, {magnet_spacing}, forConstruction=True)\n"
            "holes = holes.vertices().circle({magnet_diameter} / 2).extrude({magnet_depth})\n"
            "result = result.cut(holes)",
            "four magnet holes of {magnet_diameter} in every foot",
            "magnets",
        ),
        Step(
            "depth = {label_depth} + {wall} / 2  # half a wall more, to lie in the wall\n"
            'shelf = cq.Workplane("XY", origin=(0, (wide - {wall} - depth) / 2, top))\n'
            "shelf = shelf.rect(long, depth).extrude(-{label_thickness})\n"
            "result = result.union(shelf.intersect(block({wall} / 2, ground)))",
            "a label shelf {label_depth} deep, {label_thickness} thick",
            "label",
        ),
    ),
    sample=sampler(_bin_values, _bin_fits, tuple(_BIN_OPTIONS)),
    is_possible=_bin_fits,
    wordings=(
        "Storage bin for a grid of sockets, all lengths in mm, centred on X = 0 and Y = 0. It "
        "takes {columns} (X) by {rows} (Y) units of {pitch} and is {clearance} smaller than these "
        "over all. From Z = {foot_height} to Z = {height} it is a box with vertical edges "
        "R{corner_radius}, open at the top, with walls {wall} thick (inside edges concentric) and "
        "a floor {floor} thick. In the middle of each unit a square foot tapers evenly from "
        "{foot_top} by {foot_top} at Z = {foot_height} down to {foot_bottom} by {foot_bottom} at "
        "Z = 0. {features}",
        "Please model a modular drawer bin (mm, Z up) of {columns} by {rows} cells (X by Y) at a "
        "cell pitch of {pitch}, symmetric about the Z axis; the outside is {clearance} less than "
        "the cells in both directions. Each cell stands on its own foot, a square frustum "
        "{foot_height} high from Z = 0: {foot_bottom} square below, {foot_top} square above. On "
        "the feet sits the tray, up to Z = {height}: outside corners R{corner_radius}, walls "
        "{wall}, floor {floor}, concentric inside corners. {features}",
        "Grid bin. Units: mm. Cells {columns} (X) x {rows} (Y), pitch {pitch}, outside = cells - "
        "{clearance}, centred. Feet, one per cell, centred in it: square {foot_bottom} at Z = 0 to "
        "square {foot_top} at Z = {foot_height}, plane sides. Tray: Z {foot_height} to {height}, "
        "R{corner_radius} vertical edges, wall {wall}, floor {floor}, open top. {features}",
    ),
    options=_BIN_OPTIONS,
    constrain=_bin_asked,
)

FAMILIES = (GRID_BIN,)
