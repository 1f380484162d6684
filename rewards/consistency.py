"""What the policy said against what it built: is each claim true, false, or could nobody check?

A policy that writes "four 6 mm holes" and drills three has reasoned about another part than it
made. Claims come from the assistant's own words (`cadwright.rewards.claims`) and are held against
measures and recognised features of the final part; where those cannot tell, the claim is neither
true nor false and counts for nothing. Saying nothing earns nothing and costs nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from cadwright.rewards.breakdown import Reading
from cadwright.rewards.claims import Claim, ClaimKind, read_claims, standing
from cadwright.tools.geometry.faces import CylinderFace
from cadwright.tools.geometry.features import Features
from cadwright.tools.geometry.part import FloatArray, Measures

# Sizes are said in round numbers; a hundredth of an inch written in mm must still be true.
TOLERANCE_MM = 0.05
TOLERANCE_SHARE = 0.005
OPPOSITE = -0.9999  # cosine between the normals of the two faces of a slab
MAX_FACES = 300  # of one kind; a part with more is compared by its measures alone
ACROSS = 0.01  # cosine below which two directions count as perpendicular


class ClaimVerdict(StrEnum):
    """Whether a claim holds of the part."""

    TRUE = "true"
    FALSE = "false"
    COULD_NOT_CHECK = "could_not_check"


@dataclass(frozen=True, slots=True)
class Built:
    """What is known of the part: ``features`` is None where nobody recognised any."""

    measures: Measures
    features: Features | None = None

    def knows_all(self, kind: str) -> bool:
        """Whether a feature that is not listed is not there."""
        if self.features is None or not _is_small(self.features):
            return False
        return all(entry.feature != kind for entry in self.features.unchecked)

    @property
    def is_faceted(self) -> bool:
        """Whether the part is a mesh, whose curved faces nobody has measured."""
        return "facet" in self.measures.faces_by_kind


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with its verdict and what was found instead."""

    claim: Claim
    verdict: ClaimVerdict
    found: str = ""


def consistency_readings(statements: Sequence[str], built: Built | None) -> dict[str, Reading]:
    """Return the terms of the consistency layer.

    ``claims`` is the share of true ones among all that still stand and could be checked; ``plan``
    the same for the first turn that claimed anything.

    Args:
        statements: The assistant's own words, turn by turn.
        built: The final part, or None where there is none or nothing was measured.
    """
    claims = [
        claim
        for turn, text in enumerate(statements, start=1)
        for claim in read_claims(text, turn=turn)
    ]
    first = min((claim.turn for claim in claims), default=0)
    plan = [claim for claim in claims if claim.turn == first]
    return {
        "claims": _reading("claims", check_claims(standing(claims), built)),
        "plan": _reading("plan", check_claims(standing(plan), built)),
    }


def check_claims(claims: Iterable[Claim], built: Built | None) -> tuple[CheckedClaim, ...]:
    """Return each claim with its verdict."""
    claims = tuple(claims)
    if built is None:
        return tuple(_unknown(claim, "there is no measured part") for claim in claims)
    return tuple(_CHECKS[claim.kind](claim, built, claims) for claim in claims)


def _size(claim: Claim, built: Built, _: Sequence[Claim]) -> CheckedClaim:
    extents, asked = sorted(built.measures.size_mm), sorted(claim.sizes_mm)
    found = " x ".join(f"{extent:.4g}" for extent in built.measures.size_mm) + " mm"
    if all(map(_is_close, extents, asked)):
        return CheckedClaim(claim, ClaimVerdict.TRUE, found)
    is_too_big = any(a > e and not _is_close(e, a) for e, a in zip(extents, asked, strict=True))
    is_plain_box = built.measures.faces_by_kind == {"plane": 6}
    if claim.is_overall or is_too_big or is_plain_box:
        return CheckedClaim(claim, ClaimVerdict.FALSE, found)
    if built.features is not None and _has_block(built.features, asked):
        return CheckedClaim(claim, ClaimVerdict.TRUE, "a piece of the part")
    return _unknown(claim, f"the whole is {found}; the piece meant is not known")


def _extent(claim: Claim, built: Built, _: Sequence[Claim]) -> CheckedClaim:
    is_true = any(_is_close(extent, claim.sizes_mm[0]) for extent in built.measures.size_mm)
    return _verdict(claim, is_true, f"extents {built.measures.size_mm} mm")


def _holes(claim: Claim, built: Built, claims: Sequence[Claim]) -> CheckedClaim:
    if built.is_faceted and not built.knows_all("holes"):
        return _unknown(claim, "holes of a mesh were not recognised")
    diameter = claim.sizes_mm[0]
    counts = {_matching([hole.diameter_mm for hole in built.measures.holes], diameter)}
    if built.features is not None:
        counts.add(_matching([hole.diameter_mm for hole in built.features.holes], diameter))
    found = f"{' or '.join(map(str, sorted(counts)))} of {diameter:.4g} mm"
    if claim.count is None:
        return _verdict(claim, max(counts) > 0, found)
    alike = [c.count or 0 for c in claims if c.subject == claim.subject]
    return _verdict(claim, bool(counts & {claim.count, sum(alike)}), found)


def _fillet(claim: Claim, built: Built, _: Sequence[Claim]) -> CheckedClaim:
    if set(built.measures.faces_by_kind) == {"plane"}:
        return CheckedClaim(claim, ClaimVerdict.FALSE, "no curved face")
    radii: list[float] = []
    if built.features is not None:
        radii += [fillet.radius_mm for fillet in built.features.fillets]
        radii += [c.diameter_mm / 2 for c in built.features.cylinders if c.swept_deg < 359.0]
        radii += [torus.tube_diameter_mm / 2 for torus in built.features.tori]
    return _among(claim, radii, built.knows_all("fillets"), "radii")


