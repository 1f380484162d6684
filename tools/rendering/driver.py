"""Errors of graphics drivers as one exception."""

from __future__ import annotations

from types import TracebackType

from cadwright.tools.errors import CadwrightError
from cadwright.tools.rendering.frame import RenderFailure


class driver_calls:
    """Turn whatever a driver raises inside the block into ``RenderFailure``.

    GL bindings raise bare ``Exception`` (glcontext), ``AssertionError`` (PyOpenGL's platforms),
    ``OSError`` or ``AttributeError`` (missing libraries): there is no common base to name.

    Args:
        what: What was tried, for the message.
    """

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Translate the error, where there is one."""
        if isinstance(error, Exception) and not isinstance(error, CadwrightError):
            reason = str(error).strip() or type(error).__name__
            raise RenderFailure(f"{self._what}: {reason.splitlines()[0]}") from error
