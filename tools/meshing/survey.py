"""What is wrong with a mesh, counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.geometry.surface import edge_table, shells
from cadwright.tools.geometry.triangles import triangle_areas
from cadwright.tools.geometry.weld import drop_degenerate, weld
from cadwright.tools.meshing.mending import NO_AREA
from cadwright.tools.meshing.rims import rims


@dataclass(frozen=True, slots=True)
class Survey:
    """Counts of faults, zero for a sound solid.

    Attributes:
        num_triangles: Triangles as they are, collapsed and repeated ones included.
        num_vertices: Vertices, equal ones counted once.
        num_bodies: Connected surfaces.
        num_holes: Rims; -1 where they cannot be told apart because windings disagree.
        num_open_edges: Edges with a triangle on one side only.
        num_flipped_edges: Edges whose two triangles face opposite ways.
        num_crowded_edges: Edges with more than two triangles.
        num_degenerate: Triangles that are a line or a point.
        num_duplicate: Triangles over the same three vertices as another one.
    """

    num_triangles: int
    num_vertices: int
    num_bodies: int
    num_holes: int
    num_open_edges: int
    num_flipped_edges: int
    num_crowded_edges: int
    num_degenerate: int
    num_duplicate: int

    @property
    def is_sound(self) -> bool:
        """Nothing is wrong."""
        return not self.faults

    @property
    def faults(self) -> dict[str, int]:
        """The counts that are not zero, in words."""
        counts = {
            "holes": max(self.num_holes, 0),
            "open edges": self.num_open_edges,
            "edges between triangles that face opposite ways": self.num_flipped_edges,
            "edges with more than two triangles": self.num_crowded_edges,
            "degenerate triangles": self.num_degenerate,
            "duplicate triangles": self.num_duplicate,
        }
        return {name: count for name, count in counts.items() if count}


def survey(mesh: Mesh) -> Survey:
    """Count what is wrong with a mesh."""
    kept, place = weld(mesh.vertices)
    vertices, faces = mesh.vertices[kept], place[mesh.faces]
    alive = faces[drop_degenerate(faces)]
    size = float(np.ptp(vertices, axis=0).max()) if len(vertices) else 0.0
    lines = int((triangle_areas(vertices[alive]) <= NO_AREA * size**2).sum())
    single = len(np.unique(np.sort(alive, axis=1), axis=0))
    table = edge_table(alive, len(vertices))
    return Survey(
        num_triangles=len(faces),
        num_vertices=len(vertices),
        num_bodies=shells(table)[0] if len(alive) else 0,
        num_holes=_num_holes(Mesh(vertices, alive, np.zeros(len(alive), np.int32))),
        num_open_edges=int((table.uses == 1).sum()),
        num_flipped_edges=int((np.abs(table.balance[table.uses == 2]) == 2).sum()),
        num_crowded_edges=len(table.crowded_edges),
        num_degenerate=len(faces) - len(alive) + lines,
        num_duplicate=len(alive) - single,
    )


def _num_holes(mesh: Mesh) -> int:
    try:
        return len(rims(mesh))
    except GeometryError:
        return -1
