"""From what a person types to tasks: built-in names, files, folders, data sets, one task of them.

smoke                          a built-in suite
my_tasks.yaml   tasks/         a YAML or JSONL file, or a folder of them
cadprompt:PATH?prompt=both     a data set, with options
domain:cad.create.text?n=10    generated tasks; cad.create.text.flange/3-17 is one of them
smoke#plate     smoke/plate    one task: any spec followed by # and an id, or suite/id
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from cadwright import assets
from cadwright.envs.datasets.registry import DATASETS, recognise
from cadwright.envs.lazy_tasks import LazyTasks
from cadwright.envs.sources import expanded
from cadwright.envs.task import Task
from cadwright.envs.tasks_file import (
    TASK_SUFFIXES,
    LoadedSuite,
    Refusal,
    load_file,
    parse_yaml,
)
from cadwright.envs.yaml_nodes import Document, compose
from cadwright.tools.errors import TaskError, UsageError

GENERATED = "domain"  # the scheme of specs that describe generated tasks


def load_tasks(
    spec: str | Path, limit: int | None = None, *, ids: Collection[str] | None = None
) -> LoadedSuite:
    """Load the tasks that ``spec`` names.

    Args:
        spec: See the top of this module.
        limit: Keep the first so many.
        ids: Keep these, in the order of the suite.

    Raises:
        TaskError: Nothing of that name exists, or no task in it can be used.
        UsageError: ``limit`` is below 1.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}, allowed: 1 or more")
    suite = _find(str(spec))
    if not suite.tasks:
        raise TaskError(_nothing_usable(suite, spec))
    if ids is not None:
        suite = _only(suite, ids)
    return suite if limit is None else replace(suite, tasks=suite.tasks[:limit])


def builtin_suites() -> tuple[str, ...]:
    """Return the names of the built-in suites."""
    entries = assets.path("suites").iterdir()
    return tuple(sorted(e.name.removesuffix(".yaml") for e in entries if e.name.endswith(".yaml")))


def written_suites() -> tuple[str, ...]:
    """Return the names of those whose tasks are written down, not made by domain and seed."""
    return tuple(name for name in builtin_suites() if not any(_document(name).entries()))


