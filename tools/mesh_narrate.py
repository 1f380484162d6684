"""Measured meshes as short text for a policy: what lies on the desk, what a step changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cadwright.tools import narrate
from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.part import Inspection
from cadwright.tools.meshing.survey import Survey

if TYPE_CHECKING:
    from cadwright.tools.mesh_desk import State

MAX_NAMES = 20  # of meshes in one line

_COUNTED = {
    "triangles": "num_triangles",
    "mesh_holes": "num_holes",
    "open_edges": "num_open_edges",
    "flipped_edges": "num_flipped_edges",
}
_WORDS = {
    "triangles": "triangles",
    "mesh_holes": "holes in the surface",
    "open_edges": "open edges",
    "flipped_edges": "edges between triangles that face opposite ways",
}


def headline(state: State) -> str:
    """Return the current mesh in one line."""
    if state.inspection is None or state.survey is None:
        return "the desk is empty"
    triangles = f"{state.survey.num_triangles} triangles"
    if state.inspection.measures is None:
        return f"{state.current}: {triangles}, {state.inspection.message}"
    return f"{state.current}: {narrate.headline(state.inspection.measures)}, {triangles}"


def validity_line(inspection: Inspection | None) -> str:
    """Return why a mesh is no valid solid, or nothing for one that is."""
    if inspection is None or inspection.outcome is Outcome.OK:
        return ""
    return f"{inspection.outcome}: {inspection.message}"


def fault_line(survey: Survey | None) -> str:
    """Return what is wrong with a mesh, or nothing for a sound one."""
    if survey is None or not survey.faults:
        return ""
    told = ", ".join(f"{name} {count}" for name, count in survey.faults.items())
    unclear = "; holes cannot be counted before fix_winding" if survey.num_holes < 0 else ""
    return f"not sound: {told}{unclear}"


def others(state: State) -> str:
    """Return the other meshes on the desk, by name."""
    names = [name for name in state.meshes if name != state.current]
    if not names:
        return ""
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"also here: {', '.join(names[:MAX_NAMES])}{more}"


def changes(before: State, after: State) -> dict[str, Any]:
    """Return what a step changed of the current mesh, by name; empty where nothing did.

    Keys are those of ``narrate.changes`` and ``triangles``, ``mesh_holes``, ``open_edges``,
    ``flipped_edges`` (signed counts), ``is_sound`` (the new value).
    """
    found: dict[str, Any] = {}
    if after.inspection is not None:
        found |= narrate.changes(before.inspection, after.inspection)
    if before.survey is None or after.survey is None:
        return found
    for key, name in _COUNTED.items():
        difference = getattr(after.survey, name) - getattr(before.survey, name)
        is_known = min(getattr(before.survey, name), getattr(after.survey, name)) >= 0
        if difference and is_known:
            found[key] = difference
    if before.survey.is_sound != after.survey.is_sound:
        found["is_sound"] = after.survey.is_sound
    return found


def change_line(deltas: Mapping[str, Any]) -> str:
    """Return ``changes`` in one line."""
    own = [f"{_WORDS[key]} {value:+d}" for key, value in deltas.items() if key in _WORDS]
    if "is_sound" in deltas:
        own.append("now sound" if deltas["is_sound"] else "no longer sound")
    known = {k: v for k, v in deltas.items() if k not in _WORDS and k != "is_sound"}
    base = narrate.change_line(known) if known else "changed: "
    return base + (", " if known and own else "") + ", ".join(own)
