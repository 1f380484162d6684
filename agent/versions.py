"""What a trajectory was made with: the versions that can change a result."""

from __future__ import annotations

import functools
import platform
from importlib import metadata

_PACKAGES = (
    "cadquery",
    "cadquery-ocp",
    "manifold3d",
    "moderngl",
    "numpy",
    "scipy",
    "torch",
    "transformers",
    "trimesh",
)


@functools.cache
def versions() -> dict[str, str]:
    """Return the versions of cadwright, Python and the packages under it."""
    from cadwright import __version__

    found = {"cadwright": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
