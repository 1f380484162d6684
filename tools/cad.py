"""The CAD tools: model with CadQuery, look, measure, compare, undo, submit.

``CadTools`` holds one sandbox session and what is known of its current part. A call either
advances the part or leaves everything as it was. Pictures and numbers never come from the
process that ran the model's code: the part's bytes are measured and drawn by clean workers.
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from cadwright.tools import narrate
from cadwright.tools.errors import InfraError, Outcome, ToolError, WorkerCrash, WorkerTimeout
from cadwright.tools.geometry.part import Inspection, Notice, Part
from cadwright.tools.tool import ImageBlock, Range, ToolResult, tool

if TYPE_CHECKING:
    from cadwright.tools.geometry.client import GeometryClient
    from cadwright.tools.rendering.client import RenderClient
    from cadwright.tools.rendering.offset import Offset
    from cadwright.tools.sandbox import Session, StepResult

View = Literal["sheet", "front", "back", "left", "right", "top", "bottom", "iso"]
Quantity = Literal["summary", "holes", "mass"]
Axis = Literal["x", "y", "z"]
Aspect = Literal["sheet", "front", "top", "right", "iso"]


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A picture of the wanted part that the task shows to the policy.

    Attributes:
        image: The picture as the policy saw it.
        view: The view it was rendered in by us, or None for a foreign picture.
        table: The dimensions that a measured sheet shows.
        wanted: What a measured sheet was drawn from. Hidden: only the renderer sees it.
    """

    image: ImageBlock
    view: str | None = None
    table: tuple[int, ...] = ()
    wanted: Inspection | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Snapshot:
    """The part after one successful step, and how far it is from a measured target."""

    part: Part
    inspection: Inspection
    offset: Offset | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """What a policy sees of a part: a picture or why there is none, and how far it is off."""

    pictures: tuple[ImageBlock, ...] = ()
    notices: tuple[Notice, ...] = ()
    offset: Offset | None = None


