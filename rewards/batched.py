"""Overlap and distances of many pairs at once, on one device, with torch.

For a trainer that scores a group of rollouts between two updates. The exact path (`similarity`)
stays the judge: this one says how far it may be off.

* Distances between samples are those of the exact path, on the same points, in single precision:
  equal within 1e-5 of the reference's largest extent, plus 1e-5 of themselves.
* The IoU is measured along 64 x 64 lines through the common box, exactly along each line
  (`columns`): within 0.005 of the exact value, and typically within 0.0005.

What it does not do: validity, normalising, pose search, credit. A shape whose surface leaks along
the lines has no IoU here (NaN); send it to the judge. Nothing depends on which other pairs are in
the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cadwright.rewards import similarity
from cadwright.rewards.alignment import Alignment, by_boxes
from cadwright.rewards.columns import Columns, Tensor
from cadwright.rewards.surface import PART_STREAM, REFERENCE_STREAM, Surface
from cadwright.tools.errors import DependencyError, UsageError
from cadwright.tools.geometry.part import FloatArray

DISTANCE_TOLERANCE = 1e-5  # of the reference's largest extent, and of the distance
IOU_TOLERANCE = 0.005
BOX_MODES = (Alignment.NONE, Alignment.TRANSLATE, Alignment.TRANSLATE_SCALE)
# Above this share of leaking lines the surface is not closed.
MAX_LEAKS = 0.002
BYTES_PER_LINE = 1000  # about sixteen crossings of both shapes


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """How pairs are compared.

    Attributes:
        device: ``auto`` (a GPU where there is one), ``cpu``, ``cuda``, ``cuda:1``, ...
        dtype: Of the distances, ``float32`` or ``float64``. Lines are always cut in double
            precision: none must slip between two triangles.
        alignment: What is forgiven; the modes that need no search.
        num_points: Surface points per shape.
        seed: Seed of the samples.
        columns: Lines along each of two axes.
        f1_share: Tolerance of the F1 as a share of the reference's diagonal.
        memory_mb: Roughly what is used at most on the device, at least one pair.
    """

    device: str = "auto"
    dtype: str = "float32"
    alignment: Alignment = Alignment.NONE
    num_points: int = 2048
    seed: int = 0
    columns: int = 64
    f1_share: float = 0.03
    memory_mb: int = 512

    def __post_init__(self) -> None:
        """Refuse what cannot be carried out."""
        if self.alignment not in BOX_MODES:
            allowed = ", ".join(BOX_MODES)
            raise UsageError(f"alignment {self.alignment!r} needs a search; batched: {allowed}")
        if self.dtype not in ("float32", "float64"):
            raise UsageError(f"dtype is {self.dtype!r}: allowed are float32 and float64")
        if not 8 <= self.columns <= 1024 or not 16 <= self.num_points <= 100_000:
            raise UsageError("columns must lie in 8..1024 and num_points in 16..100000")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Numbers of n pairs, under the names of the terms of a score.

    Attributes:
        iou: (n,) NaN where a surface leaks.
        chamfer_l2_mm: (n,) distances not squared, both ways halved.
        chamfer_sq_unit_x1000: (n,) squared, summed, unit cube of the reference.
        f1_samples: (n,) share of the samples within the tolerance of each other.
    """

    iou: FloatArray
    chamfer_l2_mm: FloatArray
    chamfer_sq_unit_x1000: FloatArray
    f1_samples: FloatArray


