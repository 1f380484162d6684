"""The documentation of all kinds, made from their own declarations."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from cadwright.rewards.constraints.field import Member, members_of
from cadwright.rewards.constraints.parse import KIND_MODULES
from cadwright.rewards.constraints.record import KINDS, SMALL_MM, Constraint

_COMMON = frozenset(member.name for member in members_of(Constraint))


def kinds_markdown() -> str:
    """Return every kind with its fields and an example, as Markdown."""
    return "\n".join(line for module in KIND_MODULES for line in _module(module))


def common_markdown() -> str:
    """Return the fields that every kind has, as a Markdown table."""
    return "\n".join(_table(members_of(Constraint)))


def _module(module: ModuleType) -> Iterator[str]:
    title = (module.__doc__ or "").partition("\n")[0].rstrip(".")
    yield f"## {title}\n"
    for kind in KINDS.values():
        if kind.__module__ == module.__name__:
            yield from _kind(kind)


def _kind(kind: type[Constraint]) -> Iterator[str]:
    yield f"### `{kind.kind}`\n"
    yield f"{inspect.getdoc(kind)}\n"
    yield f"Residual in {kind.unit}. Tolerance {_slack(kind)}.\n"
    own = [member for member in members_of(kind) if member.name not in _COMMON]
    if own:
        yield from _table(own)
        yield ""
    fields = "".join(f"\n  {name}: {_yaml(value)}" for name, value in kind.example.items())
    yield f"```yaml\n- kind: {kind.kind}{fields}\n```\n"


def _slack(kind: type[Constraint]) -> str:
    if kind.scale is Constraint.scale:
        half = f"half of the credit {kind.default_half:g} further on"
        if kind.size_mm is not Constraint.size_mm:
            half += f"; of sizes below {SMALL_MM:g} mm in proportion less"
        if kind.fineness is not Constraint.fineness:
            half += f"; of volumes below {SMALL_MM**3:g} mm3 in proportion less"
        return f"{kind.default_tolerance:g}, {half}"
    shares = (100 * kind.default_tolerance, 100 * kind.default_half)
    return "{:g} % of what is asked, half of the credit {:g} % further on".format(*shares)


def _table(members: Any) -> Iterator[str]:
    yield "| field | unit | meaning |"
    yield "|---|---|---|"
    for member in members:
        yield f"| `{member.name}`{_needed(member)} | {member.entry.unit} | {_about(member)} |"


def _needed(member: Member) -> str:
    return " (required)" if member.is_required else ""


def _about(member: Member) -> str:
    default = member.field.default
    if member.is_required or default is None or default == "":
        return member.entry.about
    return f"{member.entry.about}; {json.dumps(default)} by default"


def _yaml(value: Any) -> str:
    """Return a value as a person writes it in one line of YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_yaml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_yaml(item) for item in value) + "]"
    return json.dumps(value) if isinstance(value, bool) else str(value)
