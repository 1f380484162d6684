"""Find the part a program made, and turn it into bytes.

In this order: ``result`` bound by the step, ``show_object``, an export, the only solid bound by
the step. A ``result`` that holds no solid (a sketch, a volume) gives way to one solid shown or
exported. Two candidates are never guessed between: the answer lists them with the line to add.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cadwright.tools.geometry.part import Notice
from cadwright.tools.sandbox import assemblies
from cadwright.tools.sandbox.hooks import Recorder
from cadwright.tools.sandbox.protocol import Header


@dataclass(frozen=True, slots=True)
class Found:
    """The object that stands for the part.

    Attributes:
        name: What the program calls it.
        value: Workplane, Shape, Assembly, or a list of these.
        notices: What to tell about how it was found.
    """

    name: str
    value: object
    notices: tuple[Notice, ...] = ()


class NoPart(Exception):
    """There is no part, or no single one: an observation for the policy.

    Args:
        outcome: ``no_result``, ``not_a_solid`` or ``empty_geometry``.
        message: What was found instead.
        hint: The line to add.
    """

    def __init__(self, outcome: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.hint = hint


def find(
    namespace: Mapping[str, object],
    names: Sequence[str],
    recorder: Recorder,
    current: Found | None,
) -> Found:
    """Return the object that the step made its part.

    Args:
        namespace: All names after the step.
        names: The names that the step bound or changed.
        recorder: What the step showed and exported.
        current: The part before the step, or None.

    Raises:
        NoPart: Nothing, or more than one candidate.
    """
    if "result" in names:
        bound_result = Found("result", namespace["result"])
        return _declared_instead(bound_result.value, recorder) or bound_result
    for candidates in (recorder.shown, recorder.exported):
        if candidates:
            return _the_only_one(candidates)
    bound = [(name, namespace[name]) for name in names if _holds_solid(namespace[name])]
    if current is not None and (current.name == "result" or not bound):
        return _unchanged(current, bound)
    if not bound:
        raise NoPart(
            "no_result",
            "the program made no part: `result` is not bound and no solid has a name",
            "bind the finished part: result = cq.Workplane().box(10, 10, 10)",
        )
    found = _the_only_one(bound)
    message = f"took `{found.name}` as the part; bind it explicitly: result = {found.name}"
    return Found(found.name, found.value, (Notice("result_not_named", message),))


def shape_of(value: object, name: str = "result") -> Any:
    """Return one CadQuery shape that holds everything in ``value``.

    Raises:
        NoPart: There is no shape in it.
    """
    import cadquery as cq

    if isinstance(value, cq.Assembly):
        return value.toCompound()
    if isinstance(value, cq.Sketch):
        hint = f"extrude it: result = cq.Workplane().placeSketch({name}).extrude(5)"
        raise NoPart("not_a_solid", f"`{name}` is a Sketch, which is flat", hint)
    if isinstance(value, cq.Shape):
        return _not_null(value, name)
    items = _items(value, name)
    shapes = [shape_of(item, name) for item in items]
    return shapes[0] if len(shapes) == 1 else cq.Compound.makeCompound(shapes)


def brep_bytes(shape: Any) -> bytes:
    """Return BinTools bytes of the exact geometry, the same whether it was meshed or not."""
    from OCP.BinTools import BinTools, BinTools_FormatVersion

    _clear_flags(shape.wrapped)
    stream = io.BytesIO()
    version = BinTools_FormatVersion.BinTools_FormatVersion_CURRENT
    BinTools.Write_s(shape.wrapped, stream, False, False, version)
    return stream.getvalue()


def _clear_flags(shape: Any) -> None:
    """Clear the flags by which the kernel remembers that it meshed or checked a face."""
    from OCP.TopExp import TopExp
    from OCP.TopTools import TopTools_IndexedMapOfShape

    parts = TopTools_IndexedMapOfShape()
    TopExp.MapShapes_s(shape, parts)
    for index in range(1, parts.Extent() + 1):
        part = parts.FindKey(index)
        part.Modified(False)
        part.Checked(False)


def shape_from_brep(brep: bytes) -> Any:
    """Return the CadQuery shape behind BinTools bytes."""
    import cadquery as cq
    from OCP.BinTools import BinTools
    from OCP.TopoDS import TopoDS_Shape

    shape = TopoDS_Shape()
    BinTools.Read_s(shape, io.BytesIO(brep))
    return cq.Workplane(cq.Shape.cast(shape))


def mesh_of(brep: bytes) -> tuple[Header, list[bytes]]:
    """Return the triangles of BinTools bytes as a header and the blobs that follow the bytes."""
    from cadwright.tools.geometry.tessellate import tessellate
    from cadwright.tools.geometry.topology import explore
    from cadwright.tools.geometry.wire import encode_mesh

    shape = shape_from_brep(brep).val()
    diagonal_mm = shape.BoundingBox().DiagonalLength
    return encode_mesh(tessellate(explore(shape.wrapped), diagonal_mm).mesh, first_blob=1)


def notices_about(value: object, recorder: Recorder) -> list[Notice]:
    """Return what CadQuery does not say by itself: fonts replaced, mates not met, overlaps."""
    import cadquery as cq

    notices = [
        Notice(
            "missing_font",
            f"font {asked!r} is not installed, {used!r} was used: give an installed font or "
            "fontPath=, or the shape depends on the machine",
        )
        for asked, used in dict.fromkeys(recorder.replaced_fonts)
    ]
    if isinstance(value, cq.Assembly):
        notices += assemblies.notices(value)
    return notices


def _declared_instead(result: object, recorder: Recorder) -> Found | None:
    """Return the one solid shown or exported where ``result`` itself holds none."""
    pieces = result.values() if isinstance(result, dict) else result
    if any(map(_holds_solid, pieces if isinstance(pieces, Collection) else [pieces])):
        return None
    declared = [found for found in recorder.shown or recorder.exported if _holds_solid(found[1])]
    if len({id(value) for _, value in declared}) != 1:
        return None
    name, value = declared[0]
    kind = type(result).__name__
    message = f"`result` is a {kind} and holds no solid: took `{name}`, shown or exported, instead"
    return Found(name, value, (Notice("result_not_solid", message),))


def _the_only_one(candidates: Iterable[tuple[str, object]]) -> Found:
    by_identity = {id(value): (name, value) for name, value in reversed(list(candidates))}
    if len(by_identity) == 1:
        name, value = next(iter(by_identity.values()))
        return Found(name, value)
    names = [name for name, _ in reversed(by_identity.values())]
    listed = ", ".join(f"`{name}`" for name in names)
    lines = ", or ".join(f"result = {name}" for name in names[:4])
    pieces = ", ".join(f"{name}.val()" for name in names)
    raise NoPart(
        "no_result",
        f"several shapes could be the part: {listed}",
        f"add one line: {lines}, or all: result = cq.Compound.makeCompound([{pieces}])",
    )


def _unchanged(current: Found, bound: Sequence[tuple[str, object]]) -> Found:
    if not bound:
        return current
    listed = ", ".join(f"`{name}`" for name, _ in bound)
    message = f"the part is still `{current.name}` as it was; this step bound {listed}"
    return Found(current.name, current.value, (Notice("result_unchanged", message),))


def _holds_solid(value: object) -> bool:
    import cadquery as cq

    if isinstance(value, cq.Assembly):
        return True
    if isinstance(value, cq.Workplane):
        return any(_holds_solid(item) for item in value.objects)
    if isinstance(value, (cq.Solid, cq.Compound)):
        return value.wrapped is not None and bool(value.Solids())
    return False


def _items(value: object, name: str) -> list[object]:
    """Return what a Workplane's stack or a collection holds, refusing what holds no shape."""
    import cadquery as cq

    if isinstance(value, cq.Workplane):
        items = [item for item in value.objects if isinstance(item, (cq.Shape, cq.Sketch))]
        if items:
            return items
        hint = "end the chain at the solid: leave out a last .workplane() or add .findSolid()"
        raise NoPart("not_a_solid", f"`{name}` is a Workplane without a shape on its stack", hint)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, set)) and value:
        return list(value)
    kind = "None" if value is None else f"a {type(value).__name__}"
    hint = f"bind a Workplane, Shape or Assembly: {name} = cq.Workplane().box(10, 10, 10)"
    raise NoPart("no_result", f"`{name}` is {kind}, not a shape", hint)


def _not_null(shape: Any, name: str) -> Any:
    if shape.wrapped is None or shape.wrapped.IsNull():
        hint = "an operation before it removed everything or failed"
        raise NoPart("empty_geometry", f"`{name}` holds an empty shape", hint)
    return shape
