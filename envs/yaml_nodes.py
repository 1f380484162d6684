"""YAML that remembers its lines.

PyYAML's plain loader forgets where a value stood, lets the last of two equal keys win, turns
``id: 00000007`` into 7 and expands aliases without end. This reader keeps the nodes beside the
data, so a fault can name its line, and refuses the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from cadwright.envs.names import nearest

SUITE_FIELDS = ("suite", "version", "about", "defaults", "tasks")
_MERGED = ("limits", "meta")  # a task adds to these defaults; any other field replaces them
_MAX_NODES = 500_000  # aliases counted each time: stops a "billion laughs" file
_STAMP = "tag:yaml.org,2002:timestamp"
_NULL = "tag:yaml.org,2002:null"


class YamlFault(Exception):
    """A fault of the file itself, with its 1-based line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class _Loader(yaml.SafeLoader):
    """Safe YAML without dates: task data is JSON, and an id may look like a date."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if tag != _STAMP]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True, slots=True)
class Record:
    """One task's data with the nodes it came from."""

    record: object
    node: yaml.Node

    def line_of(self, where: tuple[str | int, ...]) -> int:
        """Return the 1-based line of a field, or of the nearest thing around it."""
        node = self.node
        line = _line(node)
        for step in where:
            found = _child(node, step)
            if found is None:
                break
            line, node = found
        return line


@dataclass(frozen=True, slots=True)
class Header:
    """What a suite file says about itself."""

    name: str = ""
    version: str = "1"
    about: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: its root node and the data made of it."""

    node: yaml.Node
    data: Any

    @property
    def is_suite(self) -> bool:
        """Whether the file is a suite with a header."""
        return isinstance(self.data, dict) and "tasks" in self.data

    def header(self) -> Header:
        """Return the header; an empty one where the file is a task or a list.

        Raises:
            YamlFault: An unknown field, or a field of the wrong shape.
        """
        if not self.is_suite:
            return Header()
        root = Record(self.data, self.node)
        for key in self.data:
            if key not in SUITE_FIELDS:
                message = f"unknown suite field {key!r}{nearest(key, SUITE_FIELDS)}"
                raise YamlFault(root.line_of((key,)), message)
        for key, kind, what in (("defaults", dict, "a mapping"), ("tasks", list, "a list")):
            if not isinstance(self.data.get(key) or kind(), kind):
                raise YamlFault(root.line_of((key,)), f"{key} must be {what}")
        return Header(
            name=str(self.data.get("suite") or ""),
            version=str(self.data.get("version") or "1"),
            about=str(self.data.get("about") or "").strip(),
            defaults=self.data.get("defaults") or {},
        )

    def records(self) -> Iterator[Record]:
        """Yield each task's record, defaults filled in."""
        defaults = self.header().defaults
        node, data = self.node, self.data
        if self.is_suite:
            node, data = _value(node, "tasks"), data["tasks"] or []
        if isinstance(node, yaml.SequenceNode):
            for item_node, item in zip(node.value, data, strict=True):
                yield Record(_filled(_with_written_id(item_node, item), defaults), item_node)
        elif data is not None and not self.is_suite:
            yield Record(_with_written_id(node, data), node)


def compose(text: str) -> Document:
    """Parse one YAML document.

    Raises:
        YamlFault: Not YAML, a key given twice, or more nodes than any suite needs.
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise YamlFault(1, "the file is empty: a task, a list of tasks or a suite is expected")
        _check_nodes(node)
        return Document(node, loader.construct_document(node))
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        raise YamlFault(mark.line + 1 if mark else 1, f"not YAML: {err.problem}") from err
    except (yaml.YAMLError, ValueError, RecursionError) as err:
        raise YamlFault(1, f"not YAML: {err}") from err
    finally:
        loader.dispose()


def _check_nodes(root: yaml.Node) -> None:
    pending, count = [root], 0
    while pending:
        node = pending.pop()
        count += 1
        if count > _MAX_NODES:
            raise YamlFault(_line(node), f"more than {_MAX_NODES} values: aliases nested too deep?")
        if isinstance(node, yaml.MappingNode):
            _check_keys(node)
            pending += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            pending += node.value


def _check_keys(node: yaml.MappingNode) -> None:
    seen: dict[str, int] = {}
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode):
            if key.value in seen:
                message = f"{key.value!r} is given twice, first on line {seen[key.value]}"
                raise YamlFault(_line(key), message)
            seen[key.value] = _line(key)


def _with_written_id(node: yaml.Node, item: Any) -> Any:
    """Give the id back as it was written: YAML reads 00000007 as 7 and 1_000 as 1000."""
    written = _value(node, "id")
    if isinstance(item, dict) and isinstance(written, yaml.ScalarNode) and written.tag != _NULL:
        return {**item, "id": written.value}
    return item


def _filled(item: Any, defaults: Mapping[str, Any]) -> Any:
    if not isinstance(item, dict):
        return item
    filled = {**defaults, **item}
    for key in _MERGED:
        if isinstance(defaults.get(key), dict) and isinstance(item.get(key), dict):
            filled[key] = {**defaults[key], **item[key]}
    return filled


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _value(node: yaml.Node, key: str) -> yaml.Node:
    found = _pair(node, key)
    return node if found is None else found[1]


def _pair(node: yaml.Node, key: str) -> tuple[yaml.Node, yaml.Node] | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next(((k, v) for k, v in node.value if k.value == key), None)


def _child(node: yaml.Node, step: str | int) -> tuple[int, yaml.Node] | None:
    """The line and node of one field or list item."""
    if isinstance(step, int):
        if isinstance(node, yaml.SequenceNode) and step < len(node.value):
            return _line(node.value[step]), node.value[step]
        return None
    pair = _pair(node, step)
    return None if pair is None else (_line(pair[0]), pair[1])
