"""Write what went wrong for the policy: its line, the operation, the arguments, one hint.

No frame of ours or of CadQuery's is shown: a policy can change its own lines only.
"""

from __future__ import annotations

import contextlib
import difflib
import linecache
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from cadwright.tools.sandbox.hints import hint_for
from cadwright.tools.sandbox.protocol import Header

MAX_MESSAGE = 600
MAX_ARGUMENTS = 200
MODEL_FILES = "<model code"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an error came from.

    Attributes:
        line: Line number in the model's code, or None when it was never reached.
        source: That line.
        operation: The CadQuery operation it called, or "".
        arguments: Its arguments, ``radius=5.0``.
    """

    line: int | None
    source: str = ""
    operation: str = ""
    arguments: str = ""


def failure(error: BaseException, namespace: Mapping[str, object]) -> Header:
    """Return the header of a step that raised."""
    kind = type(error).__name__
    if isinstance(error, MemoryError) or "bad_alloc" in str_of(error):
        return _header(
            "resource_limit",
            kind,
            "the program ran out of its memory",
            _place(error),
            "use fewer, smaller or coarser objects",
        )
    place = _syntax_place(error) if isinstance(error, SyntaxError) else _place(error)
    message = _plain(error)
    hint = _nearest_name(error, namespace) or hint_for(place.operation, kind, message)
    return _header("python_error", kind, message, place, hint)


def early_exit(error: SystemExit) -> Header:
    """Return the header of a program that left before it made a part."""
    message = f"the program exited (code {error.code!r}) before it made a part"
    return _header(
        "no_result",
        "SystemExit",
        message,
        _place(error),
        "leave out sys.exit() and bind the part: result = ...",
    )


def no_part(error: Any) -> Header:
    """Return the header of a step that ran and made no single part."""
    return _header(error.outcome, "NoPart", str(error), Place(None), error.hint)


def no_scratch(error: OSError) -> Header:
    """Return the header of a step that could not enter its folder."""
    message = f"the scratch folder cannot be used: {error}"
    hint = "remove files that are not needed any more"
    return _header("resource_limit", type(error).__name__, message, Place(None), hint)


def str_of(error: BaseException) -> str:
    """Return the message of an exception, whatever its ``__str__`` does."""
    return "".join(traceback.format_exception_only(type(error), error)).strip()


def quietly(action: Callable[[], object]) -> None:
    """Do something that model code may have broken (``sys.stdout``, for one)."""
    with contextlib.suppress(BaseException):
        action()


def _header(outcome: str, kind: str, message: str, place: Place, hint: str) -> Header:
    return {
        "op": "result",
        "outcome": outcome,
        "notices": [],
        "error": {
            "type": kind,
            "message": message[:MAX_MESSAGE],
            "line": place.line,
            "source": place.source[:MAX_ARGUMENTS],
            "operation": place.operation,
            "arguments": place.arguments,
            "hint": hint,
        },
    }


def _plain(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return str(error.msg)
    text = str_of(error)
    text = re.sub(r"^[\w.]*?(\w+): ", r"\1: ", text)  # OCP.OCP.StdFail.StdFail_NotDone: ...
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 4] + " ..."


def _syntax_place(error: SyntaxError) -> Place:
    if not (error.filename or "").startswith(MODEL_FILES):
        return _place(error)
    return Place(error.lineno, (error.text or "").strip())


def _place(error: BaseException) -> Place:
    """Return the model's deepest line and the first CadQuery frame below it."""
    frames = list(traceback.walk_tb(error.__traceback__))
    depths = [depth for depth, (frame, _) in enumerate(frames) if _is_model(frame.f_code)]
    if not depths:
        return Place(None)
    frame, line = frames[depths[-1]]
    source = linecache.getline(frame.f_code.co_filename, line).strip()
    for called, _ in frames[depths[-1] + 1 :]:
        if _is_operation(called.f_code):
            return Place(line, source, _operation(called), _arguments(called))
    return Place(line, source)


def _is_model(code: CodeType) -> bool:
    return code.co_filename.startswith(MODEL_FILES)


def _is_operation(code: CodeType) -> bool:
    is_cadquery = "cadquery" in code.co_filename.replace("\\", "/").split("/")
    return is_cadquery and not code.co_name.startswith("_") and code.co_name != "wrapper"


def _operation(frame: FrameType) -> str:
    return frame.f_code.co_name


def _arguments(frame: FrameType) -> str:
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = [(name, frame.f_locals.get(name)) for name in names if name not in ("self", "cls")]
    text = ", ".join(f"{name}={_short(value)}" for name, value in values if value is not None)
    return text if len(text) <= MAX_ARGUMENTS else text[: MAX_ARGUMENTS - 4] + " ..."


def _short(value: object) -> str:
    """Return a repr that never runs model code and stays short."""
    if type(value) in (int, float, bool, str):
        text = repr(value)
        return text if len(text) <= 40 else text[:36] + " ..."
    if type(value) in (tuple, list):
        items = list(value)  # type: ignore[call-overload]
        shown = ", ".join(_short(item) for item in items[:4])
        return f"[{shown}{', ...' if len(items) > 4 else ''}]"
    return f"<{type(value).__name__}>"


def _nearest_name(error: BaseException, namespace: Mapping[str, object]) -> str:
    """Return a hint for a misspelt name or attribute."""
    if isinstance(error, NameError) and error.name:
        known = [name for name in namespace if not name.startswith("__")]
        return _did_you_mean(error.name, known)
    if isinstance(error, AttributeError) and error.name:
        known = [name for name in dir(error.obj) if not name.startswith("_")]
        return _did_you_mean(error.name, known)
    return ""


def _did_you_mean(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if name == "cq":
        return "add `import cadquery as cq` first"
    return f"did you mean `{near[0]}`?" if near else ""
