"""The bodies of a closed triangle mesh: which shells are outsides, which are cavities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cadwright.tools.geometry.mass import shell_volumes
from cadwright.tools.geometry.part import IntArray, Mesh
from cadwright.tools.geometry.winding import winding_numbers

_PROBES = 5  # a cavity may touch the outside, so one point is not enough


@dataclass(frozen=True, slots=True, eq=False)
class Bodies:
    """Oriented shells.

    Attributes:
        mesh: The mesh with every outside facing outwards and every cavity inwards.
        count: Number of outsides.
        num_shells: Number of outsides and cavities.
        num_inverted: Shells that had to be turned round.
    """

    mesh: Mesh
    count: int
    num_shells: int
    num_inverted: int


def orient(mesh: Mesh, shells: IntArray, num_shells: int) -> Bodies:
    """Return a closed mesh with its bodies counted and its orientation mended.

    A shell of negative volume inside another body is a cavity; anywhere else it is a body
    turned inside out.

    Args:
        mesh: Closed mesh.
        shells: (m,) int32 shell of each triangle.
        num_shells: Number of shells.
    """
    volumes = shell_volumes(mesh, shells, num_shells)
    all_inverted = bool((volumes <= 0.0).all())
    if all_inverted:
        volumes = -volumes
    inverted = [
        shell
        for shell in np.flatnonzero(volumes < 0.0)
        if not _is_cavity(mesh, shells, int(shell), np.flatnonzero(volumes > 0.0))
    ]
    flip = np.isin(shells, inverted) != all_inverted
    faces = np.where(flip[:, None], mesh.faces[:, ::-1], mesh.faces)
    num_turned = len(np.unique(shells[flip])) if flip.any() else 0
    count = int((volumes > 0.0).sum()) + len(inverted)
    return Bodies(Mesh(mesh.vertices, faces, mesh.face_ids), count, num_shells, num_turned)


def _is_cavity(mesh: Mesh, shells: IntArray, shell: int, outsides: npt.NDArray[np.intp]) -> bool:
    """Return whether most of a few points on the shell lie inside one of the outsides."""
    own = mesh.vertices[mesh.faces[shells == shell]]  # (k, 3, 3)
    middles = own[:: max(len(own) // _PROBES, 1)].mean(axis=1)
    for outside in outsides:
        corners = mesh.vertices[mesh.faces[shells == outside]]
        low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        if (own.min(axis=(0, 1)) < low).any() or (own.max(axis=(0, 1)) > high).any():
            continue
        if np.median(np.abs(winding_numbers(middles, corners))) > 0.5:
            return True
    return False
