"""From a part to its features: the one entry of recognition.

Exact geometry is taken as patches and borders, as they are. Triangles are grouped and fitted
first (``mesh_patches.py``). The rules that follow are the same; what they cannot see is said in
``Features.unchecked``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.bores import Bore, find_bores
from cadwright.tools.geometry.brep_patches import brep_graph
from cadwright.tools.geometry.explored import Explored, explored
from cadwright.tools.geometry.features import (
    Boss,
    Features,
    HoleFeature,
    Pocket,
    Slot,
    Unchecked,
)
from cadwright.tools.geometry.inspect_mesh import inspect_mesh
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, reason
from cadwright.tools.geometry.mesh_patches import mesh_graph
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.geometry.patches import ELEMENTARY, Graph
from cadwright.tools.geometry.recognise_blends import (
    chamfer_chains,
    fillet_chains,
    find_chamfers,
    find_fillets,
)
from cadwright.tools.geometry.recognise_cuts import boss_of, pocket_of, slot_of
from cadwright.tools.geometry.recognise_faces import Surfaced, surfaced
from cadwright.tools.geometry.recognise_holes import CHAMFER_WIDENING, hole_of
from cadwright.tools.geometry.recognise_leaning import leaning_pockets
from cadwright.tools.geometry.recognise_open import open_holes, open_slots, unnamed_floors
from cadwright.tools.geometry.recognise_patterns import find_patterns
from cadwright.tools.geometry.recognise_turned import round_features
from cadwright.tools.geometry.recognise_walls import MAX_PLANES, find_walls
from cadwright.tools.geometry.rings import find_rings

Note = tuple[str, str, tuple[int, ...]]  # the fields of Unchecked


def find_features(part: Part) -> Features:
    """Return everything that can be recognised in a part.

    Args:
        part: Exact geometry or triangles; exact geometry wins where it has both.

    Raises:
        GeometryError: There is no geometry, or the kernel gives up on it.
    """
    try:
        graph = graph_of(part)
    except KERNEL_ERRORS as err:
        raise GeometryError(f"{part.name}: features cannot be read ({reason(err)})") from err
    return recognise(graph)


def graph_of(part: Part) -> Graph:
    """Return the patches and borders of a part; raises like ``find_features``."""
    if part.brep is None and part.mesh is not None:
        return _mesh_graph(part, part.mesh)
    if part.brep is None:
        raise GeometryError(f"{part.name}: no geometry given", Outcome.EMPTY_GEOMETRY)
    found = explored(part, part.brep)
    box = found.box
    if box is None or not np.isfinite(box).all():
        raise GeometryError(f"{part.name}: the part is empty or infinite", Outcome.EMPTY_GEOMETRY)
    return _noted(found, float(np.linalg.norm(box[1] - box[0])))


def _mesh_graph(part: Part, mesh: Mesh) -> Graph:
    inspection = inspect_mesh(part, mesh)
    if inspection.mesh is None or inspection.measures is None:
        raise GeometryError(inspection.message, inspection.outcome)
    graph = mesh_graph(inspection.mesh)
    if not inspection.measures.is_watertight:
        graph.notes.append(("holes", "the mesh is not closed: its inside is not known", ()))
    return graph


def recognise(graph: Graph) -> Features:
    """Return the features of a graph of patches."""
    faces = surfaced(graph)
    bores = find_bores(graph)
    countersinks = _countersinks(bores)
    fillets = find_fillets(graph)
    bevels = find_chamfers(graph)
    chamfers = [c for c in bevels if not countersinks & set(c.patch.faces)]
    sunk = [c for c in bevels if countersinks & set(c.patch.faces)]
    blends = {blend.patch.index for blend in (*fillets, *chamfers)}
    cuts = _cuts(graph, blends)
    bosses, shafts = round_features(graph, blends)
    holes = tuple(sorted((hole_of(bore) for bore in bores), key=_order))
    lone_slots = open_slots(graph, blends, cuts.slots)
    cut: tuple[HoleFeature | Slot | Pocket, ...] = (*holes, *cuts.slots, *cuts.pockets, *lone_slots)
    leaning = leaning_pockets(graph, unnamed_floors(graph, cut))
    floors = _floors(graph, (*cut, *leaning))
    return Features(
        source="brep" if graph.is_exact else "mesh",
        planes=faces.planes,
        cylinders=faces.cylinders,
        cones=faces.cones,
        spheres=faces.spheres,
        tori=faces.tori,
        holes=holes,
        slots=cuts.slots,
        pockets=cuts.pockets,
        bosses=(*cuts.bosses, *bosses),
        fillets=fillet_chains(graph, fillets),
        chamfers=chamfer_chains(graph, chamfers),
        sunk_chamfers=chamfer_chains(graph, sunk),
        shafts=shafts,
        walls=find_walls(graph, blends) if len(faces.planes) <= MAX_PLANES else (),
        patterns=find_patterns(holes),
        open_holes=open_holes(graph, blends, holes),
        open_slots=lone_slots,
        leaning_pockets=leaning,
        unchecked=tuple(Unchecked(*note) for note in (*_notes(graph, faces), *floors)),
    )


def _order(hole: HoleFeature) -> tuple[float, ...]:
    """Sort by size, then by place; rounded, so that the last bits do not shuffle a row."""
    return (-round(hole.diameter_mm, 6), *(round(value, 6) for value in hole.position_mm))


@dataclass(frozen=True, slots=True)
class _Cuts:
    """What rings of walls turned out to be."""

    slots: tuple[Slot, ...]
    pockets: tuple[Pocket, ...]
    bosses: tuple[Boss, ...]


def _cuts(graph: Graph, blends: set[int]) -> _Cuts:
    slots: list[Slot] = []
    pockets: list[Pocket] = []
    bosses: list[Boss] = []
    for ring in find_rings(graph, blends):
        if (slot := slot_of(ring)) is not None:
            slots.append(slot)
        elif (pocket := pocket_of(ring)) is not None:
            pockets.append(pocket)
        elif (boss := boss_of(ring)) is not None:
            bosses.append(boss)
    return _Cuts(tuple(slots), tuple(pockets), tuple(bosses))


def _countersinks(bores: list[Bore]) -> set[int]:
    """Return the faces of cones that widen a hole for a screw head rather than break its edge."""
    return {
        face
        for bore in bores
        for section in bore.sections
        if section.patch.kind == "cone" and section.widening >= CHAMFER_WIDENING
        for face in section.patch.faces
    }


def _notes(graph: Graph, faces: Surfaced) -> list[Note]:
    """Return what the rules could not see, as the fields of ``Unchecked``."""
    notes = list(graph.notes)
    free = tuple(sorted(f for p in graph.patches if p.kind not in ELEMENTARY for f in p.faces))
    if free:
        why = f"{len(free)} free-form faces are none of plane, cylinder, cone, sphere, torus"
        notes.append(("fillets", why, free))
    if len(faces.planes) > MAX_PLANES:
        why = f"{len(faces.planes)} flat faces are more than the {MAX_PLANES} that are paired"
        notes.append(("walls", why, ()))
    return notes


def _floors(graph: Graph, known: Iterable[HoleFeature | Slot | Pocket]) -> list[Note]:
    """Return recesses that are open at an edge, or ran into each other."""
    faces = unnamed_floors(graph, known)
    why = f"{len(faces)} flat faces are walled in for the most part but not all round"
    return [("pockets", why, faces)] if faces else []


def _noted(found: Explored, diagonal_mm: float) -> Graph:
    graph = brep_graph(found, diagonal_mm)
    if not found.topology.solids:
        graph.notes.append(("holes", "the part is not a solid: its inside is not known", ()))
    return graph
