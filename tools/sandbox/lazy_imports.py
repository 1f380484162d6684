"""Defer heavy imports until something really uses them.

CadQuery imports vtk, ezdxf, casadi and nlopt at import although most programs never touch them:
a second of CPU and 100 MB in the zygote, copied page by page into every child. ``deferring``
puts stand-ins in their place while CadQuery is imported. A stand-in loads the real thing at its
first real use, in the child that uses it. Nothing is removed: DXF import, constraint solving and
``import vtkmodules`` in model code all work.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import operator
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

HEAVY = ("vtkmodules", "vtk", "ezdxf", "casadi", "nlopt", "trame", "OCP.IVtk")

_loading = threading.RLock()


class DeferredModule(ModuleType):
    """Stands in for a module; ``from it import name`` gives a ``DeferredName`` at first."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__dict__["_deferred"] = True

    def __getattr__(self, name: str) -> Any:
        """Give a stand-in while deferring, the real attribute afterwards."""
        if self._is_deferred():
            if name.startswith("__"):
                raise AttributeError(name)
            return DeferredName(self, name)
        return getattr(real_module(self.__name__), name)

    def _is_deferred(self) -> bool:
        return bool(self.__dict__["_deferred"])

    def seal(self) -> None:
        """From now on every attribute access is a real use."""
        self.__dict__["_deferred"] = False
        # Without a path, `import it.sub` has to ask __getattr__, which loads the real package.
        self.__dict__.pop("__path__", None)


class DeferredName:
    """Stands in for one name of a deferred module, or an attribute of such a name.

    CadQuery calls, subclasses and type-tests these names, and uses one as a number
    (``ezdxf.units.MM`` as a default argument): those uses reach the real thing.
    """

    def __init__(self, owner: DeferredModule | DeferredName, name: str) -> None:
        self._owner = owner
        self._name = name

    def _real(self) -> Any:
        if isinstance(self._owner, DeferredName):
            return getattr(self._owner._real(), self._name)
        module = real_module(self._owner.__name__)
        if not hasattr(module, self._name):  # `from package import submodule`
            importlib.import_module(f"{module.__name__}.{self._name}")
        return getattr(module, self._name)

    def _is_deferred(self) -> bool:
        return self._owner._is_deferred()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the real thing."""
        return self._real()(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """Give a stand-in while deferring, the real attribute afterwards."""
        if name.startswith("__"):
            raise AttributeError(name)
        return DeferredName(self, name) if self._is_deferred() else getattr(self._real(), name)

    def __instancecheck__(self, instance: object) -> bool:
        """``isinstance(x, stand_in)``."""
        return isinstance(instance, self._real())

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        """``class Mine(stand_in)``."""
        return (self._real(),)

    def __or__(self, other: object) -> object:
        """``stand_in | None`` in an annotation."""
        return self._real() | other

    def __index__(self) -> int:
        """Use as a number."""
        return operator.index(self._real())

    def __lt__(self, other: Any) -> bool:
        """Order as the real thing does; no ``__eq__``: hashing must not load anything."""
        return bool(self._real() < other)

    def __ge__(self, other: Any) -> bool:
        """Order as the real thing does."""
        return bool(self._real() >= other)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, prefixes: Sequence[str]) -> None:
        self._prefixes = tuple(prefixes)
        self.modules: list[DeferredModule] = []

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Claim the heavy modules."""
        if not any(_belongs(name, prefix) for prefix in self._prefixes):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Make the stand-in."""
        module = DeferredModule(spec.name)
        self.modules.append(module)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Load nothing: that is the point."""


@contextmanager
def deferring(prefixes: Sequence[str] = HEAVY) -> Iterator[None]:
    """Replace the modules under ``prefixes`` that are imported in this block by stand-ins."""
    finder = _Finder(prefixes)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for module in finder.modules:
            module.seal()


def real_module(name: str) -> ModuleType:
    """Import ``name`` in earnest, in place of its stand-in and those of its parents."""
    with _loading:
        for ancestor in _lineage(name):
            if isinstance(sys.modules.get(ancestor), DeferredModule):
                del sys.modules[ancestor]
        return importlib.import_module(name)


def _lineage(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[: count + 1]) for count in range(len(parts))]


def _belongs(name: str, prefix: str) -> bool:
    if prefix == "OCP.IVtk":  # a family of modules, not a package
        return name.startswith(prefix)
    return name == prefix or name.startswith(prefix + ".")
