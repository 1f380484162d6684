"""Files of constraints: YAML, read with line numbers by the parser that task files use.

A file is a list of constraints, or a mapping with the one field ``constraints``. Files that its
regions name are taken relative to the file itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cadwright.envs.sources import read_text
from cadwright.envs.yaml_nodes import Record, YamlFault, compose
from cadwright.rewards.constraints.field import ConstraintFault
from cadwright.rewards.constraints.kinds_space import region_of
from cadwright.rewards.constraints.parse import parse_constraints, to_plain
from cadwright.rewards.constraints.record import Constraint
from cadwright.rewards.constraints.wording import asked_text
from cadwright.tools.errors import TaskError

LIST = "constraints"


def load_constraints(path: Path) -> tuple[Constraint, ...]:
    """Return the constraints in a YAML file.

    Raises:
        TaskError: The file cannot be read or used: its name, the line and what is allowed.
    """
    text = read_text(path)
    try:
        document = compose(text, expected="a list of constraints")
        record = Record(document.data, document.node)
        where = (LIST,) if isinstance(document.data, Mapping) else ()
        found = parse_constraints(with_base(_listed(document.data), path.parent), where)
        _check(found, where)
        return found
    except YamlFault as err:
        raise TaskError(f"{path}:{err.line}: {err}") from err
    except ConstraintFault as err:
        raise TaskError(f"{path}:{record.line_of(err.where)}: {err}") from err


def write_constraints(constraints: Sequence[Constraint], *, source: str) -> str:
    """Return constraints as YAML, each under a comment that says it in words.

    Args:
        constraints: What is asked.
        source: Where they come from, for the first line.
    """
    head = f"# Constraints proposed from {source}: what holds for it. Keep what the task means.\n"
    return head + "".join(_written(one) for one in constraints)


def with_base(data: Any, base: Path | None) -> Any:
    """Return a copy of plain constraints whose region files are absolute.

    Args:
        data: Plain data of any shape.
        base: Folder that relative files belong to, or None to leave them.
    """
    if base is None:
        return data
    if isinstance(data, Mapping):
        return {key: _file(key, value, base) for key, value in data.items()}
    return [with_base(item, base) for item in data] if isinstance(data, list | tuple) else data


def _written(one: Constraint) -> str:
    import yaml

    words = " ".join(asked_text(one).split())
    body = yaml.safe_dump([to_plain(one)], sort_keys=False, default_flow_style=None, width=100)
    return f"\n# {one.kind.replace('_', ' ')}: {words}\n{body}"


def _check(found: Sequence[Constraint], where: tuple[str | int, ...]) -> None:
    """Refuse a list that asks for nothing, and regions in files that are not there."""
    if not found:
        raise ConstraintFault(where, "the list is empty: there is nothing to check")
    for index, one in enumerate(found):
        region = region_of(one)
        if region is not None and region.file is not None and not Path(region.file).is_file():
            place = (*where, index, "region", "file")
            raise ConstraintFault(place, f"region: no such file: {region.file}")


def _file(key: object, value: Any, base: Path) -> Any:
    if key == "file" and isinstance(value, str):
        return str((base / value).resolve())
    return with_base(value, base)


def _listed(data: Any) -> Any:
    if not isinstance(data, Mapping):
        return data
    for key in data:
        if key != LIST:
            raise ConstraintFault((key,), f"unknown field {key!r}: the list is {LIST!r}")
    return data.get(LIST)