def _chamfer(claim: Claim, built: Built, _: Sequence[Claim]) -> CheckedClaim:
    chamfers = built.features.chamfers if built.features is not None else ()
    sizes = [size for chamfer in chamfers for size in chamfer.sizes_mm]
    return _among(claim, sizes, built.knows_all("chamfers"), "setbacks")


def _wall(claim: Claim, built: Built, _: Sequence[Claim]) -> CheckedClaim:
    if built.features is None:
        return _unknown(claim, "no features were recognised")
    found = [wall.thickness_mm for wall in built.features.walls]
    found += [size for size in _tube_walls(built.features) if size > 0.0]
    if len(_slab_normals(built.features, claim.sizes_mm[0])):
        found.append(claim.sizes_mm[0])
    return _among(claim, found, built.knows_all("walls"), "thicknesses")


_CHECKS: Mapping[ClaimKind, Callable[[Claim, Built, Sequence[Claim]], CheckedClaim]] = {
    ClaimKind.SIZE: _size,
    ClaimKind.EXTENT: _extent,
    ClaimKind.HOLES: _holes,
    ClaimKind.FILLET: _fillet,
    ClaimKind.CHAMFER: _chamfer,
    ClaimKind.WALL: _wall,
}


def _is_small(features: Features) -> bool:
    """Whether faces can be compared pair by pair without end."""
    return max(len(features.planes), len(features.cylinders)) <= MAX_FACES


def _has_block(features: Features, sizes: Sequence[float]) -> bool:
    """Whether three pairs of faces, each across the others, stand at these distances."""
    first, second, third = (_slab_normals(features, size) for size in sizes)
    across = np.abs(first @ second.T) < ACROSS  # (n, m)
    shared = (np.abs(first @ third.T) < ACROSS).astype(int) @ (np.abs(third @ second.T) < ACROSS)
    return bool((across & (shared > 0)).any())


def _slab_normals(features: Features, size: float) -> FloatArray:
    """Return (n, 3) the directions in which faces stand ``size`` apart, material between."""
    if not features.planes or not _is_small(features):
        return np.zeros((0, 3))
    normals = np.array([plane.normal for plane in features.planes])
    offsets = np.array([plane.offset_mm for plane in features.planes])
    # outward normals: the offsets of the two faces of a slab add up to its thickness
    gaps = np.abs(offsets[:, None] + offsets[None, :] - size)
    pairs = (normals @ normals.T < OPPOSITE) & (gaps <= _tolerance(size))
    chosen: FloatArray = normals[pairs.any(axis=1)]
    return chosen


def _tube_walls(features: Features) -> list[float]:
    """Return the thickness between outer and inner cylinders on one axis."""
    if not _is_small(features):
        return []
    inner = [c for c in features.cylinders if c.is_inner]
    outer = [c for c in features.cylinders if not c.is_inner]
    return [
        (o.diameter_mm - i.diameter_mm) / 2
        for o, i in itertools.product(outer, inner)
        if _is_coaxial(o, i)
    ]


def _is_coaxial(first: CylinderFace, second: CylinderFace) -> bool:
    between = np.subtract(second.position_mm, first.position_mm)
    is_parallel = abs(float(np.dot(first.axis, second.axis))) > -OPPOSITE
    return is_parallel and float(np.linalg.norm(np.cross(first.axis, between))) <= TOLERANCE_MM


def _among(claim: Claim, found: Iterable[float], is_complete: bool, what: str) -> CheckedClaim:
    """Return true where the size is there, false only where the search was complete."""
    sizes = sorted(set(found))
    text = f"{what}: {', '.join(f'{size:.4g}' for size in sizes) or 'none'}"
    if _matching(sizes, claim.sizes_mm[0]):
        return CheckedClaim(claim, ClaimVerdict.TRUE, text)
    if is_complete:
        return CheckedClaim(claim, ClaimVerdict.FALSE, text)
    return _unknown(claim, "not all features were recognised")


def _matching(sizes: Iterable[float], asked: float) -> int:
    return sum(_is_close(size, asked) for size in sizes)


def _is_close(size: float, asked: float) -> bool:
    return math.isclose(size, asked, rel_tol=0.0, abs_tol=_tolerance(asked))


def _tolerance(size: float) -> float:
    return max(TOLERANCE_MM, TOLERANCE_SHARE * size)


def _verdict(claim: Claim, is_true: bool, found: str) -> CheckedClaim:
    return CheckedClaim(claim, ClaimVerdict.TRUE if is_true else ClaimVerdict.FALSE, found)


def _unknown(claim: Claim, reason: str) -> CheckedClaim:
    return CheckedClaim(claim, ClaimVerdict.COULD_NOT_CHECK, reason)


def _reading(name: str, checked: Sequence[CheckedClaim]) -> Reading:
    known = [one for one in checked if one.verdict is not ClaimVerdict.COULD_NOT_CHECK]
    if not known:
        note = f"{len(checked)} claims, none could be checked" if checked else "nothing was claimed"
        return Reading(name, None, None, "ratio", note)
    wrong = [one for one in known if one.verdict is ClaimVerdict.FALSE]
    share = 1.0 - len(wrong) / len(known)
    said = "; ".join(f"{one.claim.text!r} is false: {one.found}" for one in wrong)
    return Reading(name, share, share, "ratio", said or f"{len(known)} claims are true")
