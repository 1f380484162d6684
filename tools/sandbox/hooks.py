"""Watch what a program does to CadQuery: what it shows, exports, writes with which font.

Installed once in the zygote. Every hook notes something and then calls the real function, so a
program behaves as it would outside; only missing parent folders of an export are created.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Recorder:
    """What the running step did.

    Attributes:
        shown: (name, object) of each ``show_object`` call.
        exported: (file name, object) of each outermost export.
        replaced_fonts: (name asked for, name used) of each ``text`` whose font is missing.
    """

    shown: list[tuple[str, object]] = field(default_factory=list)
    exported: list[tuple[str, object]] = field(default_factory=list)
    replaced_fonts: list[tuple[str, str]] = field(default_factory=list)
    _depth: int = 0

    def clear(self) -> None:
        """Forget the step before."""
        self.shown.clear()
        self.exported.clear()
        self.replaced_fonts.clear()

    def show_object(
        self, shape: object, name: str | None = None, options: object = None, **_: object
    ) -> None:
        """Note an object as CQ-editor's ``show_object`` does; the options are for viewers."""
        del options
        self.shown.append((name or f"object {len(self.shown) + 1}", shape))

    def wrap_export(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``function`` noting its first argument as exported."""

        @functools.wraps(function)
        def export(shape: Any, path: Any = None, *args: Any, **kwargs: Any) -> Any:
            given = (shape,) if path is None else (shape, path)
            target = next((kwargs[key] for key in _PATH_NAMES if key in kwargs), path)
            self._note_export(shape, target)
            self._depth += 1
            try:
                return function(*given, *args, **kwargs)
            finally:
                self._depth -= 1

        return export

    def _note_export(self, shape: object, target: object) -> None:
        if self._depth or not isinstance(target, (str, os.PathLike)):
            return
        path = Path(target)
        if not path.is_absolute():
            path.parent.mkdir(parents=True, exist_ok=True)
        self.exported.append((path.name, shape))


_PATH_NAMES = ("fname", "fileName", "path", "f")
_SHAPE_EXPORTS = ("export", "exportStep", "exportStl", "exportBrep", "exportBin")


def install() -> Recorder:
    """Hook CadQuery's exports and fonts; returns what they report to."""
    import cadquery as cq

    recorder = Recorder()
    hooked = [(cq.exporters, "export"), (cq.Workplane, "export")]
    hooked += [(cq.Assembly, "export"), (cq.Assembly, "save")]
    hooked += [(cq.Shape, name) for name in _SHAPE_EXPORTS]
    for owner, name in hooked:
        setattr(owner, name, recorder.wrap_export(getattr(owner, name)))
    cq.occ_impl.shapes.Font_FontMgr = _WatchedFonts(recorder)
    return recorder


class _WatchedFonts:
    """Stands in for ``Font_FontMgr``: OCCT quietly takes any font when it lacks the one named."""

    def __init__(self, recorder: Recorder) -> None:
        from OCP.Font import Font_FontMgr, Font_StrictLevel

        self._manager = Font_FontMgr
        self._strict = Font_StrictLevel.Font_StrictLevel_Strict
        self._recorder = recorder

    def GetInstance_s(self) -> _WatchedFonts:
        """Return this stand-in, as the real class returns its only instance."""
        return self

    def FindFont(self, name: Any, aspect: Any) -> Any:
        """Find a font, and note it when it is not the one asked for."""
        manager = self._manager.GetInstance_s()
        found = manager.FindFont(name, aspect)
        if manager.FindFont(name, self._strict, aspect, False) is None:
            used = found.FontName().ToCString() if found is not None else ""
            self._recorder.replaced_fonts.append((name.ToCString(), used))
        return found

    def __getattr__(self, name: str) -> Any:
        """Pass everything else to the real font manager."""
        return getattr(self._manager.GetInstance_s(), name)
