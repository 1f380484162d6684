"""CADPrompt: 200 parts, each with two prompts, an expert program and an STL truth."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from cadwright.envs.datasets.dataset import (
    NO_LICENCE,
    DataSet,
    Job,
    Options,
    collect,
    existing,
    folders,
)
from cadwright.envs.sources import GeometrySource, read_text
from cadwright.envs.task import Task
from cadwright.envs.tasks_file import LoadedSuite
from cadwright.tools.errors import TaskError

PROMPT_FILES = {"detailed": "prompt_detailed.txt", "abstract": "prompt.txt"}
UNITS_NOTICE = "sizes are in units of the text, read as mm; the score normalises size"

_AS_RESULT = "\n\nresult = part  # added by the loader: the data set calls its shape `part`\n"


def load(path: Path, options: Options) -> LoadedSuite:
    """Load CADPrompt.

    Quirks:
        - Texts say "units", now and then inches or metres, and sizes lie around 1. One unit is
          read as 1 mm; the preset ``cadprompt`` normalises size.
        - A program binds several shapes and exports the one called ``part``; a line that makes it
          the result is added.
        - Some truths are not closed. They load like the others; whether a truth can carry a score
          is measured.

    Args:
        path: The data set, or the folder of one part.
        options: ``prompt`` is ``detailed``, ``abstract``, or ``both`` with ids such as
            ``00000007/abstract``.
    """
    parts = [path] if is_part(path) else [f for f in folders(path) if is_part(f)]
    return collect("cadprompt", jobs(parts, options["prompt"]), notices=(UNITS_NOTICE,))


def jobs(parts: list[Path], prompt: str) -> list[Job]:
    """Return one job a part, or one a part and prompt where ``prompt`` is ``both``."""
    if prompt == "both":
        return [
            Job(partial(make_task, part, kind, f"{part.name}/{kind}"), part)
            for part in parts
            for kind in PROMPT_FILES
        ]
    return [Job(partial(make_task, part, prompt, part.name), part) for part in parts]


def make_task(part: Path, prompt: str, task_id: str) -> Task:
    """Return the task of one part folder.

    Raises:
        TaskError: A file is missing or cannot be read.
    """
    program = read_text(existing(part / "program.py"))
    return Task(
        id=task_id,
        brief=read_text(existing(part / PROMPT_FILES[prompt])).strip(),
        domain=f"cad.create.text.cadprompt-{prompt}",
        reference=GeometrySource(existing(part / "part.stl")),
        scoring={"protocol": "cadprompt"},
        meta={
            "source": "CADPrompt",
            "source_id": part.name,
            "licence": NO_LICENCE,
            "units": "unit, read as mm",
            "prompt": prompt,
            "gold": {"program": program + _AS_RESULT},
            "published": _facts(part / "facts.json"),
        },
    )


def is_part(path: Path) -> bool:
    """Whether ``path`` is the folder of one part."""
    return (path / "program.py").is_file() and (path / "part.stl").is_file()


def _facts(path: Path) -> dict[str, Any]:
    """What the data set says about its truth; kept as it is, checked by nobody here."""
    if not path.is_file():
        return {}
    try:
        facts = json.loads(read_text(path))
    except json.JSONDecodeError as err:
        raise TaskError(f"{path.name}:{err.lineno}: not JSON: {err.msg}") from err
    return dict(facts.get("Ground_Truth", {})) if isinstance(facts, dict) else {}


CADPROMPT = DataSet(
    name="cadprompt",
    about="200 parts with text, expert program and STL truth, unit-sized",
    load=load,
    options={"prompt": ("detailed", "abstract", "both")},
    expects="folders with program.py, part.stl, prompt.txt and prompt_detailed.txt",
    recognises=lambda path: is_part(path) or any(is_part(f) for f in folders(path)[:3]),
)
