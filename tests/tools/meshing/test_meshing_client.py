"""The mesh worker: every operation by name, and errors that come back as what they are."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from meshes import plate, solid, volume, without

from cadwright.tools.errors import GeometryError, Outcome, WorkerCrash, WorkerTimeout
from cadwright.tools.meshing.client import MeshingClient
from cadwright.tools.meshing.operations import OPERATIONS
from cadwright.tools.sandbox import InProcessWorker, Sandbox

ENTRY = "cadwright.tools.meshing.jobs"
HOLLOW = {"wall_mm": 1.0, "drain_mm": 0.0, "drains": []}


class Failing:
    """A worker that always fails in one way, and counts."""

    def __init__(self, error: type[Exception]) -> None:
        self.error = error
        self.num_calls = 0

    def call(
        self, job: str, header: dict[str, Any], blobs: Sequence[bytes] = (), *, timeout_s: float
    ) -> tuple[dict[str, Any], list[bytes]]:
        self.num_calls += 1
        raise self.error("it failed")


def test_operations_are_documented() -> None:
    assert all(operation.__doc__ for operation in OPERATIONS.values())


def test_what_is_made_comes_back_with_facts() -> None:
    client = MeshingClient(InProcessWorker(ENTRY))
    made = client.apply("fill_holes", [without(plate(), 0)], {"max_edges": 9})
    assert made.facts == ("holes filled 1, left 0",)
    assert volume(made.meshes[0]) == pytest.approx(volume(plate()))


def test_a_bad_fit_is_warned_about() -> None:
    client = MeshingClient(InProcessWorker(ENTRY))
    made = client.apply("align", [solid("sphere", 90), plate()], {"is_near": False})
    assert [notice.code for notice in made.notices] == ["poor_fit"]


def test_a_survey_comes_back_as_a_record() -> None:
    client = MeshingClient(InProcessWorker(ENTRY))
    assert client.survey(without(plate(), 0)).num_open_edges == 3


def test_a_slow_operation_is_a_timeout_of_the_caller() -> None:
    with pytest.raises(GeometryError) as caught:
        MeshingClient(Failing(WorkerTimeout)).survey(plate())
    assert caught.value.outcome is Outcome.TIMEOUT


def test_a_mesh_that_kills_two_workers_is_to_blame() -> None:
    worker = Failing(WorkerCrash)
    with pytest.raises(GeometryError) as caught:
        MeshingClient(worker).survey(plate())
    assert caught.value.outcome is Outcome.NATIVE_CRASH
    assert worker.num_calls == 2


def test_a_confined_worker_does_the_same() -> None:
    with Sandbox() as sandbox, sandbox.worker(ENTRY) as worker:
        client = MeshingClient(worker)
        arguments = {"kind": "difference", "names": ["a", "b"]}
        pair = [plate(), solid("box", 10, 10, 10)]
        there = client.apply("combine", pair, arguments).meshes[0]
        here = MeshingClient(InProcessWorker(ENTRY)).apply("combine", pair, arguments).meshes[0]
        assert np.array_equal(there.vertices, here.vertices)
        with pytest.raises(GeometryError, match="is not closed"):
            client.apply("hollow", [without(plate(), 0)], HOLLOW)
