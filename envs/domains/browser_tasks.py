"""The browser domains: parts modelled at the screen of the modeller, by sight.

    browser.create.text.bracket      build it from words
    browser.create.views.bracket     build it from pictures of it, with its size in words
    browser.press.text.cone          find one command and press it
    browser.set.text.flange          change one dimension of a part that is open
    browser.undo.text.plate          take back what was one step too many
    browser.measure.text.tray        measure and answer with a number

Up to difficulty 3 the numbers get odder. From 4 on not all is said: a size follows from the one
that the modeller shows, what has to go is not named, a mass is asked instead of a volume.

Every task has a gold sequence that names what it presses. The start is a document of the modeller;
the judge gets the same start, and the wanted part, as CadQuery programs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from cadwright.envs.domains.browser_kinds import KINDS, Kind, Made, Rng
from cadwright.envs.domains.browser_shapes import (
    BUTTONS,
    FIELDS,
    Calls,
    Shape,
    Shapes,
    clicks,
    document,
    feature_names,
    opened,
    pressed,
    program,
    settings,
    submitted,
)
from cadwright.envs.domains.domain import Domain, Request, Source, article
from cadwright.envs.domains.family import number
from cadwright.envs.domains.randomness import generator
from cadwright.envs.domains.sampling import tidy
from cadwright.envs.domains.seeds import MOST_DRAWS, split_by_hash
from cadwright.envs.sources import GeometrySource, ImageSource
from cadwright.envs.task import EpisodeLimits, Task
from cadwright.tools.errors import UsageError

VERSION = "1"
APP = "modeller"
ANSWER_TOLERANCE = 0.01  # the modeller's circles are polygons: 0.2 % of a small bore
ROUND_MM = 5  # multiples of it are easy to read and to type
ASIDE_MM = 60  # where a block stands that new bodies do not touch
LAST_SAID = 3  # difficulty at which every number and name is still said
STEEL_G_CM3 = 7.85
SPARE_TURNS = 12  # beyond the gold sequence, to look and to correct

# Kinds that are seen well enough in four views to be rebuilt from them.
_SEEN = ("block", "bracket", "bushing", "flange", "tray", "yoke")
_SET = ("block", "bushing", "flange", "post", "rod", "row")
_UNDO = ("bracket", "plate", "tray", "yoke")
_MEASURED = ("bracket", "bushing", "plate", "tray")
_PLACES = ("x", "y", "z")
_PRESSED = ("box", "cylinder", "sphere", "cone")
# As in other domains, without the constraints that only families of programs have. The modeller's
# round faces are polygons inside of the true circle: the widest bore that it makes has an overlap
# of 0.994 with the exact one, and its sphere is 0.4 % smaller across its facets.
_SCORING = {
    "protocol": "absolute",
    "iou_target": 0.99,
    "tolerances": {"size": 0.005},
    "weights": {
        "validity": 0.1,
        "iou": 0.2,
        "surface": 0.15,
        "deviation": 0.4,
        "size": 0.075,
        "volume": 0.075,
    },
}


@dataclass(frozen=True, slots=True)
class _Draft:
    """A task before it has a name.

    Attributes:
        brief: What is asked.
        gold: The calls that do it.
        wanted: The part that is asked for; None where it is a number.
        start: What the modeller shows at the start.
        images: Pictures of the wanted part.
        answer: The number that is asked for, as in a task.
        more: What has to be found out first, beside the features and numbers of the part.
    """

    brief: str
    gold: Calls
    wanted: Shapes | None = None
    start: Shapes = ()
    images: tuple[ImageSource, ...] = ()
    answer: dict[str, Any] | None = None
    more: int = 0


_Maker = Callable[[Rng, int], _Draft]


def _create(kind: Kind, rng: Rng, difficulty: int) -> _Draft:
    made = kind.make(rng, difficulty)
    return _Draft(f"Model this part. {made.told}", _built(made), made.shapes)


def _create_from_views(kind: Kind, rng: Rng, difficulty: int) -> _Draft:
    made = kind.make(rng, difficulty)
    told = (
        f"Model the {kind.title} of the pictures: front, top, right and isometric view. "
        f"Sizes and places in words, to read the pictures by: {made.told}"
    )
    return _Draft(told, _built(made), made.shapes, images=(ImageSource(view="sheet"),))


def _press(name: str, rng: Rng, difficulty: int) -> _Draft:
    (block,) = KINDS["block"].make(rng, difficulty).shapes
    start = (block.having(x=ASIDE_MM),)
    label = BUTTONS[name]
    shape, sizes = _proposed(name, rng, difficulty)
    proposal = f"as the modeller proposes it{sizes}"
    told = (
        f"A block is open. Add a {label.lower()} {proposal}, as a body of its own. Change nothing "
        "else."
    )
    gold = [*pressed(label), *settings(shape), *submitted()]
    return _Draft(told, gold, (*start, shape), start=start, more=len(shape.params))


def _proposed(name: str, rng: Rng, difficulty: int) -> tuple[Shape, str]:
    """Return a new feature and the sizes that it has not as proposed: 4 one, 5 two of them."""
    sizes = [field for field in FIELDS[name] if field[0] not in _PLACES]
    shape, words = Shape(name), []
    for param, label, usual in sizes[: max(0, difficulty - LAST_SAID)]:
        more = int(rng.integers(2, 13))
        shape = shape.having(**{param: usual + more})
        words.append(f"{label!r} {more} mm larger")
    return shape, f", but with {' and '.join(words)} than proposed" if words else ""


def _set(kind: Kind, rng: Rng, difficulty: int) -> _Draft:
    made = kind.make(rng, difficulty)
    place, param, label, value = _other_value(made, rng)
    shape = made.shapes[place]
    value, how = _new_value(shape.value(param), value, param, difficulty)
    changed = shape.having(**{param: value})
    wanted = (*made.shapes[:place], changed, *made.shapes[place + 1 :])
    name = feature_names(made.shapes)[place]
    told = (
        f"{_open(kind)}. {how[0]} {label!r} of the feature {name!r} {how[1]}. Everything "
        "else stays as it is."
    )
    gold = [*opened(name), *settings(changed, only=[param]), *submitted()]
    more = max(0, difficulty - LAST_SAID)
    return _Draft(told, gold, wanted, start=made.shapes, more=more)


def _new_value(
    old: float, new: float, param: str, difficulty: int
) -> tuple[float, tuple[str, str]]:
    """Return a value and the words before and after what has it: said, or by the old one."""
    if difficulty <= LAST_SAID:
        return new, ("Set", f"to {number(new)} (it is {number(old)} now)")
    if difficulty == LAST_SAID + 1 or param == "count":
        return new, ("Raise", f"by {number(new - old)}")
    new = tidy(1.2 * old)
    return new, ("Raise", "by a fifth of what it is now")


def _undo(kind: Kind, rng: Rng, difficulty: int) -> _Draft:
    made = kind.make(rng, difficulty)
    strays = [_stray(made, rng, place) for place in range(1 if difficulty <= LAST_SAID else 2)]
    shapes = (*made.shapes, *strays)
    names = feature_names(shapes)[len(made.shapes) :]
    which = f"last feature, {names[0]!r}, was a mistake: take it out"
    if difficulty > LAST_SAID:
        which = "last two features were mistakes: take both out"
    told = f"{_open(kind)}, and its {which} again. Everything else stays as it is."
    gone = [call for name in reversed(names) for call in (*opened(name), *pressed("Delete"))]
    return _Draft(told, [*gone, *submitted()], made.shapes, start=shapes, more=len(names))


def _measure(kind: Kind, rng: Rng, difficulty: int) -> _Draft:
    made = kind.make(rng, difficulty)
    asked, value, unit = "What is its volume in mm³?", made.volume, "mm³"
    if difficulty > LAST_SAID:
        asked = f"What does it weigh in steel of {STEEL_G_CM3} g/cm³, in grams?"
        value, unit = made.volume / 1000 * STEEL_G_CM3, "g"
    told = (
        f"{_open(kind)}. {asked} Answer with the number; {ANSWER_TOLERANCE * 100:g} % "
        "either way counts as right."
    )
    answer = {"value": value, "unit": unit, "tolerance": ANSWER_TOLERANCE}
    reply = {"name": "answer", "arguments": {"value": round(value, 3)}}
    more = max(0, difficulty - LAST_SAID)
    gold = [*pressed("Measure"), reply]
    return _Draft(told, gold, start=made.shapes, answer=answer, more=more)


def _open(kind: Kind) -> str:
    return f"{article(kind.title).capitalize()} is open"


def _built(made: Made) -> Calls:
    return [*clicks(made.shapes), *submitted()]


def _other_value(made: Made, rng: Rng) -> tuple[int, str, str, float]:
    """Choose a size that can grow a little without breaking anything, and its new value."""
    places = [0] if len(made.shapes) < 4 else [0, 3]
    place = int(rng.choice(places))
    shape = made.shapes[place]
    if shape.type in ("circular", "linear"):
        return place, "count", "Count", int(shape.value("count")) + 1
    heights = [(p, label) for p, label, _ in FIELDS[shape.type] if p == "height"]
    (param, label) = heights[0]
    return place, param, label, shape.value(param) + int(rng.integers(3, 9))


def _stray(made: Made, rng: Rng, place: int) -> Shape:
    """Return a feature that does not belong: a knob on the outside, or a dent.

    Each has a corner of its own: a dent within a dent would cut nothing, which is an error.
    """
    first = made.shapes[0]
    size = int(rng.integers(8, 16))
    depth = first.value("depth") if place == 0 else 0.0
    corner = {"x": first.value("width"), "y": depth, "z": first.value("height")}
    return Shape(
        "sphere", {"diameter": size, **corner, "operation": str(rng.choice(["add", "cut"]))}
    )


def _makers() -> Iterator[tuple[str, str, str, _Maker]]:
    """Yield operation, modality, kind and what drafts a task."""
    for name, kind in KINDS.items():
        yield "create", "text", name, functools.partial(_create, kind)
    for name in _SEEN:
        yield "create", "views", name, functools.partial(_create_from_views, KINDS[name])
    for name in _PRESSED:
        yield "press", "text", name, functools.partial(_press, name)
    for name in _SET:
        yield "set", "text", name, functools.partial(_set, KINDS[name])
    for name in _UNDO:
        yield "undo", "text", name, functools.partial(_undo, KINDS[name])
    for name in _MEASURED:
        yield "measure", "text", name, functools.partial(_measure, KINDS[name])


def _source(operation: str, modality: str, kind: str, make: _Maker) -> Source:
    domain = Domain("browser", operation, modality, kind, VERSION)
    return Source(domain, functools.partial(_task, domain, make))


def _task(domain: Domain, make: _Maker, request: Request) -> Task:
    rng = generator(domain.id, domain.version, request.split, request.seed, request.difficulty)
    draft = _of_split(make, rng, request)
    task = Task(
        id=f"{domain.id}/{request.name}",
        brief=draft.brief,
        domain=domain.id,
        env="browser",
        images=draft.images,
        reference=None if draft.wanted is None else GeometrySource(program(draft.wanted)),
        start=GeometrySource(program(draft.start)) if draft.start else None,
        scoring=_SCORING if draft.wanted is not None else {},
        answer=draft.answer,
        limits=EpisodeLimits(turns=len(draft.gold) + SPARE_TURNS, wall_s=900.0),
        difficulty=request.difficulty,
        seed=request.seed,
    )
    return replace(task, meta=_meta(domain, request, draft))


def _of_split(make: _Maker, rng: Rng, request: Request) -> _Draft:
    """Draw until a part belongs to the split, by a hash of its program: none is in two."""
    for _ in range(MOST_DRAWS):
        draft = make(rng, request.difficulty)
        content = program(draft.wanted or draft.start).encode()
        if split_by_hash(content) == request.split:
            return draft
    raise UsageError(f"no part of difficulty {request.difficulty} in split {request.split}")


def _meta(domain: Domain, request: Request, draft: _Draft) -> dict[str, Any]:
    shapes = draft.wanted or draft.start
    return {
        "source": "cadwright",
        "licence": "Apache-2.0",
        "units": "mm",
        "family": domain.family,
        "version": domain.version,
        "split": request.split,
        "features": len(shapes) + sum(map(_odd_numbers, shapes)) + 2 * draft.more,
        "gold": {"calls": draft.gold},
        "browser": {"app": APP, "document": document(draft.start) if draft.start else {}},
    }


def _odd_numbers(shape: Shape) -> int:
    """Return how many sizes must be read and typed exactly; one in half millimetres counts twice.

    A kind of part always has the same features, so what is odd of it is its numbers.
    """
    sizes = [v for k, v in shape.params.items() if k != "source" and isinstance(v, int | float)]
    return sum((v % ROUND_MM != 0) + (v % 1 != 0) for v in sizes)


DOMAINS: tuple[Source, ...] = tuple(_source(*row) for row in _makers())
