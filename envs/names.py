"""File names for task ids that anyone may have written.

An id is free text: ``../../escape``, ``A`` beside ``a``, ``Ø12``, ``con``. A file name made from it
must stay inside its folder, keep two ids apart on a system that folds case, and still be readable.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Iterable

MAX_LENGTH = 64  # characters; leaves room for a suffix under the 255 bytes of every file system

_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9_-])?")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")  # devices on Windows
_SLUG_LENGTH = 40
_DIGEST_LENGTH = 16  # hex digits: 64 bits, so a million ids collide once in 10^7 runs


def safe_name(task_id: str) -> str:
    """Return a file name for ``task_id``: injective, also where a file system folds case.

    A plain lower-case id is its own name. Any other gets a readable slug, ``~`` and a digest of
    the id; a plain id holds no ``~``, so the two kinds cannot meet.

    Args:
        task_id: Any text.

    Returns:
        At most ``MAX_LENGTH`` characters of ``a-z 0-9 . _ - ~``, never empty, ``.`` or ``..``.
    """
    if _PLAIN.fullmatch(task_id) and not _RESERVED.fullmatch(task_id):
        return task_id
    ascii_text = unicodedata.normalize("NFKD", task_id).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9_]+", "-", ascii_text).strip("-")[:_SLUG_LENGTH] or "task"
    # surrogatepass: a JSON escape may spell half a surrogate pair, which UTF-8 refuses to encode
    digest = hashlib.sha256(task_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{slug}~{digest[:_DIGEST_LENGTH]}"


def nearest(given: object, known: Iterable[str]) -> str:
    """Return a clause for an error message: the nearest match, then all that is allowed."""
    names = sorted(known)
    near = difflib.get_close_matches(str(given), names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"{hint}, allowed: {', '.join(names)}"
