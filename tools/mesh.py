"""The mesh tools: load, shape, mend, look, measure, run code on meshes, undo, submit.

``MeshTools`` is the whole set over one desk. A call either advances the desk or leaves everything
as it was. Foreign files and operations on them are handled in confined workers, model code runs
in a session of the CAD sandbox; this process only passes arrays on.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from cadwright.tools import mesh_narrate, narrate
from cadwright.tools.errors import InfraError, Outcome, ToolError, WorkerCrash, WorkerTimeout
from cadwright.tools.geometry.part import Inspection, Notice, Part
from cadwright.tools.mesh_mending import MendingTools
from cadwright.tools.mesh_shaping import AXES, Axis, ShapingTools
from cadwright.tools.meshing.made import Made
from cadwright.tools.tool import ImageBlock, Range, ToolResult, tool

if TYPE_CHECKING:
    from cadwright.tools.geometry.client import GeometryClient
    from cadwright.tools.meshing.client import MeshingClient
    from cadwright.tools.rendering.client import RenderClient
    from cadwright.tools.sandbox import Session, StepResult

View = Literal["sheet", "front", "back", "left", "right", "top", "bottom", "iso"]
Aspect = Literal["sheet", "front", "top", "right", "iso"]
Quantity = Literal["summary", "faults", "mass", "thickness", "overhang"]
Format = Literal["stl", "obj", "3mf", "glb", "gltf"]

_TEXT_FORMATS = ("obj", "gltf")


class MeshTools(ShapingTools, MendingTools):
    """The tools of one mesh workspace.

    Args:
        meshing: Does operations in a confined process.
        geometry: Reads files and measures in another one.
        renderer: Draws in a third.
        open_session: Opens a confined interpreter, at the first ``execute``.
        targets: The task's own pictures by view, for ``compare``.
        image_px: Edge length of every picture.
        has_pictures: Whether each result that changes the mesh shows it.
        step_s: Wall time of one ``execute``.
    """

    def __init__(
        self,
        meshing: MeshingClient,
        geometry: GeometryClient,
        renderer: RenderClient,
        *,
        open_session: Callable[[], Session],
        targets: Mapping[str, ImageBlock] | None = None,
        image_px: int = 512,
        has_pictures: bool = True,
        step_s: float = 30.0,
    ) -> None:
        super().__init__(meshing, geometry, renderer, image_px=image_px, has_pictures=has_pictures)
        self._open_session = open_session
        self._session: Session | None = None
        self._targets = dict(targets or {})
        self._step_s = step_s
        self._is_submitted = False

    @property
    def is_submitted(self) -> bool:
        """Whether the policy has submitted."""
        return self._is_submitted

    @tool
    def load(self, text: str, format: Format, name: str = "") -> ToolResult:
        """Load a mesh from the content of a file; lengths become mm.

        Args:
            text: OBJ, glTF or ASCII STL as it is; any other file in base64.
            format: What kind of file it is.
            name: Name for it; a free one by default.
        """
        name = self._fresh(name, "loaded")
        try:
            part = self._geometry.read(_content(text, format), format, name=f"{name}.{format}")
        except (WorkerCrash, WorkerTimeout) as error:
            raise ToolError("the file cannot be read within the limits", Outcome.TIMEOUT) from error
        if part.mesh is None:
            raise ToolError("the file holds no triangles", Outcome.EMPTY_GEOMETRY)
        return self._put("load", name, Made((part.mesh,), notices=part.notices))

    @tool
    def execute(self, code: str, name: str = "") -> ToolResult:
        """Run Python with trimesh on the current mesh and show the mesh it makes.

        The mesh is `mesh`, a trimesh.Trimesh; all others are in `meshes` by name. Bind what you
        make to `result` (Trimesh, Manifold, Scene or CadQuery shape) or change `mesh` in place.
        Names persist from call to call. A failed call changes nothing.

        Args:
            code: Python source; trimesh, manifold3d and np are there, files and network are not.
            name: Name for the result; that of the current mesh by default.
        """
        step = self._ran(code)
        if step.outcome is Outcome.INFRA_ERROR:
            raise InfraError(str(step.error))
        if step.outcome is not Outcome.OK or step.part is None or step.part.mesh is None:
            return self._failed(step)
        name = self._fresh(name or self.state.current, "result")
        made = Made((step.part.mesh,), _printed(step), notices=step.notices)
        try:
            meshes = {**self.state.meshes, name: step.part.mesh}
            return self._lay("execute", meshes, name, made, num_steps=1)
        except ToolError:
            self._take_back(1)
            raise

    @tool
    def render(
        self,
        view: View = "sheet",
        section_axis: Axis | None = None,
        section_mm: float = 0.0,
        zoom: Annotated[float, Range(1, 20)] = 1.0,
        name: str = "",
    ) -> ToolResult:
        """Draw a mesh.

        Args:
            view: One of the standard views, or `sheet` for four of them together.
            section_axis: Cut the mesh open across this axis and look at the cut.
            section_mm: Where along that axis the cut lies.
            zoom: Magnification about the middle of the mesh.
            name: Which mesh; the current one by default.
        """
        inspection, size = self._looked_at(name), self._image_px
        if section_axis is not None:
            image = self._renderer.section(
                inspection, axis=section_axis, offset_mm=section_mm, size=size
            )
        elif view == "sheet":
            image = self._renderer.sheet(inspection, size=size)
        else:
            image = self._renderer.view(inspection, view, size=size, zoom=zoom)
        return ToolResult("render", image.caption or f"view {view}", (image,))

    @tool
    def section(self, axis: Axis, offset_mm: float = 0.0, name: str = "") -> ToolResult:
        """Measure and draw the material in a plane; the mesh stays whole.

        Args:
            axis: Axis that the plane stands across.
            offset_mm: Where on that axis.
            name: Which mesh; the current one by default.
        """
        name, mesh = self._named(name)
        given = {"normal": AXES[axis], "offset_mm": offset_mm}
        made = self._meshing.apply("section", [mesh], given)
        image = self._renderer.section(
            self._looked_at(name), axis=axis, offset_mm=offset_mm, size=self._image_px
        )
        return ToolResult("section", "; ".join(made.facts), (image,), deltas=made.numbers)

    @tool
    def measure(self, what: Quantity = "summary", name: str = "") -> ToolResult:
        """Measure a mesh.

        Args:
            what: `summary`, `faults` (what is not sound), `mass`, `thickness` (of the walls) or
                `overhang` (what needs support when it is printed as it lies).
            name: Which mesh; the current one by default.
        """
        name, mesh = self._named(name)
        if what in _GAUGES:
            return ToolResult("measure", self._gauged(what, Part(mesh=mesh, name=name)))
        if what == "faults":
            told = mesh_narrate.fault_line(self._meshing.survey(mesh)) or "sound: no fault found"
            return ToolResult("measure", told)
        measures = self._looked_at(name).measures
        if measures is None:
            raise ToolError("the mesh cannot be measured: use clean, then fill_holes")
        texts = {"summary": narrate.summary, "mass": narrate.mass_properties}
        return ToolResult("measure", texts[what](measures))

    @tool
    def distance(self, other: str, name: str = "") -> ToolResult:
        """Measure how far two meshes are apart, both ways, and draw the difference.

        Args:
            other: Name of the mesh to compare with.
            name: Which mesh; the current one by default.
        """
        (name, mesh), (other, target) = self._named(name), self._named(other)
        made = self._meshing.apply("compare", [mesh, target])
        shown = self._looked_at(name), self._looked_at(other)
        image = self._renderer.difference(*shown, view="iso", size=self._image_px)
        return ToolResult("distance", "; ".join(made.facts), (image,), deltas=made.numbers)

    @tool
    def compare(self, view: Aspect = "sheet") -> ToolResult:
        """Lay the current mesh over the task's own picture of the wanted part.

        Green is where both agree, red is material too much, blue is material missing.

        Args:
            view: Which of the task's pictures to compare with.
        """
        inspection = self._looked_at()
        if not self._targets:
            raise ToolError("this task has no picture to compare with: use measure and render")
        if view not in self._targets:
            known = ", ".join(sorted(self._targets))
            raise ToolError(f"the task has no picture of the view {view!r}: it has {known}")
        image = self._renderer.overlay(inspection, self._targets[view], view=view)
        return ToolResult("compare", image.caption or f"compared {view}", (image,))

    @tool
    def select(self, name: str) -> ToolResult:
        """Make a mesh the current one.

        Args:
            name: Which mesh.
        """
        name, mesh = self._named(name)
        return self._lay("select", self.state.meshes, name, Made((mesh,)))

    @tool
    def copy(self, name: str = "", to: str = "") -> ToolResult:
        """Put a second mesh on the desk that is equal to one; it becomes the current one.

        Args:
            name: Which mesh; the current one by default.
            to: Name of the copy; a free one by default.
        """
        name, mesh = self._named(name)
        return self._put("copy", self._fresh(to, name), Made((mesh,)))

    @tool
    def drop(self, names: list[str]) -> ToolResult:
        """Take meshes off the desk.

        Args:
            names: Which ones; at least one mesh has to stay.
        """
        gone = {self._named(name)[0] for name in names if name}
        rest = {name: mesh for name, mesh in self.state.meshes.items() if name not in gone}
        if not gone or not rest:
            raise ToolError("name at least one mesh, and leave at least one on the desk")
        current = self.state.current if self.state.current in rest else next(iter(rest))
        return self._lay("drop", rest, current, Made())

    @tool
    def undo(self, steps: Annotated[int, Range(1, 20)] = 1) -> ToolResult:
        """Take back the last calls that changed something.

        Args:
            steps: How many.
        """
        if len(self._states) == 1:
            raise ToolError("cannot undo: no call has changed anything yet")
        if steps >= len(self._states):
            raise ToolError(f"cannot undo {steps} calls: {len(self._states) - 1} so far")
        before = self.state
        del self._states[-steps:]
        notices = self._take_back(before.num_steps - self.state.num_steps)
        if not self.state.current:
            return ToolResult("undo", "undone: the desk is empty again", notices=notices)
        lines = ["undone, the current mesh is again:", mesh_narrate.headline(self.state)]
        lines += [mesh_narrate.fault_line(self.state.survey), mesh_narrate.others(self.state)]
        text = "\n".join(line for line in (*lines, narrate.notice_lines(notices)) if line)
        return ToolResult("undo", text, self._pictures(self.inspection)[0], notices=notices)

    @tool
    def submit(self, name: str = "") -> ToolResult:
        """Hand in a mesh and end the task.

        Args:
            name: Which mesh; the current one by default.
        """
        name = self._named(name)[0]
        if name != self.state.current:
            self._states[-1] = self._seen(replace(self.state, current=name))
        self._is_submitted = True
        return ToolResult("submit", "submitted", is_final=True)

    def close(self) -> None:
        """End the session, where one was opened. Idempotent."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    @property
    def confinement(self) -> tuple[str, ...]:
        """Walls that stand around the model's code; none before it runs any."""
        return self._session.confinement if self._session is not None else ()

    def _ran(self, code: str) -> StepResult:
        if self._session is None:
            self._session = self._open_session()
        current, meshes = self.state.current, self.state.meshes
        first = {current: meshes[current]} if current else {}
        return self._session.execute(code, timeout_s=self._step_s, meshes={**first, **meshes})

    def _failed(self, step: StepResult) -> ToolResult:
        message = str(step.error) if step.error is not None else "no mesh was made"
        lines = [f"{step.outcome}: {message}", *_printed(step), narrate.notice_lines(step.notices)]
        lines.append("nothing changed: meshes and names are as before this call")
        text = "\n".join(line for line in lines if line)
        return ToolResult("execute", text, outcome=step.outcome, notices=step.notices)

    def _take_back(self, num_steps: int) -> tuple[Notice, ...]:
        """Undo steps of model code; where they are too far back, its names are forgotten."""
        if self._session is None or num_steps == 0:
            return ()
        if num_steps <= self._session.depth:
            self._session.undo(num_steps)
            return ()
        self._session.reset()
        told = "the names of your code are gone: that was too far back"
        return (Notice("names_forgotten", told),)

    def _gauged(self, what: str, part: Part) -> str:
        try:
            return _GAUGES[what](self._geometry, part)
        except (WorkerCrash, WorkerTimeout) as error:
            raise ToolError(f"{what} cannot be measured: simplify it", Outcome.TIMEOUT) from error

    def _looked_at(self, name: str = "") -> Inspection:
        name, mesh = self._named(name)
        if name == self.state.current and self.inspection is not None:
            return self.inspection
        return self._measured(Part(mesh=mesh, name=name))


