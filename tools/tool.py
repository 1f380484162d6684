"""What a tool is: its call, its result, and the schema the model reads.

``@tool`` turns a method into a tool. The JSON schema comes from the type hints, the description
from the Google docstring, so there is one text for people, for the model and for the validator.
``Toolset`` collects the tools of one workspace and runs calls against them: whatever a model
writes comes back as a ``ToolResult``, never as an exception.
"""

from __future__ import annotations

import difflib
import inspect
import math
import time
import types
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
import numpy.typing as npt
from docstring_parser import DocstringStyle
from docstring_parser import parse as parse_docstring

from cadwright.tools.errors import Outcome, ToolError
from cadwright.tools.geometry.part import Notice

Pixels = npt.NDArray[np.uint8]
Function = TypeVar("Function", bound=Callable[..., "ToolResult"])

MAX_PARAMETERS = 5  # more than five and models start to mix them up
_MARK = "__cadwright_tool__"


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A piece of text in an observation."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class ImageBlock:
    """A picture in an observation.

    Attributes:
        pixels: (H, W, 3) uint8 RGB.
        render_id: Backend, camera, size and version, or where the picture came from.
        caption: One line of text that goes with it.
    """

    pixels: Pixels
    render_id: str
    caption: str = ""

    def __eq__(self, other: object) -> bool:
        """Same words, same pixels."""
        if not isinstance(other, ImageBlock):
            return NotImplemented
        return (self.render_id, self.caption) == (other.render_id, other.caption) and (
            np.array_equal(self.pixels, other.pixels)
        )

    def __hash__(self) -> int:
        """Hash of what is cheap; ``__eq__`` looks at the pixels."""
        return hash((self.render_id, self.caption, self.pixels.shape))


