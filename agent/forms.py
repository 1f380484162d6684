"""What records of our own files must hold, so that a damaged one is named and not stumbled over.

Only the fields that a reader counts on are in a form, with the types that they can have there: a
field that a later version adds is no damage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Field:
    """What one field may be.

    Attributes:
        kinds: Types of plain data.
        inner: Where it is an object: what that must hold.
    """

    kinds: tuple[type, ...]
    inner: Mapping[str, Field] = field(default_factory=dict)

    def takes(self, value: object) -> bool:
        """Whether a value is of one of the types; True is no number."""
        return isinstance(value, self.kinds) and (not isinstance(value, bool) or bool in self.kinds)


Form = Mapping[str, Field]

TEXT, WHOLE, FLAG, LIST = (Field((kind,)) for kind in (str, int, bool, list))
NUMBER = Field((int, float))


def an_object(form: Form | None = None) -> Field:
    """Return the field of an object that holds what ``form`` says."""
    return Field((dict,), form or {})


def or_null(wanted: Field) -> Field:
    """Return a field that may also be null."""
    return Field((*wanted.kinds, type(None)), wanted.inner)


def fault(record: Mapping[str, Any], form: Form, place: str = "") -> str:
    """Say which field is the first that is not as the form has it; "" where all are.

    Args:
        record: Plain data.
        form: What it must hold.
        place: Where the record stands in a larger one, such as ``task.``.
    """
    for name, wanted in form.items():
        where = f"{place}{name}"
        if name not in record:
            return f"{where} is missing"
        value = record[name]
        if not wanted.takes(value):
            words = " or ".join(_WORDS[kind] for kind in wanted.kinds)
            return f"{where} must be {words}, not {_short(value)}"
        if isinstance(value, Mapping) and (found := fault(value, wanted.inner, f"{where}.")):
            return found
    return ""


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:36] + " ..."
