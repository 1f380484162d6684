"""Packaged data: suites, parts, prompts."""

if __name__ != "cadwright.assets":
    raise ImportError("import cadwright.assets, not the bare folder name assets")

from importlib.resources import files
from importlib.resources.abc import Traversable


def path(name: str) -> Traversable:
    """Return the packaged file or folder ``name``, for example ``suites/smoke.yaml``."""
    return files(__name__).joinpath(name)
