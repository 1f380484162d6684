"""What the main process asks the zygote to fork, as a record that fits a frame."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from cadwright.tools.sandbox.confinement import Confinement
from cadwright.tools.sandbox.limits import Limits
from cadwright.tools.sandbox.protocol import Header

Kind = Literal["session", "program", "worker"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawn:
    """One process to be forked.

    Attributes:
        kind: ``session`` waits and forks steps, ``program`` runs one program in itself and ends,
            ``worker`` answers jobs.
        limits: What the process may use.
        scratch: Its private folder.
        uid: Its user when we are root; None for an ordinary user.
        seed: Seed of ``random`` and ``numpy.random`` in model code.
        entry: Module with the ``JOBS`` of a worker.
    """

    kind: Kind
    limits: Limits
    scratch: Path
    uid: int | None
    seed: int = 0
    entry: str = ""

    def to_header(self) -> Header:
        """Return the JSON form."""
        return {
            "op": "fork",
            "kind": self.kind,
            "limits": asdict(self.limits),
            "scratch": str(self.scratch),
            "uid": self.uid,
            "seed": self.seed,
            "entry": self.entry,
        }

    @classmethod
    def from_header(cls, header: Header) -> Spawn:
        """Read the JSON form."""
        return cls(
            kind=header["kind"],
            limits=Limits(**header["limits"]),
            scratch=Path(header["scratch"]),
            uid=header["uid"],
            seed=header["seed"],
            entry=header["entry"],
        )


def confinement_to_header(confinement: Confinement) -> Header:
    """Return the JSON form of the walls to put up."""
    return {
        "readable": [str(path) for path in confinement.readable],
        "strict": confinement.strict,
    }


def confinement_from_header(header: Header) -> Confinement:
    """Read the JSON form."""
    readable = tuple(Path(path) for path in header["readable"])
    return Confinement(readable=readable, strict=header["strict"])
