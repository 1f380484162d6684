"""Check what an assembly's solver leaves unsaid: mates that do not hold, parts that overlap."""

from __future__ import annotations

import itertools
import math
from typing import Any

from cadwright.tools.geometry.part import Notice

# The solver stops at 1e-12 or better of squared, scaled residuals: a mate off by more than this
# is one it gave up on.
RESIDUAL_TOLERANCE = 1e-4
OVERLAP_TOLERANCE = 1e-4  # share of the smaller part: less is the kernel's rounding
MAX_PAIRS = 200  # an exact boolean takes milliseconds, so a large assembly is checked in part


def notices(assembly: Any) -> list[Notice]:
    """Return ``constraints_not_met`` and ``interference`` notices of a CadQuery assembly."""
    return [*_unmet(assembly), *_overlaps(assembly)]


def _unmet(assembly: Any) -> list[Notice]:
    if not assembly.constraints:
        return []
    scale = assembly.toCompound().BoundingBox().DiagonalLength or 1.0
    unmet = []
    for constraint in assembly.constraints:
        residual = _residual(assembly, constraint, scale)
        if residual > RESIDUAL_TOLERANCE:
            between = " and ".join(constraint.objects)
            unmet.append(f"{constraint.kind} between {between} is off by {residual:.3g}")
    if not unmet:
        return []
    message = (
        f"{len(unmet)} of {len(assembly.constraints)} constraints are not met: "
        f"{'; '.join(unmet[:4])}. They contradict each other, or solve() was not called"
    )
    return [Notice("constraints_not_met", message)]


def _residual(assembly: Any, constraint: Any, scale: float) -> float:
    """Root of the solver's own cost where the parts are now (lengths relative to ``scale``)."""
    import casadi
    from cadquery.occ_impl.solver import ConstraintSolver, costs, scaling

    starts: list[Any] = []
    moves: list[Any] = []
    for name in constraint.objects:
        position, rotation = ConstraintSolver._locToDOF6(assembly.objects[name].loc)
        starts += [casadi.DM(position), casadi.DM(rotation)]
        moves += [casadi.DM.zeros(3), casadi.DM.zeros(3)]
    total = 0.0
    for markers, kind, parameter in constraint.toPODs():
        unit = scale if scaling[kind] else 1
        cost = costs[kind](None, *markers, *starts, *moves, parameter, scale=unit)
        total += 0.0 if cost is None else float(cost)
    return math.sqrt(max(total, 0.0))


def _overlaps(assembly: Any) -> list[Notice]:
    bodies = [(name, shape, shape.BoundingBox()) for name, shape in _leaves(assembly)]
    near = [
        (first, second)
        for first, second in itertools.combinations(bodies, 2)
        if _boxes_meet(first[2], second[2])
    ]
    found = []
    for (name_a, shape_a, _), (name_b, shape_b, _) in near[:MAX_PAIRS]:
        smaller = min(shape_a.Volume(), shape_b.Volume())
        common = shape_a.intersect(shape_b).Volume()
        if smaller > 0 and common > OVERLAP_TOLERANCE * smaller:
            found.append(f"{name_a} and {name_b} share {common:.4g} mm³")
    if not found:
        return []
    return [Notice("interference", f"parts overlap: {'; '.join(found[:6])}")]


def _leaves(assembly: Any) -> list[tuple[str, Any]]:
    """Return (name, placed solid compound) of every part of the assembly."""
    import cadquery as cq

    leaves = []
    for name, node in assembly.objects.items():
        if not node.shapes:
            continue
        location = node.loc
        ancestor = node.parent
        while ancestor is not None:
            location = ancestor.loc * location
            ancestor = ancestor.parent
        shape = cq.Compound.makeCompound(node.shapes).moved(location)
        if shape.Solids():
            leaves.append((name, shape))
    return leaves


def _boxes_meet(a: Any, b: Any) -> bool:
    return bool(
        a.xmin < b.xmax
        and b.xmin < a.xmax
        and a.ymin < b.ymax
        and b.ymin < a.ymax
        and a.zmin < b.zmax
        and b.zmin < a.zmax
    )
