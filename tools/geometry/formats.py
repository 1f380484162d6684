"""Which file formats a part can come from, how large a file may be, and how a refusal reads.

Light on purpose: the main process imports this to refuse a file before any worker parses it.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.files import MAX_PART_BYTES

FORMATS = ("step", "brep", "stl", "obj", "3mf", "glb", "gltf")
WRITABLE = ("step", "brep", "stl", "obj", "3mf", "glb")
EXACT_FORMATS = ("step", "brep")

MAX_FILE_BYTES = MAX_PART_BYTES
MAX_TRIANGLES = 4_000_000  # about 150 MB of arrays: past this no judge answers in time

_ALIASES = {"stp": "step", "brp": "brep", "p21": "step"}


class ImportFailure(GeometryError):
    """A file that cannot become a part: who it is, what is wrong with it, what is allowed."""

    def __init__(self, message: str, outcome: Outcome = Outcome.IMPORT_ERROR) -> None:
        super().__init__(message, outcome)


def format_of(name: str | Path) -> str:
    """Return the format that a file name or an extension stands for.

    Args:
        name: ``lid.stl``, ``.STEP``, ``stp`` or a path.

    Returns:
        One of ``FORMATS``.

    Raises:
        ImportFailure: The ending is not a known format.
    """
    ending = str(name).rsplit("/", 1)[-1].rsplit(".", 1)[-1].lower()
    ending = _ALIASES.get(ending, ending)
    if ending in FORMATS:
        return ending
    near = difflib.get_close_matches(ending, (*FORMATS, *_ALIASES), n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise ImportFailure(f"{name}: unknown format{hint}: use one of {', '.join(FORMATS)}")


def check_size(num_bytes: int, name: str) -> None:
    """Refuse a file that is empty or larger than ``MAX_FILE_BYTES``."""
    if num_bytes == 0:
        raise ImportFailure(f"{name}: the file is empty (0 bytes)", Outcome.EMPTY_GEOMETRY)
    if num_bytes > MAX_FILE_BYTES:
        raise ImportFailure(
            f"{name}: {num_bytes / 2**20:.0f} MB given, "
            f"at most {MAX_FILE_BYTES // 2**20} MB allowed"
        )


def check_triangles(num_triangles: int, name: str) -> None:
    """Refuse a mesh with more triangles than a judge can measure in time."""
    if num_triangles > MAX_TRIANGLES:
        raise ImportFailure(
            f"{name}: {num_triangles} triangles given, at most {MAX_TRIANGLES} allowed: "
            "export it with a coarser tessellation"
        )
