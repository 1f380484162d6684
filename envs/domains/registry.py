"""Every domain by its id, and any number of its tasks.

    domains()                                         all of them, sorted by id
    generate("cad.create.text.flange", 17, 3)         one task: cad.create.text.flange/3-17

The same domain, version, seed, difficulty and split give the same task in any process.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cadwright.envs.domains.catalogue import families, family_version, other_sources
from cadwright.envs.domains.domain import PROGRAM, Case, Domain, Draft, Operation, Request, Source
from cadwright.envs.domains.family import DIFFICULTIES, Family
from cadwright.envs.domains.modalities import MODALITIES, Telling, Told, finest_for
from cadwright.envs.domains.plan import offers_for
from cadwright.envs.domains.randomness import generator
from cadwright.envs.domains.seeds import Members, check_split, splits_for
from cadwright.envs.names import nearest
from cadwright.envs.task import Task
from cadwright.tools.errors import UsageError

MAX_SEED = 2**32 - 1


@functools.cache
def sources() -> Mapping[str, Source]:
    """Return every domain and its maker by id, in alphabetical order."""
    found = [*sources_of(families().values()), *other_sources()]
    return {source.domain.id: source for source in sorted(found, key=lambda s: s.domain.id)}


def domains() -> tuple[Domain, ...]:
    """Return every domain, sorted by id."""
    return tuple(source.domain for source in sources().values())


def domain(domain_id: str) -> Domain:
    """Return a domain by its id.

    Raises:
        UsageError: There is none; the message names the nearest.
    """
    return _source(domain_id).domain


def matching(pattern: str) -> tuple[Domain, ...]:
    """Return the domains whose ids begin with these words, ``*`` standing for any word.

    Raises:
        UsageError: There is none.
    """
    wanted = pattern.split(".")
    found = tuple(d for d in domains() if _begins(d.id.split("."), wanted))
    if not found:
        raise UsageError(f"no domain {pattern!r}{_hint(pattern)}")
    return found


def generate(
    domain_id: str,
    seed: int,
    difficulty: int | None = None,
    *,
    split: str | None = None,
    num_tokens: int | None = None,
    depth: float | None = None,
) -> Task:
    """Make one task.

    Args:
        domain_id: Such as ``cad.create.text.flange``.
        seed: Number of the task in its split.
        difficulty: 1 to 5; it goes round with the seed where it is None.
        split: ``train``, ``validation``, ``test``, or ``out_of_family`` for held-out families;
            the domain's first where it is None.
        num_tokens: Length of the document of a ``long`` domain.
        depth: Where in that document the numbers stand, 0 to 1.

    Raises:
        UsageError: There is no such domain, or a number is out of range.
    """
    request = request_for(
        domain_id, seed, difficulty, split=split, num_tokens=num_tokens, depth=depth
    )
    return make(domain_id, request)


def request_for(
    domain_id: str,
    seed: int,
    difficulty: int | None = None,
    *,
    split: str | None = None,
    num_tokens: int | None = None,
    depth: float | None = None,
) -> Request:
    """Return what ``generate`` asks of the domain, checked, without making the task.

    Raises:
        UsageError: There is no such domain, or a number is out of range.
    """
    difficulty = DIFFICULTIES[seed % len(DIFFICULTIES)] if difficulty is None else difficulty
    if difficulty not in DIFFICULTIES:
        raise UsageError(f"difficulty is {difficulty!r}, allowed: 1 to 5")
    if not 0 <= seed <= MAX_SEED:
        raise UsageError(f"seed is {seed!r}, allowed: 0 to {MAX_SEED}")
    where = check_split(split, _source(domain_id).domain.splits)
    return Request(seed, difficulty, where, num_tokens, depth)


def make(domain_id: str, request: Request) -> Task:
    """Make the task of a checked request."""
    return _source(domain_id).make(request)


def sources_of(some: Iterable[Family]) -> Iterator[Source]:
    """Yield the domains of families."""
    for family in some:
        for offer in offers_for(family):
            made = Domain(
                "cad",
                offer.operation.name,
                offer.modality,
                family.name,
                version=f"{family_version(family.name)}.{offer.operation.version}",
                splits=splits_for(family),
            )
            make = functools.partial(make_task, made, family, offer.operation)
            yield Source(made, make)


def make_task(made: Domain, family: Family, operation: Operation, request: Request) -> Task:
    """Return a task of a family's domain."""
    version = family_version(family.name)
    where = (version, request.split, request.seed, request.difficulty)
    members = Members(
        family,
        version=version,
        split=request.split,
        seed=request.seed,
        difficulty=request.difficulty,
        finest=finest_for(made.modality),
    )
    rng = generator(operation.name, operation.version, family.name, *where)
    draft = operation.make(Case(family, members, rng, request.difficulty, made.modality))
    words = generator(made.id, made.version, *where)
    told = MODALITIES[made.modality](Telling(family, draft, words, request))
    return _task(made, family, request, draft, told)


def _task(made: Domain, family: Family, request: Request, draft: Draft, told: Told) -> Task:
    gold = draft.gold
    if gold == PROGRAM and draft.reference is None:
        raise UsageError(f"{made.id}: a task without a reference needs a gold answer of its own")
    return Task(
        id=f"{made.id}/{request.name}",
        brief=told.brief,
        domain=made.id,
        env=made.env,
        images=told.images,
        start=draft.start if told.has_start else None,
        reference=draft.reference,
        constraints=draft.constraints,
        scoring=draft.scoring if told.scoring is None else told.scoring,
        answer=draft.answer,
        difficulty=request.difficulty,
        seed=request.seed,
        meta=_meta(made, family, request, draft) | dict(told.meta),
    )


def _meta(made: Domain, family: Family, request: Request, draft: Draft) -> dict[str, Any]:
    return {
        "source": "cadwright",
        "licence": "Apache-2.0",
        "units": "mm",
        "family": made.family,
        "version": made.version,
        "split": request.split,
        "features": draft.features,
        "dimensions": {d.name: draft.design[d.name] for d in family.used(draft.design)},
        "gold": draft.gold,
        **draft.meta,
    }


def _source(domain_id: str) -> Source:
    known = sources()
    if domain_id not in known:
        raise UsageError(f"no domain {domain_id!r}{_hint(domain_id)}")
    return known[domain_id]


def _hint(given: str) -> str:
    near = nearest(given, sources()).partition(", allowed")[0]
    return f"{near}; `cadwright tasks list` shows all {len(sources())}"


def _begins(words: list[str], wanted: list[str]) -> bool:
    return len(wanted) <= len(words) and all(
        a in ("*", b) for a, b in zip(wanted, words, strict=False)
    )
