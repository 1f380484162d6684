"""CADGenBench fixtures: STEP truths with known right and known wrong answers."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from cadwright.envs.datasets.dataset import DataSet, Job, Options, collect, folders
from cadwright.envs.sources import GeometrySource
from cadwright.envs.task import Task
from cadwright.envs.tasks_file import LoadedSuite

_NO_TEXT = "the set ships geometry only: briefs are made by the loader and give no dimensions"


def load(path: Path, options: Options) -> LoadedSuite:
    """Load CADGenBench fixtures.

    Quirks:
        - No text: a brief says what is wanted and is honest about the missing dimensions. The
          tasks try out a judge; they do not test a policy.
        - ``candidates/correct*`` is the gold answer; each ``candidates/broken_*`` is a known
          wrong answer and the start of a repair task.
        - Other STEP files beside ``gt.step`` are keep-out volumes; they are listed in
          ``meta.keep_out`` until constraints can use them.
        - One loose fixture is an open shell on purpose, so lint refuses its task.

    Args:
        path: The data set, or the folder of one test.
        options: ``kind`` is ``tests`` (create and repair), ``fixtures`` (each loose STEP file as
            its own truth) or ``all``.
    """
    jobs: list[Job] = []
    if options["kind"] in ("tests", "all"):
        tests = [path] if _is_test(path) else [f for f in folders(path) if _is_test(f)]
        jobs += [job for test in tests for job in _test_jobs(test)]
    if options["kind"] in ("fixtures", "all"):
        loose = sorted(f for f in path.rglob("*.step") if not _is_in_test(f, path))
        jobs += [Job(partial(_fixture_task, file, path), file) for file in loose]
    return collect("cadgenbench", jobs, notices=(_NO_TEXT,))


def _test_jobs(test: Path) -> list[Job]:
    broken = sorted((test / "candidates").glob("broken_*.step"))
    return [
        Job(partial(_create_task, test), test),
        *(Job(partial(_repair_task, test, file), file) for file in broken),
    ]


def _create_task(test: Path) -> Task:
    return Task(
        id=f"{test.name}/create",
        brief=f"Model the part {_spoken(test.name)} so that every feature matches the target.",
        domain="cad.create.text.cadgenbench",
        reference=GeometrySource((test / "gt.step").absolute()),
        meta=_meta(test),
    )


def _repair_task(test: Path, broken: Path) -> Task:
    fault = _spoken(re.sub(r"^broken_\d+_", "", broken.stem))
    return Task(
        id=f"{test.name}/{broken.stem}",
        brief=f"The start part has one fault: {fault}. Correct it and leave everything else alone.",
        domain="cad.repair.geometry.cadgenbench",
        start=GeometrySource(broken.absolute()),
        reference=GeometrySource((test / "gt.step").absolute()),
        meta=_meta(test),
    )


def _fixture_task(file: Path, root: Path) -> Task:
    return Task(
        id=file.relative_to(root).with_suffix("").as_posix(),
        brief=f"Model a {_spoken(file.stem)}; numbers in the name are mm and degrees.",
        domain="cad.create.text.cadgenbench",
        reference=GeometrySource(file.absolute()),
        meta={**_provenance(), "gold": "reference"},
    )


def _meta(test: Path) -> dict[str, Any]:
    candidates = sorted((test / "candidates").glob("*.step"))
    gold = next((file for file in candidates if file.stem.startswith("correct")), None)
    return {
        **_provenance(),
        "gold": _file(gold) if gold else None,
        "candidates": [{"name": file.stem, **_file(file)} for file in candidates],
        "keep_out": [_file(file) for file in sorted(test.glob("*.step")) if file.stem != "gt"],
    }


def _provenance() -> dict[str, Any]:
    return {"source": "CADGenBench", "licence": "Apache-2.0", "units": "mm"}


def _file(path: Path) -> dict[str, str]:
    return {"file": str(path.absolute()), "format": "step"}


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _is_test(path: Path) -> bool:
    return (path / "gt.step").is_file()


def _is_in_test(file: Path, root: Path) -> bool:
    return any(_is_test(folder) for folder in file.parents if folder.is_relative_to(root))


CADGENBENCH = DataSet(
    name="cadgenbench",
    about="STEP truths with right and broken candidates, to try out a judge",
    load=load,
    options={"kind": ("tests", "fixtures", "all")},
    expects="folders with gt.step and candidates/*.step",
    recognises=lambda path: _is_test(path) or any(_is_test(f) for f in folders(path)),
)
