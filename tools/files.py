"""Read files that somebody names: never a pipe that blocks, never without a limit.

Opening a pipe waits for a writer, and ``/dev/zero`` has no end. So what is no regular file is
refused before it is opened, and what is larger than its kind may be is refused unread. The one
exception is ``/dev/null``, which people give for an empty file.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from cadwright.tools.errors import UsageError

MAX_TEXT_BYTES = 64 * 2**20  # programs, YAML, JSONL: parsed in the process that a person types into
MAX_PART_BYTES = 256 * 2**20  # parts and pictures
MAX_RECORD_BYTES = 2**30  # what runs leave: written by us, read back whole

_MEGABYTE = 2**20
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
# A pipe may take the place of the file after the look at it: then opening must not wait either.
_READ_ONLY = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def size_of(path: Path) -> int:
    """Return the size of a regular file, in bytes; links are followed.

    Raises:
        UsageError: It is not there, or no regular file; the message says what it is.
    """
    try:
        found = path.stat()
    except (OSError, ValueError) as err:
        raise UsageError(f"{path}: {_why(err)}") from err
    _check_regular(path, found)
    return found.st_size


def read_bytes(path: Path, max_bytes: int = MAX_PART_BYTES) -> bytes:
    """Return what a regular file holds.

    Args:
        path: Any path that a person wrote, or that a file of theirs names.
        max_bytes: A larger file is refused, whatever its size is said to be.

    Raises:
        UsageError: It is not there, no regular file, too large or cannot be opened.
    """
    _check_size(path, size_of(path), max_bytes)
    try:
        with open(os.open(path, _READ_ONLY), "rb") as file:
            _check_regular(path, os.fstat(file.fileno()))
            data = file.read(max_bytes + 1)  # a file of /proc says 0 and holds more
    except OSError as err:
        raise UsageError(f"{path}: {_why(err)}") from err
    _check_size(path, len(data), max_bytes)
    return data


def read_text(path: Path, max_bytes: int = MAX_TEXT_BYTES) -> str:
    """Return the UTF-8 text of a regular file, whatever the locale says.

    Raises:
        UsageError: As ``read_bytes``, or it is not UTF-8.
    """
    return decode(read_bytes(path, max_bytes), str(path))


def decode(data: bytes, name: str) -> str:
    """Return ``data`` as UTF-8 text without a byte order mark.

    Raises:
        UsageError: It is not UTF-8; the message names ``name`` and the byte.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise UsageError(f"{name}: not UTF-8 text at byte {err.start}: save it as UTF-8") from err


def _check_regular(path: Path, found: os.stat_result) -> None:
    mode = found.st_mode
    if stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and found.st_rdev == os.stat(os.devnull).st_rdev):
        return
    what = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
    raise UsageError(f"{path} is {what}, not a file")


def _check_size(path: Path, num_bytes: int, max_bytes: int) -> None:
    if num_bytes > max_bytes:
        raise UsageError(
            f"{path}: {_megabytes(num_bytes)} given, at most {_megabytes(max_bytes)} allowed"
        )


def _megabytes(num_bytes: int) -> str:
    """Return a size so that one byte too many does not read as the limit itself."""
    is_whole = num_bytes % _MEGABYTE == 0
    return f"{num_bytes / _MEGABYTE:.0f} MB" if is_whole else f"{num_bytes} bytes"


def _why(err: OSError | ValueError) -> str:
    if isinstance(err, FileNotFoundError):
        return "no such file"
    return f"cannot be read: {getattr(err, 'strerror', None) or err}"
