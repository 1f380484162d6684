"""How much of the machine one session or worker may use.

The numbers are checked when the record is made, so a wrong limit fails in the main process with
its name, never inside a forked child.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one session (all its forks share the counted ones) or of one worker.

    Attributes:
        wall_s: Seconds one step may take before the parent kills it.
        cpu_s: CPU seconds one process may burn over its life; None leaves it to ``wall_s``.
        memory_bytes: Address space one process may add to what the zygote already mapped, and
            memory that all processes of one step may fill together.
        file_bytes: Largest single file a process may write.
        scratch_bytes: All files of one scratch folder together, where the kernel can count them.
        processes: Live processes and threads of one session, its checkpoints included.
        open_files: Descriptors one process may hold.
        stdout_bytes: Printed text kept from one step; the rest is dropped and labelled.
        result_bytes: Largest reply a step may send back.
    """

    wall_s: float = 20.0
    cpu_s: int | None = None
    memory_bytes: int = 2 * GIB
    file_bytes: int = 64 * MIB
    scratch_bytes: int = 256 * MIB
    processes: int = 64
    open_files: int = 64
    stdout_bytes: int = 8 << 10
    result_bytes: int = 64 * MIB

    def __post_init__(self) -> None:
        """Refuse a limit that is not a positive, finite number of its own type."""
        for field in fields(self):
            _check(field.name, getattr(self, field.name))


def _check(name: str, value: object) -> None:
    if name == "cpu_s" and value is None:
        return
    wanted = "a positive number of seconds" if name == "wall_s" else "a positive whole number"
    allowed = (int, float) if name == "wall_s" else (int,)
    if isinstance(value, bool) or not isinstance(value, allowed):
        raise TypeError(f"Limits.{name} must be {wanted}, got {value!r}")
    if not math.isfinite(value) or value <= 0:
        raise ValueError(f"Limits.{name} must be {wanted}, got {value!r}")
