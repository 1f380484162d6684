"""Metric screw threads: the drill to tap each one, and the hole its screw passes through.

Diameters and pitches are those of ISO 262 (the choice from ISO 261 for screws, bolts and nuts,
M1 to M64) with a few more fine pitches of ISO 261 in common use; drills by ISO 2306 (nominal
diameter less pitch, to the next drill), clearance holes by ISO 273. Only sizes: tolerance classes
and thread depths are not here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from cadwright.rewards.constraints.field import ConstraintFault, Path
from cadwright.rewards.constraints.values import dotted

FITS = ("tap", "close", "normal", "loose")

# Nominal diameter: coarse pitch and the drill for it; clearance close, normal, loose (ISO 273). mm
_COARSE: Mapping[float, tuple[float, float, float, float, float]] = {
    1: (0.25, 0.75, 1.1, 1.2, 1.3),
    1.2: (0.25, 0.95, 1.3, 1.4, 1.5),
    1.4: (0.3, 1.1, 1.5, 1.6, 1.8),
    1.6: (0.35, 1.25, 1.7, 1.8, 2),
    1.8: (0.35, 1.45, 2, 2.1, 2.2),
    2: (0.4, 1.6, 2.2, 2.4, 2.6),
    2.5: (0.45, 2.05, 2.7, 2.9, 3.1),
    3: (0.5, 2.5, 3.2, 3.4, 3.6),
    3.5: (0.6, 2.9, 3.7, 3.9, 4.2),
    4: (0.7, 3.3, 4.3, 4.5, 4.8),
    4.5: (0.75, 3.7, 4.8, 5, 5.3),
    5: (0.8, 4.2, 5.3, 5.5, 5.8),
    6: (1, 5, 6.4, 6.6, 7),
    7: (1, 6, 7.4, 7.6, 8),
    8: (1.25, 6.8, 8.4, 9, 10),
    10: (1.5, 8.5, 10.5, 11, 12),
    12: (1.75, 10.2, 13, 13.5, 14.5),
    14: (2, 12, 15, 15.5, 16.5),
    16: (2, 14, 17, 17.5, 18.5),
    18: (2.5, 15.5, 19, 20, 21),
    20: (2.5, 17.5, 21, 22, 24),
    22: (2.5, 19.5, 23, 24, 26),
    24: (3, 21, 25, 26, 28),
    27: (3, 24, 28, 30, 32),
    30: (3.5, 26.5, 31, 33, 35),
    33: (3.5, 29.5, 34, 36, 38),
    36: (4, 32, 37, 39, 42),
    39: (4, 35, 40, 42, 45),
    42: (4.5, 37.5, 43, 45, 48),
    45: (4.5, 40.5, 46, 48, 52),
    48: (5, 43, 50, 52, 56),
    52: (5, 47, 54, 56, 62),
    56: (5.5, 50.5, 58, 62, 66),
    60: (5.5, 54.5, 62, 66, 70),
    64: (6, 58, 66, 70, 74),
}
# Nominal diameter: fine pitches with their drills, mm.
_FINE: Mapping[float, Mapping[float, float]] = {
    3: {0.35: 2.65},
    4: {0.5: 3.5},
    5: {0.5: 4.5},
    6: {0.75: 5.2},
    8: {1: 7, 0.75: 7.2},
    10: {1.25: 8.8, 1: 9, 0.75: 9.2},
    12: {1.5: 10.5, 1.25: 10.8, 1: 11},
    14: {1.5: 12.5, 1.25: 12.8, 1: 13},
    16: {1.5: 14.5, 1: 15},
    18: {2: 16, 1.5: 16.5, 1: 17},
    20: {2: 18, 1.5: 18.5, 1: 19},
    22: {2: 20, 1.5: 20.5, 1: 21},
    24: {2: 22, 1.5: 22.5, 1: 23},
    27: {2: 25, 1.5: 25.5},
    30: {2: 28, 1.5: 28.5},
    33: {2: 31, 1.5: 31.5},
    36: {3: 33, 2: 34, 1.5: 34.5},
    39: {3: 36, 2: 37, 1.5: 37.5},
    42: {3: 39, 2: 40, 1.5: 40.5},
    45: {3: 42, 2: 43, 1.5: 43.5},
    48: {3: 45, 2: 46, 1.5: 46.5},
    52: {4: 48, 3: 49, 2: 50, 1.5: 50.5},
    56: {4: 52, 3: 53, 2: 54, 1.5: 54.5},
    60: {4: 56, 3: 57, 2: 58, 1.5: 58.5},
    64: {4: 60, 3: 61, 2: 62, 1.5: 62.5},
}
_WRITTEN = re.compile(r"M\s*(\d+(?:[.,]\d+)?)(?:\s*[x×*]\s*(\d+(?:[.,]\d+)?))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread. ``holes``: diameters in mm by fit: to tap it, and close, normal, loose."""

    diameter_mm: float
    pitch_mm: float
    is_coarse: bool
    holes: Mapping[str, float]

    @property
    def name(self) -> str:
        """``M8`` for the coarse pitch, ``M8x1`` for a fine one."""
        return f"M{self.diameter_mm:g}" + ("" if self.is_coarse else f"x{self.pitch_mm:g}")


def _thread(diameter: float, pitch: float, drill: float) -> Thread:
    coarse, _, *clearance = _COARSE[diameter]
    holes = dict(zip(FITS, (drill, *clearance), strict=True))
    return Thread(diameter, pitch, pitch == coarse, holes)


THREADS: Mapping[str, Thread] = {
    one.name: one
    for diameter, (coarse, drill, *_) in _COARSE.items()
    for one in (
        _thread(diameter, coarse, drill),
        *(_thread(diameter, *fine) for fine in _FINE.get(diameter, {}).items()),
    )
}


def thread_name(value: object, where: Path) -> str:
    """Read the name of a thread: ``M8``, ``M8x1.25`` (the same), ``M8x1``.

    Raises:
        ConstraintFault: It is none, with the threads nearest to it.
    """
    written = _WRITTEN.fullmatch(value.strip()) if isinstance(value, str) else None
    if written is None:
        allowed = "a metric thread from M1 to M64, such as M8 or M8x1"
        raise ConstraintFault(where, f"{dotted(where)} is {value!r}, allowed: {allowed}")
    diameter, pitch = (None if x is None else float(x.replace(",", ".")) for x in written.groups())
    for name, thread in THREADS.items():
        is_pitch = thread.is_coarse if pitch is None else thread.pitch_mm == pitch
        if thread.diameter_mm == diameter and is_pitch:
            return name
    known = ", ".join(_near(diameter or 0.0))
    raise ConstraintFault(where, f"{dotted(where)} is {value!r}: the nearest are {known}")


def _near(diameter: float) -> list[str]:
    """Return the threads of one diameter, or the coarse ones below and above it."""
    same = [name for name, thread in THREADS.items() if thread.diameter_mm == diameter]
    by_distance = sorted(_COARSE, key=lambda one: abs(one - diameter))
    return same or [f"M{one:g}" for one in sorted(by_distance[:2])]
