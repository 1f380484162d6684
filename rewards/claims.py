"""What a policy says about its part, as far as it can be understood without doubt.

"A plate 80 x 60 x 10 mm with four 6 mm holes and 2 mm fillets" holds three claims. The reader is
conservative: a sentence with a doubt, a condition, a negation, a past or a question in it claims
nothing; nor does a number that might mean something else (a depth, a distance, an angle, a thread,
a range, a fraction). Code between backticks is not speech. Whether a claim is true is the business
of `cadwright.rewards.consistency`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

UNITS_MM = {"mm": 1.0, "millimetre": 1.0, "millimeter": 1.0, "cm": 10.0, "centimetre": 10.0}
UNITS_MM |= {"centimeter": 10.0, "inch": 25.4, "inche": 25.4, "in": 25.4}

COUNTS = {"one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
COUNTS |= {"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "sixteen": 16}

MAX_TEXT = 50_000  # characters of one turn; what is longer is a loop, not speech


class ClaimKind(StrEnum):
    """What a claim is about."""

    SIZE = "size"
    EXTENT = "extent"
    HOLES = "holes"
    FILLET = "fillet"
    CHAMFER = "chamfer"
    WALL = "wall"


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement.

    Attributes:
        kind: What it is about.
        sizes_mm: Three extents; or one diameter, radius, setback, thickness or extent.
        count: How many, where a number was given.
        text: The words.
        is_overall: The size of the whole part, not perhaps of one piece of it.
        turn: Which turn said it.
    """

    kind: ClaimKind
    sizes_mm: tuple[float, ...]
    count: int | None = None
    text: str = ""
    is_overall: bool = False
    turn: int = 0

    @property
    def subject(self) -> tuple[object, ...]:
        """What a later claim must be about to take the place of this one."""
        if self.kind in (ClaimKind.SIZE, ClaimKind.WALL):
            return (self.kind,)
        return (self.kind, self.sizes_mm)


# A length begins where no word, fraction or decimal can reach into it, and ends likewise.
_FREE = r"(?<![\w.,/-])"
# Bounded, since a pattern that gives digits back one by one takes a minute over 50,000 of them.
_DIGITS = r"(\d{1,6}(?:\.\d{1,6})?)(?![\d.,]*\d)"
_ENDS = r"(?![\w°%/])(?!\s*(?:-|–|to\b|or\b|°|deg))"
# "in" is an inch only where it cannot be the preposition: "2 in fillet", never "fillet 2 in the"
_INCH = (
    r"in(?=\s*(?:[x×,;)]|\.?$|by\b|(?:through |clearance |diameter |thick )?"
    r"(?:holes?|bores?|fillets?|chamfers?|walls?|plate|block|box)\b))"
)
_UNIT = rf"[ -]?(mm|cm|{_INCH}|inch(?:es)?|millimet(?:re|er)s?|centimet(?:re|er)s?)"
_SIZED = rf"{_FREE}{_DIGITS}{_UNIT}{_ENDS}"  # with a unit: anything else may be a count
_BARE = rf"{_FREE}{_DIGITS}(?:{_UNIT})?{_ENDS}"  # after a word that says what it measures
_BY = r"\s*(?:x|×|\*|by)\s*"
_TRIPLE = (
    rf"{_FREE}{_DIGITS}(?:{_UNIT})?{_BY}{_DIGITS}(?:{_UNIT})?{_BY}{_DIGITS}(?:{_UNIT})?{_ENDS}"
)
_LAST = r"(?=\s*(?:[,.;)]|$))"  # "chamfer 1.5." but not "chamfer 4 edges"

_COUNT = rf"(?:\b({'|'.join(COUNTS)})\b|{_FREE}(\d{{1,3}})(?=\s*[x×]\s*[\dØø⌀]|\s))\s*(?:[x×]\s*)?"
_KINDS = (
    r"(?:(?:through|thru|blind|clearance|mounting|corner|central|cent(?:re|er)|bolt|drilled|round"
    r"|screw|vertical|identical|equal|diameter|dia\.?|plain|small|large)[ -]+){0,4}"
)
_HOLE = r"(?:holes?|bores?)\b(?!\s+(?:pattern|circle|spacing|pitch|depth))"
_PIECE = r"plate|block|box|cuboid|base|slab|blank|prism"
_WHOLE = r"part|body|bracket|envelope|bounding box"
_IS = r"(?:\s+(?:size|dimensions?))?(?:\s*(?:is|are|of|=|:|measures?|now)(?![a-z]))*\s*"
_WITH = r"(?:\s+(?:edges|corners))?(?:\s+(?:with|of|by|at|to))?(?:\s+a)?"
_ADJECTIVE = r"(?:edge |corner |vertical |outer |inner |top |bottom )?"

