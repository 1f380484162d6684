"""The browser domains: parts modelled at the screen of the modeller, by sight.

    browser.create.text.bracket      build it from words
    browser.create.views.bracket     build it from pictures of it, with its size in words
    browser.press.text.cone          find one command and press it
    browser.set.text.flange          change one dimension of a part that is open
    browser.undo.text.plate          take back what was one step too many
    browser.measure.text.tray        measure and answer with a number

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
from cadwright.envs.domains.domain import Domain, Request, Source
from cadwright.envs.domains.family import number
from cadwright.envs.domains.randomness import generator
from cadwright.envs.domains.seeds import MOST_DRAWS, split_by_hash
from cadwright.envs.sources import GeometrySource, ImageSource
from cadwright.envs.task import EpisodeLimits, Task
from cadwright.tools.errors import UsageError

VERSION = "1"
APP = "modeller"
ANSWER_TOLERANCE = 0.01  # the modeller's circles are polygons: 0.2 % of a small bore
ROUND_MM = 5  # multiples of it are easy to read and to type
ASIDE_MM = 60  # where a block stands that new bodies do not touch
SPARE_TURNS = 12  # beyond the gold sequence, to look and to correct

# Kinds that are seen well enough in four views to be rebuilt from them.
_SEEN = ("block", "bracket", "bushing", "flange", "tray", "yoke")
_SET = ("block", "bushing", "flange", "post", "rod", "row")
_UNDO = ("bracket", "plate", "tray", "yoke")
_MEASURED = ("bracket", "bushing", "plate", "tray")
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
    """

    brief: str
    gold: Calls
    wanted: Shapes | None = None
    start: Shapes = ()
    images: tuple[ImageSource, ...] = ()
    answer: dict[str, Any] | None = None


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
    told = (
        f"A block is open. Add a {label.lower()} as the modeller proposes it, as a body of its "
        "own. Change nothing else."
    )
    return _Draft(told, [*pressed(label), *submitted()], (*start, Shape(name)), start=start)


def _set(kind: Kind, rng: Rng, difficulty: int) -> _Draft:
    made = kind.make(rng, difficulty)
    place, param, label, value = _other_value(made, rng)
    shape = made.shapes[place]
    changed = shape.having(**{param: value})
    wanted = (*made.shapes[:place], changed, *made.shapes[place + 1 :])
    name = feature_names(made.shapes)[place]
    told = (
        f"A {kind.title} is open. Set {label!r} of the feature {name!r} to {number(value)} "
        f"(it is {number(shape.value(param))} now). Everything else stays as it is."
    )
    gold = [*opened(name), *settings(changed, only=[param]), *submitted()]
    return _Draft(told, gold, wanted, start=made.shapes)


def _undo(kind: Kind, rng: Rng, difficulty: int) -> _Draft:
    made = kind.make(rng, difficulty)
    stray = _stray(made, rng)
    shapes = (*made.shapes, stray)
    name = feature_names(shapes)[-1]
    told = (
        f"A {kind.title} is open, and its last feature, {name!r}, was a mistake: take it out "
        "again. Everything else stays as it is."
    )
    gold = [*opened(name), *pressed("Delete"), *submitted()]
    return _Draft(told, gold, made.shapes, start=shapes)


def _measure(kind: Kind, rng: Rng, difficulty: int) -> _Draft:
    made = kind.make(rng, difficulty)
    told = (
        f"A {kind.title} is open. What is its volume in mm³? Answer with the number; "
        f"{ANSWER_TOLERANCE * 100:g} % either way counts as right."
    )
    answer = {"value": made.volume, "unit": "mm³", "tolerance": ANSWER_TOLERANCE}
    reply = {"name": "answer", "arguments": {"value": round(made.volume, 3)}}
    return _Draft(told, [*pressed("Measure"), reply], start=made.shapes, answer=answer)


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


def _stray(made: Made, rng: Rng) -> Shape:
    """Return a feature that does not belong: a knob on the outside, or a dent."""
    first = made.shapes[0]
    size = int(rng.integers(8, 16))
    corner = {"x": first.value("width"), "y": first.value("depth"), "z": first.value("height")}
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
        "features": len(shapes) + sum(map(_odd_numbers, shapes)),
        "gold": {"calls": draft.gold},
        "browser": {"app": APP, "document": document(draft.start) if draft.start else {}},
    }


def _odd_numbers(shape: Shape) -> int:
    """Return how many sizes must be read and typed exactly; one in half millimetres counts twice.

    The difficulty of these tasks is in their numbers: a kind of part always has the same features.
    """
    sizes = [v for k, v in shape.params.items() if k != "source" and isinstance(v, int | float)]
    return sum((v % ROUND_MM != 0) + (v % 1 != 0) for v in sizes)


DOMAINS: tuple[Source, ...] = tuple(_source(*row) for row in _makers())
