"""Scans: a noisy mesh of a part as it was made, to be aligned to its model or rebuilt in CAD."""

from __future__ import annotations

import numpy as np

from cadwright.envs.domains.mesh_plan import Given, Plan, call, stored
from cadwright.envs.domains.mesh_shapes import box
from cadwright.envs.domains.mesh_vandal import Damage, vandalised
from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.meshing import combining, moving
from cadwright.tools.meshing.refining import refined
from cadwright.tools.meshing.solid import mesh_of, solid_of
from cadwright.tools.meshing.triangles import bounds, diagonal_mm, joined, plain

_EDGE = 0.08  # of the diagonal: how fine a scan is
_NOISE = {1: 0.01, 2: 0.02, 3: 0.03, 4: 0.04, 5: 0.05}  # mm, standard deviation of each coordinate
_CHIP = (0.2, 0.5)  # of the size along each axis: the box around a corner that broke off
_LOST = (0.02, 0.12)  # of the volume
_CHIPS = 40  # tries
_APART = 1.4  # diagonals between model and scan


def align(given: Given) -> Plan:
    """Bring the scan of a chipped part onto its model; hand in the scan alone."""
    scan = stored(_noisy(_chipped(given), given.rng, _NOISE[given.difficulty]))
    rotation = _turned(given)
    shift = np.array((_APART * diagonal_mm(given.mesh), 0.0, 0.0)) + given.rng.uniform(-9, 9, 3)
    start = stored(joined([given.mesh, moving.placed(scan, rotation, shift)]))
    bodies = combining.split(start)
    if len(bodies) != 2:
        raise GeometryError("model and scan are not two bodies")
    model, other = ("part_1", "part_2")
    if len(bodies[0].faces) > len(bodies[1].faces):  # the scan is the finer one
        model, other = other, model
    noise = f"noise {_NOISE[given.difficulty]:g} mm"
    wordings = (
        f"The file holds two bodies: the model of a {given.shape.title}, standing at the "
        f"origin, and far from it the scan of a real one ({noise}, a corner is broken off). "
        "Bring the scan onto the model and hand in the scan alone, as it is.",
        f"Align the scanned {given.shape.title} (the body with many triangles; {noise}, "
        "chipped) to its nominal model (the other body). Keep only the aligned scan.",
    )
    calls = (
        call("split"),
        call("align", target=model, name=other),
        call("submit", name=other),
    )
    scoring = {
        "protocol": "absolute",
        "iou_target": 0.98,
        "tolerances": {"surface": 0.002, "deviation": 0.006},
    }
    return Plan(given.one_of(*wordings), start, calls, scan, (), scoring, features=given.difficulty)


def _chipped(given: Given) -> Mesh:
    """Return the part with a box taken off around one of its corners."""
    whole = solid_of(given.mesh)
    for _ in range(_CHIPS):
        size = np.ptp(bounds(given.mesh), axis=0) * given.rng.uniform(*_CHIP, size=3)
        corner = given.mesh.vertices[int(given.rng.integers(len(given.mesh.vertices)))]
        (dx, dy, dz), (x, y, z) = size.tolist(), (corner - size / 2).tolist()
        rest = whole - box((dx, dy, dz), (x, y, z))
        lost = 1.0 - rest.volume() / whole.volume()
        if len(rest.decompose()) == 1 and _LOST[0] < lost < _LOST[1]:
            return mesh_of(rest)
    raise GeometryError("nothing, or too much, would break off")


def _noisy(mesh: Mesh, rng: np.random.Generator, noise_mm: float) -> Mesh:
    """Return a finer mesh whose vertices are a little off; still closed."""
    fine = refined(mesh, _EDGE * diagonal_mm(mesh))
    return plain(fine.vertices + rng.normal(0.0, noise_mm, fine.vertices.shape), fine.faces)


def _turned(given: Given) -> FloatArray:
    axis = given.rng.normal(size=3)
    angle = float(given.rng.uniform(10.0, 40.0 if given.difficulty == 1 else 180.0))
    return moving.rotation_about(axis / np.linalg.norm(axis), angle)


def rebuild(given: Given) -> Plan:
    """Model in CAD what was scanned: the scan is rough and has holes, the sizes are known."""
    noise = 2.0 * _NOISE[given.difficulty]
    rough = _noisy(given.mesh, given.rng, noise)
    scan = vandalised(rough, Damage(holes=3, patch=1), given.rng)
    sizes = given.shape.words(given.numbers)
    wordings = (
        f"`start` is a scan of a {given.shape.title}, rough by {noise:g} mm and with holes. "
        f"Rebuild it as an exact solid in CadQuery, where it stands. Nominal sizes: {sizes}.",
        f"Reverse-engineer the scanned {given.shape.title} in `start` ({noise:g} mm of noise, "
        f"holes): an exact CAD solid in the same place. By the drawing it has {sizes}.",
    )
    program = PROGRAMS[given.shape.name].format(**given.numbers)
    meta = {"start_is_broken": True}
    features = len(given.numbers) + given.difficulty
    return Plan(given.one_of(*wordings), scan, (), program, features=features, meta=meta)


_PLATE = """import cadquery as cq

length, width, thickness = {length}, {width}, {thickness}
result = cq.Workplane().box(length, width, thickness, centered=(True, True, False))
pad = cq.Workplane().circle({pad} / 2).extrude(thickness + {pad_height})
result = result.union(pad)
for side in (-1, 1):
    drill = cq.Workplane().center(side * {pitch} / 2, {offset}).circle({hole} / 2)
    result = result.cut(drill.extrude(3 * thickness))
"""

_DISC = """import cadquery as cq

thickness, hub_height = {thickness}, {hub_height}
result = cq.Workplane().circle({diameter} / 2).extrude(thickness)
result = result.union(cq.Workplane().circle({hub} / 2).extrude(thickness + hub_height))
result = result.cut(cq.Workplane().circle({bore} / 2).extrude(3 * (thickness + hub_height)))
bolts = cq.Workplane().polarArray(({diameter} + {hub}) / 4, 0, 360, int({bolts}))
result = result.cut(bolts.circle({bolt} / 2).extrude(3 * thickness))
"""

_WEDGE = """import cadquery as cq

length, height = {length}, {height}
outline = [(0, 0), (length, 0), (length, {nose}), (0.3 * length, height), (0, height)]
side = cq.Workplane("XZ").polyline(outline).close().extrude({width})
result = side.translate((-length / 2, {width} / 2, 0))
"""

PROGRAMS = {"plate": _PLATE, "disc": _DISC, "wedge": _WEDGE}
