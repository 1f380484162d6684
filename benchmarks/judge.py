"""What a score costs and whether it is right: ours beside what others use, in one run.

    OPENBLAS_NUM_THREADS=1 python benchmarks/judge.py            # 48 pairs, some minutes
    OPENBLAS_NUM_THREADS=1 python benchmarks/judge.py --quick    # 16 pairs, for a first look

Three tables. "One pair": every scorer gets the same exact part and has its reference prepared;
tessellating and measuring the part is inside the time; where the part was "just observed", the
worker has it from the picture that it made, as in an episode. Ours does validity, normalising, IoU,
surface distance both ways, size and volume, and typed constraints derived from the reference; the
others do one number each. "Nearly coincident": each reference against itself, shifted by a tiny
step along its diagonal; the right IoU is 1 within 2 %. "Batched": pairs a second on one device.

"CPU" is processor time of this process: read it first when the machine is shared. A worker runs
with one thread for linear algebra, hence the variable; more of them only spin. Aims: 30 ms
median a pair for the full default reward, five times faster than a kernel boolean, no wrong answer.
`cadrecon` takes part where it can be imported.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pairs import Pair, make_pair, part_of

from cadwright.rewards.constraints.job import derive_job
from cadwright.rewards.jobs import reference_of, score_job
from cadwright.rewards.normalise import normalise
from cadwright.rewards.scoring import Scoring
from cadwright.tools.errors import DependencyError
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.jobs import inspect_job
from cadwright.tools.geometry.part import FloatArray, Mesh, Part, Tessellation
from cadwright.tools.geometry.wire import encode_part

STEPS_MM = (0.0, 1e-7, 1e-5, 1e-3)
WRONG_BELOW, WRONG_ABOVE = 0.98, 1.0001
CHAMFER_POINTS = 8192
BATCHES = (8, 64, 512)
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


def tessellated(part: Part) -> Mesh:
    """Return the triangles of a part."""
    mesh = inspect_part(part).mesh
    if mesh is None:
        raise SystemExit("a part of the benchmark cannot be tessellated")
    return mesh


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


@dataclass(frozen=True)
class Cost:
    """Times of one scorer, one per pair, ms."""

    name: str
    wall_ms: Sequence[float]
    cpu_ms: Sequence[float]
    failures: int

    @property
    def cpu(self) -> float:
        """Median processor time."""
        return statistics.median(self.cpu_ms)


def time_pairs(scorer: Scorer, pairs: Sequence[Pair]) -> Cost:
    """Score every pair once; preparing is not timed."""
    prepare = scorer.prepare
    wall, cpu, failures = [], [], 0
    prepare(pairs[0].reference)(pairs[0].part)  # imports and first calls
    for pair in pairs:
        score = prepare(pair.reference)
        scorer.before(pair.part)
        began, began_cpu = time.perf_counter(), time.process_time()
        failures += score(pair.part) is None
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.process_time() - began_cpu))
    return Cost(scorer.name, wall, cpu, failures)


def print_costs(costs: Sequence[Cost]) -> None:
    """Print the first table; the first row is the measure of the ratios."""
    print(f"\nOne pair (n = {len(costs[0].cpu_ms)})")
    print(f"{'scorer':<34}{'CPU ms':>9}{'wall ms':>9}{'p95':>9}{'to ours':>9}{'failed':>8}")
    for cost in costs:
        wall, p95 = statistics.median(cost.wall_ms), float(np.percentile(cost.wall_ms, 95))
        ratio = cost.cpu / costs[0].cpu
        print(
            f"{cost.name:<34}{cost.cpu:>9.1f}{wall:>9.1f}{p95:>9.1f}{ratio:>9.2f}{cost.failures:>8}"
        )


def count_wrong(prepare: Prepare, shapes: Sequence[Any], step_mm: float) -> int:
    """Count IoUs of nearly coincident copies that are not 1, failures included."""
    wrong = 0
    for shape in shapes:
        moved = shape.translate((step_mm, step_mm, step_mm))
        iou = prepare(shape)(moved)
        wrong += iou is None or not WRONG_BELOW <= iou <= WRONG_ABOVE
    return wrong


def print_wrong(scorers: dict[str, Prepare], shapes: Sequence[Any]) -> None:
    """Print the second table."""
    print(f"\nNearly coincident: wrong answers of {len(shapes)}")
    print(f"{'shifted by mm':<34}" + "".join(f"{step:>9g}" for step in STEPS_MM))
    for name, prepare in scorers.items():
        counts = (count_wrong(prepare, shapes, step) for step in STEPS_MM)
        print(f"{name:<34}" + "".join(f"{count:>9}" for count in counts), flush=True)


def print_batched(pairs: Sequence[Pair], sizes: Sequence[int]) -> None:
    """Print the third table, where torch is installed."""
    from cadwright.rewards.batched import Batch, Kernels, compare

    try:
        devices = dict.fromkeys(str(Kernels(Batch(device=d)).device) for d in ("auto", "cpu"))
    except DependencyError as error:
        print(f"\nBatched: {error}")
        return
    parts, references = (
        [triangles(part_of(getattr(pair, side))) for pair in pairs]
        for side in ("part", "reference")
    )
    print(f"\nBatched: pairs a second\n{'device':<34}" + "".join(f"{n:>9}" for n in sizes))
    for device in devices:
        rates = [rate(compare, parts, references, Batch(device=device), n) for n in sizes]
        print(f"{device:<34}" + "".join(f"{value:>9.1f}" for value in rates), flush=True)


def rate(
    compare: Callable[..., Any],
    parts: Sequence[FloatArray],
    references: Sequence[FloatArray],
    batch: Any,
    number: int,
) -> float:
    """Return how many pairs a second a batch of ``number`` makes; the pairs repeat in it."""
    compare(parts[:1], references[:1], batch)
    some = [i % len(parts) for i in range(number)]
    began = time.perf_counter()
    compare([parts[i] for i in some], [references[i] for i in some], batch)
    return number / (time.perf_counter() - began)


def triangles(part: Part) -> FloatArray:
    """Return (m, 3, 3) triangles of the normalised part."""
    solid = normalise(tessellated(part))
    found: FloatArray = (solid.vertices + solid.centre)[solid.faces]
    return found


def scorers() -> Iterator[Scorer]:
    """Yield every scorer that can run here, ours first."""
    yield Scorer("ours, full with constraints", full_reward)
    yield Scorer("ours, default", default_reward)
    yield Scorer("ours, full, part just observed", full_reward, inspect)
    yield Scorer("ours, default, part just observed", default_reward, inspect)
    yield Scorer("kernel boolean, IoU alone", kernel_iou)
    yield Scorer("trimesh boolean, IoU alone", trimesh_iou)
    yield Scorer("search trees, chamfer alone", chamfer)
    if importlib.util.find_spec("cadrecon") is None:
        print("cadrecon does not take part: it is not installed")
    else:
        yield Scorer("cadrecon", cadrecon)


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a third of the pairs")
    is_quick = parser.parse_args().quick
    single_threaded_kernel()
    pairs = [make_pair(number) for number in range(16 if is_quick else 48)]
    print_batched(pairs, BATCHES[:2] if is_quick else BATCHES)
    print_costs([time_pairs(scorer, pairs) for scorer in scorers()])
    ious = {"ours": our_iou, "kernel boolean": kernel_iou, "trimesh boolean": trimesh_iou}
    print_wrong(ious, [pair.reference for pair in pairs])


def single_threaded_kernel() -> None:
    """Give all of them the kernel settings that a worker has: they are faster with them."""
    from OCP.OSD import OSD_ThreadPool

    OSD_ThreadPool.DefaultPool_s(1)


if __name__ == "__main__":
    main()
