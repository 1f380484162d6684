"""Pictures as they stand in a report: small, and inside the file."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from cadwright.tools.errors import UsageError
from cadwright.tools.files import read_bytes

THUMBNAIL_PX = 144  # shown at 72: sharp on a dense screen


def data_url(path: Path, size_px: int = THUMBNAIL_PX) -> str | None:
    """Return the picture at ``path`` as a small JPEG data URL, or None where there is none."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(read_bytes(path))) as image:
            small = image.convert("RGB")
    except (UsageError, UnidentifiedImageError):
        return None
    small.thumbnail((size_px, size_px), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=82, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()
