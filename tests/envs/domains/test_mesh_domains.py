"""Every mesh domain: its gold calls score 1, doing nothing does not, the bytes are the same."""

import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest

from cadwright.envs.core import Submission
from cadwright.envs.domains.domain import Request, Source
from cadwright.envs.domains.mesh_domains import DOMAINS, OPERATIONS
from cadwright.envs.domains.mesh_plan import check_reference
from cadwright.envs.runtime import Runtime
from cadwright.envs.task import Task
from cadwright.envs.task_record import task_from_json
from cadwright.envs.workspaces import make_workspace
from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.meshing.primitives import primitive
from cadwright.tools.meshing.solid import mesh_of
from cadwright.tools.meshing.triangles import joined

IDS = [source.domain.id for source in DOMAINS]
FIRST = list({source.domain.operation: source for source in reversed(DOMAINS)}.values())
UP = np.array((0.0, 0.0, 1.0))
FAR_BELOW = 0.5  # what an unchanged start may earn at most


def played(runtime: Runtime, task: Task) -> float:
    """Return the score of the gold answer of a task."""
    assert task.gold is not None
    if task.gold.source is not None:
        value = runtime.score(task, submitted(runtime, task)).value
        assert value is not None
        return value
    workspace = make_workspace(task, runtime)
    try:
        workspace.reset(task, 0)
        for call in task.gold.calls:
            result = workspace.call(call)
            assert result.outcome is Outcome.OK, f"{call.name}: {result.text}"
        value = runtime.score(task, workspace.finish()).value
    finally:
        workspace.close()
    assert value is not None
    return value


def submitted(runtime: Runtime, task: Task) -> Submission:
    assert task.reference is not None
    return Submission(runtime.part_of(task.reference), Outcome.OK)


def untouched(runtime: Runtime, task: Task) -> float:
    """Return the score of handing in what was given."""
    assert task.start is not None
    return runtime.score(task, Submission(runtime.part_of(task.start), Outcome.OK)).value or 0.0


def test_there_are_many_domains() -> None:
    assert len(DOMAINS) >= 24
    assert len(set(IDS)) == len(IDS)
    assert len(OPERATIONS) >= 12


@pytest.mark.parametrize("source", FIRST, ids=lambda source: source.domain.id)
def test_gold_scores_one_and_the_start_does_not(runtime: Runtime, source: Source) -> None:
    task = source.make(Request(0, 3))
    assert played(runtime, task) == pytest.approx(1.0, abs=1e-9)
    assert untouched(runtime, task) < FAR_BELOW


@pytest.mark.parametrize(("difficulty", "seed"), [(1, 0), (2, 4)])
def test_a_scan_that_fits_the_wrong_way_round_but_for_a_port_is_aligned(
    runtime: Runtime, difficulty: int, seed: int
) -> None:
    (source,) = (s for s in DOMAINS if s.domain.id == "mesh.align.start.housing")
    assert played(runtime, source.make(Request(seed, difficulty))) > 0.99


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("source", DOMAINS, ids=IDS)
def test_gold_scores_one_at_every_difficulty(
    runtime: Runtime, source: Source, difficulty: int
) -> None:
    task = source.make(Request(1, difficulty, "test"))
    assert played(runtime, task) == pytest.approx(1.0, abs=1e-9)
    assert untouched(runtime, task) < FAR_BELOW


@pytest.mark.parametrize("source", FIRST, ids=lambda source: source.domain.id)
def test_a_task_survives_the_way_to_a_file_and_back(source: Source) -> None:
    task = source.make(Request(2, 1))
    assert task_from_json(json.loads(json.dumps(task.to_json()))).to_json() == task.to_json()


@pytest.mark.parametrize("source", FIRST, ids=lambda source: source.domain.id)
def test_features_rise_with_the_difficulty(source: Source) -> None:
    features = [source.make(Request(0, difficulty)).meta["features"] for difficulty in (1, 5)]
    assert features[0] < features[1]


def test_another_process_makes_the_same_bytes() -> None:
    names = ("mesh.repair.start.disc", "mesh.align.start.lever", "mesh.decimate.start.knob")
    code = (
        "import hashlib, json\n"
        "from cadwright.envs.domains.domain import Request\n"
        "from cadwright.envs.domains.mesh_domains import DOMAINS\n"
        "for source in DOMAINS:\n"
        f"    if source.domain.id in {names!r}:\n"
        "        text = json.dumps(source.make(Request(5, 4)).to_json(), sort_keys=True)\n"
        "        print(hashlib.sha256(text.encode()).hexdigest())\n"
    )
    here = [
        hashlib.sha256(
            json.dumps(source.make(Request(5, 4)).to_json(), sort_keys=True).encode()
        ).hexdigest()
        for source in DOMAINS
        if source.domain.id in names
    ]
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert there.stdout.split() == here


def test_splits_share_no_start() -> None:
    source = next(s for s in DOMAINS if s.domain.id == "mesh.turn.start.lever")
    starts = {
        split: {source.make(Request(seed, 2, split)).reference.digest for seed in range(4)}
        for split in source.domain.splits
    }
    assert not starts["train"] & starts["test"]
    assert not starts["train"] & starts["validation"]
    assert not starts["test"] & starts["validation"]


def test_a_result_that_touches_itself_along_an_edge_is_no_reference():
    one, other = (primitive("box", (2, 2, 2), np.array(at), UP) for at in ((0, 0, 0), (2, 2, 0)))
    with pytest.raises(GeometryError, match="shared by more than two triangles"):
        check_reference(joined([mesh_of(one), mesh_of(other)]))
    check_reference(mesh_of(one))
