"""How a task is told: in words, by pictures, by a drawing, buried in a long document.

A modality takes any draft and fills in what the policy reads and sees. Numbers that a picture
carries are left out of the words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from cadwright.envs.domains.compact_grid import CompactFamily
from cadwright.envs.domains.domain import Draft, Request, quantity
from cadwright.envs.domains.family import DIFFICULTIES, Annotation, Dimension, Family, number
from cadwright.envs.domains.sampling import tidy
from cadwright.envs.sources import ImageSource
from cadwright.tools.errors import UsageError

NUM_TOKENS = {1: 1_000, 2: 4_000, 3: 16_000, 4: 64_000, 5: 200_000}  # of a long specification
# A measured sheet shows the part in the middle of each view, wherever it stands.
ANYWHERE = {
    "protocol": "absolute",
    "alignment": "translate",
    "weights": {
        "validity": 0.05,
        "iou": 0.35,
        "surface": 0.1,
        "deviation": 0.35,
        "size": 0.075,
        "volume": 0.075,
    },
}
LAST_WITH_TABLE = 3  # difficulty
_REQUESTS = (
    "Model the part on the measured sheet. Its grid lines are 10 mm apart.",
    "The picture shows the wanted part at 1 px per mm. Model it.",
    "Model the part as in the picture.",
    "Build this in CAD.",
)
_SHEET = "the wanted part from the top, isometric, from the front and from the right"


@dataclass(frozen=True, slots=True)
class Told:
    """What a policy reads and sees, and what the judge must know of it.

    Attributes:
        brief: Words.
        images: Pictures.
        has_start: Whether the agent begins with the start geometry.
        scoring: Instead of the draft's, where the picture leaves something open.
        meta: Hidden notes.
    """

    brief: str
    images: tuple[ImageSource, ...] = ()
    has_start: bool = True
    scoring: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Telling:
    """What a modality works on."""

    family: Family
    draft: Draft
    rng: np.random.Generator
    request: Request


Tell = Callable[[Telling], Told]


def _words(telling: Telling) -> Told:
    return Told(telling.draft.told)


def _program(telling: Telling) -> Told:
    """Add the code; its lines are no secret, even where the answer has them too."""
    draft = telling.draft
    brief = f"{draft.told}\n\n```python\n{draft.program.rstrip()}\n```"
    return Told(brief, meta={"given": draft.program})


def _views(telling: Telling) -> Told:
    """Show four views and say about half of the numbers; the rest is measured off the picture."""
    draft = telling.draft
    images = (ImageSource(view="sheet", caption=_SHEET),)
    if draft.answer is not None:
        return Told(draft.shown, images, has_start=False)
    dimensions = telling.family.used(draft.design)
    said = _some(dimensions, telling.rng, max(1, (len(dimensions) + 1) // 2))
    known = _listed(telling, said)
    rest = " Take every other size from the picture." if len(said) < len(dimensions) else ""
    placed = _placed(telling)
    brief = f"{draft.shown} It looks as in the picture. {placed} Known sizes: {known}.{rest}"
    return Told(brief, images)


def _partial(telling: Telling) -> Told:
    """Show four views and say all numbers but one or two, which the picture gives to scale."""
    draft, dimensions = telling.draft, telling.family.used(telling.draft.design)
    num_hidden = min(len(dimensions) - 1, 1 if telling.request.difficulty < 4 else 2)
    inside = [d for d in dimensions if not _is_extent(telling, d)] or list(dimensions)
    gone = _some(tuple(inside), telling.rng, num_hidden)
    said = tuple(d for d in dimensions if d not in gone)
    hidden = [d.label for d in dimensions if d not in said]
    placed, sizes = _placed(telling), _listed(telling, said)
    brief = f"{draft.shown} Its form is that of the picture. {placed} Sizes: {sizes}."
    if hidden:
        brief += f" Measure in the picture: {', '.join(hidden)}."
    return Told(brief, (ImageSource(view="sheet", caption=_SHEET),))


def _measured(telling: Telling) -> Told:
    """Show the measured sheet, whose pixels are millimetres; easy ones have a table of numbers."""
    draft, dimensions = telling.draft, telling.family.used(telling.draft.design)
    brief = _REQUESTS[int(telling.rng.integers(len(_REQUESTS)))]
    has_table = telling.request.difficulty <= LAST_WITH_TABLE
    table = [int(draft.design[d.name]) for d in dimensions] if has_table else []
    images = (ImageSource(view="measured", caption="measured sheet, grid lines 10 mm apart"),)
    return Told(brief, images, scoring=ANYWHERE, meta={"table": table})


def _long(telling: Telling) -> Told:
    """Bury the specification in a long document."""
    from cadwright.envs.domains.documents import bury

    request = telling.request
    num_tokens = request.num_tokens or NUM_TOKENS[request.difficulty]
    depth = float(telling.rng.random()) if request.depth is None else request.depth
    text = bury(telling.draft.facts, telling.rng, num_tokens=num_tokens, depth=depth)
    meta = {"num_tokens": num_tokens, "depth": round(depth, 4)}
    return Told(text, meta=meta)


def _drawing(telling: Telling) -> Told:
    """Show a dimensioned drawing; the task keeps what it says, so that it can be drawn at reset."""
    family, draft = telling.family, telling.draft
    if family.annotate is None:
        raise UsageError(f"family {family.name} has no drawings")
    projection = ("first", "third")[int(telling.rng.integers(2))]
    notes = {
        "title": family.title,
        "projection": projection,
        "annotations": [_written(mark, draft) for mark in family.annotate(draft.design)],
    }
    caption = f"drawing of the part, {projection} angle projection, lengths in mm"
    images = (ImageSource(view="drawing", caption=caption),)
    is_edit = draft.answer is None
    return Told(f"{draft.shown}{_DRAWN}", images, has_start=is_edit, meta={"drawing": notes})


_DRAWN = " Every size is in the drawing; the origin lies where its axes are marked."


def _written(mark: Annotation, draft: Draft) -> dict[str, Any]:
    record = asdict(mark)
    record["points"] = [list(point) for point in mark.points]
    record["value"] = draft.design[mark.name] if mark.name else None
    if mark.times == 1:
        del record["times"]
    elif mark.name:
        record["value"] = tidy(mark.times * draft.design[mark.name])
    values = draft.design.values
    record["others"] = {name: values[name] for name in values if "{" + name + "}" in mark.text}
    return record


def _placed(telling: Telling) -> str:
    """Say where the part lies: a picture does not show the origin."""
    for record in telling.family.constraints(telling.draft.design):
        if record["kind"] == "bounding_box" and record.get("centre") is not None:
            sides = zip("XYZ", record["size"], record["centre"], strict=True)
            spans = ", ".join(f"{axis} {_span(size, middle)}" for axis, size, middle in sides)
            return f"It lies in the box {spans}."
    return ""


def _is_extent(telling: Telling, dimension: Dimension) -> bool:
    """Whether the box that the part lies in tells a dimension already."""
    value, design = telling.draft.design[dimension.name], telling.draft.design
    boxes = (c for c in telling.family.constraints(design) if c["kind"] == "bounding_box")
    sizes = [float(size) for box in boxes for size in box["size"]]
    return any(math.isclose(factor * value, size) for size in sizes for factor in (1, 2))


def _span(size: float, middle: float) -> str:
    low, high = (number(round(middle + half, 3)) for half in (-size / 2, size / 2))
    return f"{low} to {high}"


def _some(
    dimensions: tuple[Dimension, ...], rng: np.random.Generator, count: int
) -> tuple[Dimension, ...]:
    chosen = set(rng.permutation(len(dimensions))[:count].tolist())
    return tuple(d for index, d in enumerate(dimensions) if index in chosen)


def _listed(telling: Telling, dimensions: tuple[Dimension, ...]) -> str:
    return ", ".join(quantity(d, telling.draft.design[d.name]) for d in dimensions)


MODALITIES: Mapping[str, Tell] = {
    "text": _words,
    "start": _words,
    "program": _program,
    "views": _views,
    "partial": _partial,
    "measured": _measured,
    "drawing": _drawing,
    "long": _long,
}


def finest_for(modality: str) -> int:
    """Return the difficulty beyond which numbers get no finer: a sheet shows whole mm."""
    return LAST_WITH_TABLE if modality == "measured" else DIFFICULTIES[-1]


def is_tellable(family: Family, modality: str) -> bool:
    """Return whether a family can be told that way, with what is installed here."""
    from importlib.util import find_spec

    if modality == "measured":
        return isinstance(family, CompactFamily)
    if modality == "drawing":
        return family.annotate is not None and find_spec("cadwright.tools.drawing") is not None
    if modality == "long":
        return find_spec("cadwright.envs.domains.documents") is not None
    return modality in MODALITIES
