"""Confine the calling process for good: the one door through which model code is let in.

``apply`` runs in a freshly forked, single-threaded child. What it puts up cannot be taken down
again by the child or anything that the child forks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from cadwright.tools.errors import InfraError
from cadwright.tools.sandbox.limits import Limits

Role = Literal["session", "worker"]


class ConfinementError(InfraError):
    """A wall that ``strict`` asks for cannot stand on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """Which walls to put up, and what may be read behind them.

    Attributes:
        readable: Folders and files readable besides the interpreter, its packages and fonts.
        role: ``session`` runs model code and may fork; ``worker`` runs ours.
        strict: Refuse to run when a wall cannot stand, instead of reporting it.
    """

    readable: tuple[Path, ...] = field(default=())
    role: Role = "session"
    strict: bool = False


def apply(
    confinement: Confinement, limits: Limits, scratch: Path, uid: int | None
) -> tuple[str, ...]:
    """Confine this process and return the names of the walls now standing."""
    del confinement, limits, scratch, uid
    return ()
