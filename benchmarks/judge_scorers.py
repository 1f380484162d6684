"""The scorers that `judge.py` times: ours, and what others use, with their reference prepared."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from pairs import part_of

from cadwright.rewards.constraints.job import derive_job
from cadwright.rewards.jobs import reference_of, score_job
from cadwright.rewards.scoring import Scoring
from cadwright.tools.geometry.jobs import inspect_job
from cadwright.tools.geometry.part import FloatArray, Tessellation
from cadwright.tools.geometry.wire import encode_part

CHAMFER_POINTS = 8192
KERNEL_POINTS = 256  # on each side, 1,024 in ours: the kernel takes 0.6 ms for one of them
WITH_CONSTRAINTS = {**Scoring.preset("default").weights, "constraints": 0.3}

# Prepares a reference and returns what scores a part against it: a number, or None for a failure.
Prepare = Callable[[Any], Callable[[Any], float | None]]


def ours(reference: Any, scoring: Scoring, *, constraints: bool = False) -> Callable[[Any], Any]:
    """Return the whole reward, through the job that a worker runs."""
    wanted = part_of(reference)
    header, blobs = encode_part(wanted)
    asked = derive_job({"part": header}, blobs)[0]["constraints"] if constraints else []
    prepared = reference_of(wanted, scoring)
    _ = prepared.surface.tree, prepared.noise_floor

    def score(shape: Any) -> dict[str, Any]:
        part, mine = encode_part(part_of(shape))
        theirs, more = encode_part(wanted, first_blob=len(mine))
        request = {"part": part, "reference": theirs, "scoring": scoring.to_dict()}
        request |= {"constraints": asked, "bodies": {}} if asked else {}
        found: dict[str, Any] = score_job(request, [*mine, *more])[0]["score"]
        return found

    score(reference)
    return score


def default_reward(reference: Any) -> Callable[[Any], float | None]:
    """Validity, normalising, IoU, surface distance, size, volume."""
    score = ours(reference, Scoring.preset("default"))
    return lambda shape: score(shape)["value"]


def full_reward(reference: Any) -> Callable[[Any], float | None]:
    """The same with the constraints that the reference meets."""
    scoring = Scoring.from_dict({"weights": WITH_CONSTRAINTS})
    score = ours(reference, scoring, constraints=True)
    return lambda shape: score(shape)["value"]


def inspect(shape: Any) -> None:
    """Inspect a part as an observation of it does; the worker remembers what it found."""
    header, blobs = encode_part(part_of(shape))
    inspect_job({"part": header}, blobs)


def our_iou(reference: Any) -> Callable[[Any], float | None]:
    """The IoU inside the default reward, with all that comes with it."""
    score = ours(reference, Scoring.preset("default"))

    def iou(shape: Any) -> float | None:
        terms = {term["name"]: term["raw"] for term in score(shape)["terms"]}
        return terms.get("iou")

    return iou


def kernel_iou(reference: Any) -> Callable[[Any], float | None]:
    """IoU by the kernel's own boolean, and nothing else."""
    volume = reference.Volume()

    def iou(shape: Any) -> float | None:
        common = shape.intersect(reference).Volume()
        return float(common / (volume + shape.Volume() - common))

    return iou


def kernel_reward(reference: Any) -> Callable[[Any], float | None]:
    """The terms of the default reward by the kernel alone, and the three mirrors of a box.

    Validity, IoU by a boolean, distances from points on the surface to the other shape both ways,
    size, volume, and a boolean of the part with its image for each mirror.
    """
    overlap, extents = kernel_iou(reference), box_of(reference)
    theirs = points_on(reference)

    def reward(shape: Any) -> float | None:
        if not shape.isValid():
            return None
        iou = overlap(shape)
        gaps = [*gaps_to(reference, points_on(shape)), *gaps_to(shape, theirs)]
        box = box_of(shape)
        size = float(np.prod(np.minimum(box, extents) / np.maximum(box, extents)))
        volumes = sorted((shape.Volume(), reference.Volume()))
        centre = shape.Center()
        images = [shape.mirror(plane, centre) for plane in ("XY", "XZ", "YZ")]
        shares = [shape.intersect(image).Volume() / shape.Volume() for image in images]
        near = 0.5 ** (float(np.mean(gaps)) / (0.01 * float(np.linalg.norm(extents))))
        return float(np.mean([iou or 0.0, near, size, volumes[0] / volumes[1], *shares]))

    return reward