class CadTools:
    """The tools of one CAD workspace.

    Args:
        session: Confined interpreter that keeps its names from call to call.
        geometry: Measures parts in a clean process.
        renderer: Draws parts in a process of its own.
        targets: The task's own pictures, for ``compare``.
        image_px: Edge length of every picture.
        step_s: Wall time of one ``execute``.
    """

    def __init__(
        self,
        session: Session,
        geometry: GeometryClient,
        renderer: RenderClient,
        *,
        targets: Sequence[Target] = (),
        image_px: int = 512,
        step_s: float = 20.0,
    ) -> None:
        self._session = session
        self._geometry = geometry
        self._renderer = renderer
        self._targets = tuple(targets)
        self._image_px = image_px
        self._step_s = step_s
        self._history: list[_Snapshot] = []
        self._num_given = 0  # snapshots that undo must not take back: the start geometry
        self._is_submitted = False
        self._failure: ToolResult | None = None

    @property
    def part(self) -> Part | None:
        """The current part, or None before the first successful ``execute``."""
        return self._history[-1].part if self._history else None

    @property
    def inspection(self) -> Inspection | None:
        """What was measured of the current part."""
        return self._history[-1].inspection if self._history else None

    @property
    def failure(self) -> ToolResult | None:
        """The last ``execute`` that failed, or None."""
        return self._failure

    @property
    def is_submitted(self) -> bool:
        """Whether the policy has submitted."""
        return self._is_submitted

    @tool
    def execute(self, code: str) -> ToolResult:
        """Run CadQuery code and show the part it makes.

        Names persist from call to call. Bind the part to `result`. Lengths are mm, Z is up. The
        answer says what changed and shows front, top, right and isometric views. A failed call
        changes nothing: neither the part nor the names.

        Args:
            code: Python source; `import cadquery as cq` works, files and network do not.
        """
        step = self._session.execute(code, timeout_s=self._step_s)
        if step.outcome is Outcome.INFRA_ERROR:
            raise InfraError(str(step.error))
        if step.outcome is not Outcome.OK or step.part is None:
            return self._failed(step)
        inspection = self._inspect(step.part)
        if inspection.outcome is not Outcome.OK:
            return self._rejected(step, inspection)
        return self._advanced(step, step.part, inspection)

    @tool
    def render(
        self,
        view: View = "sheet",
        section_axis: Axis | None = None,
        section_mm: float = 0.0,
        zoom: Annotated[float, Range(1, 20)] = 1.0,
        highlight: list[int] | None = None,
    ) -> ToolResult:
        """Draw the current part.

        Args:
            view: One of the standard views, or `sheet` for four of them together.
            section_axis: Cut the part open across this axis and look at the cut.
            section_mm: Where along that axis the cut lies, in mm.
            zoom: Magnification about the middle of the part.
            highlight: Numbers of faces to paint orange, counted from 0.
        """
        inspection = self._current("render")
        if section_axis is not None:
            image = self._renderer.section(
                inspection, axis=section_axis, offset_mm=section_mm, size=self._image_px
            )
        elif view == "sheet":
            image = self._renderer.sheet(inspection, size=self._image_px, highlight=highlight or ())
        else:
            image = self._renderer.view(
                inspection, view, size=self._image_px, zoom=zoom, highlight=highlight or ()
            )
        return ToolResult("render", image.caption or f"view {view}", (image,))

    @tool
    def measure(self, what: Quantity = "summary") -> ToolResult:
        """Measure the current part exactly.

        Args:
            what: `summary`, `holes` (diameter, depth, position, axis of each) or `mass`.
        """
        measures = self._current("measure").measures
        if measures is None:
            raise ToolError("the current part could not be measured: change it and execute again")
        texts = {
            "summary": narrate.summary,
            "holes": lambda m: narrate.hole_table(m.holes),
            "mass": narrate.mass_properties,
        }
        return ToolResult("measure", texts[what](measures))

    @tool
    def compare(self, view: Aspect = "sheet") -> ToolResult:
        """Lay the current part over the task's own picture of the wanted part.

        Green is where both agree, red is material too much, blue is material missing.

        Args:
            view: Which of the task's pictures to compare with.
        """
        inspection = self._current("compare")
        target = self._target(view)
        image = self._renderer.overlay(inspection, target.image, view=view)
        return ToolResult("compare", image.caption, (image,))

    @tool
    def undo(self, steps: Annotated[int, Range(1, 8)] = 1) -> ToolResult:
        """Go back to the state before the last successful execute calls.

        Args:
            steps: How many successful execute calls to take back.
        """
        done = len(self._history) - self._num_given
        if done == 0:
            raise ToolError("cannot undo: no execute call has succeeded yet")
        if steps > done:
            raise ToolError(f"cannot undo {steps} steps: {done} successful execute calls so far")
        self._session.undo(steps)
        del self._history[-steps:]
        if not self._history:
            return ToolResult("undo", "undone: the workspace is empty again")
        inspection = self._history[-1].inspection
        text = "undone, the part is again:\n" + self._headline(inspection)
        return ToolResult("undo", text, self._shown(inspection).pictures)

    @tool
    def submit(self, name: str = "") -> ToolResult:
        """Hand in the part and end the task.

        Args:
            name: Variable that holds the part; leave it empty for the current part.
        """
        if name:
            self._choose(name)
        self._current("submit")
        self._is_submitted = True
        return ToolResult("submit", "submitted", is_final=True)

    def load(self, part: Part, inspection: Inspection) -> None:
        """Begin with ``part`` already made (edit and repair tasks), as ``result``.

        A mesh is no CAD part: it is there as ``start``, a trimesh object to measure, and there is
        no part yet.
        """
        if part.brep is None:
            self._session.load(part, "start")
            return
        self._session.load(part)
        self._history.append(_Snapshot(part, inspection))
        self._num_given += 1

    def _current(self, verb: str) -> Inspection:
        if self.inspection is None:
            raise ToolError(
                f"there is no part to {verb} yet: call execute with code that binds `result`"
            )
        return self.inspection

    def _choose(self, name: str) -> None:
        """Make the shape in variable ``name`` the current part."""
        if not name.isidentifier() or keyword.iskeyword(name):
            raise ToolError(f"{name!r} is not a variable name: give one, or leave name empty")
        if name == "result" and self.inspection is not None:
            return
        result = self.execute(f"result = {name}")
        if result.outcome is not Outcome.OK:
            raise ToolError(f"cannot submit {name!r}: {result.text}", result.outcome)

    def _inspect(self, part: Part) -> Inspection:
        """Measure ``part``; geometry that kills two clean workers in a row is the part's fault."""
        for _ in range(2):
            try:
                return self._geometry.inspect(part)
            except (WorkerTimeout, WorkerCrash) as error:
                fault = error
        timed_out = isinstance(fault, WorkerTimeout)
        return Inspection(
            outcome=Outcome.TIMEOUT if timed_out else Outcome.NATIVE_CRASH,
            message="the part cannot be measured within the limits: make it simpler",
            measures=None,
            mesh=None,
            edges=None,
        )

    def _failed(self, step: StepResult) -> ToolResult:
        message = str(step.error) if step.error is not None else "no part was made"
        lines = [f"{step.outcome}: {message}", _printed(step), narrate.notice_lines(step.notices)]
        if self._history:
            lines.append("nothing changed: the part and all names are as before this call")
        text = "\n".join(line for line in lines if line)
        self._failure = ToolResult("execute", text, outcome=step.outcome, notices=step.notices)
        return self._failure

    def _rejected(self, step: StepResult, inspection: Inspection) -> ToolResult:
        self._session.undo(1)
        shown = self._shown(inspection) if inspection.mesh is not None else _Shown()
        notices = (*step.notices, *inspection.notices, *shown.notices)
        lines = [
            f"{inspection.outcome}: {inspection.message}",
            _printed(step),
            narrate.notice_lines(notices),
            "the part was refused and nothing was kept from this call",
        ]
        text = "\n".join(line for line in lines if line)
        self._failure = ToolResult(
            "execute", text, shown.pictures, inspection.outcome, notices=notices
        )
        return self._failure

    def _advanced(self, step: StepResult, part: Part, inspection: Inspection) -> ToolResult:
        before = self.inspection
        deltas = narrate.changes(before, inspection)
        shown = self._shown(inspection)
        notices = [*step.notices, *inspection.notices, *shown.notices]
        if before is not None and not deltas:
            notices.append(UNCHANGED)
        lines = [
            "ok: " + self._headline(inspection),
            narrate.change_line(deltas) if deltas else "",
            self._offset_line(shown.offset),
            narrate.notice_lines(notices),
            _printed(step),
        ]
        self._history.append(_Snapshot(part, inspection, shown.offset))
        return ToolResult(
            "execute",
            "\n".join(line for line in lines if line),
            shown.pictures,
            deltas=deltas,
            notices=tuple(notices),
        )

    def _headline(self, inspection: Inspection) -> str:
        return narrate.headline(inspection.measures) if inspection.measures else "unmeasured part"

    def _offset_line(self, offset: Offset | None) -> str:
        """Say how far the next part of the history is off, and which of it was no farther."""
        if offset is None:
            return ""
        return offset.line([snapshot.offset for snapshot in self._history[self._num_given :]])

    def _shown(self, inspection: Inspection) -> _Shown:
        """Draw the part; a renderer that fails costs the picture, not the episode."""
        try:
            return self._drawn(inspection)
        except InfraError as error:
            return _Shown(notices=(Notice("no_picture", f"the part could not be drawn: {error}"),))

    def _drawn(self, inspection: Inspection) -> _Shown:
        """Draw the part as the task draws what it wants, so that both can be compared."""
        for target in self._targets:
            if target.wanted is not None:
                image, offset = self._renderer.compared(
                    inspection, target.wanted, table=target.table
                )
                return _Shown((image,), offset=offset)
        return _Shown((self._renderer.sheet(inspection, size=self._image_px),))

    def _target(self, view: str) -> Target:
        for target in self._targets:
            if target.view == view:
                return target
        known = sorted({t.view for t in self._targets if t.view})
        if not known:
            raise ToolError("this task has no picture to compare with: use measure and render")
        raise ToolError(f"the task has no picture of the view {view!r}: it has {', '.join(known)}")


UNCHANGED = Notice(
    "nothing_changed", "the part is as it was before: did the cut or union reach the material?"
)


def _printed(step: StepResult) -> str:
    return f"printed:\n{step.text.rstrip()}" if step.text.strip() else ""
