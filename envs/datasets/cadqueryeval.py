"""CadQueryEval: 25 parts in mm, each a YAML text with a bounding box and an STL truth."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from cadwright.envs.datasets.dataset import NO_LICENCE, DataSet, Job, Options, collect, first_holds
from cadwright.envs.sources import GeometrySource, read_text
from cadwright.envs.task import Task
from cadwright.envs.tasks_file import LoadedSuite
from cadwright.envs.yaml_nodes import YamlFault, compose
from cadwright.tools.errors import TaskError

_DIGITS = re.compile(r"(\d+)")


def load(path: Path, options: Options) -> LoadedSuite:
    """Load CadQueryEval.

    Quirks:
        - ``reference_stl`` says ``./reference/task1.stl`` while the file lies beside the YAML:
          the path as written is tried first, then the file name in the same folder.
        - No program exists: the gold answer is the truth itself, handed in as a part.
        - ``expected_component_count`` counts connected surfaces, so a hollow body has two.
        - ``bounding_box`` belongs to the truth's pose; the text leaves the pose open.

    Args:
        path: The folder of YAML files, or one of them.
        options: None.
    """
    files = [path] if path.is_file() else sorted(path.glob("task*.yaml"), key=_natural)
    jobs = [Job(partial(make_task, file), file) for file in files]
    return collect("cadqueryeval", jobs, notices=("the truth itself is the gold answer",))


def make_task(file: Path) -> Task:
    """Return the task of one YAML file.

    Raises:
        TaskError: The file is not YAML, a field is missing, or the truth is not there.
    """
    try:
        record = compose(read_text(file)).data
    except YamlFault as err:
        raise TaskError(f"line {err.line}: {err}") from err
    needs = record.get("requirements") or {} if isinstance(record, dict) else {}
    return Task(
        id=str(_field(record, "task_id", file)),
        brief=str(_field(record, "description", file)).strip(),
        domain="cad.create.text.cadqueryeval",
        reference=GeometrySource(_truth(file, str(_field(record, "reference_stl", file)))),
        scoring={"protocol": "cadqueryeval"},
        meta={
            "source": "CadQueryEval",
            "licence": NO_LICENCE,
            "units": "mm",
            "gold": "reference",
            "expect": _expected(needs),
            "manual_operations": record.get("manual_operations"),
        },
    )


def _field(record: Any, name: str, file: Path) -> Any:
    if not isinstance(record, dict) or record.get(name) is None:
        raise TaskError(f"{name!r} is missing")
    return record[name]


def _truth(file: Path, written: str) -> Path:
    candidates = (file.parent / written, file.parent / Path(written).name)
    for candidate in candidates:
        if candidate.is_file():
            return candidate.absolute()
    tried = " and ".join(str(c.relative_to(file.parent)) for c in candidates)
    raise TaskError(f"no truth found, tried {tried}")


def _expected(needs: dict[str, Any]) -> dict[str, Any]:
    topology = needs.get("topology_requirements") or {}
    found = {
        "size_mm": needs.get("bounding_box"),
        "components": topology.get("expected_component_count"),
    }
    return {key: value for key, value in found.items() if value is not None}


def _natural(path: Path) -> list[str | int]:
    """Sort key that puts task2 before task10."""
    return [int(part) if part.isdigit() else part for part in _DIGITS.split(path.stem)]


CADQUERYEVAL = DataSet(
    name="cadqueryeval",
    about="25 parts in mm with text, bounding box and STL truth",
    load=load,
    options={},
    expects="files task*.yaml with description, reference_stl and requirements",
    recognises=lambda path: first_holds(path, "task*.yaml", "reference_stl"),
)
