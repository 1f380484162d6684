"""What fills a long specification: chapters about parts that are not the one asked for.

Each sentence with a number names the part that the number belongs to. General chapters speak of
papers, inspection and packing, never of the form of a part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import TypeVar

import numpy as np

T = TypeVar("T")
Chapter = tuple[str, tuple[tuple[str, str], ...]]  # title, (heading, text) of its sections

_BATCH = 4096  # draws at once: one by one they cost more than the text

_PARTS = (
    "clamp lever", "spacer ring", "guide rail", "end cap", "drive pin", "cover plate", "wedge",
    "stop block", "cable tray", "hinge leaf", "tension arm", "sensor bracket", "bearing seat",
    "support foot", "locking bolt", "shaft collar", "roller fork", "valve body", "gasket frame",
    "lift hook", "pivot bush", "terminal box", "handwheel", "nozzle holder", "spring plate",
    "jaw insert", "coupling half", "link bar", "pressure pad", "adapter disc",
)  # fmt: skip
_GROUPS = (
    "infeed", "outfeed", "lifting frame", "tool changer", "drive", "guard", "gripper", "tensioner",
    "control cabinet", "turntable", "transfer arm", "cooling circuit", "lubrication unit",
)  # fmt: skip
_MADE_OF = (
    ("S235JR", "zinc plated"), ("S235JR", "powder coated RAL 7035"), ("S355J2", "phosphated"),
    ("C45", "black oxidised"), ("42CrMo4", "nitrided"), ("1.4301", "electropolished"),
    ("1.4571", "left plain"), ("EN AW-6082", "clear anodised"), ("EN AW-7075", "hard anodised"),
    ("CuZn39Pb3", "nickel plated"), ("EN-GJL-250", "primed grey"), ("POM-C", "left plain"),
    ("PA6", "conditioned in water"), ("PEEK", "tempered before machining"),
)  # fmt: skip
_FEATURES = (
    "overall length", "bore diameter", "wall thickness", "overall width", "hole pitch",
    "shoulder height", "slot width", "outer diameter", "groove depth", "overall height",
    "flange thickness", "pocket depth",
)  # fmt: skip
_GAUGES = (
    "caliper", "micrometer", "plug gauge", "height gauge", "coordinate machine", "projector",
)  # fmt: skip
_PEOPLE = (
    "the design office", "quality", "purchasing", "the workshop", "the supplier", "assembly",
)  # fmt: skip
_MONTHS = ("January", "March", "April", "June", "September", "October", "November")
_STANDARDS = (
    ("ISO 128", "general principles of representation"),
    ("ISO 129-1", "presentation of dimensions and tolerances"),
    ("ISO 286-1", "code system for tolerances on linear sizes"),
    ("ISO 1101", "geometrical tolerancing"),
    ("ISO 2768-1", "tolerances for dimensions without individual indication"),
    ("ISO 4287", "surface texture, profile method"),
    ("ISO 5455", "scales of drawings"),
    ("ISO 9001", "quality management systems"),
    ("EN 10204", "inspection documents of metallic products"),
    ("ISO 14405-1", "linear sizes"),
)  # fmt: skip


_PURPOSE = (
    "This specification covers the supply of parts for the machine named above. It is read "
    "together with the order. Each part has its own number, and a requirement holds for the part "
    "whose number stands with it."
)
_PRECEDENCE = (
    "The order comes first, then this specification, then the standards that it names. Questions "
    "go to the design office in writing."
)
_CERTIFICATES = (
    "Metals come with an inspection certificate 3.1 to EN 10204. The melt number stays legible on "
    "every offcut until the part is accepted."
)
_FINISHING = (
    "Surfaces are treated only where the chapter of a part says so. Treated surfaces are protected "
    "in transit. Samples are kept for {years} years."
)
_PACKING = (
    "Parts of one number travel together, at most {mass} kg a box, with the part number outside "
    "and the certificate inside."
)


class Dice:
    """Draws from a generator in batches.

    Args:
        rng: Where the draws come from.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._draws = (draw for _ in count() for draw in rng.random(_BATCH).tolist())

    def whole(self, low: int, high: int) -> int:
        """Return a whole number, both ends included."""
        return low + int(next(self._draws) * (high - low + 1))

    def of(self, words: Sequence[T]) -> T:
        """Return one of some words."""
        return words[int(next(self._draws) * len(words))]

    def length(self) -> str:
        """Return a length as a drawing writes it."""
        tenths = self.whole(30, 2400)
        return f"{tenths / 10:g} mm"

    def part(self) -> str:
        """Return another part: its number and name."""
        return f"PN-{self.whole(10000, 69999)} ({self.of(_PARTS)})"


