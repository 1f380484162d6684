"""Find out everything about a part in one pass: validity, measures, triangles, edge lines."""

from __future__ import annotations

import math
from itertools import chain

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.explored import explored_anew
from cadwright.tools.geometry.inspect_mesh import inspect_mesh
from cadwright.tools.geometry.inspect_shape import inspect_explored
from cadwright.tools.geometry.kernel import KERNEL_ERRORS, reason
from cadwright.tools.geometry.part import Inspection, Measures, Part, Tessellation
from cadwright.tools.kept import Kept

# An observation, a score and a check of constraints ask for the same part one after another, and
# for the part that a task starts from in between.
KEPT_INSPECTIONS = 8
_kept: Kept[Inspection] = Kept(KEPT_INSPECTIONS)


def inspection_of(part: Part, *, tolerance: Tessellation | None = None) -> Inspection:
    """Return what ``inspect_part`` finds, from memory for the parts seen last.

    For jobs: the arrays are shared and must not be written to.
    """
    facets = facets_of(part, tolerance)
    key = (part.digest, part.name, part.notices, facets)
    return _kept.get(key, lambda: inspect_part(part, tolerance=facets))


def facets_of(part: Part, tolerance: Tessellation | None) -> Tessellation:
    """Return how fine a part is tessellated; one of triangles is as fine as it is."""
    return Tessellation() if tolerance is None or part.brep is None else tolerance


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
    if found.measures is not None and not _is_finite(found.measures):
        return _broken(part, "finite: a measure of the part is NaN or infinite")
    return found


def _look(part: Part, settings: Tessellation) -> Inspection:
    if part.brep is not None:
        return inspect_explored(part, explored_anew(part, part.brep), settings)
    if part.mesh is not None:
        return inspect_mesh(part, part.mesh)
    return _nothing(part, Outcome.EMPTY_GEOMETRY, f"{part.name}: no geometry given")


def _broken(part: Part, message: str) -> Inspection:
    return _nothing(part, Outcome.INVALID_GEOMETRY, message)


def _nothing(part: Part, outcome: Outcome, message: str) -> Inspection:
    return Inspection(outcome, message, None, None, None, part.notices)


def _is_finite(measures: Measures) -> bool:
    """Return whether every number that a kernel call produced is finite."""
    rows = (*measures.bbox_mm, measures.centre_mm, *(measures.inertia_mm5 or ()))
    numbers = [measures.volume_mm3 or 0.0, measures.area_mm2, *chain.from_iterable(rows)]
    for hole in measures.holes:
        numbers += [hole.diameter_mm, hole.depth_mm, *hole.position_mm, *hole.axis]
    return all(map(math.isfinite, numbers))
