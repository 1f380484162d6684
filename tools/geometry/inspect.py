"""Find out everything about a part in one pass: validity, measures, triangles, edge lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple
from typing import Any

import numpy as np

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.inspect_mesh import inspect_mesh
from cadwright.tools.geometry.inspect_shape import inspect_shape
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, reason, shape_of
from cadwright.tools.geometry.part import Inspection, Part, Tessellation


def inspect_part(part: Part, *, tolerance: Tessellation | None = None) -> Inspection:
    """Measure a part and judge whether it is a valid solid.

    Never raises for the geometry itself: a broken part comes back with the outcome, the layer
    that failed, and whatever could still be measured and drawn.

    Args:
        part: Exact geometry or triangles; exact geometry wins where it has both.
        tolerance: How fine to tessellate; None is the default.

    Returns:
        An inspection without a NaN or infinity anywhere in it.
    """
    try:
        found = _look(part, tolerance or Tessellation())
    except GeometryError as err:
        return _nothing(part, err.outcome, str(err))
    except KERNEL_ERRORS as err:
        return _broken(part, f"kernel: the part cannot be measured ({reason(err)})")
    if found.measures is not None and not _is_finite(astuple(found.measures)):
        return _broken(part, "finite: a measure of the part is NaN or infinite")
    return found


def _look(part: Part, settings: Tessellation) -> Inspection:
    if part.brep is not None:
        return inspect_shape(part, shape_of(part.brep, name=part.name), settings)
    if part.mesh is not None:
        return inspect_mesh(part, part.mesh)
    return _nothing(part, Outcome.EMPTY_GEOMETRY, f"{part.name}: no geometry given")


def _broken(part: Part, message: str) -> Inspection:
    return _nothing(part, Outcome.INVALID_GEOMETRY, message)


def _nothing(part: Part, outcome: Outcome, message: str) -> Inspection:
    return Inspection(outcome, message, None, None, None, part.notices)


def _is_finite(values: Iterable[Any]) -> bool:
    """Return whether every number in nested tuples is finite."""
    return all(
        _is_finite(value) if isinstance(value, tuple) else bool(np.isfinite(value))
        for value in values
        if isinstance(value, tuple | float)
    )
