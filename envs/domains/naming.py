"""How a question names a dimension, so that it fits nothing else of the part.

On a drawing an arrow says what a number belongs to. A question has words alone: "the length" of a
plate with a slot could be either's, so the size of a whole is called overall, that of a feature
has the name of the feature, and what even that leaves open is not asked.
"""

from __future__ import annotations

import math

from cadwright.envs.domains.family import Design, Dimension, Family

MEASURES = ("diameter", "radius", "length", "width", "height", "thickness", "depth")
_FULL = {  # what a drawing shortens
    "bolt": "bolt hole",
    "cotter": "cotter hole",
    "dowel": "dowel hole",
    "drain": "drain hole",
    "drill": "drilled hole",
    "key": "keyway",
    "mount": "mounting hole",
    "oil": "oil hole",
    "screw": "screw hole",
    "set screw": "set screw hole",
    "sink": "countersink",
    "tap": "tapped hole",
}
# Heights of axes, lengths with or without what they begin at, widths outside or inside.
_UNCLEAR = (
    "base length",
    "bend radius",
    "big diameter",
    "bore height",
    "corner diameter",
    "floor width",
    "hole height",
    "hub length",
    "key height",
    "lower length",
    "oil height",
    "pin height",
    "pitch height",
    "small diameter",
    "small height",
    "tap height",
    "top width",
    "upper length",
)


def overall_name(family: Family, design: Design, dimension: Dimension) -> str | None:
    """Return what a question calls a size of the whole part, None where it is none.

    Such a size has no name but its measure, and the bounding box has it as well.
    """
    if dimension.label not in MEASURES:
        return None
    value = float(design[dimension.name])
    spans = (value, 2 * value) if dimension.label == "radius" else (value,)
    if not any(math.isclose(span, extent) for span in spans for extent in _extents(family, design)):
        return None
    return f"{'outer' if dimension.label == 'radius' else 'overall'} {dimension.label}"


def feature_name(dimension: Dimension) -> str | None:
    """Return what a question calls a size of a feature, None where its words leave it open."""
    words = dimension.label.split()
    if len(words) < 2 or dimension.label in _UNCLEAR or not set(words) & set(MEASURES):
        return None
    first = " ".join(words[:-1])
    return f"{_FULL.get(first, first)} {words[-1]}"


def _extents(family: Family, design: Design) -> list[float]:
    boxes = (c for c in family.constraints(design) if c["kind"] == "bounding_box")
    return [float(size) for box in boxes for size in box["size"]]
