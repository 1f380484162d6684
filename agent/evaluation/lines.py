"""Files of JSON lines that survive the death of who writes them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import IO, Any


def cut_torn_line(file: IO[bytes]) -> None:
    """Cut off a line that a dying process left unfinished; only who holds the lock may.

    Args:
        file: Open for reading and appending.
    """
    file.seek(0)
    data = file.read()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        file.truncate(whole)


def append_line(file: IO[bytes], row: Mapping[str, Any]) -> None:
    """Add a line; it is on the disk before this returns."""
    file.write(json.dumps(row, allow_nan=False).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())
