"""Where geometry and pictures of a task come from: a program, a file or bytes.

A source is a promise, not a part: ``envs.runtime`` keeps it. There programs run in the sandbox and
files are parsed by a judge worker; nothing of either happens in this process.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cadwright.envs.names import nearest
from cadwright.tools import files
from cadwright.tools.errors import TaskError, UsageError
from cadwright.tools.geometry.formats import FORMATS as PART_FORMATS
from cadwright.tools.geometry.formats import ImportFailure, format_of

FORMATS = ("py", *PART_FORMATS)
VIEWS = ("sheet", "front", "back", "left", "right", "top", "bottom", "iso", "drawing", "measured")


@dataclass(frozen=True, slots=True)
class GeometrySource:
    """Where a part comes from.

    Attributes:
        origin: CadQuery text, the path of a part file or of a ``.py`` program, or the bytes of a
            part file.
        format: One of ``FORMATS``; taken from ``origin`` where it is not given.
    """

    origin: str | Path | bytes = field(repr=False)
    format: str = ""

    def __post_init__(self) -> None:
        """Settle the format.

        Raises:
            TaskError: The format is unknown, or a program was said to be something else.
        """
        allowed = ("py",) if isinstance(self.origin, str) else FORMATS
        given = self.format or _written_format(self.origin)
        object.__setattr__(self, "format", _known_format(given, allowed, self.name))

    @property
    def is_program(self) -> bool:
        """Whether the part comes from running a program."""
        return self.format == "py"

    @property
    def name(self) -> str:
        """A short name for messages: ``program``, ``part.stl``, ``step data``."""
        if isinstance(self.origin, Path):
            return self.origin.name
        return "program" if isinstance(self.origin, str) else f"{self.format or 'part'} data"

    def read(self) -> bytes:
        """Return the bytes of the program or part file.

        Raises:
            TaskError: The file cannot be read.
        """
        if isinstance(self.origin, str):
            return self.origin.encode()
        limit = files.MAX_TEXT_BYTES if self.is_program else files.MAX_PART_BYTES
        return _bytes_of(self.origin, limit)

    def text(self) -> str:
        """Return the text of the program.

        Raises:
            TaskError: The file cannot be read or is not UTF-8.
        """
        return self.origin if isinstance(self.origin, str) else decode(self.read(), self.name)

    @property
    def digest(self) -> str:
        """Hash of format and bytes: the same content gives the same digest wherever it lies."""
        return hashlib.sha256(f"{self.format}\n".encode() + self.read()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return the form it has in a task file."""
        if isinstance(self.origin, str):
            return {"program": self.origin}
        return {**_origin_to_json(self.origin), "format": self.format}


@dataclass(frozen=True, slots=True)
class ImageSource:
    """A picture of the task: a file, or a view of the hidden reference drawn at reset.

    Attributes:
        origin: The path or the bytes of an image file, or None for a view.
        view: One of ``VIEWS``, or None for a file. A result can be laid over a view, since its
            camera is known.
        caption: One line that goes with it.
    """

    origin: Path | bytes | None = field(default=None, repr=False)
    view: str | None = None
    caption: str = ""

    def __post_init__(self) -> None:
        """Check that it is one of the two.

        Raises:
            TaskError: It is neither or both, or the view is unknown.
        """
        if (self.origin is None) == (self.view is None):
            raise TaskError("a picture is either a file (or data) or a view of the reference")
        if self.view is not None and self.view not in VIEWS:
            raise TaskError(f"view is {self.view!r}{nearest(self.view, VIEWS)}")

    def read(self) -> bytes:
        """Return the encoded bytes; of a view, which has none yet, its name.

        Raises:
            TaskError: The file cannot be read.
        """
        if self.origin is None:
            return f"view {self.view}".encode()
        return _bytes_of(self.origin, files.MAX_PART_BYTES)

    def to_json(self) -> dict[str, Any]:
        """Return the form it has in a task file."""
        origin = {"view": self.view} if self.origin is None else _origin_to_json(self.origin)
        return {**origin, "caption": self.caption}


def geometry_from_json(record: Mapping[str, Any], base: Path | None = None) -> GeometrySource:
    """Read what ``GeometrySource.to_json`` writes; a relative file is meant from ``base``.

    Raises:
        TaskError: The record names none or several origins, or an unknown format.
    """
    key = _only_key(record, ("program", "file", "data"))
    origin = record[key] if key == "program" else _origin_from_json(record[key], key, base)
    return GeometrySource(origin, record.get("format", ""))


def image_from_json(record: Mapping[str, Any], base: Path | None = None) -> ImageSource:
    """Read what ``ImageSource.to_json`` writes; a relative file is meant from ``base``.

    Raises:
        TaskError: The record names none or several origins, or an unknown view.
    """
    key = _only_key(record, ("file", "data", "view"))
    caption = record.get("caption", "")
    if key == "view":
        return ImageSource(view=record["view"], caption=caption)
    return ImageSource(_origin_from_json(record[key], key, base), caption=caption)


def resolve(file: str | Path, base: Path | None) -> Path:
    """Return ``file`` as an absolute path; a relative one is meant from ``base``."""
    path = expanded(file)
    return (path if base is None else base / path).absolute()


def expanded(file: str | Path) -> Path:
    """Return a path with ``~`` and ``~user`` replaced; a user that is not there is left as written.

    So what is complained about is a file that does not exist, as for any other wrong path.
    """
    try:
        return Path(file).expanduser()
    except RuntimeError:
        return Path(file)


def read_text(path: Path) -> str:
    """Return the UTF-8 text of ``path``, whatever the locale says.

    Raises:
        TaskError: It cannot be read, is no regular file, too large or not UTF-8.
    """
    return decode(_bytes_of(path, files.MAX_TEXT_BYTES), str(path))


def decode(data: bytes, name: str) -> str:
    """Return ``data`` as UTF-8 text without a byte order mark.

    Raises:
        TaskError: It is not UTF-8; the message names ``name`` and the byte.
    """
    try:
        return files.decode(data, name)
    except UsageError as err:
        raise TaskError(str(err)) from err


def _written_format(origin: str | Path | bytes) -> str:
    if isinstance(origin, str):
        return "py"
    return origin.suffix if isinstance(origin, Path) else ""


def _known_format(given: str, allowed: tuple[str, ...], name: str) -> str:
    if given.lower().removeprefix(".") == "py":
        return "py"
    try:
        found = format_of(given)
    except ImportFailure:
        found = given
    if found not in allowed:
        raise TaskError(f"{name}: unknown format {given!r}{nearest(given, allowed)}")
    return found


def _bytes_of(origin: Path | bytes, max_bytes: int) -> bytes:
    if isinstance(origin, bytes):
        return origin
    try:
        return files.read_bytes(origin, max_bytes)
    except UsageError as err:
        raise TaskError(str(err)) from err


def _only_key(record: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    given = [key for key in keys if record.get(key) is not None]
    if len(given) != 1:
        raise TaskError(f"give one of {', '.join(keys)}; got {' and '.join(given) or 'none'}")
    return given[0]


def _origin_to_json(origin: Path | bytes) -> dict[str, str]:
    if isinstance(origin, Path):
        return {"file": str(origin)}
    return {"data": base64.b64encode(origin).decode()}


def _origin_from_json(value: str, key: str, base: Path | None) -> Path | bytes:
    if key == "file":
        return resolve(value, base)
    try:
        return base64.b64decode(value, validate=True)
    except binascii.Error as err:
        raise TaskError(f"data is not base64: {err}") from err
