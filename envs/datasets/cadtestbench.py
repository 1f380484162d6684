"""CadTestBench programs: what a frontier model wrote for the CADPrompt ids.

The set holds programs and no truths, so its tasks are the CADPrompt tasks of the same ids and
prompt kinds, with the program beside them as a candidate. To run the programs as a policy, use
``cadprompt:PATH?prompt=both`` with ``--policy replay:FILE``, or this suite with the same policy.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from cadwright.envs.datasets import cadprompt
from cadwright.envs.datasets.dataset import DataSet, Job, Options, collect, first_holds
from cadwright.envs.names import nearest
from cadwright.envs.sources import read_text, resolve
from cadwright.envs.task import Task
from cadwright.envs.tasks_file import LoadedSuite
from cadwright.tools.errors import TaskError

_FIELDS = ("id", "prompt_kind", "program")


def load(path: Path, options: Options) -> LoadedSuite:
    """Load the CADPrompt tasks that the programs were written for.

    Quirks:
        - No truth and no text in the set: both come from CADPrompt, by default from a folder
          ``cadprompt`` beside this one.
        - A program exports to a path of its author's machine; it is kept as it is.

    Args:
        path: A JSONL file with ``id, model, prompt_kind, program``, or a folder of such files.
        options: ``truth`` is the CADPrompt folder.
    """
    files = [path] if path.is_file() else sorted(path.glob("*.jsonl"))
    truth = _truth(path, options.get("truth"))
    jobs = [
        Job(partial(_make_task, truth, line), file, number)
        for file in files
        for number, line in enumerate(read_text(file).split("\n"), 1)
        if line.strip()
    ]
    return collect("cadtestbench", jobs, notices=(cadprompt.UNITS_NOTICE,))


def _truth(path: Path, given: str | None) -> Path:
    folder = path if path.is_dir() else path.parent
    truth = resolve(given, None) if given else folder.absolute().parent / "cadprompt"
    if not truth.is_dir():
        hint = "give it as ?truth=CADPROMPT_FOLDER"
        raise TaskError(f"cadtestbench: the truths are not in {truth}: {hint}")
    return truth


def _make_task(truth: Path, line: str) -> Task:
    row = _row(line)
    kind = row["prompt_kind"]
    if kind not in cadprompt.PROMPT_FILES:
        raise TaskError(f"prompt_kind is {kind!r}{nearest(kind, cadprompt.PROMPT_FILES)}")
    part = truth / Path(row["id"]).name  # .name: an id from a file is not a path
    if not cadprompt.is_part(part):
        raise TaskError(f"part {row['id']!r} is not in {truth}")
    task = cadprompt.make_task(part, kind, f"{part.name}/{kind}")
    candidate = {"name": str(row.get("model", "model")), "program": row["program"]}
    return replace(task, meta={**task.meta, "candidates": [candidate]})


def _row(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as err:
        raise TaskError(f"not JSON: {err.msg}") from err
    if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in _FIELDS):
        raise TaskError(f"expected text in {', '.join(_FIELDS)}")
    return row


CADTESTBENCH = DataSet(
    name="cadtestbench",
    about="the CADPrompt tasks that a model wrote programs for, programs beside them",
    load=load,
    options={"truth": ()},
    expects="a JSONL file with id, prompt_kind and program on every line",
    recognises=lambda path: first_holds(path, "*.jsonl", '"prompt_kind"'),
)
