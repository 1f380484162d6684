"""Mesh tools that repair a surface or change its triangles."""

from __future__ import annotations

from typing import Annotated

from cadwright.tools.mesh_desk import MeshDesk
from cadwright.tools.tool import Range, ToolResult, tool


class MendingTools(MeshDesk):
    """Clean, wind, fill, remesh, decimate, smooth."""

    @tool
    def clean(
        self,
        weld_mm: Annotated[float, Range(0, 10)] = 0.0,
        min_body_mm: Annotated[float, Range(0, 1000)] = 0.0,
        name: str = "",
    ) -> ToolResult:
        """Take out what is no surface: degenerate, duplicate and sticking-out triangles.

        Args:
            weld_mm: Join vertices closer than this first; equal ones are always joined.
            min_body_mm: Take out bodies whose diagonal is shorter, such as stray specks.
            name: Which mesh; the current one by default.
        """
        return self._apply("clean", name, weld_mm=weld_mm, min_body_mm=min_body_mm)

    @tool
    def fix_winding(self, name: str = "") -> ToolResult:
        """Turn triangles so that neighbours agree, bodies face outwards and cavities inwards.

        Args:
            name: Which mesh; the current one by default.
        """
        return self._apply("fix_winding", name)

    @tool
    def fill_holes(
        self, max_edges: Annotated[int, Range(3, 2000)] = 2000, name: str = ""
    ) -> ToolResult:
        """Close the holes of a surface: flat ones flat, bent ones with the least area.

        Args:
            max_edges: Leave holes with more edges open.
            name: Which mesh; the current one by default.
        """
        return self._apply("fill_holes", name, max_edges=max_edges)

    @tool
    def remesh(self, edge_mm: float, name: str = "") -> ToolResult:
        """Make triangles of about one size; says how far the shape moved.

        Args:
            edge_mm: Wanted length of the edges.
            name: Which mesh; the current one by default.
        """
        return self._apply("remesh", name, edge_mm=edge_mm)

    @tool
    def decimate(
        self, max_triangles: Annotated[int, Range(4, 1_000_000)], name: str = ""
    ) -> ToolResult:
        """Leave at most so many triangles; says how far the shape moved (Hausdorff distance).

        Args:
            max_triangles: The budget.
            name: Which mesh; the current one by default.
        """
        return self._apply("decimate", name, max_triangles=max_triangles)

    @tool
    def smooth(self, rounds: Annotated[int, Range(1, 100)] = 10, name: str = "") -> ToolResult:
        """Take noise off a surface; volume and rims stay (Taubin's filter), sharp edges do not.

        Args:
            rounds: How often; more is smoother.
            name: Which mesh; the current one by default.
        """
        return self._apply("smooth", name, rounds=rounds)
