"""The pieces of material that triangles describe: which of them double what others already say.

Bodies that lie in each other change no union, so a metric on the united solid never sees them.
They are counted here instead, each under the name of what was handed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cadwright.tools.geometry.part import FloatArray, Notice
from cadwright.tools.geometry.solids import Manifold

# A body with more than this share of its volume inside another one adds nothing.
REDUNDANT = 0.9
# Two bodies whose volumes differ by less than this share, one in the other, are one body twice.
SAME_VOLUME = 0.02
# Bodies looked at one against one; of more, only the total is known.
MAX_PAIRED = 32


@dataclass(frozen=True, slots=True)
class Census:
    """What the bodies of a part are to each other.

    Attributes:
        num_given: Bodies before they were united.
        num_duplicated: Bodies that repeat another one.
        num_nested: Bodies inside a larger one.
        overlap_mm3: Volume that the remaining bodies share.
        num_unfused: Bodies that only touch others and became one with them.
        num_pieces: Separate pieces of material in the united solid (b0).
        num_cavities: Voids that no surface of the outside leads to (b2).
    """

    num_given: int = 1
    num_duplicated: int = 0
    num_nested: int = 0
    overlap_mm3: float = 0.0
    num_unfused: int = 0
    num_pieces: int = 1
    num_cavities: int = 0

    @property
    def num_redundant(self) -> int:
        """Bodies that add nothing to the union."""
        return self.num_duplicated + self.num_nested

    def notices(self) -> tuple[Notice, ...]:
        """Return one notice for each thing found."""
        found = (
            ("duplicated_bodies", self.num_duplicated, "bodies repeat another one"),
            ("nested_bodies", self.num_nested, "bodies lie inside a larger one"),
            ("unfused_bodies", self.num_unfused, "bodies touch without being joined: joined"),
        )
        told = [Notice(code, f"{count} {words}") for code, count, words in found if count]
        if self.overlap_mm3 > 0:
            words = f"bodies overlapped by {self.overlap_mm3:.6g} mm3: united"
            told.append(Notice("overlapping_bodies", words))
        if self.num_pieces > 1:
            told.append(Notice("several_bodies", f"{self.num_pieces} separate pieces"))
        return tuple(told)


ALONE = Census()


def take_census(bodies: Sequence[Manifold], united: Manifold, *, flat_mm3: float) -> Census:
    """Return what the bodies are to each other.

    Args:
        bodies: Closed solids with outward faces.
        united: Their union.
        flat_mm3: Volumes below this are rounding.
    """
    volumes = np.array([body.volume() for body in bodies])
    lost = float(volumes.sum() - united.volume())
    shells = np.array([shell.volume() for shell in united.decompose()])
    whole = Census(
        len(bodies),
        num_pieces=int((shells > flat_mm3).sum()),
        num_cavities=int((shells < -flat_mm3).sum()),
    )
    if lost <= flat_mm3:
        return replace(whole, num_unfused=max(0, len(bodies) - whole.num_pieces))
    if len(bodies) > MAX_PAIRED:
        return replace(whole, overlap_mm3=lost)
    order = np.argsort(-volumes, kind="stable")
    duplicated, nested = _redundant([bodies[i] for i in order], volumes[order], flat_mm3)
    share = lost - float(volumes[order][duplicated | nested].sum())
    return replace(
        whole,
        num_duplicated=int(duplicated.sum()),
        num_nested=int(nested.sum()),
        overlap_mm3=share if share > flat_mm3 else 0.0,
    )


def _redundant(
    bodies: Sequence[Manifold], volumes: FloatArray, flat_mm3: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return which bodies, largest first, repeat an earlier one and which lie inside one."""
    duplicated = np.zeros(len(bodies), bool)
    nested = np.zeros(len(bodies), bool)
    for i, body in enumerate(bodies):
        for j in range(i):
            common = _common(bodies[j], body)
            if common <= max(flat_mm3, REDUNDANT * volumes[i]):
                continue
            is_same = volumes[i] >= (1 - SAME_VOLUME) * volumes[j]
            (duplicated if is_same else nested)[i] = True
            break
    return duplicated, nested


def _common(first: Manifold, second: Manifold) -> float:
    a, b = np.array(first.bounding_box()), np.array(second.bounding_box())
    if (a[3:] <= b[:3]).any() or (b[3:] <= a[:3]).any():
        return 0.0
    return float((first ^ second).volume())
