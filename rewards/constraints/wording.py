"""A constraint in words, as tables show it."""

from __future__ import annotations

from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from cadwright.rewards.constraints.field import members_of
from cadwright.rewards.constraints.places import shown, shown_direction
from cadwright.rewards.constraints.record import Constraint

# Fields that say how a thing is judged and not what is asked.
_HOW = frozenset(
    {
        "id",
        "note",
        "weight",
        "tolerance",
        "half",
        "position_tolerance",
        "angle_tolerance",
        "about_deg",
        "within",
    }
)
_BARE = frozenset({"value", "count"})
_MANY = 3  # places named in full


def asked_text(constraint: Constraint) -> str:
    """Return what a constraint asks, for example ``diameter 6 mm, at (0, 0, 5) mm, opens +z``."""
    return _text(constraint) or "yes"


def _text(record: Any) -> str:
    parts = []
    for member in members_of(type(record)):
        value = getattr(record, member.name)
        if member.name in _HOW or value is None or value == member.field.default:
            continue
        if member.name == "file":  # a table has no room for the folders before it
            value = Path(value).name
        name = "" if member.name in _BARE else member.name.replace("_", " ")
        unit = f" {member.entry.unit}" if member.entry.unit else ""
        parts.append(f"{name} {_shown(value, member.entry.role)}{unit}".strip())
    return ", ".join(parts)


def _shown(value: Any, role: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if is_dataclass(value):
        return f"[{_text(value)}]"
    if role == "direction":
        return shown_direction(value)
    if role == "points":
        return " ".join(shown(place) for place in value[:_MANY]) + (
            f" and {len(value) - _MANY} more" if len(value) > _MANY else ""
        )
    if isinstance(value, tuple):
        return shown(value) if role == "point" else " x ".join(f"{size:g}" for size in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
