"""What a confined process may read: the interpreter, its packages and the fonts.

Nothing is taken from ``sys.path`` as it stands: it may name the working directory or a project of
the user's, with the answers a task hides. What else a program needs is named in
``Confinement.readable``.
"""

from __future__ import annotations

import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Role = Literal["session", "worker"]

_TOOLS = Path(__file__).resolve().parent.parent
_CADWRIGHT = _TOOLS.parent  # the installed package, or the checkout of an editable install

_SYSTEM = (
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/fonts",
    "/etc/localtime",
    "/usr/share/fonts",
    "/usr/share/fontconfig",
    "/usr/share/zoneinfo",
    "/usr/local/share/fonts",
    "/var/cache/fontconfig",
)


@dataclass(frozen=True, slots=True)
class ReadablePaths:
    """Folders and files to open for reading, and folders whose names may be listed.

    Attributes:
        readable: May be read, with all below them; no symbolic links.
        listable: Only the names below them may be listed; no symbolic links.
        aliases: Other names of both, through symbolic links; Python may go by these.
    """

    readable: tuple[Path, ...]
    listable: tuple[Path, ...]
    aliases: tuple[Path, ...] = ()

    @property
    def outermost(self) -> tuple[Path, ...]:
        """The fewest paths that hold all of them."""
        return _outermost([*self.readable, *self.listable, *self.aliases])


def readable_paths(role: Role, extra: Iterable[Path] = ()) -> ReadablePaths:
    """Resolve the paths that exist here.

    Landlock opens a folder with all below it and cannot close a part again, so a folder that
    holds cadwright (mostly ``site-packages``) is opened entry by entry: the suites that ship
    with it hold reference parts. Of cadwright a session reads the tools alone, a worker also
    the rewards.

    Args:
        role: Who is going to be confined.
        extra: Further folders or files, trusted as given.
    """
    named = [*map(Path, _SYSTEM), *_interpreter(), *_package_folders()]
    found = _existing(named)
    readable = {part for path in found for part in _without(_CADWRIGHT, path)}
    listable = [path for path in found if _CADWRIGHT.is_relative_to(path)]
    trusted = _existing([*_layers(role), *extra])
    aliases = [path for path in (*named, *extra) if path.exists() and path != path.resolve()]
    return ReadablePaths(
        _outermost([*readable, *trusted]), _outermost(listable), _outermost(aliases)
    )


def _interpreter() -> Iterator[Path]:
    yield Path(sysconfig.get_path("stdlib"))
    yield Path(sysconfig.get_path("platstdlib"))
    yield Path(sys.base_prefix, "lib")
    yield Path(sys.base_exec_prefix, "lib")


def _package_folders() -> Iterator[Path]:
    yield Path(sysconfig.get_path("purelib"))
    yield Path(sysconfig.get_path("platlib"))
    yield from map(Path, site.getsitepackages())
    if site.ENABLE_USER_SITE:
        yield Path(site.getusersitepackages())


def _layers(role: Role) -> Iterator[Path]:
    yield _TOOLS
    if role == "worker":
        yield _CADWRIGHT / "rewards"


def _without(hidden: Path, path: Path) -> Iterator[Path]:
    """Yield ``path``, or what is in it but for ``hidden``."""
    if not hidden.is_relative_to(path):
        yield path
    elif hidden != path:
        for entry in path.iterdir():
            yield from _without(hidden, entry)


def _existing(paths: Iterable[Path]) -> list[Path]:
    return [path.resolve() for path in paths if path.exists()]


def _outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Drop what lies below another path of the list."""
    kept: list[Path] = []
    for path in sorted(set(paths)):  # a folder sorts before what it holds
        if not any(path.is_relative_to(folder) for folder in kept[-1:]):
            kept.append(path)
    return tuple(kept)