def box_of(shape: Any) -> FloatArray:
    """Return the extents of a shape."""
    box = shape.BoundingBox()
    return np.array([box.xlen, box.ylen, box.zlen])


def points_on(shape: Any) -> list[Any]:
    """Return points on a shape, from its triangles."""
    import cadquery as cq

    points = mesh_of(shape).sample(KERNEL_POINTS, seed=0)
    return [cq.Vertex.makeVertex(*point) for point in np.asarray(points).tolist()]


def gaps_to(shape: Any, points: list[Any]) -> list[float]:
    """Return the distances of points to the surface of a shape, by the kernel."""
    import cadquery as cq

    surface = cq.Compound.makeCompound(shape.Faces())
    return [float(surface.distance(point)) for point in points]


def trimesh_iou(reference: Any) -> Callable[[Any], float | None]:
    """IoU by trimesh's boolean, as most published scorers call it."""
    target = mesh_of(reference)

    def iou(shape: Any) -> float | None:
        mesh = mesh_of(shape)
        try:
            common = abs(mesh.intersection(target).volume)
        except ValueError:  # not a volume
            return None
        return float(common / (mesh.volume + target.volume - common))

    return iou


def chamfer(reference: Any) -> Callable[[Any], float | None]:
    """Chamfer of 8,192 points by search trees, and nothing else."""
    from scipy.spatial import cKDTree

    target = mesh_of(reference).sample(CHAMFER_POINTS)
    tree = cKDTree(target)

    def distance(shape: Any) -> float | None:
        points = mesh_of(shape).sample(CHAMFER_POINTS)
        there, back = tree.query(points)[0], cKDTree(points).query(target)[0]
        return float((there**2).mean() + (back**2).mean())

    return distance


def cadrecon(reference: Any) -> Callable[[Any], float | None]:
    """The reward of the cadrecon package, with its own voxels and samples."""
    from cadrecon.config import Config
    from cadrecon.scoring.core import _score_from_arrays
    from cadrecon.scoring.fill import solidify

    settings = Config()

    def arrays(shape: Any) -> tuple[Any, Any, Any]:
        import trimesh

        mesh = mesh_of(shape)
        points, _ = trimesh.sample.sample_surface(
            mesh, settings.sample_count, seed=settings.metric_seed
        )
        voxels = mesh.voxelized(settings.voxel_pitch)
        return np.asarray(points), np.asarray(voxels.matrix, bool), voxels.translation

    points, cells, origin = arrays(reference)
    target = (points, solidify(cells), origin)
    diagonal = float(np.linalg.norm(np.ptp(mesh_of(reference).vertices, axis=0)))

    def reward(shape: Any) -> float | None:
        answer = _score_from_arrays(
            *arrays(shape),
            *target,
            diagonal,
            settings.voxel_pitch,
            settings,
            valid=True,
            tgt_grid_is_solid=True,
        )
        return float(answer.reward)

    return reward


def mesh_of(shape: Any) -> Any:
    """Tessellate by CadQuery, as fine as the judge does, into a mesh of trimesh."""
    import trimesh

    settings = Tessellation()
    deflection = settings.deflection_mm(shape.BoundingBox().DiagonalLength)
    fresh = shape.copy(mesh=False)  # the kernel keeps triangles with the shape
    points, faces = fresh.tessellate(deflection, math.radians(settings.angle_deg))
    return trimesh.Trimesh([point.toTuple() for point in points], faces)


@dataclass(frozen=True)
class Scorer:
    """One row of the first table.

    Attributes:
        name: What the row is called.
        prepare: Takes a reference, returns what scores a part against it.
        before: What happens to a part before its time begins.
    """

    name: str
    prepare: Prepare
    before: Callable[[Any], None] = lambda shape: None


def scorers() -> Iterator[Scorer]:
    """Yield every scorer that can run here, ours first."""
    yield Scorer("ours, full with constraints", full_reward)
    yield Scorer("ours, default", default_reward)
    yield Scorer("ours, full, part just observed", full_reward, inspect)
    yield Scorer("ours, default, part just observed", default_reward, inspect)
    yield Scorer("kernel alone, the same questions", kernel_reward)
    yield Scorer("kernel boolean, IoU alone", kernel_iou)
    yield Scorer("trimesh boolean, IoU alone", trimesh_iou)
    yield Scorer("search trees, chamfer alone", chamfer)
    if importlib.util.find_spec("cadrecon") is None:
        print("cadrecon does not take part: it is not installed")
    else:
        yield Scorer("cadrecon", cadrecon)