def compare(
    parts: Sequence[FloatArray], references: Sequence[FloatArray], batch: Batch = Batch()
) -> Comparison:
    """Compare each part with its reference.

    Args:
        parts: (m, 3, 3) float64 triangles in mm, one array for each pair.
        references: As many, or a single one that all parts are held against.
        batch: How.

    Raises:
        UsageError: The numbers of parts and references do not go together, or one is empty.
        DependencyError: torch is not installed.
    """
    if len(references) not in (1, len(parts)):
        raise UsageError(f"{len(parts)} parts for {len(references)} references: give 1 or as many")
    if any(len(shape) == 0 for shape in (*parts, *references)):
        raise UsageError("a shape without triangles has no surface to compare")
    kernels = Kernels(batch)
    chunks = [kernels.run(pairs) for pairs in _chunks(parts, references, batch)]
    columns = zip(*chunks, strict=True)
    return Comparison(*(np.concatenate(column) for column in columns))


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two aligned surfaces."""

    part: Surface
    reference: Surface


def _chunks(
    parts: Sequence[FloatArray], references: Sequence[FloatArray], batch: Batch
) -> Iterator[list[Pair]]:
    """Yield as many pairs at a time as the memory allows, aligned and sampled."""
    per_pair = max(batch.columns**2 * BYTES_PER_LINE, 8 * batch.num_points**2)
    count = max(1, (batch.memory_mb << 20) // per_pair)
    shared = [_surface(shape, batch, REFERENCE_STREAM) for shape in references[:1]]
    for start in range(0, len(parts), count):
        some = range(start, min(start + count, len(parts)))
        wanted = (
            shared * len(some)
            if len(references) == 1
            else [_surface(references[i], batch, REFERENCE_STREAM) for i in some]
        )
        yield [_aligned(parts[i], ref, batch) for i, ref in zip(some, wanted, strict=True)]


def _surface(triangles: FloatArray, batch: Batch, stream: int) -> Surface:
    return Surface(triangles, num_points=batch.num_points, seed=batch.seed, stream=stream)


def _aligned(triangles: FloatArray, reference: Surface, batch: Batch) -> Pair:
    part = _surface(triangles, batch, PART_STREAM)
    if batch.alignment is not Alignment.NONE:
        transform = by_boxes(part, reference, batch.alignment)
        part = _surface(transform.apply(triangles), batch, PART_STREAM)
    return Pair(part, reference)


class Kernels:
    """The work on the device.

    Args:
        batch: How.

    Raises:
        DependencyError: torch is not installed.
        UsageError: There is no such device.
    """

    def __init__(self, batch: Batch) -> None:
        try:
            import torch
        except ImportError as err:
            raise DependencyError(
                "torch is not installed; run: pip install 'cadwright[agent]'"
            ) from err
        self._torch = torch
        self._batch = batch
        self._dtype = getattr(torch, batch.dtype)
        self.device = self._device(batch.device)

    def _device(self, name: str) -> Any:
        has_gpu = self._torch.cuda.is_available()
        if name == "auto":
            name = "cuda" if has_gpu else "cpu"
        if name.partition(":")[0] not in ("cpu", "cuda") or (name != "cpu" and not has_gpu):
            found = "cpu, cuda" if has_gpu else "cpu"
            raise UsageError(f"there is no device {name!r} here: use {found}")
        return self._torch.device(name)

    def run(self, pairs: list[Pair]) -> tuple[FloatArray, ...]:
        """Return the columns of a comparison for some pairs."""
        extents = np.array([pair.reference.extents.max() for pair in pairs])
        diagonals = np.array([pair.reference.diagonal for pair in pairs])
        there, back = self.gaps(pairs)
        reach = self._tensor(self._batch.f1_share * diagonals)[:, None]
        precision, recall = ((gaps <= reach).double().mean(dim=1) for gaps in (there, back))
        f1 = 2 * precision * recall / (precision + recall).clamp(min=1e-30)
        there, back = there.double(), back.double()
        mean = (there.mean(dim=1) + back.mean(dim=1)) / 2
        squares = (there**2).mean(dim=1) + (back**2).mean(dim=1)
        return (
            self.overlap(pairs),
            _array(mean),
            _array(squares) / extents**2 * 1000,
            _array(f1),
        )

    def gaps(self, pairs: list[Pair]) -> tuple[Tensor, Tensor]:
        """Return (b, n) distances of the part's samples to the reference's, and back.

        A processor finds them by search trees, which a GPU has no use for.
        """
        if self.device.type != "cpu":
            return self.all_gaps(pairs)
        found = (similarity.sample_gaps_mm(pair.part, pair.reference) for pair in pairs)
        there, back = (np.stack(column) for column in zip(*found, strict=True))
        return self._tensor(there), self._tensor(back)

    def all_gaps(self, pairs: list[Pair]) -> tuple[Tensor, Tensor]:
        """Return the same by measuring every pair of points."""
        middles = np.stack([pair.reference.middle for pair in pairs])[:, None]
        ours = self._tensor(np.stack([p.part.sample.points for p in pairs]) - middles)
        theirs = self._tensor(np.stack([p.reference.sample.points for p in pairs]) - middles)
        # the faster mode of cdist cancels digits: near points would get distances of 1e-3
        distances = self._torch.cdist(ours, theirs, compute_mode="donot_use_mm_for_euclid_dist")
        return distances.amin(dim=2), distances.amin(dim=1)

    def overlap(self, pairs: list[Pair]) -> FloatArray:
        """Return (b,) IoU, NaN where a surface leaks."""
        columns = Columns(
            self._torch,
            self.device,
            count=self._batch.columns,
            memory_bytes=self._batch.memory_mb << 20,
        )
        found = columns.overlaps(
            [pair.part.triangles for pair in pairs], [pair.reference.triangles for pair in pairs]
        )
        return np.where(found.leaks > MAX_LEAKS, np.nan, found.iou)

    def _tensor(self, values: FloatArray) -> Tensor:
        return self._torch.from_numpy(values).to(self.device, self._dtype)


def _array(values: Tensor) -> FloatArray:
    return np.asarray(values.cpu().numpy(), dtype=np.float64)