Block = TextBlock | ImageBlock


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the policy made it. ``id`` ties the result to the call."""

    name: str
    arguments: Mapping[str, Any]
    id: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return {"name": self.name, "arguments": dict(self.arguments), "id": self.id}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one call did.

    Attributes:
        name: The tool that ran.
        text: What the policy reads.
        images: What the policy sees.
        outcome: How the call ended; anything but ``ok`` left the workspace as it was.
        deltas: What changed, by name, for example ``volume_mm3``.
        notices: Warnings with stable codes.
        seconds: Wall time; never part of an observation or of a comparison.
        call_id: The ``id`` of the call.
        is_final: The episode ends with this call.
    """

    name: str
    text: str
    images: tuple[ImageBlock, ...] = ()
    outcome: Outcome = Outcome.OK
    deltas: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    call_id: str = ""
    is_final: bool = False

    def blocks(self) -> tuple[Block, ...]:
        """Return the text and the images in the order the policy gets them."""
        return (TextBlock(self.text), *self.images)


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds of a number in a hint: ``Annotated[int, Range(64, 1024)]``."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model reads it: ``parameters`` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    def to_openai(self) -> dict[str, Any]:
        """Return the function-calling form that chat templates and servers take."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
        return {"type": "function", "function": function}


def tool(function: Function) -> Function:
    """Mark a method as a tool and derive its schema now, so that a gap fails at import.

    Raises:
        TypeError: A description is missing, a hint cannot be expressed, or there are too many
            parameters.
    """
    setattr(function, _MARK, spec_of(function))
    return function


def spec_of(function: Callable[..., Any]) -> ToolSpec:
    """Derive the spec of ``function`` from its hints and its Google docstring."""
    name = function.__name__
    doc = parse_docstring(inspect.getdoc(function) or "", style=DocstringStyle.GOOGLE)
    if not doc.description:
        raise TypeError(f"tool {name!r} has no docstring: the model reads it, so write one")
    described = {p.arg_name: (p.description or "").replace("\n", " ") for p in doc.params}
    hints = get_type_hints(function, include_extras=True)
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    if len(parameters) > MAX_PARAMETERS:
        raise TypeError(f"tool {name!r} has {len(parameters)} parameters; at most {MAX_PARAMETERS}")
    properties: dict[str, Any] = {}
    for parameter in parameters:
        text = described.get(parameter.name)
        if not text:
            raise TypeError(f"tool {name!r}: parameter {parameter.name!r} has no description")
        schema = {**schema_of(hints[parameter.name]), "description": text}
        if parameter.default is not inspect.Parameter.empty and parameter.default is not None:
            schema["default"] = parameter.default
        properties[parameter.name] = schema
    required = [p.name for p in parameters if p.default is inspect.Parameter.empty]
    return ToolSpec(
        name=name,
        description=doc.description.strip(),
        parameters={
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
    )


_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_of(hint: Any) -> dict[str, Any]:
    """Return the JSON schema of a type hint.

    Raises:
        TypeError: The hint is not a scalar, ``Literal``, ``list``, ``Annotated`` range or optional.
    """
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin is Annotated:
        bounds = arguments[1]
        return {**schema_of(arguments[0]), "minimum": bounds.low, "maximum": bounds.high}
    if origin in (Union, types.UnionType) and type(None) in arguments and len(arguments) == 2:
        return schema_of(next(a for a in arguments if a is not type(None)))
    raise TypeError(f"a tool parameter cannot have the type {hint!r}")


def check_arguments(spec: ToolSpec, arguments: object) -> None:
    """Check a call's arguments against the schema; every fault is named at once.

    Raises:
        ToolError: With the field, what was given and what is allowed.
    """
    if not isinstance(arguments, Mapping):
        raise ToolError(
            f"{spec.name}: arguments must be an object with named fields, not "
            f"{type(arguments).__name__}: use {_usage(spec)}"
        )
    faults = [*_unknown_fields(spec, arguments), *_schema_faults(spec, arguments)]
    if faults:
        raise ToolError(f"{spec.name}: " + "; ".join(faults))


def _usage(spec: ToolSpec) -> str:
    required = spec.parameters["required"]
    fields = ", ".join(
        f'"{name}": <{schema.get("type", "value")}>'
        for name, schema in spec.parameters["properties"].items()
        if name in required or not required
    )
    return "{" + fields + "}"


def _unknown_fields(spec: ToolSpec, arguments: Mapping[str, Any]) -> Iterable[str]:
    known = list(spec.parameters["properties"])
    for name in arguments:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            allowed = ", ".join(known) if known else "no arguments"
            yield f"unknown argument {name!r}{hint}, allowed: {allowed}"


def _schema_faults(spec: ToolSpec, arguments: Mapping[str, Any]) -> Iterable[str]:
    from jsonschema import Draft202012Validator  # 60 ms to import, needed at the first call only

    schema = {**spec.parameters, "additionalProperties": True}  # named by _unknown_fields already
    errors = Draft202012Validator(schema).iter_errors(dict(arguments))
    inner = sorted(errors, key=lambda e: [str(p) for p in e.path])
    told = (_explain(error, ".".join(str(p) for p in error.path)) for error in inner)
    yield from dict.fromkeys(told)  # each missing field is an error that names all of them
    for name, value in arguments.items():
        if _has_non_finite(value):
            yield f"{name} must be a finite number, not {value!r}"


def _explain(error: Any, where: str) -> str:
    if error.validator == "required":
        missing = [f for f in error.validator_value if f not in error.instance]
        return "missing argument " + ", ".join(repr(f) for f in missing)
    given = _short(error.instance)
    if error.validator == "enum":
        allowed = ", ".join(str(v) for v in error.validator_value)
        near = difflib.get_close_matches(str(error.instance), map(str, error.validator_value), n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        return f"{where} is {given}{hint}, allowed: {allowed}"
    if error.validator in ("minimum", "maximum"):
        low, high = error.schema.get("minimum"), error.schema.get("maximum")
        return f"{where} is {given}, allowed: {low} to {high}"
    if error.validator == "type":
        return f"{where} must be of type {error.validator_value}, not {given}"
    return f"{where}: {error.message}"


def _short(value: object, limit: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _has_non_finite(value: object) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, list | tuple):
        return any(_has_non_finite(v) for v in value)
    return False


class Toolset:
    """The tools of one workspace, by name.

    Args:
        owner: Object whose ``@tool`` methods are offered.
        allowed: Names to offer, in this order, or None for all of them. A set has no order: its
            names are offered by the alphabet.
    """

    def __init__(self, owner: object, allowed: Iterable[str] | None = None) -> None:
        marked: dict[str, Callable[..., ToolResult]] = {
            name: cast(Callable[..., ToolResult], method)
            for name, method in inspect.getmembers(owner, callable)
            if hasattr(method, _MARK)
        }
        allowed = marked if allowed is None else allowed  # marked: by the alphabet
        names = sorted(allowed) if isinstance(allowed, Set) else list(dict.fromkeys(allowed))
        for name in names:
            if name not in marked:
                raise ToolError(_no_such_tool(name, marked))
        self._methods = {n: marked[n] for n in names}

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The specs in the order in which they are offered."""
        return tuple(getattr(method, _MARK) for method in self._methods.values())

    def call(self, call: ToolCall) -> ToolResult:
        """Run one call. A bad call or a ``ToolError`` becomes the result's text."""
        start = time.perf_counter()
        try:
            result = self._run(call)
        except ToolError as error:
            result = ToolResult(call.name, f"error: {error}", outcome=error.outcome)
        return replace(result, seconds=time.perf_counter() - start, call_id=call.id)

    def _run(self, call: ToolCall) -> ToolResult:
        method = self._methods.get(call.name)
        if method is None:
            raise ToolError(_no_such_tool(call.name, self._methods))
        spec = cast(ToolSpec, getattr(method, _MARK))
        check_arguments(spec, call.arguments)
        return method(**call.arguments)


def _no_such_tool(name: str, known: Iterable[str]) -> str:
    known = sorted(known)
    near = difflib.get_close_matches(str(name), known, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"there is no tool {_short(name)}{hint}: available are {', '.join(known)}"
