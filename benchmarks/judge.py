"""What a score costs and whether it is right: ours beside what others use, in one run.

    OPENBLAS_NUM_THREADS=1 python benchmarks/judge.py            # 48 pairs, up to eight minutes
    OPENBLAS_NUM_THREADS=1 python benchmarks/judge.py --quick    # 16 pairs, for a first look

Three tables. "One pair": every scorer gets the same exact part and has its reference prepared;
tessellating and measuring the part is inside the time; where the part was "just observed", the
worker has it from the picture that it made, as in an episode. Ours does validity, normalising, IoU,
surface distance both ways, size and volume, and typed constraints derived from the reference. The
row "kernel alone" asks the kernel the same, symmetry included, with 256 points on each side where
ours has 1,024; the others do one number each. "Nearly coincident": each reference against itself,
shifted by a tiny step along its diagonal; the right IoU is 1 within 2 %. "Batched": pairs a second
on one device, in groups of 8, 64 and 512.

"CPU" is processor time of this process: read it first when the machine is shared, and the column
of ratios before both. A worker runs with one thread for linear algebra, hence the variable; more
of them only spin. Aims: 30 ms median a pair for the full reward, five times faster than one by the
kernel alone, no wrong answer. `cadrecon` takes part where it can be imported. How far the run has
come is told on standard error.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from judge_scorers import Prepare, Scorer, kernel_iou, our_iou, scorers, trimesh_iou
from pairs import Pair, make_pair, part_of

from cadwright.rewards.normalise import normalise
from cadwright.tools.errors import DependencyError
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.part import FloatArray, Mesh, Part

STEPS_MM = (0.0, 1e-7, 1e-5, 1e-3)
WRONG_BELOW, WRONG_ABOVE = 0.98, 1.0001
BATCHES = (8, 64, 512)
AIM_MS, AIM_TIMES = 30.0, 5.0
T = TypeVar("T")


def watched(things: Sequence[T], what: str) -> Iterator[T]:
    """Yield things, telling on standard error which one it is."""
    for number, thing in enumerate(things, 1):
        sys.stderr.write(f"\r{what}: {number} of {len(things)}\x1b[K")
        sys.stderr.flush()
        yield thing
    sys.stderr.write("\r\x1b[K")


def tessellated(part: Part) -> Mesh:
    """Return the triangles of a part."""
    mesh = inspect_part(part).mesh
    if mesh is None:
        raise SystemExit("a part of the benchmark cannot be tessellated")
    return mesh


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
    for pair in watched(pairs, scorer.name):
        score = prepare(pair.reference)
        scorer.before(pair.part)
        began, began_cpu = time.perf_counter(), time.process_time()
        failures += score(pair.part) is None
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.process_time() - began_cpu))
    return Cost(scorer.name, wall, cpu, failures)


def print_costs(costs: Iterator[Cost], count: int) -> None:
    """Print the first table row by row; the first row is the measure of the ratios."""
    print(f"\nOne pair (n = {count})")
    print(f"{'scorer':<34}{'CPU ms':>9}{'wall ms':>9}{'p95':>9}{'to ours':>9}{'failed':>8}")
    known: dict[str, Cost] = {}
    for cost in costs:
        known[cost.name] = cost
        wall, p95 = statistics.median(cost.wall_ms), float(np.percentile(cost.wall_ms, 95))
        ratio = cost.cpu / next(iter(known.values())).cpu
        row = f"{cost.name:<34}{cost.cpu:>9.1f}{wall:>9.1f}{p95:>9.1f}{ratio:>9.2f}"
        print(f"{row}{cost.failures:>8}", flush=True)
    print_aims(known)


def print_aims(costs: dict[str, Cost]) -> None:
    """Print what was aimed at and what came out."""
    full, kernel = costs["ours, full with constraints"], costs["kernel alone, the same questions"]
    observed = costs["ours, full, part just observed"]
    walls = (statistics.median(cost.wall_ms) for cost in (full, observed))
    print(f"aim {AIM_MS:g} ms: {next(walls):.1f} ms, {next(walls):.1f} ms just observed")
    print(f"aim {AIM_TIMES:g} times the kernel alone: {kernel.cpu / full.cpu:.1f} times")


def count_wrong(prepare: Prepare, shapes: Sequence[Any], step_mm: float) -> int:
    """Count IoUs of nearly coincident copies that are not 1, failures included."""
    wrong = 0
    for shape in watched(shapes, f"shifted by {step_mm:g} mm"):
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


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a third of the pairs")
    is_quick = parser.parse_args().quick
    single_threaded_kernel()
    numbers = range(16 if is_quick else 48)
    pairs = [make_pair(number) for number in watched(numbers, "making pairs")]
    print_costs((time_pairs(scorer, pairs) for scorer in scorers()), len(pairs))
    ious = {"ours": our_iou, "kernel boolean": kernel_iou, "trimesh boolean": trimesh_iou}
    print_wrong(ious, [pair.reference for pair in pairs])
    print_batched(pairs, BATCHES)


def single_threaded_kernel() -> None:
    """Give all of them the kernel settings that a worker has: they are faster with them."""
    from OCP.OSD import OSD_ThreadPool

    OSD_ThreadPool.DefaultPool_s(1)


if __name__ == "__main__":
    main()
