"""Put one mesh where another one is: principal axes, 24 turns, then closest points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cadwright.tools.geometry.part import FloatArray, Mesh
from cadwright.tools.geometry.rotations import cube_rotations, rotation_by
from cadwright.tools.geometry.triangles import triangle_areas, triangle_normals
from cadwright.tools.meshing.distance import placed_on, sampled
from cadwright.tools.meshing.moving import placed
from cadwright.tools.meshing.triangles import corners, diagonal_mm

# Points of the moving mesh: to choose turns, to settle them, to tell the best from the others.
_COARSE, _MEDIUM, _FINE = 400, 1_000, 4_000
_TARGET = 60_000  # points of the target, each with the plane that it lies in
_SETTLED_TURNS = 8  # the best of the coarse tries: a small feature may tell two of them apart
_FINISHED_TURNS = 2  # the best of those, by all points; a wrong turn may wander for ever
_ROUNDS_COARSE, _ROUNDS_FINE = 12, 60
_FAR = 0.02  # of the diagonal: a misfit beyond it counts as this much, wherever the rest lies
_TRIMMED = 0.9  # share of the points that count: the rest may lie where the other has a hole
_SETTLED = 1e-7  # of the diagonal: a step below it changes nothing


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """A rigid motion and how well it fits.

    Attributes:
        mesh: The moved mesh.
        rotation: (3, 3).
        shift: (3,) mm, after the rotation about the origin.
        mean_mm: Mean distance of the nearest points.
    """

    mesh: Mesh
    rotation: FloatArray
    shift: FloatArray
    mean_mm: float


def aligned(mesh: Mesh, target: Mesh, *, is_near: bool = False) -> Alignment:
    """Return the mesh turned and moved onto a target.

    Args:
        mesh: What moves.
        target: Stays.
        is_near: The mesh lies nearly right: only the closest points are followed. Otherwise each
            turn that maps principal axes to principal axes is tried.
    """
    cloud = _Cloud(target)
    points = sampled(corners(mesh), _FINE)
    if is_near:
        starts: list[tuple[FloatArray, FloatArray]] = [(np.eye(3), np.zeros(3))]
    else:
        starts = list(_starts(mesh, target))
    coarse = points[:: _FINE // _COARSE]
    tried = [cloud.settle(coarse, *start, _ROUNDS_COARSE) for start in starts]
    best = sorted(tried, key=lambda found: found[2])[:_SETTLED_TURNS]
    medium = points[:: _FINE // _MEDIUM]
    settled = [cloud.settle(medium, *found[:2], _ROUNDS_FINE)[:2] for found in best]
    ranked = sorted(settled, key=lambda found: cloud.misfit(points, *found))[:_FINISHED_TURNS]
    finished = [cloud.settle(points, *found, _ROUNDS_FINE) for found in ranked]
    rotation, shift, _ = min(finished, key=lambda found: found[2])
    mean_mm = cloud.mean_mm(points @ rotation.T + shift)
    return Alignment(placed(mesh, rotation, shift), rotation, shift, mean_mm)


def axes_aligned(mesh: Mesh) -> Alignment:
    """Return the mesh with its principal axes along x, y, z, longest first, resting on z = 0.

    Its middle comes to lie on the z axis. Which way round it lies is not decided.
    """
    axes = _principal(mesh)[0]
    turned = placed(mesh, axes.T)
    low, high = turned.vertices.min(axis=0), turned.vertices.max(axis=0)
    shift = np.array([*(-0.5 * (low + high))[:2], -low[2]])
    return Alignment(placed(turned, np.eye(3), shift), axes.T, shift, 0.0)


def _starts(mesh: Mesh, target: Mesh) -> Iterator[tuple[FloatArray, FloatArray]]:
    (own, own_centre), (other, other_centre) = _principal(mesh), _principal(target)
    for turn in cube_rotations():
        rotation = other @ turn @ own.T
        yield rotation, other_centre - rotation @ own_centre


def _principal(mesh: Mesh) -> tuple[FloatArray, FloatArray]:
    """Return (3, 3) principal axes of the surface as columns, longest first, and its centre."""
    points = corners(mesh)
    areas = triangle_areas(points)
    weights = areas / areas.sum()
    centre = (points.mean(axis=1) * weights[:, None]).sum(axis=0)
    local, middle = points - centre, points.mean(axis=1) - centre
    moments = np.einsum("m,mki,mkj->ij", weights, local, local)
    moments = moments + 9.0 * np.einsum("m,mi,mj->ij", weights, middle, middle)
    axes = np.linalg.eigh(moments)[1][:, ::-1].copy()
    for k in range(2):  # a sign that does not depend on the solver
        axes[:, k] *= np.sign(axes[np.argmax(np.abs(axes[:, k])), k])
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return axes, centre


class _Cloud:
    """The target, ready to be approached."""

    def __init__(self, target: Mesh) -> None:
        from scipy.spatial import cKDTree

        triangles = corners(target)
        triangles = triangles[triangle_areas(triangles) > 0.0]
        self._points, owners = placed_on(triangles, _TARGET)
        self._normals = triangle_normals(triangles)[owners]
        self._tree = cKDTree(self._points)
        self._size = diagonal_mm(target)

    def settle(
        self, points: FloatArray, rotation: FloatArray, shift: FloatArray, rounds: int
    ) -> tuple[FloatArray, FloatArray, float]:
        """Follow the planes at the nearest points.

        Returns:
            Rotation, shift, and how badly they fit.
        """
        for _ in range(rounds):
            now = points @ rotation.T + shift
            gaps, near = self._tree.query(now)
            kept = gaps <= np.quantile(gaps, _TRIMMED)
            turn, step = _step(now[kept], self._points[near[kept]], self._normals[near[kept]])
            rotation, shift = turn @ rotation, turn @ shift + step
            if np.abs(step).max() + self._size * np.abs(turn - np.eye(3)).max() < (
                _SETTLED * self._size
            ):
                break
        return rotation, shift, self.misfit(points, rotation, shift)

    def misfit(self, points: FloatArray, rotation: FloatArray, shift: FloatArray) -> float:
        """Return how badly moved points fit: their mean misfit, none of them more than far."""
        misfits = self._misfits(points @ rotation.T + shift)
        return float(np.minimum(misfits, _FAR * self._size).mean())

    def mean_mm(self, points: FloatArray) -> float:
        """Return the mean misfit of points, those where the target has a hole as well."""
        return float(self._misfits(points).mean())

    def _misfits(self, points: FloatArray) -> FloatArray:
        """Return (n,) mm from the plane at the nearest point, and a little for what lies beside."""
        gaps, near = self._tree.query(points)
        planes = np.einsum("ij,ij->i", points - self._points[near], self._normals[near])
        found: FloatArray = np.abs(planes) + 0.1 * gaps
        return found


def _step(
    points: FloatArray, places: FloatArray, normals: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the small turn and shift that bring points nearest to planes."""
    centre = points.mean(axis=0)
    local = points - centre
    system = np.column_stack([np.cross(local, normals), normals])
    wanted = np.einsum("ij,ij->i", places - points, normals)
    scale = np.array([np.abs(local).max()] * 3 + [1.0] * 3)  # a plane slides freely: keep it still
    found = np.linalg.lstsq(system / scale, wanted, rcond=1e-6)[0] / scale
    turn = rotation_by(found[:3])
    return turn, centre + found[3:] - turn @ centre
