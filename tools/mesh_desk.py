"""The desk of the mesh tools: named meshes, one of them current, and every state so far.

A state is a set of immutable meshes, so undo is a step back in a list. Nothing is computed here:
operations run in a confined worker, measuring in another, drawing in a third.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cadwright.tools import mesh_narrate, narrate
from cadwright.tools.errors import InfraError, Outcome, ToolError, WorkerCrash, WorkerTimeout
from cadwright.tools.geometry.part import Inspection, Mesh, Notice, Part
from cadwright.tools.meshing.made import Made
from cadwright.tools.meshing.survey import Survey
from cadwright.tools.tool import ImageBlock, ToolResult

if TYPE_CHECKING:
    from cadwright.tools.geometry.client import GeometryClient
    from cadwright.tools.meshing.client import MeshingClient
    from cadwright.tools.rendering.client import RenderClient

MAX_MESHES = 64  # on the desk at once
MAX_STATES = 64  # that undo can go back to; a state shares the meshes that it did not change
_TRIES = 2
_UNCHANGED = Notice("nothing_changed", "the mesh is as it was before this call")


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What lies on the desk after one successful call.

    Attributes:
        meshes: By name, in the order they came.
        current: Name of the one that tools work on, or empty where there is none.
        inspection: What was measured of it.
        survey: What is wrong with it.
        num_steps: Steps of model code behind this state.
    """

    meshes: Mapping[str, Mesh] = field(default_factory=dict)
    current: str = ""
    inspection: Inspection | None = None
    survey: Survey | None = None
    num_steps: int = 0


