"""Inspect: a number is asked of a part and handed in with the tool ``answer``.

The number follows from the design: from its dimensions, or from the volume, box and holes that
its family says it has. Lint measures the part and holds the two against each other.

The harder, the more has to be found first: 1 the size of the whole, 2 a size or the number of its
features, 3 a volume or the ratio of two sizes, 4 a mass or the distance between axes, 5 the share
of the bounding box that the part fills.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np

from cadwright.envs.domains.compact_volumes import VOLUME
from cadwright.envs.domains.domain import Case, Draft, Operation, program_of
from cadwright.envs.domains.family import Design, Dimension, Family, number
from cadwright.envs.domains.naming import MEASURES, feature_name, overall_name
from cadwright.envs.domains.sizing import size_of
from cadwright.tools.errors import UsageError

EXACT, MEASURED, LOOKED = 0.0, 0.005, 0.05  # shares of the right number: counts, tools, pictures
MOST_DRAWS = 20
DENSITY_G_CM3 = {"aluminium": 2.7, "brass": 8.5, "steel": 7.85, "PLA": 1.24}
_AXES = "XYZ"


@dataclass(frozen=True, slots=True)
class Question:
    """A number to be found.

    Attributes:
        kind: ``extent``, ``dimension``, ``holes``, ``volume``, ``ratio``, ``mass``, ``distance``
            or ``share``.
        text: The question.
        value: The answer.
        unit: Of the answer; empty for a count.
        hardness: 1 to 5.
        is_exact: Only the number itself is right.
    """

    kind: str
    text: str
    value: float
    unit: str
    hardness: int
    is_exact: bool = False


Ask = Callable[[Family, Design, np.random.Generator], Iterator[Question]]


def questions(family: Family, design: Design, rng: np.random.Generator) -> list[Question]:
    """Return what can be asked of a design."""
    return [question for ask in _ASK for question in ask(family, design, rng)]


def _extent(family: Family, design: Design, rng: np.random.Generator) -> Iterator[Question]:
    for record in _of_kind(family, design, "bounding_box"):
        axis = int(rng.integers(3))
        text = f"How far does the part extend along {_AXES[axis]}, in mm?"
        yield Question("extent", text, float(record["size"][axis]), "mm", 1)


def _overall(family: Family, design: Design, rng: np.random.Generator) -> Iterator[Question]:
    named = [(overall_name(family, design, d), d) for d in family.used(design)]
    yield from _sized(family, design, rng, named, "extent", 1)


def _dimension(family: Family, design: Design, rng: np.random.Generator) -> Iterator[Question]:
    named = [(feature_name(d), d) for d in family.used(design) if d.unit == "mm"]
    yield from _sized(family, design, rng, named, "dimension", 2)


def _sized(
    family: Family,
    design: Design,
    rng: np.random.Generator,
    named: list[tuple[str | None, Dimension]],
    kind: str,
    hardness: int,
) -> Iterator[Question]:
    """Ask for one of the sizes that have a name of their own."""
    known = [(name, dimension) for name, dimension in named if name is not None]
    for index in rng.permutation(len(known))[:1]:
        name, dimension = known[int(index)]
        text = f"What is the {name} of the {family.title}, in mm?"
        yield Question(kind, text, float(design[dimension.name]), "mm", hardness)


def _holes(family: Family, design: Design, rng: np.random.Generator) -> Iterator[Question]:
    counts: dict[float, int] = {}
    for record in _hole_records(family, design):
        counts[record["diameter"]] = counts.get(record["diameter"], 0) + _count(record)
    several = sorted(diameter for diameter, count in counts.items() if count > 1)
    for index in rng.permutation(len(several))[:1]:
        diameter = several[int(index)]
        text = f"How many holes of diameter {number(diameter)} mm does the part have?"
        yield Question("holes", text, float(counts[diameter]), "", 2, is_exact=True)


def _volume(family: Family, design: Design, rng: np.random.Generator) -> Iterator[Question]:
    for volume in _volumes(family, design):
        text = "What is the volume of the part, in mm³?"
        yield Question("volume", text, volume, "mm3", 3)


def _ratio(family: Family, design: Design, rng: np.random.Generator) -> Iterator[Question]:
    """Ask how two sizes are to each other, two widths rather than a width and a depth."""
    used = [d for d in family.used(design) if d.unit == "mm"]
    parts = [(name, float(design[d.name])) for d in used if (name := feature_name(d))]
    whole = [
        (name, float(design[d.name])) for d in used if (name := overall_name(family, design, d))
    ]
    pairs = [
        (small, large)
        for small, large in permutations([*whole, *parts], 2)
        if small[1] < large[1] and not (small in whole and large in whole)
    ]
    alike = [pair for pair in pairs if _measure(pair[0][0]) == _measure(pair[1][0])] or pairs
    for index in rng.permutation(len(alike))[:1]:
        (first, small), (second, large) = alike[int(index)]
        text = f"The {first} of the {family.title} is how many percent of its {second}?"
        yield Question("ratio", text, 100 * small / large, "%", 3)


def _mass(family: Family, design: Design, rng: np.random.Generator) -> Iterator[Question]:
    for volume in _volumes(family, design):
        material = sorted(DENSITY_G_CM3)[int(rng.integers(len(DENSITY_G_CM3)))]
        density = DENSITY_G_CM3[material]
        text = f"What does the part weigh in {material} of {density} g/cm³, in grams?"
        yield Question("mass", text, volume / 1000 * density, "g", 4)


def _distance(family: Family, design: Design, rng: np.random.Generator) -> Iterator[Question]:
    for record in _of_kind(family, design, "hole"):
        places = record.get("at") or []
        if len(places) < 2 or not isinstance(places[0], list | tuple):
            continue
        far = max(math.dist(_flat(a), _flat(b)) for a, b in combinations(places, 2))
        text = (
            f"Take the holes of diameter {number(record['diameter'])} mm. What is the greatest "
            "distance between the axes of two of them, in mm?"
        )
        yield Question("distance", text, far, "mm", 4)
        return


def _share(family: Family, design: Design, rng: np.random.Generator) -> Iterator[Question]:
    boxes = _of_kind(family, design, "bounding_box")
    for box, volume in zip(boxes, _volumes(family, design), strict=False):
        text = "How much of its bounding box does the part fill, in percent?"
        share = 100 * volume / math.prod(box["size"])
        yield Question("share", text, share, "%", 5)


_ASK: tuple[Ask, ...] = (
    _extent,
    _overall,
    _dimension,
    _holes,
    _volume,
    _ratio,
    _mass,
    _distance,
    _share,
)
# What can be read off a picture without a number in it, given the size of the whole.
_VISIBLE = ("holes", "dimension", "ratio", "distance")


def _make(case: Case) -> Draft:
    family = case.family
    for _ in range(MOST_DRAWS):
        design = case.members.draw()
        asked = questions(family, design, case.rng)
        if case.modality == "views":
            asked = [question for question in asked if _is_visible(question)]
        if asked:
            break
    else:
        raise UsageError(f"family {family.name}: nothing can be asked of its members")
    return _draft(case, design, _pick(asked, case))


def _is_visible(question: Question) -> bool:
    """Whether four views from outside show it: how deep something goes they do not."""
    return question.kind in _VISIBLE and "depth" not in question.text


def _pick(asked: list[Question], case: Case) -> Question:
    """Return a question as hard as the task should be, or one of the nearest to it."""
    nearest = min(abs(q.hardness - case.difficulty) for q in asked)
    fitting = [q for q in asked if abs(q.hardness - case.difficulty) == nearest]
    return fitting[int(case.rng.integers(len(fitting)))]


def _draft(case: Case, design: Design, question: Question) -> Draft:
    family = case.family
    tolerance = LOOKED if case.modality == "views" else MEASURED
    answer = {
        "value": round(question.value, 6),
        "unit": question.unit,
        "about": question.kind,
        "tolerance": EXACT if question.is_exact else tolerance,
    }
    within = "" if question.is_exact else f" An answer within {100 * tolerance:g} % is right."
    asked = f"{question.text}{within} Hand the number in with the tool `answer`."
    gold = {"calls": [{"name": "answer", "arguments": {"value": answer["value"]}}]}
    return Draft(
        design,
        told=f"Given is a part: {family.title}. {asked}",
        shown=f"The picture shows a part: {family.title}.{_scale(case, design)} {asked}",
        reference=program_of(family, design),
        start=program_of(family, design),
        answer=answer,
        gold=gold,
        features=size_of(family, design) + 3 * question.hardness,
        meta={"hardness": question.hardness},
    )


def _scale(case: Case, design: Design) -> str:
    """Say how large the whole is, where the picture has no numbers."""
    boxes = list(_of_kind(case.family, design, "bounding_box"))
    if case.modality != "views" or not boxes:
        return ""
    size = " x ".join(number(round(float(extent), 2)) for extent in boxes[0]["size"])
    return f" Its bounding box measures {size} mm along X, Y and Z."


def _measure(name: str) -> str:
    return next(word for word in name.split() if word in MEASURES)


def _volumes(family: Family, design: Design) -> Iterator[float]:
    """Yield the volume where it is known: from the constraints, or by a formula."""
    if family.name in VOLUME:
        yield VOLUME[family.name](design)
    yield from (float(record["value"]) for record in _of_kind(family, design, "volume"))


def _of_kind(family: Family, design: Design, kind: str) -> Iterator[Mapping[str, Any]]:
    return (record for record in family.constraints(design) if record["kind"] == kind)


def _hole_records(family: Family, design: Design) -> Iterator[Mapping[str, Any]]:
    kinds = ("hole", "hole_circle", "hole_line")
    return (c for c in family.constraints(design) if c["kind"] in kinds and "diameter" in c)


def _count(record: Mapping[str, Any]) -> int:
    if "count" in record:
        return int(record["count"])
    places = record.get("at") or [None]
    return len(places) if isinstance(places[0], list | tuple) else 1


def _flat(place: list[float | None]) -> tuple[float, ...]:
    return tuple(coordinate or 0.0 for coordinate in place)


INSPECT = Operation("inspect", _make, ("start", "views", "drawing"), version=2)
