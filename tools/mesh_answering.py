"""Mesh tools for a task that asks for a number: look and measure, then answer."""

from __future__ import annotations

from cadwright.tools.mesh import MeshTools
from cadwright.tools.tool import ToolResult, tool

MESH_ANSWER_TOOLS = (
    "answer",
    "cut",
    "distance",
    "execute",
    "measure",
    "render",
    "section",
    "select",
    "split",
    "undo",
)


class MeshAnswerTools(MeshTools):
    """``MeshTools`` with a tool that hands in a number."""

    answer_given: float | None = None

    @tool
    def answer(self, value: float) -> ToolResult:
        """Hand in the number that was asked for and end the task.

        Args:
            value: The number, in the unit of the question.
        """
        self.answer_given = float(value)
        return ToolResult("answer", "answered", is_final=True)