def general_chapters(dice: Dice) -> Iterator[Chapter]:
    """Yield the chapters with which every specification begins."""
    standards = "\n".join(f"{number}: {title}." for number, title in _STANDARDS)
    yield "Scope", (("Purpose", _PURPOSE), ("Order of precedence", _PRECEDENCE))
    yield "References", (("Standards", f"The latest issue of each applies.\n{standards}"),)
    yield (
        "Materials and certificates",
        (
            ("Certificates", _CERTIFICATES),
            ("Finishing", _FINISHING.format(years=dice.whole(2, 10))),
            ("Packing", _PACKING.format(mass=dice.whole(10, 60))),
        ),
    )


def assemblies(dice: Dice) -> Iterator[Chapter]:
    """Yield chapters about assemblies without end."""
    while True:
        parts = [dice.part() for _ in range(dice.whole(3, 7))]
        group = f"AS-{dice.whole(100, 999)} {dice.of(_GROUPS)}"
        sections = [("Parts of this assembly", _contents(parts))]
        sections += [(f"Part {part}", _part_text(dice, part)) for part in parts]
        sections += [
            ("Inspection records", "\n".join(_record(dice, part) for part in parts * 2)),
            ("Changes", " ".join(_change(dice, part) for part in parts)),
        ]
        yield f"Assembly {group}", tuple(sections)


def padding(dice: Dice) -> Iterator[str]:
    """Yield sentences about other parts without end."""
    while True:
        yield _change(dice, dice.part())


def _contents(parts: Sequence[str]) -> str:
    return "It holds " + ", ".join(parts[:-1]) + f" and {parts[-1]}. Each is ordered by its number."


def _part_text(dice: Dice, part: str) -> str:
    number = part.split()[0]
    material, finish = dice.of(_MADE_OF)
    first = dice.whole(0, len(_FEATURES) - 1)
    features = (_FEATURES[(first + k) % len(_FEATURES)] for k in range(dice.whole(3, 6)))
    sizes = " ".join(f"The {name} of {number} is {dice.length()}." for name in features)
    return (
        f"{number} is made of {material} and {finish}. {sizes} "
        f"{dice.whole(1, 48)} pieces of {number} are needed for each machine; "
        f"{dice.of(_PEOPLE)} keeps {dice.whole(1, 9)} in stock. "
        f"Mass of {number}: {dice.whole(12, 4800)} g, for information."
    )


def _record(dice: Dice, part: str) -> str:
    number = part.split()[0]
    return (
        f"Record {dice.whole(10000, 99999)}: {number}, {dice.of(_FEATURES)} {dice.length()}, "
        f"measured by {dice.of(_GAUGES)}, deviation {dice.whole(-40, 40) / 1000:+.3f} mm, accepted."
    )


def _change(dice: Dice, part: str) -> str:
    return (
        f"{dice.of(_MONTHS)} {dice.whole(2015, 2025)}: {dice.of(_PEOPLE)} asked for another "
        f"{dice.of(_FEATURES)} of {part}, from {dice.length()} to {dice.length()}; accepted."
    )