def _content(text: str, fmt: str) -> bytes:
    """Return the bytes of a file from what a policy wrote."""
    if fmt in _TEXT_FORMATS or (fmt == "stl" and text.lstrip()[:5] == "solid"):
        return text.encode("utf-8", "replace")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ToolError(f"the text is not base64 ({error}): encode a {fmt} file so") from error


def _printed(step: StepResult) -> tuple[str, ...]:
    return (f"printed:\n{step.text.rstrip()}",) if step.text.strip() else ()


def _thickness(geometry: GeometryClient, part: Part) -> str:
    found = geometry.gauges.thickness(part)
    return (
        f"thinnest {narrate.number(found.min_mm)} mm at {narrate.vector(found.position_mm)}, "
        f"5 % below {narrate.number(found.low_mm)} mm, median {narrate.number(found.median_mm)} mm"
    )


def _overhang(geometry: GeometryClient, part: Part) -> str:
    found = geometry.gauges.overhang(part)
    return (
        f"printed along z: {narrate.number(found.area_mm2)} mm2 needs support "
        f"({100.0 * found.share:.3g} % of the surface), {narrate.number(found.bed_area_mm2)} mm2 "
        f"lies on the bed, {narrate.number(found.height_mm)} mm high"
    )


_GAUGES: Mapping[str, Callable[[GeometryClient, Part], str]] = {
    "thickness": _thickness,
    "overhang": _overhang,
}