def _document(name: str) -> Document:
    return compose(assets.path(f"suites/{name}.yaml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Summary:
    """A built-in suite at a glance."""

    name: str
    num_tasks: int
    about: str


def summary_of(name: str) -> Summary:
    """Return what a built-in suite says about itself; its tasks are counted and not made."""
    from cadwright.envs.domains.entries import count_of_entry

    document = _document(name)
    made = sum(map(count_of_entry, (entry.record for entry in document.entries())))
    written = sum(1 for _ in document.records())
    return Summary(name, written + made, document.header().about)


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the domain tree: ``cad`` > ``create`` > ``text`` > ``flange``."""

    name: str
    count: int
    children: tuple[Branch, ...] = ()


def domain_tree(tasks: Iterable[Task]) -> tuple[Branch, ...]:
    """Return tasks counted by the words of their domains, in alphabetical order."""
    return branches(task.domain for task in tasks)


def branches(ids: Iterable[str]) -> tuple[Branch, ...]:
    """Return dotted ids counted word by word, in alphabetical order."""
    return _branches([tuple(one.split(".")) for one in ids])


def _branches(paths: list[tuple[str, ...]]) -> tuple[Branch, ...]:
    groups: dict[str, list[tuple[str, ...]]] = {}
    for head, *rest in paths:
        groups.setdefault(head, []).append(tuple(rest))
    return tuple(
        Branch(name, len(group), _branches([path for path in group if path]))
        for name, group in sorted(groups.items())
    )


def _find(spec: str) -> LoadedSuite:
    if (made := _made(spec)) is not None:
        return made
    source, task_id = _split(spec)
    suite = _open(source)
    if suite is None:
        raise TaskError(_unknown(source))
    return suite if task_id is None else _only(suite, (task_id,))


def _made(spec: str) -> LoadedSuite | None:
    """Return generated tasks where the spec describes or names some."""
    from cadwright.envs.domains import entries

    head, _, rest = spec.partition(":")
    if head == GENERATED:
        rest, _, task_id = rest.partition("#")
        return LoadedSuite(spec, entries.tasks_of_spec(task_id or rest))
    if entries.is_task_id(spec) and not Path(spec).exists():
        return LoadedSuite(spec.partition("/")[0], (entries.task_named(spec),))
    return None


def _split(spec: str) -> tuple[str, str | None]:
    """Part a spec from the id of one task; a path that exists as written is never cut."""
    written = spec.partition(":")[2] if _scheme(spec) else spec
    if spec in builtin_suites() or expanded(written).exists():
        return spec, None
    head, mark, task_id = spec.partition("#")
    if mark:
        return head, task_id
    head, mark, task_id = spec.partition("/")
    return (head, task_id) if mark and head in builtin_suites() else (spec, None)


def _scheme(spec: str) -> str | None:
    name, colon, _ = spec.partition(":")
    return name if colon and name in DATASETS else None


def _open(source: str) -> LoadedSuite | None:
    if (name := _scheme(source)) is not None:
        return _dataset(name, source.partition(":")[2])
    if source in builtin_suites():
        return _builtin(source)
    if not source:
        return None  # Path("") would be the current folder
    path = expanded(source)
    if path.is_dir():
        return _folder(path)
    return load_file(path) if path.exists() else None


def _dataset(name: str, rest: str) -> LoadedSuite:
    text, _, query = rest.partition("?")
    if not text:
        raise TaskError(f"{name}: give the path of the data set: {name}:PATH")
    pairs = (item.partition("=") for item in query.split("&") if item)
    options = {key: value for key, _, value in pairs}
    return DATASETS[name].open(expanded(text), options)


def _builtin(name: str) -> LoadedSuite:
    resource = assets.path(f"suites/{name}.yaml")
    return parse_yaml(resource.read_text("utf-8"), file=Path(str(resource)), name=name)


def _folder(path: Path) -> LoadedSuite:
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in TASK_SUFFIXES)
    suites = [load_file(file) for file in files]
    if not any(suite.tasks for suite in suites):
        if (known := recognise(path)) is not None:
            raise TaskError(f"{path}: this is a data set; use {known}:{path}")
        if not files:
            raise TaskError(f"{path}: no task file here; expected {', '.join(TASK_SUFFIXES)}")
    return _joined(path.name, zip(files, suites, strict=True))


def _joined(name: str, parts: Iterable[tuple[Path, LoadedSuite]]) -> LoadedSuite:
    tasks: dict[str, Task] = {}
    refused: list[Refusal] = []
    for file, suite in parts:
        refused += suite.refused
        for task in suite.tasks:
            if task.id in tasks:
                refused.append(Refusal(file.name, None, f"id {task.id!r} is taken by another file"))
            else:
                tasks[task.id] = task
    return LoadedSuite(name, tuple(tasks.values()), tuple(refused))


def _only(suite: LoadedSuite, ids: Collection[str]) -> LoadedSuite:
    """Keep the tasks named by full id, or by what follows the suite's name in it."""
    wanted = {_full_id(suite, task_id) for task_id in ids}
    if isinstance(suite.tasks, LazyTasks):
        return replace(suite, tasks=suite.tasks.only(wanted))
    return replace(suite, tasks=tuple(task for task in suite.tasks if task.id in wanted))


def _full_id(suite: LoadedSuite, given: str) -> str:
    known = suite.ids
    for candidate in (given, f"{suite.name}/{given}"):
        if candidate in known:
            return candidate
    near = difflib.get_close_matches(given, known, n=3, cutoff=0.3)
    hint = f"nearest: {', '.join(near)}" if near else f"it has {len(known)} tasks"
    raise TaskError(f"{suite.name} has no task {given!r}: {hint}")


def _nothing_usable(suite: LoadedSuite, spec: str | Path) -> str:
    if not suite.refused:
        return f"{spec}: there is no task in it"
    more = f" (and {len(suite.refused) - 1} more)" if len(suite.refused) > 1 else ""
    return f"{suite.refused[0]}{more}"


def _unknown(source: str) -> str:
    folder = expanded(source).parent
    known = [*builtin_suites(), *(f"{name}:PATH" for name in DATASETS), "domain:ID"]
    beside = [str(folder / file.name) for file in folder.glob("*")]
    near = difflib.get_close_matches(source, [*known, *beside], n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return f"no suite or task file {source!r}{hint}: use a path, or one of {', '.join(known)}"
