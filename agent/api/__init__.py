"""cadwright: a native multimodal agent runtime for tool-driven 3D and CAD work.

This file is ``import cadwright``. It stays light: a name loads its module on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cadwright.tools.sandbox import Sandbox

__version__ = "0.1.0"
__all__ = ["Sandbox", "__version__"]

_WHERE = {
    "Sandbox": "cadwright.tools.sandbox",
}


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'cadwright' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
