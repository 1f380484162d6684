"""Bodies, handles and voids of a solid: its Betti numbers."""

from __future__ import annotations

from typing import NamedTuple

from cadwright.tools.geometry.solids import Manifold


class Betti(NamedTuple):
    """Betti numbers of a solid.

    Attributes:
        bodies: Connected pieces of material (b0).
        handles: Independent holes that go through (b1).
        voids: Enclosed cavities (b2).
    """

    bodies: int
    handles: int
    voids: int


def betti_of(solid: Manifold) -> Betti:
    """Return the Betti numbers of a normalised solid, from the surface around it.

    The surface has Euler characteristic 2 (b0 - b1 + b2); cavities are its shells of negative
    volume.
    """
    shells = solid.decompose()
    voids = sum(shell.volume() < 0.0 for shell in shells)
    bodies = len(shells) - voids
    half_euler = sum(1 - int(shell.genus()) for shell in shells)
    return Betti(bodies, bodies + voids - half_euler, voids)
