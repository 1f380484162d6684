"""Fields that say how they are read, in which unit, and how they follow a motion.

The parser, the documentation and the movement of a constraint with its part all follow from this
one declaration. Nothing here knows a kind of constraint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from typing import Any, get_type_hints

from cadwright.tools.errors import UsageError

Path = tuple[str | int, ...]
Reader = Callable[[object, Path], Any]


class ConstraintFault(UsageError):
    """A constraint that cannot be used. ``where`` is the path of the field at fault."""

    def __init__(self, where: Path, message: str) -> None:
        super().__init__(message)
        self.where = where


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in the ``Annotated`` type of a field.

    Attributes:
        read: From plain data to the field's type; raises ConstraintFault.
        about: What it means, for the documentation.
        unit: ``mm``, ``deg``, ... or empty.
        role: How it follows a rigid motion: ``point``, ``points``, ``direction``, ``record``
            (its own fields do), or empty where it does not move.
    """

    read: Reader
    about: str
    unit: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """One field of a record with its entry."""

    field: Field[Any]
    entry: Entry

    @property
    def name(self) -> str:
        """Name of the field."""
        return self.field.name

    @property
    def is_required(self) -> bool:
        """Whether the field has no default."""
        return self.field.default is MISSING and self.field.default_factory is MISSING


def members_of(cls: type) -> tuple[Member, ...]:
    """Return the fields of a record that say how they are read, those of its own class first."""
    return _members_of(cls)


@cache
def _members_of(cls: Any) -> tuple[Member, ...]:
    hints = get_type_hints(cls, include_extras=True)
    found = []
    for item in fields(cls):
        entries = [m for m in getattr(hints[item.name], "__metadata__", ()) if type(m) is Entry]
        found += [Member(item, entry) for entry in entries]
    declared = [set(vars(base).get("__annotations__", ())) for base in cls.__mro__]
    return tuple(sorted(found, key=lambda m: [m.name in names for names in declared].index(True)))
