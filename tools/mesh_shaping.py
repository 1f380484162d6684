"""Mesh tools that make, place and combine: what a modeller does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from cadwright.tools.errors import Outcome, ToolError
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.mesh_desk import MeshDesk
from cadwright.tools.meshing.made import Made
from cadwright.tools.tool import ToolResult, tool

Axis = Literal["x", "y", "z"]
Shape = Literal["box", "cylinder", "sphere", "cone", "torus"]
AXES: dict[str, list[float]] = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0]}
ORIGIN = [0.0, 0.0, 0.0]


class ShapingTools(MeshDesk):
    """Primitives, motions, booleans, cuts."""

    @tool
    def add(
        self,
        shape: Shape,
        size_mm: list[float],
        centre_mm: list[float] | None = None,
        axis: Axis = "z",
        name: str = "",
    ) -> ToolResult:
        """Add a basic solid as a mesh of its own.

        Args:
            shape: What to add.
            size_mm: box [x, y, z]; cylinder [diameter, height]; sphere [diameter]; cone [bottom
                diameter, top diameter, height]; torus [ring diameter, tube diameter].
            centre_mm: Middle of the solid, [x, y, z]; the origin by default.
            axis: Direction of its height.
            name: Name for it; a free one by default.
        """
        name = self._fresh(name, shape)
        given = {
            "shape": shape,
            "size": size_mm,
            "centre": vector("centre_mm", centre_mm or ORIGIN),
            "axis": AXES[axis],
        }
        return self._put("add", name, self._meshing.apply("add", (), given))

    @tool
    def move(self, offset_mm: list[float], name: str = "") -> ToolResult:
        """Move a mesh.

        Args:
            offset_mm: How far, [x, y, z].
            name: Which mesh; the current one by default.
        """
        return self._apply("move", name, offset=vector("offset_mm", offset_mm))

    @tool
    def rotate(
        self,
        axis: list[float],
        angle_deg: float,
        centre_mm: list[float] | None = None,
        name: str = "",
    ) -> ToolResult:
        """Turn a mesh about an axis.

        Args:
            axis: Direction of the axis, [x, y, z].
            angle_deg: How far, counter-clockwise seen from the tip of the axis.
            centre_mm: A point of the axis; the origin by default.
            name: Which mesh; the current one by default.
        """
        centre = vector("centre_mm", centre_mm or ORIGIN)
        direction = vector("axis", axis)
        return self._apply("rotate", name, axis=direction, angle_deg=angle_deg, centre=centre)

    @tool
    def scale(
        self, factors: list[float], centre_mm: list[float] | None = None, name: str = ""
    ) -> ToolResult:
        """Scale a mesh: [25.4] turns inches into mm, [1, 1, 2] stretches along z.

        Args:
            factors: One factor for all axes, or three for x, y and z.
            centre_mm: Point that stays where it is; the origin by default.
            name: Which mesh; the current one by default.
        """
        factors = factors * 3 if len(factors) == 1 else factors
        centre = vector("centre_mm", centre_mm or ORIGIN)
        return self._apply("scale", name, factors=vector("factors", factors), centre=centre)

    @tool
    def mirror(
        self, axis: Axis, offset_mm: float = 0.0, keep: bool = False, name: str = ""
    ) -> ToolResult:
        """Reflect a mesh in a plane across an axis.

        Args:
            axis: Axis that the plane stands across.
            offset_mm: Where on that axis.
            keep: Unite the image with the original, for symmetric parts.
            name: Which mesh; the current one by default.
        """
        place = "xyz".index(axis)
        return self._apply("mirror", name, axis=place, offset_mm=offset_mm, keep=keep)

    @tool
    def combine(
        self,
        kind: Literal["union", "difference", "intersection"],
        others: list[str] | None = None,
        name: str = "",
        keep: bool = False,
    ) -> ToolResult:
        """Unite, subtract or intersect solids.

        The result replaces the first mesh. A union without others joins overlapping bodies of
        one mesh.

        Args:
            kind: What to do; a difference takes the others away from the first.
            others: Names of the other meshes.
            name: The first mesh; the current one by default.
            keep: Leave the others on the desk too.
        """
        return self._together("combine", name, others or [], keep, kind=kind)

    @tool
    def merge(self, others: list[str], name: str = "") -> ToolResult:
        """Put meshes together into one without uniting them; the others leave the desk.

        Args:
            others: Names of the meshes to put in.
            name: The mesh they go into; the current one by default.
        """
        return self._together("merge", name, others, False)

    @tool
    def split(self, name: str = "") -> ToolResult:
        """Take a mesh apart into its bodies, each under a name with a number, largest first.

        Args:
            name: Which mesh; the current one by default.
        """
        name, mesh = self._named(name)
        made = self._meshing.apply("split", [mesh])
        parts = {f"{name}_{k}": body for k, body in enumerate(made.meshes, start=1)}
        rest = {key: kept for key, kept in self.state.meshes.items() if key != name}
        return self._lay("split", rest | parts, f"{name}_1", made)

    @tool
    def cut(
        self,
        normal: list[float],
        offset_mm: float,
        keep: Literal["above", "below", "both"] = "above",
        capped: bool = True,
        name: str = "",
    ) -> ToolResult:
        """Cut a mesh by a plane.

        Args:
            normal: Direction that the plane faces, [x, y, z]; `above` is the side it points to.
            offset_mm: Distance of the plane from the origin along the normal.
            keep: Which side stays; `both` gives two meshes.
            capped: Close the cut; an open surface cannot be closed so.
            name: Which mesh; the current one by default.
        """
        name, mesh = self._named(name)
        given = {
            "normal": vector("normal", normal),
            "offset_mm": offset_mm,
            "is_capped": capped,
        }
        made = self._meshing.apply("cut", [mesh], given)
        sides = dict(zip(made.facts, made.meshes, strict=True))
        if keep != "both":
            return self._put("cut", name, _only(sides, keep))
        parts = {f"{name}_{side}": half for side, half in sides.items()}
        rest = {key: kept for key, kept in self.state.meshes.items() if key != name}
        return self._lay("cut", rest | parts, next(iter(parts)), Made(made.meshes))

    @tool
    def hollow(
        self,
        wall_mm: float,
        drain_mm: float = 0.0,
        drains_mm: list[list[float]] | None = None,
        name: str = "",
    ) -> ToolResult:
        """Hollow a solid out, with drain holes drilled upwards from its bottom.

        Args:
            wall_mm: Thickness of the wall that stays.
            drain_mm: Diameter of the drain holes.
            drains_mm: Where to drill, a list of [x, y]; none by default.
            name: Which mesh; the current one by default.
        """
        given = {"wall_mm": wall_mm, "drain_mm": drain_mm, "drains": drains_mm or []}
        return self._apply("hollow", name, **given)

    @tool
    def thicken(
        self, thickness_mm: float, side: Literal["out", "in", "both"] = "out", name: str = ""
    ) -> ToolResult:
        """Turn an open surface into a solid of even thickness.

        Args:
            thickness_mm: How thick.
            side: Where the material goes: the side that the surface faces, the other, or half each.
            name: Which mesh; the current one by default.
        """
        return self._apply("thicken", name, thickness_mm=thickness_mm, side=side)

    @tool
    def align(self, target: str = "", near: bool = False, name: str = "") -> ToolResult:
        """Bring a mesh onto another one, whatever way it is turned.

        Args:
            target: Name of the mesh that stays; empty lays the principal axes along x, y and z,
                the longest along x, on z = 0.
            near: It lies nearly right: only the last bit is closed.
            name: Which mesh moves; the current one by default.
        """
        name, mesh = self._named(name)
        meshes = [mesh] if not target else [mesh, self._named(target)[1]]
        return self._put("align", name, self._meshing.apply("align", meshes, {"is_near": near}))

    @tool
    def orient(self, name: str = "") -> ToolResult:
        """Lay a part down as it prints best: little overhang, a large foot, on z = 0.

        Args:
            name: Which mesh; the current one by default.
        """
        return self._apply("orient", name)

    def _together(
        self, verb: str, name: str, others: list[str], keep: bool, **given: object
    ) -> ToolResult:
        name, first = self._named(name)
        rest = {other: self._named(other)[1] for other in others if other != name}
        named = {name: first, **rest}
        made = self._meshing.apply(verb, list(named.values()), {"names": list(named), **given})
        return self._put(verb, name, made, without=() if keep else rest)


def vector(field: str, values: list[float]) -> list[float]:
    """Return three numbers.

    Raises:
        ToolError: There are more or fewer.
    """
    if len(values) != 3:
        raise ToolError(f"{field} is {values}: give three numbers [x, y, z]")
    return values


def _only(sides: Mapping[str, Mesh], side: str) -> Made:
    """Return the side of a cut that stays."""
    if side not in sides:
        raise ToolError(
            f"nothing lies {side} that plane: move it, or keep the other side",
            Outcome.EMPTY_GEOMETRY,
        )
    return Made((sides[side],))
