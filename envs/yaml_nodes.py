"""Task and suite files as YAML: what stands where, defaults filled in.

`cadwright.tools.yaml_lines` reads the text and remembers its lines. Here a document is taken apart
into the records of tasks, and an id is given back as it was written: YAML reads ``00000007`` as 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from cadwright.envs.names import nearest
from cadwright.tools.yaml_lines import YamlFault, line_of, parse_yaml, value_node

__all__ = ["SUITE_FIELDS", "Document", "Header", "Record", "YamlFault", "compose"]

SUITE_FIELDS = ("suite", "version", "about", "digest", "defaults", "tasks", "generate")
_SHAPES: tuple[tuple[str, type, str], ...] = (
    ("defaults", dict, "a mapping"),
    ("tasks", list, "a list"),
    ("generate", list, "a list"),
)
_MERGED = ("limits", "meta")  # a task adds to these defaults; any other field replaces them
_NULL = "tag:yaml.org,2002:null"


@dataclass(frozen=True, slots=True)
class Record:
    """One task's data with the nodes it came from."""

    record: object
    node: yaml.Node

    def line_of(self, where: tuple[str | int, ...]) -> int:
        """Return the 1-based line of a field, or of the nearest thing around it."""
        return line_of(self.node, where)


@dataclass(frozen=True, slots=True)
class Header:
    """What a suite file says about itself."""

    name: str = ""
    version: str = "1"
    about: str = ""
    digest: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: its root node and the data made of it."""

    node: yaml.Node
    data: Any

    @property
    def is_suite(self) -> bool:
        """Whether the file is a suite with a header."""
        return isinstance(self.data, dict) and bool({"tasks", "generate"} & set(self.data))

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
        for key, kind, what in _SHAPES:
            if not isinstance(self.data.get(key) or kind(), kind):
                raise YamlFault(root.line_of((key,)), f"{key} must be {what}")
        return Header(
            name=str(self.data.get("suite") or ""),
            version=str(self.data.get("version") or "1"),
            about=str(self.data.get("about") or "").strip(),
            digest=str(self.data.get("digest") or ""),
            defaults=self.data.get("defaults") or {},
        )

    def records(self) -> Iterator[Record]:
        """Yield each task's record, defaults filled in."""
        defaults = self.header().defaults
        node, data = self.node, self.data
        if self.is_suite:
            node, data = value_node(node, "tasks"), data.get("tasks") or []
        if isinstance(node, yaml.SequenceNode):
            for item_node, item in zip(node.value, data, strict=True):
                yield Record(_filled(_with_written_id(item_node, item), defaults), item_node)
        elif data is not None and not self.is_suite:
            yield Record(_with_written_id(node, data), node)

    def entries(self) -> Iterator[Record]:
        """Yield each entry under ``generate``: tasks that are made, not written down."""
        if not self.is_suite or not self.data.get("generate"):
            return
        nodes = value_node(self.node, "generate")
        assert isinstance(nodes, yaml.SequenceNode)  # the header was checked for it
        for node, data in zip(nodes.value, self.data["generate"], strict=True):
            yield Record(data, node)


def compose(text: str, *, expected: str = "a task, a list of tasks or a suite") -> Document:
    """Parse one YAML document.

    Args:
        text: The whole file.
        expected: What should have been there, for the message about an empty file.

    Raises:
        YamlFault: Not YAML, a key given twice, or more nodes than any suite needs.
    """
    tree = parse_yaml(text, expected=expected)
    return Document(tree.node, tree.data)


def _with_written_id(node: yaml.Node, item: Any) -> Any:
    """Give the id back as it was written: YAML reads 00000007 as 7 and 1_000 as 1000."""
    written = value_node(node, "id")
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