class MeshDesk:
    """Named meshes and what can be said about them.

    Args:
        meshing: Does operations in a confined process.
        geometry: Measures in another one.
        renderer: Draws in a third.
        image_px: Edge length of every picture.
        has_pictures: Whether each result that changes the mesh shows it.
    """

    def __init__(
        self,
        meshing: MeshingClient,
        geometry: GeometryClient,
        renderer: RenderClient,
        *,
        image_px: int = 512,
        has_pictures: bool = True,
    ) -> None:
        self._meshing = meshing
        self._geometry = geometry
        self._renderer = renderer
        self._image_px = image_px
        self._has_pictures = has_pictures
        self._states: list[State] = [State()]

    @property
    def state(self) -> State:
        """What lies on the desk."""
        return self._states[-1]

    @property
    def part(self) -> Part | None:
        """The current mesh as a part, or None."""
        state = self.state
        return Part(mesh=state.meshes[state.current], name=state.current) if state.current else None

    @property
    def inspection(self) -> Inspection | None:
        """What was measured of the current mesh."""
        return self.state.inspection

    def begin_with(self, name: str, mesh: Mesh) -> None:
        """Put the start geometry on the desk; undo does not take it away."""
        self._states = [self._seen(State({name: mesh}, name))]

    def shown(self) -> ToolResult:
        """Return what lies on the desk in words and as a picture."""
        pictures, missing = self._pictures(self.inspection)
        notices = (*self._notices(self.state), *missing)
        state = self.state
        lines = [mesh_narrate.headline(state), mesh_narrate.validity_line(state.inspection)]
        lines.append(mesh_narrate.fault_line(state.survey))
        text = "\n".join(line for line in (*lines, narrate.notice_lines(notices)) if line)
        return ToolResult("shown", text, pictures, notices=notices)

    def _named(self, name: str = "") -> tuple[str, Mesh]:
        """Return the name and the mesh behind ``name``, the current one where it is empty.

        Raises:
            ToolError: There is none; the message names the nearest.
        """
        meshes, name = self.state.meshes, name or self.state.current
        if not meshes:
            raise ToolError("there is no mesh yet: add a shape, load one, or execute code")
        if name not in meshes:
            near = difflib.get_close_matches(name, meshes, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise ToolError(f"there is no mesh {name!r}{hint}: there are {', '.join(meshes)}")
        return name, meshes[name]

    def _fresh(self, wanted: str, stem: str) -> str:
        """Return a name for something new: the wanted one, or the stem with a number.

        Raises:
            ToolError: The wanted name is no name.
        """
        if wanted:
            if not wanted.isidentifier() or len(wanted) > 40:
                raise ToolError(f"{wanted!r} is no name: use letters, digits and underscores")
            return wanted
        numbers = (f"{stem}_{k}" for k in range(1, MAX_MESHES + 2))
        return next(name for name in numbers if name not in self.state.meshes)

    def _apply(self, verb: str, name: str = "", **arguments: Any) -> ToolResult:
        """Do an operation on one mesh, which its result replaces."""
        name, mesh = self._named(name)
        made = self._meshing.apply(verb, [mesh], arguments)
        return self._put(verb, name, made)

    def _put(self, verb: str, name: str, made: Made, *, without: Iterable[str] = ()) -> ToolResult:
        """Put the first mesh that was made under a name, and make it current."""
        gone = set(without) - {name}
        kept = {k: mesh for k, mesh in self.state.meshes.items() if k not in gone}
        return self._lay(verb, {**kept, name: made.meshes[0]}, name, made)

    def _lay(
        self, verb: str, meshes: Mapping[str, Mesh], current: str, made: Made, *, num_steps: int = 0
    ) -> ToolResult:
        """Make a new state, and say and show what changed.

        Raises:
            ToolError: That would be too many meshes.
        """
        if len(meshes) > MAX_MESHES:
            raise ToolError(f"{len(meshes)} meshes: at most {MAX_MESHES} fit: drop or merge some")
        before = self.state
        num_steps += before.num_steps
        after = self._seen(State(dict(meshes), current, num_steps=num_steps))
        self._states = [*self._states[-MAX_STATES:], after]
        is_same = after.current == before.current
        deltas = mesh_narrate.changes(before, after) if is_same else {}
        notices = [*made.notices, *self._notices(after)]
        if is_same and not deltas and after.meshes.keys() == before.meshes.keys():
            notices.append(_UNCHANGED)
        pictures, missing = self._pictures(after.inspection)
        return self._told(verb, made.facts, deltas, (*notices, *missing), pictures)

    def _told(
        self,
        verb: str,
        facts: Sequence[str],
        deltas: Mapping[str, Any],
        notices: tuple[Notice, ...],
        pictures: tuple[ImageBlock, ...],
    ) -> ToolResult:
        state = self.state
        lines = [
            "ok: " + mesh_narrate.headline(state),
            "; ".join(facts),
            mesh_narrate.change_line(deltas) if deltas else "",
            mesh_narrate.validity_line(state.inspection),
            mesh_narrate.fault_line(state.survey),
            mesh_narrate.others(state),
            narrate.notice_lines(notices),
        ]
        text = "\n".join(line for line in lines if line)
        return ToolResult(verb, text, pictures, deltas=deltas, notices=notices)

    def _notices(self, state: State) -> tuple[Notice, ...]:
        """Return what the inspection noticed; a desk with several bodies is no surprise."""
        if state.inspection is None:
            return ()
        return tuple(n for n in state.inspection.notices if n.code != "several_bodies")

    def _seen(self, state: State) -> State:
        """Measure the current mesh of a state."""
        if not state.current:
            return state
        mesh = state.meshes[state.current]
        found = self._measured(Part(mesh=mesh, name=state.current))
        return replace(state, inspection=found, survey=self._meshing.survey(mesh))

    def _measured(self, part: Part) -> Inspection:
        """Measure a part; what kills or hangs two fresh workers is the part's fault."""
        outcome = Outcome.NATIVE_CRASH
        for _ in range(_TRIES):
            try:
                return self._geometry.inspect(part)
            except WorkerTimeout:
                outcome = Outcome.TIMEOUT
            except WorkerCrash:
                outcome = Outcome.NATIVE_CRASH
        message = "the mesh cannot be measured within the limits: make it simpler"
        raise ToolError(message, outcome)

    def _pictures(
        self, inspection: Inspection | None
    ) -> tuple[tuple[ImageBlock, ...], tuple[Notice, ...]]:
        """Draw the sheet; a renderer that fails costs the picture, not the episode."""
        if not self._has_pictures or inspection is None or inspection.mesh is None:
            return (), ()
        try:
            return (self._renderer.sheet(inspection, size=self._image_px),), ()
        except (InfraError, ToolError) as error:
            return (), (Notice("no_picture", f"the mesh could not be drawn: {error}"),)
