"""Generated tasks by description: an entry of a suite file, a spec that a person types.

{domain: cad.create.text.flange, seeds: [3, 4], difficulty: 2, split: test}
{id: browser/build-bracket, domain: browser.create.text.bracket, seeds: 3, difficulty: 3}
domain:cad.create.text.flange?seed=3&difficulty=2&split=test&n=2
domain:cad.create.text.flange/2-3-test
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from cadwright.envs.domains.domain import Domain
from cadwright.envs.domains.registry import (
    MAX_SEED,
    generate,
    make,
    matching,
    request_for,
)
from cadwright.envs.lazy_tasks import Promise
from cadwright.envs.names import nearest
from cadwright.envs.task import Task
from cadwright.envs.task_record import FieldError
from cadwright.tools.errors import TaskError, UsageError

ENTRY_FIELDS = ("id", "domain", "seeds", "difficulty", "split", "tokens", "depth")
SPEC_FIELDS = ("seed", "n", "difficulty", "split", "tokens", "depth")
NUM_TASKS = 5  # of a domain where nobody says how many: one for each difficulty
MOST_TASKS = 100_000  # of one entry; more is a slip of the keyboard
_NAME = re.compile(
    r"(?P<difficulty>[1-5])-(?P<seed>\d{1,10})(?:-(?P<split>validation|test))?"
    r"(?:-(?P<tokens>\d{1,7})t)?(?:-(?P<depth>\d{1,3})p)?"
)


def tasks_of_entry(entry: object) -> Iterator[Task]:
    """Yield the tasks of one entry under ``generate``.

    Raises:
        FieldError: A field is unknown, its value is not allowed, or a task cannot be made.
    """
    yield from map(made, promises_of_entry(entry))


def made(promise: Promise) -> Task:
    """Return the task of an entry's promise.

    Raises:
        FieldError: It cannot be made.
    """
    try:
        return promise.task
    except TaskError as err:
        raise FieldError(("domain",), str(err)) from err


def promises_of_entry(entry: object) -> Iterator[Promise]:
    """Yield what makes the tasks of one entry under ``generate``, by their ids.

    Raises:
        FieldError: A field is unknown, or its value is not allowed.
    """
    if not isinstance(entry, Mapping) or not isinstance(entry.get("domain"), str):
        raise FieldError((), "an entry of generate needs a domain: its id")
    for key in entry:
        if key not in ENTRY_FIELDS:
            raise FieldError((key,), f"unknown field {key!r}{nearest(key, ENTRY_FIELDS)}")
    if "id" not in entry:
        yield from _promised(entry)
    elif (count := count_of_entry(entry)) == 1:
        yield from (_renamed(promise, str(entry["id"])) for promise in _promised(entry))
    else:
        raise FieldError(("id",), f"an entry with an id makes one task, this one makes {count}")


def _promised(entry: Mapping[str, Any]) -> Iterator[Promise]:
    for difficulty, seed, tokens, depth in product(*_axes(entry)):
        where = (entry["domain"], int(seed or 0), None if difficulty is None else int(difficulty))
        num_tokens, split = None if tokens is None else int(tokens), entry.get("split")
        try:
            request = request_for(*where, split=split, num_tokens=num_tokens, depth=depth)
        except UsageError as err:
            raise FieldError(("domain",), str(err)) from err
        domain_id = entry["domain"]
        yield Promise(f"{domain_id}/{request.name}", partial(make, domain_id, request))


def _renamed(promise: Promise, task_id: str) -> Promise:
    return Promise(task_id, partial(_task_as, promise, task_id))


def _task_as(promise: Promise, task_id: str) -> Task:
    return replace(promise.task, id=task_id)


def count_of_entry(entry: object) -> int:
    """Return the number of tasks of an entry, without making one."""
    return math.prod(len(axis) for axis in _axes(entry)) if isinstance(entry, Mapping) else 0


def _axes(entry: Mapping[str, Any]) -> tuple[tuple[float | None, ...], ...]:
    """Return difficulties, seeds, lengths and depths; a task is one of each."""
    return (
        _numbers(entry, "difficulty", int, 1, 5) or (None,),
        _numbers(entry, "seeds", int, 0, MAX_SEED) or (0,),
        _numbers(entry, "tokens", int, 1, 1_000_000) or (None,),
        _numbers(entry, "depth", float, 0.0, 1.0) or (None,),
    )


def tasks_of_spec(text: str) -> tuple[Task, ...]:
    """Return the tasks of what stands behind ``domain:``.

    Raises:
        TaskError: A field is unknown or its value is not allowed.
    """
    where, _, query = text.partition("?")
    pairs = dict(item.partition("=")[::2] for item in query.split("&") if item)
    for key in pairs:
        if key not in SPEC_FIELDS:
            raise TaskError(f"domain: unknown option {key!r}{nearest(key, SPEC_FIELDS)}")
    name, _, task = where.partition("/")
    if task:
        return (_named(name, task),)
    first, count = _whole(pairs, "seed", 0), _whole(pairs, "n", 0)
    if not count:
        count = 1 if "seed" in pairs else NUM_TASKS
    if not 0 < count <= MOST_TASKS:
        raise TaskError(f"domain: n is {count}, allowed: 1 to {MOST_TASKS}")
    entry = {
        "seeds": list(range(first, first + count)),
        "difficulty": _whole(pairs, "difficulty", 0) or None,
        "split": pairs.get("split"),
        "tokens": _whole(pairs, "tokens", 0) or None,
        "depth": _share(pairs["depth"]) if "depth" in pairs else None,
    }
    given = {key: value for key, value in entry.items() if value is not None}
    found = _with_split(matching(name), pairs.get("split"))
    return tuple(
        task for domain in found for task in tasks_of_entry({"domain": domain.id, **given})
    )


def _with_split(found: tuple[Domain, ...], split: str | None) -> tuple[Domain, ...]:
    """Leave out of several domains those that have nothing in a split."""
    has = tuple(domain for domain in found if split is None or split in domain.splits)
    return has or found


def task_named(task_id: str) -> Task:
    """Return the task of an id such as ``cad.create.text.flange/3-17``.

    Raises:
        TaskError: It is no such id.
    """
    name, _, task = task_id.partition("/")
    return _named(name, task)


def is_task_id(text: str) -> bool:
    """Return whether a text looks like the id of a generated task."""
    name, slash, task = text.partition("/")
    return (
        bool(slash)
        and "#" not in name
        and name.count(".") == 3
        and _NAME.fullmatch(task) is not None
    )


def _named(name: str, task: str) -> Task:
    match = _NAME.fullmatch(task)
    if match is None:
        raise TaskError(f"{name}/{task}: a task is DIFFICULTY-SEED[-SPLIT], such as {name}/3-17")
    depth = match["depth"]
    return generate(
        name,
        int(match["seed"]),
        int(match["difficulty"]),
        split=match["split"],
        num_tokens=int(match["tokens"]) if match["tokens"] else None,
        depth=int(depth) / 100 if depth else None,
    )


def _numbers(
    entry: Mapping[str, Any], name: str, kind: type[int] | type[float], low: float, high: float
) -> tuple[float, ...]:
    value = entry.get(name)
    values = value if isinstance(value, list) else [] if value is None else [value]
    for one in values:
        is_number = isinstance(one, int if kind is int else (int, float))
        if isinstance(one, bool) or not is_number or not low <= one <= high:
            what = "whole numbers" if kind is int else "numbers"
            raise FieldError((name,), f"{name} is {one!r}, allowed: {what} from {low} to {high}")
    return tuple(values)


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError as err:
        raise TaskError(f"domain: depth is {text!r}, allowed: a number from 0 to 1") from err


def _whole(pairs: Mapping[str, str], name: str, default: int) -> int:
    text = pairs.get(name, str(default))
    if not text.isdecimal():
        raise TaskError(f"domain: {name} is {text!r}, allowed: a whole number")
    return int(text)
