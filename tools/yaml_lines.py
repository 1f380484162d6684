"""YAML that remembers its lines.

PyYAML's plain loader forgets where a value stood, lets the last of two equal keys win, and expands
aliases without end. This reader keeps the nodes beside the data, so a fault can name its line, and
refuses the rest. What the data means is the business of whoever reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml
from yaml.reader import ReaderError

_MAX_NODES = 500_000  # aliases counted each time: stops a "billion laughs" file
_STAMP = "tag:yaml.org,2002:timestamp"


class YamlFault(Exception):
    """A fault of the file itself, with its 1-based line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class _Loader(yaml.SafeLoader):
    """Safe YAML without dates: our data is JSON, and an id may look like a date."""

    num_nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Count while the nodes are made: a few bytes of text become a kilobyte of nodes."""
        self.num_nodes += 1
        if self.num_nodes > _MAX_NODES:
            raise YamlFault(self.line + 1, f"more than {_MAX_NODES} values")
        return super().compose_node(parent, index)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if tag != _STAMP]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True, slots=True)
class YamlTree:
    """A parsed document: its root node and the data made of it."""

    node: yaml.Node
    data: Any

    def line_of(self, where: tuple[str | int, ...]) -> int:
        """Return the 1-based line of a field, or of the nearest thing around it."""
        return line_of(self.node, where)


def parse_yaml(text: str, *, expected: str) -> YamlTree:
    """Parse one YAML document.

    Args:
        text: The whole file.
        expected: What should have been there, for the message about an empty file.

    Raises:
        YamlFault: Not YAML, a key given twice, or more nodes than any file needs.
    """
    try:
        loader = _Loader(text)
    except ReaderError as err:
        line = text.count("\n", 0, err.position) + 1
        raise YamlFault(line, f"not YAML: the character {chr(err.character)!r} in it") from err
    try:
        node = loader.get_single_node()
        if node is None:
            raise YamlFault(1, f"the file is empty: {expected} is expected")
        _check_nodes(node)
        return YamlTree(node, loader.construct_document(node))
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        raise YamlFault(mark.line + 1 if mark else 1, f"not YAML: {err.problem}") from err
    except (yaml.YAMLError, ValueError, RecursionError) as err:
        raise YamlFault(1, f"not YAML: {err}") from err
    finally:
        loader.dispose()


def line_of(node: yaml.Node, where: tuple[str | int, ...]) -> int:
    """Return the 1-based line of a field below ``node``, or of the nearest thing around it."""
    line = node_line(node)
    for step in where:
        found = _child(node, step)
        if found is None:
            break
        line, node = found
    return line


def node_line(node: yaml.Node) -> int:
    """Return the 1-based line on which a node begins."""
    return int(node.start_mark.line) + 1


def value_node(node: yaml.Node, key: str) -> yaml.Node:
    """Return the node of a field of a mapping, or ``node`` itself where it has none."""
    found = _pair(node, key)
    return node if found is None else found[1]


def _check_nodes(root: yaml.Node) -> None:
    pending, count = [root], 0
    while pending:
        node = pending.pop()
        count += 1
        if count > _MAX_NODES:
            message = f"more than {_MAX_NODES} values: aliases nested too deep?"
            raise YamlFault(node_line(node), message)
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
                raise YamlFault(node_line(key), message)
            seen[key.value] = node_line(key)


def _pair(node: yaml.Node, key: str) -> tuple[yaml.Node, yaml.Node] | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next(((k, v) for k, v in node.value if k.value == key), None)


def _child(node: yaml.Node, step: str | int) -> tuple[int, yaml.Node] | None:
    """The line and node of one field or list item."""
    if isinstance(step, int):
        if isinstance(node, yaml.SequenceNode) and step < len(node.value):
            return node_line(node.value[step]), node.value[step]
        return None
    pair = _pair(node, step)
    return None if pair is None else (node_line(pair[0]), pair[1])