_DOUBT = re.compile(
    r"\?|~|n't\b|\b(?:not|no|never|without|instead|rather|unless|if|whether|maybe|perhaps|could"
    r"|might|would|should|about|approximately|approx|around|roughly|almost|nearly|at least|at most"
    r"|up to|between|was|were|had|previously|before|earlier|wrong|or|either|try|except|than|minus"
    r"|failed|remove[ds]?|temporar\w+|first|initial\w*|start\w*|rough"
    # what somebody else asked for is no statement about the part
    r"|asks?|asked|brief|task|target|drawing|reference|require[sd]?|request\w*|spec\w*)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_SPACES = re.compile(r"[^\S\n]+")
# a full stop inside a number ends nothing; that of "dia." neither
_SENTENCE_END = re.compile(r"(?<!\bdia)[.!;](?=\s|$)|\n")
_IN_EACH = re.compile(r"\s*(?:in|on|at|through|per|for)?\s*(?:each|every|both)\b", re.IGNORECASE)

_GROUPS_OF = re.compile(
    r"\b(?:rows|columns|lines|sets|groups|circles|rings|patterns) of\s*$", re.IGNORECASE
)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_SIZE_BEFORE = _pattern(rf"{_TRIPLE}\s+(?:[a-z]+ )?(?:({_PIECE})|({_WHOLE}))\b")
_SIZE_AFTER = _pattern(
    rf"\b(?:({_PIECE})|({_WHOLE}|overall)),?{_IS}{_TRIPLE}"
    r"(?!\s*(?:[a-z]+\s+)?(?:pocket|slot|boss|rib|hole|cut|notch|step))"
)
_EXTENT = _pattern(rf"\b(?:overall|total)\s+(?:length|width|height|depth){_IS}{_BARE}")
_HOLES_BEFORE = _pattern(
    rf"(?:{_COUNT})?{_KINDS}(?:{_SIZED}|[Øø⌀]\s*{_DIGITS}(?:{_UNIT})?{_ENDS})[ -]+{_KINDS}{_HOLE}"
)
_HOLES_AFTER = _pattern(
    rf"{_COUNT}{_KINDS}{_HOLE}\s*(?:,|\(|with|of|at)?\s*(?:a\s+)?"
    rf"(?:(diameter|dia\.?|radius)(?:\s+of|\s*=|:)?\s*{_BARE}"
    rf"|{_SIZED}\s+(?:in\s+)?(?:diameter|dia)\b|[Øø⌀]\s*{_DIGITS}(?:{_UNIT})?{_ENDS})"
)
_FILLET = _pattern(
    rf"(?:{_SIZED}(?:\s+radius)?[ -]+{_ADJECTIVE}fillet(?:s|ed)?\b"
    rf"|\bfillet(?:s|ed)?{_WITH}\s+radius(?:\s+of|\s*=|:)?\s*{_BARE}"
    rf"|\bfillet(?:s|ed)?{_WITH}\s+(?:{_SIZED}|{_BARE}{_LAST})"
    r"|\bR(\d{1,6}(?:\.\d{1,6})?)()(?![\w.])\s+(?:edge |corner )?fillets?\b)"
)
_CHAMFER = _pattern(
    rf"(?:{_SIZED}[ -]+{_ADJECTIVE}chamfer(?:s|ed)?\b"
    rf"|\bchamfer(?:s|ed)?{_WITH}(?:\s+size)?(?:\s+of|\s*=|:)?\s+(?:{_SIZED}|{_BARE}{_LAST}))"
)
_WALL = _pattern(
    rf"(?:{_SIZED}(?:[ -]+thick)?[ -]+walls?\b(?!\s+(?:to|from|spacing|height))"
    rf"|\bwall(?:s|\s+thickness)?(?:\s*(?:is|are|of|=|:)(?![a-z]))*\s*{_BARE}(?:(?=\s+thick)|{_LAST}))"
)


def read_claims(text: str, *, turn: int = 0) -> tuple[Claim, ...]:
    """Return the claims in one turn of the policy's own words, in their order.

    Args:
        text: What the assistant said; never the text of a tool.
        turn: Number of the turn, kept with each claim.
    """
    found: list[tuple[int, Claim]] = []
    speech = _CODE.sub(" ", text[:MAX_TEXT])
    # single spaces: patterns that allow several in a row would try every way to share them out
    for start, sentence in _sentences(_SPACES.sub(" ", speech)):
        for pattern, make in _READERS:
            for match in pattern.finditer(sentence):
                claim = make(match, turn)
                if claim is not None:
                    found.append((start + match.start(), claim))
    return tuple(claim for _, claim in sorted(found, key=lambda pair: pair[0]))


def standing(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Return the claims that no later turn has replaced: people change their minds."""
    claims = tuple(claims)
    last: dict[tuple[object, ...], int] = {}
    for claim in claims:
        last[claim.subject] = max(claim.turn, last.get(claim.subject, 0))
    kept = (claim for claim in claims if claim.turn == last[claim.subject])
    return tuple({_without_words(claim): claim for claim in kept}.values())


def _without_words(claim: Claim) -> tuple[object, ...]:
    return (claim.kind, claim.sizes_mm, claim.count, claim.is_overall)


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence that is a plain statement, with where it begins."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        yield from _plain_statement(start, text[start : end.end()])
        start = end.end()
    yield from _plain_statement(start, text[start:])


def _plain_statement(start: int, sentence: str) -> Iterator[tuple[int, str]]:
    if not _DOUBT.search(sentence):
        yield start, sentence


def _size(match: re.Match[str], turn: int, lengths: slice, whole: int) -> Claim | None:
    found = match.groups()[lengths]
    sizes = tuple(_mm(n, u or found[-1]) for n, u in zip(found[::2], found[1::2], strict=True))
    if not all(sizes):
        return None
    is_overall = match.groups()[whole] is not None
    return Claim(ClaimKind.SIZE, sizes, None, match.group().strip(), is_overall, turn)


def _size_before(match: re.Match[str], turn: int) -> Claim | None:
    return _size(match, turn, slice(0, 6), 7)


def _size_after(match: re.Match[str], turn: int) -> Claim | None:
    return _size(match, turn, slice(2, 8), 1)


def _holes_before(match: re.Match[str], turn: int) -> Claim | None:
    word, digits, *lengths = match.groups()
    return _single(ClaimKind.HOLES, match, _first_mm(lengths), turn, _count(match, word, digits))


def _holes_after(match: re.Match[str], turn: int) -> Claim | None:
    word, digits, measure, *lengths = match.groups()
    factor = 2.0 if measure and measure.lower() == "radius" else 1.0
    diameter = factor * _first_mm(lengths)
    return _single(ClaimKind.HOLES, match, diameter, turn, _count(match, word, digits))


def _one_length(kind: ClaimKind) -> Callable[[re.Match[str], int], Claim | None]:
    def read(match: re.Match[str], turn: int) -> Claim | None:
        return _single(kind, match, _first_mm(match.groups()), turn)

    return read


def _single(
    kind: ClaimKind, match: re.Match[str], size_mm: float, turn: int, count: int | None = None
) -> Claim | None:
    if size_mm <= 0.0 or count == 0:
        return None
    return Claim(kind, (size_mm,), count, match.group().strip(), turn=turn)


def _first_mm(lengths: Sequence[str | None]) -> float:
    """Return the first length among pairs of number and unit; one way of saying it matched."""
    pairs = zip(lengths[::2], lengths[1::2], strict=True)
    return next(_mm(number, unit) for number, unit in pairs if number)


def _mm(number: str | None, unit: str | None) -> float:
    """Return a length in mm; a bare number is in mm, as everywhere in this project."""
    return float(number or 0.0) * UNITS_MM[(unit or "mm").lower().removesuffix("s")]


def _count(match: re.Match[str], word: str | None, digits: str | None) -> int | None:
    """Return how many were named; "two in each corner" and "rows of four" do not tell it."""
    before = match.string[max(0, match.start() - 20) : match.start()]
    if _IN_EACH.match(match.string, match.end()) or _GROUPS_OF.search(before):
        return None
    if word:
        return COUNTS[word.lower()]
    return int(digits) if digits else None


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], int], Claim | None]], ...] = (
    (_SIZE_BEFORE, _size_before),
    (_SIZE_AFTER, _size_after),
    (_EXTENT, _one_length(ClaimKind.EXTENT)),
    (_HOLES_BEFORE, _holes_before),
    (_HOLES_AFTER, _holes_after),
    (_FILLET, _one_length(ClaimKind.FILLET)),
    (_CHAMFER, _one_length(ClaimKind.CHAMFER)),
    (_WALL, _one_length(ClaimKind.WALL)),
)
