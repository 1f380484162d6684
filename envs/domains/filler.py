"""What fills a long specification: chapters about parts that are not the one asked for.

Each number stands in the section of a part, or in a sentence that names it. General chapters speak
of papers, inspection and packing, never of the form of a part. The wanted part is named where a
real specification would name it, in the order and where another part meets it, without a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from cadwright.envs.domains.domain import article
from cadwright.envs.domains.filler_parts import Dice, FillerPart, rounded

Chapter = tuple[str, tuple[tuple[str, str], ...]]  # title, (heading, text) of its sections

_YEARS = (2015, 2025)
_MEETS = 0.25  # share of the assemblies in which a part touches the wanted one
_LISTED = 0.5  # share of the parts whose sizes are a list
_LEAST, _MORE = 0.02, 0.06  # shares by which a change moves a size
_TENTH_MM = 0.1
_WORST_MM, _FINE = 0.04, 0.002  # deviations of accepted parts: mm, and share of small sizes

_GROUPS = (
    "infeed", "outfeed", "lifting frame", "tool changer", "drive", "guard", "gripper", "tensioner",
    "control cabinet", "turntable", "transfer arm", "cooling circuit", "lubrication unit",
)  # fmt: skip
_GAUGES = (
    "caliper", "micrometer", "height gauge", "coordinate machine", "projector",
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
    "in whose section it stands."
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
_ORDER = (
    "Position {position} of the order is {part}. Whatever else this document describes is supplied "
    "by others and is printed here because the machine is documented as a whole."
)
_REMARKS = (
    "Edges are broken all round.",
    "{who} keeps {few} in stock.",
    "Delivered in lots of {few}0.",
    "Not painted inside of holes.",
    "Marked by laser where it cannot be seen.",
    "Spare part; {who} keeps {few} of them.",
    "To be greased before assembly.",
)
_OUTCOMES = ("accepted", "released", "accepted after a trial", "stock used up first")


def general_chapters(dice: Dice, wanted: str) -> Iterator[Chapter]:
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
    yield "Order", (("Positions", _ORDER.format(position=10 * dice.whole(1, 40), part=wanted)),)


def assemblies(dice: Dice, others: Iterator[FillerPart], wanted: str) -> Iterator[Chapter]:
    """Yield chapters about assemblies without end; now and then one meets the wanted part."""
    first = dice.whole(100, 999)
    for place in count():
        parts = [next(others) for _ in range(dice.whole(3, 7))]
        group = f"AS-{100 + (first + 271 * place) % 900} {dice.of(_GROUPS)}"
        sections = [("Parts of this assembly", _contents(dice, parts, wanted))]
        sections += [(f"Part {part.full_name}", _part_text(dice, part)) for part in parts]
        sections += [
            ("Inspection records", "\n".join(_record(dice, part) for part in parts * 2)),
            ("Changes", " ".join(_changes(dice, parts))),
        ]
        yield f"Assembly {group}", tuple(sections)


def padding(dice: Dice, others: Iterator[FillerPart]) -> Iterator[str]:
    """Yield sentences about other parts without end."""
    for part in others:
        yield _change(dice, part, dice.whole(*_YEARS))


def _contents(dice: Dice, parts: Sequence[FillerPart], wanted: str) -> str:
    named = [f"{dice.whole(1, 8)} x {part.full_name}" for part in parts]
    text = f"One assembly takes {', '.join(named[:-1])} and {named[-1]}."
    if dice.share() < _MEETS:
        text += f" {parts[0].number} is fitted against {wanted}, which has a chapter of its own."
    return text


def _part_text(dice: Dice, part: FillerPart) -> str:
    """Say a part in one of the ways that specifications have: as a list or in sentences."""
    texts = [f"{name} {_mm(value)}" for name, value in part.sizes]
    if dice.share() < _LISTED:
        sizes = "Main sizes: " + "; ".join(texts) + "."
    else:
        sizes = f"It has {article(part.sizes[0][0])} of {_mm(part.sizes[0][1])}"
        sizes += f" with {', '.join(texts[1:-1])} and {texts[-1]}." if texts[2:] else "."
    remark = dice.of(_REMARKS).format(who=dice.of(_PEOPLE), few=dice.whole(1, 9))
    return f"Material: {part.material}. {sizes} Mass {part.mass_g} g, for information. {remark}"


def _record(dice: Dice, part: FillerPart) -> str:
    name, value = dice.of(part.sizes)
    gauge = "plug gauge" if "bore" in name else dice.of(_GAUGES)
    off = min(_WORST_MM, _FINE * value) * (2 * dice.share() - 1)
    return (
        f"Record {dice.whole(10000, 99999)}: {part.number}, {name} {_mm(value)}, measured by "
        f"{gauge}, deviation {off:+.3f} mm, accepted."
    )


def _changes(dice: Dice, parts: Sequence[FillerPart]) -> Iterator[str]:
    years = sorted(dice.whole(*_YEARS) for _ in parts)
    for part, year in zip(parts, years, strict=True):
        yield _change(dice, part, year)


def _change(dice: Dice, part: FillerPart, year: int) -> str:
    """Tell how one size became what it is: by some per cent."""
    name, value = dice.of(part.sizes)
    step = value * (_LEAST + _MORE * dice.share()) * dice.of((-1, 1))
    before = rounded(value + step)
    if before == value:
        before = round(value + _TENTH_MM, 1)
    return (
        f"{dice.of(_MONTHS)} {year}: {name} of {part.full_name} changed from {_mm(before)} to "
        f"{_mm(value)} at the request of {dice.of(_PEOPLE)}; {dice.of(_OUTCOMES)}."
    )


def _mm(value: float) -> str:
    return f"{value:g} mm"
