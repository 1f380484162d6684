"""Task files: YAML and JSONL, read and written.

A YAML file holds one task, a list of tasks, or a suite: ``{suite, version, about, defaults,
tasks, generate}``, the last for tasks that are made by domain and seed. A JSONL file holds one
task a line. A task that cannot be used is refused with its line and the rest is loaded; a file
that cannot be parsed at all is an error.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from cadwright.envs.lazy_tasks import LazyTasks, Promise
from cadwright.envs.sources import read_text
from cadwright.envs.task import Task
from cadwright.envs.task_record import FieldError, FieldPath, task_from_json
from cadwright.envs.yaml_nodes import Header, Record, YamlFault, compose
from cadwright.tools.errors import TaskError

YAML_SUFFIXES = (".yaml", ".yml")
JSONL_SUFFIXES = (".jsonl", ".ndjson")
TASK_SUFFIXES = YAML_SUFFIXES + JSONL_SUFFIXES


@dataclass(frozen=True, slots=True)
class Refusal:
    """A task that was left out, and why. ``line`` is None where the fault has no line."""

    file: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        """Return, for example, ``suite.yaml:14: unknown field 'breif' ...``."""
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class LoadedSuite:
    """What a loader found. Iterating gives the tasks.

    Attributes:
        tasks: The usable ones; those of a suite without a digest are made when first looked at.
        refused: Tasks that cannot be used, each with file, line and reason.
        notices: What the loader did with quirks of its data, in words.
    """

    name: str
    tasks: Sequence[Task]
    refused: tuple[Refusal, ...] = ()
    version: str = "1"
    about: str = ""
    notices: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the tasks; none is made for it."""
        tasks = self.tasks
        return tasks.ids if isinstance(tasks, LazyTasks) else tuple(task.id for task in tasks)

    def __iter__(self) -> Iterator[Task]:
        """Return an iterator over the tasks."""
        return iter(self.tasks)

    def __len__(self) -> int:
        """Return the number of usable tasks."""
        return len(self.tasks)


@dataclass(frozen=True, slots=True)
class _Located:
    """A record and the line of each of its fields."""

    record: object
    line_of: Callable[[FieldPath], int]
    fault: str | None = None


def load_file(path: Path, *, name: str | None = None) -> LoadedSuite:
    """Load one YAML or JSONL task file.

    Raises:
        TaskError: The file cannot be read or parsed, or has another suffix.
    """
    suffix = path.suffix.lower()
    if suffix in YAML_SUFFIXES:
        return parse_yaml(read_text(path), file=path, name=name)
    if suffix in JSONL_SUFFIXES:
        return parse_jsonl(read_text(path), file=path, name=name)
    raise TaskError(f"{path}: task files end in {', '.join(TASK_SUFFIXES)}, not {suffix!r}")


def parse_jsonl(text: str, *, file: Path, name: str | None = None) -> LoadedSuite:
    """Read one task a line; empty lines are skipped."""
    # split at \n only: JSON strings may hold U+2028, where splitlines would break the record
    lines = ((n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip())
    tasks, refused = _collect((_json_line(n, line) for n, line in lines), file)
    return LoadedSuite(name or file.stem, tasks, refused)


def parse_yaml(text: str, *, file: Path, name: str | None = None) -> LoadedSuite:
    """Read one task, a list of tasks, or a suite with defaults.

    Raises:
        TaskError: Not YAML, or a suite with unknown or misshapen fields.
    """
    try:
        document = compose(text)
        header, records = document.header(), tuple(document.records())
        entries = tuple(document.entries())
    except YamlFault as err:
        raise TaskError(f"{file}:{err.line}: {err}") from err
    written, refused = _collect((_Located(r.record, r.line_of) for r in records), file)
    tasks: Sequence[Task] = written
    if entries:
        made, not_made = _generated(entries, file, is_whole=bool(header.digest))
        first = (Promise(task.id, partial(_itself, task)) for task in written)
        tasks, refused = LazyTasks((*first, *made)), (*refused, *not_made)
    title = name or header.name or file.stem
    return LoadedSuite(
        title,
        tasks,
        refused,
        version=header.version,
        about=header.about,
        notices=tuple(_changes(title, header, tasks)),
    )


def digest_of(tasks: Iterable[Task]) -> str:
    """Return a hash of whole tasks: a suite with another digest needs another version."""
    sha = hashlib.sha256()
    for task in tasks:
        sha.update(json.dumps(task.to_json(), sort_keys=True, default=str).encode())
    return sha.hexdigest()


def _changes(title: str, header: Header, tasks: Sequence[Task]) -> Iterator[str]:
    """Say where a suite is not the one that its version was given to."""
    if header.digest and digest_of(tasks) != header.digest:
        yield (
            f"{title} {header.version} is not what was published under this version: its tasks "
            "have changed, so results cannot be compared"
        )


def _itself(task: Task) -> Task:
    return task


def _generated(
    entries: Iterable[Record], file: Path, *, is_whole: bool
) -> tuple[tuple[Promise, ...], tuple[Refusal, ...]]:
    """Return what makes the tasks that a suite describes by domain and seed.

    Args:
        entries: Of the suite.
        file: It.
        is_whole: All of them are made: their digest is known.
    """
    from cadwright.envs.domains.entries import made, promises_of_entry  # loads every family

    found: dict[str, Promise] = {}
    refused: list[Refusal] = []
    for entry in entries:
        try:
            promises = tuple(promises_of_entry(entry.record))
            if is_whole:
                list(map(made, promises))  # each is kept
            found |= {promise.id: promise for promise in promises}
        except FieldError as err:
            refused.append(Refusal(file.name, entry.line_of(err.where), str(err)))
    return tuple(found.values()), tuple(refused)


def _json_line(number: int, line: str) -> _Located:
    def line_of(_: FieldPath) -> int:
        return number

    try:
        return _Located(json.loads(line, object_pairs_hook=_unique_keys), line_of)
    except (ValueError, RecursionError) as err:
        return _Located(None, line_of, f"not JSON: {err}")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"field {twice!r} is given twice")
    return record


def _collect(
    located: Iterable[_Located], file: Path
) -> tuple[tuple[Task, ...], tuple[Refusal, ...]]:
    tasks: dict[str, Task] = {}
    first_line: dict[str, int] = {}
    refused: list[Refusal] = []
    for item in located:
        try:
            task = _task_of(item, file.parent)
            _check_new(task.id, first_line)
        except FieldError as err:
            refused.append(Refusal(file.name, item.line_of(err.where), str(err)))
            continue
        tasks[task.id] = task
        first_line[task.id] = item.line_of(())
    return tuple(tasks.values()), tuple(refused)


def _task_of(item: _Located, base: Path) -> Task:
    if item.fault is not None:
        raise FieldError((), item.fault)
    return task_from_json(item.record, base=base)


def _check_new(task_id: str, first_line: Mapping[str, int]) -> None:
    if task_id in first_line:
        raise FieldError(("id",), f"id {task_id!r} is taken by line {first_line[task_id]}")
