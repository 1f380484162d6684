"""What a task asks of the judge: a protocol by name, or that protocol with fields changed.

Presets:

* ``absolute`` (also called ``default``): millimetres where the part stands; nothing is forgiven.
  Validity, IoU, surface distance both ways, largest deviation, size and volume, each with
  partial credit.
* ``cadprompt``: shape only. Bounding boxes centred, largest extents made equal, as in the
  unit-cube protocol of cadrille; IoU with its target at 0.99, because the expert's own program
  passes that on 170 of the 198 parts with a usable truth. Squared chamfer x 1000 is reported
  beside its noise floor without weight: on this data a perfect copy measures about 0.13. Absolute
  size is reported too: a part a thousand times too small is perfect by this protocol.
* ``constraints``: what the task's typed constraints say, a small share for a valid solid; needs
  no reference. Bodies that repeat others and surfaces that face inwards are held against a part
  where the part that the task starts from has none.
* ``cadqueryeval``: pass or fail in mm, all six checks of that benchmark at its thresholds:
  watertight, surfaces connected as in the reference, box 1 mm, volume 2 %, chamfer 1 mm, 95th
  percentile Hausdorff 1 mm, on 50,000 points after rigid alignment. The original aligns by
  RANSAC and may take a worse pose; here the search is deterministic. Its chamfer carries the
  sampling noise, up to 0.5 mm on its largest part.

The scores that others publish (``cadrille``, ``cadgenbench``, ...) have names too: see
`cadwright.rewards.protocols.presets`.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, TypeVar

from cadwright.rewards.alignment import Alignment
from cadwright.rewards.gates import GATES, SIZE_GATES
from cadwright.rewards.hygiene import finite_number
from cadwright.rewards.protocols.names import PUBLISHED_TERMS
from cadwright.tools.errors import UsageError

TERMS: Mapping[str, str] = {
    "validity": "the part is a valid solid; an invalid one keeps a share of this term only",
    "iou": "intersection over union of the volumes",
    "surface": "mean distance between the surfaces, points to triangles, both ways",
    "deviation": "largest distance between the surfaces",
    "size": "extents in mm, the product over the axes of smaller over larger",
    "proportions": "the same for extents divided by the largest one: shape without scale",
    "volume": "volume in mm3, smaller over larger",
    "volume_error": "difference of the volumes over that of the reference",
    "box_error_mm": "largest difference between the sorted extents",
    "watertight": "the surface is closed and simple",
    "shells": "number of connected closed surfaces, cavities included",
    "f1": "share of the surfaces within the tolerance of each other",
    "normals": "mean cosine between the normals of nearest points, both ways",
    "edges": "share of the sharp edges within the tolerance of each other",
    "silhouette": "mean IoU of the outlines along the three axes",
    "topology": "pieces, tunnels and cavities (b0, b1, b2); each difference halves the credit",
    "chamfer_l2_mm": "mean distance between samples, both ways halved, not squared",
    "chamfer_sq_unit_x1000": "squared, both ways summed, unit cube of the reference, times 1000",
    "hausdorff95_mm": "95th percentile of the distances between samples, both ways pooled",
    "constraints": "weighted mean credit of the task's constraints that could be checked",
    **PUBLISHED_TERMS,
}
# Terms that judge a part by itself.
FREE_TERMS = frozenset({"validity", "constraints"})
# Terms that look at the size of a part alone: an alignment that forgives it drops them.
SIZE_TERMS = frozenset({"size", "volume", "volume_error", "box_error_mm"})
# Terms that look at what the part was made from.
START_TERMS = frozenset({"shape_over_start"})

T = TypeVar("T", bound=StrEnum)

MAX_POINTS = 200_000
SHORTEST_HALF = 1e-9  # a half-credit distance of 0 would divide by it
MAX_WEIGHT = 1e6
# Terms that measure an error: credit is undefined until the scoring says what is tolerated.
_ERROR_TERMS = frozenset(
    {"surface", "deviation", "volume_error", "box_error_mm", "hausdorff95_mm"}
    | {"chamfer_l2_mm", "chamfer_sq_unit_x1000"}
)


class Combine(StrEnum):
    """How the credits become one value.

    ``mean`` is the weighted mean; ``all`` is 1 when every weighted term has full credit, else 0.
    """

    MEAN = "mean"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How a part is scored against its reference.

    Attributes:
        protocol: Name of the preset that this started from.
        version: Version of that preset.
        alignment: What is forgiven.
        combine: How terms become one value.
        weights: Terms to measure, by name; 0 measures and reports without counting. Those that
            look at size alone do not apply, and have no credit, where the alignment forgives it.
        gates: Factors on the combined value, by the names in ``rewards.gates.GATES``.
        is_relative: In a task that starts from a part, what counts is what was gained over it:
            ``max(0, (s - b) / (1 - b))`` with the score ``b`` of the unedited input.
        iou_target: IoU that earns full credit: two tessellations of one shape differ a little.
        tolerances: By term: error that still earns full credit. ``<term>_half``: further error
            that halves the credit; without it the term passes or fails. Ratios are shares of 1,
            ``surface``, ``deviation``, ``f1`` and ``edges`` shares of the reference's diagonal,
            names that end in a unit are in that unit.
        num_points: Random surface points per shape. Distances to triangles are measured at as
            many even points, but no more than `cadwright.rewards.surface.MAX_EVEN`.
        seed: Seed of the samples.
        facet_deg: Angle that exact geometry is tessellated with; None matches the facets of a mesh
            reference, so that those of a perfect part coincide with them.
    """

    protocol: str = "absolute"
    version: int = 1
    alignment: Alignment = Alignment.NONE
    combine: Combine = Combine.MEAN
    weights: Mapping[str, float] = field(default_factory=dict)
    gates: Mapping[str, float] = field(default_factory=dict)
    is_relative: bool = False
    iou_target: float = 1.0
    tolerances: Mapping[str, float] = field(default_factory=dict)
    num_points: int = 2048
    seed: int = 0
    facet_deg: float | None = None

    def __post_init__(self) -> None:
        """Refuse a scoring that cannot be carried out."""
        _check_weights(self.weights)
        for name, value in self.gates.items():
            _check_name("gates", name, GATES)
            _check_range(f"gates.{name}", value, SHORTEST_HALF, 1.0)
        if not isinstance(self.is_relative, bool):
            raise UsageError(f"scoring field 'is_relative' is {self.is_relative!r}: true or false")
        _check_range("iou_target", self.iou_target, 0.01, 1.0)
        if self.facet_deg is not None:
            _check_range("facet_deg", self.facet_deg, 1.0, 45.0)
        _check_whole("num_points", self.num_points, 16, MAX_POINTS)
        _check_whole("seed", self.seed, 0, 2**63 - 1)
        _check_whole("version", self.version, 1, 1000)
        for name, value in self.tolerances.items():
            _check_name("tolerances", name.removesuffix("_half"), TERMS)
            least = SHORTEST_HALF if name.endswith("_half") else 0.0
            _check_range(f"tolerances.{name}", value, least, 1e9)
        counted = {name for name, weight in self.weights.items() if weight > 0} - {"validity"}
        if counted and counted <= self.dropped:
            raise UsageError(
                f"scoring field 'weights' counts size alone, which alignment '{self.alignment}' "
                "forgives: weigh iou or surface too, or align by 'translate' or 'rigid'"
            )
        for name in sorted(_ERROR_TERMS & set(self.weights)):
            if self.weights[name] > 0 and not {name, f"{name}_half"} & set(self.tolerances):
                raise UsageError(f"scoring field 'tolerances' lacks {name!r}, which has a weight")

    @property
    def dropped(self) -> frozenset[str]:
        """Terms and gates that do not apply, because the alignment forgives what they look at."""
        return SIZE_TERMS | SIZE_GATES if self.alignment.forgives_size else frozenset()

    @property
    def needs_reference(self) -> bool:
        """Whether a weighted term compares the part with a reference."""
        return any(weight > 0 and name not in FREE_TERMS for name, weight in self.weights.items())

    @property
    def needs_start(self) -> bool:
        """Whether a term compares with what the part was made from."""
        return bool(START_TERMS & set(self.weights))

    @classmethod
    def preset(cls, name: str) -> Scoring:
        """Return a preset.

        Raises:
            UsageError: No preset has this name.
        """
        known = scorings()
        _check_name("protocol", name, known)
        return known[name]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | str) -> Scoring:
        """Return the preset named by ``protocol`` with the other fields changed.

        ``weights`` and ``gates`` replace the preset's as a whole; ``tolerances`` adds to them.
        A plain string is the name of a preset.

        Raises:
            UsageError: A field is unknown or its value is not allowed; the message names it.
        """
        if isinstance(data, str):
            return cls.preset(data)
        names = [entry.name for entry in fields(cls)]
        for name in data:
            _check_name("field", name, names)
        base = cls.preset(_text("protocol", data.get("protocol", "absolute")))
        changes = {name: value for name, value in data.items() if name != "protocol"}
        for name, kind in (("alignment", Alignment), ("combine", Combine)):
            if name in changes:
                changes[name] = _choice(name, changes[name], kind)
        for name in ("weights", "tolerances", "gates"):
            if name in changes:
                changes[name] = _mapping(name, changes[name])
        if "tolerances" in changes:
            changes["tolerances"] = {**base.tolerances, **changes["tolerances"]}
        return replace(base, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return every field as JSON-able values; ``from_dict`` reads it back unchanged."""
        values: dict[str, Any] = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return values | {
            "alignment": self.alignment.value,
            "combine": self.combine.value,
            "weights": dict(self.weights),
            "gates": dict(self.gates),
            "tolerances": dict(self.tolerances),
        }


def scorings() -> Mapping[str, Scoring]:
    """Return every scoring with a name: the presets of this module and published protocols."""
    from cadwright.rewards.protocols.presets import PUBLISHED  # they are made of this record

    return {**PRESETS, **PUBLISHED}


def _check_weights(weights: Mapping[str, float]) -> None:
    for name, weight in weights.items():
        _check_name("weights", name, TERMS)
        _check_range(f"weights.{name}", weight, 0.0, MAX_WEIGHT)
    if weights and sum(weights.values()) <= 0:
        raise UsageError("scoring field 'weights': at least one weight must be above 0")


def _check_name(where: str, name: object, known: Mapping[str, Any] | list[str]) -> None:
    if name in known:
        return
    close = difflib.get_close_matches(str(name), list(known), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"scoring {where}: unknown name {name!r}{hint} (known: {', '.join(known)})")


def _check_range(name: str, value: object, low: float, high: float) -> None:
    number = finite_number(f"scoring field {name!r}", value)
    if not low <= number <= high:
        raise UsageError(f"scoring field {name!r} is {number:g}: allowed are {low:g} to {high:g}")


def _check_whole(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"scoring field {name!r} is {value!r}: give a whole number")
    _check_range(name, value, low, high)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise UsageError(f"scoring field {name!r} is {value!r}: give a name")
    return value


def _choice(name: str, value: object, kind: type[T]) -> T:
    try:
        return kind(str(value))
    except ValueError as err:
        allowed = ", ".join(kind)
        raise UsageError(f"scoring field {name!r} is {value!r}: allowed are {allowed}") from err


def _mapping(name: str, value: object) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise UsageError(f"scoring field {name!r} is {value!r}: give numbers by name")
    return dict(value)


# A stray body leaves less than the share for validity: adding one never gains anything.
BODY_GATES: Mapping[str, float] = {
    "stray_bodies": 0.05,
    "pieces": 0.7,
    "redundant_bodies": 0.05,
    "inside_out": 0.05,
    "cavities": 0.3,
    "overlap": 0.01,
}
_PART_GATES = {**BODY_GATES, "material": 0.6}

_ABSOLUTE = Scoring(
    version=4,
    is_relative=True,
    num_points=1024,
    weights={
        "validity": 0.10,
        "iou": 0.40,
        "surface": 0.15,
        "deviation": 0.15,
        "size": 0.10,
        "volume": 0.10,
    },
    gates={**_PART_GATES, "extents": 0.8},
    iou_target=0.995,
    tolerances={
        "size": 0.003,
        "volume": 0.005,
        "surface": 0.0005,
        "surface_half": 0.01,
        "deviation": 0.002,
        "deviation_half": 0.02,
    },
)

PRESETS: Mapping[str, Scoring] = {
    "default": _ABSOLUTE,
    "absolute": _ABSOLUTE,
    "cadprompt": Scoring(
        protocol="cadprompt",
        version=4,
        alignment=Alignment.TRANSLATE_SCALE,
        weights={
            "validity": 0.10,
            "iou": 0.60,
            "surface": 0.15,
            "proportions": 0.15,
            "size": 0.0,
            "chamfer_sq_unit_x1000": 0.0,
        },
        gates=_PART_GATES,
        iou_target=0.99,
        tolerances={
            "size": 0.01,
            "proportions": 0.01,
            "surface": 0.002,
            "surface_half": 0.01,
        },
        num_points=8192,
    ),
    "constraints": Scoring(
        protocol="constraints",
        version=4,
        is_relative=True,
        weights={"validity": 0.1, "constraints": 0.9},
        gates={"redundant_bodies": 0.05, "inside_out": 0.05},
    ),
    "cadqueryeval": Scoring(
        protocol="cadqueryeval",
        alignment=Alignment.RIGID,
        combine=Combine.ALL,
        weights={
            "watertight": 1.0,
            "shells": 1.0,
            "box_error_mm": 1.0,
            "volume_error": 1.0,
            "chamfer_l2_mm": 1.0,
            "hausdorff95_mm": 1.0,
            "iou": 0.0,
        },
        tolerances={
            "box_error_mm": 1.0,
            "volume_error": 0.02,
            "chamfer_l2_mm": 1.0,
            "hausdorff95_mm": 1.0,
        },
        num_points=50_000,
    ),
}
