from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sandbox_jobs

from cadwright.tools.errors import InfraError, Outcome, WorkerCrash, WorkerTimeout
from cadwright.tools.sandbox import InProcessWorker, Sandbox, Worker, sweep


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox whose workers can import the jobs beside this file."""
    with pytest.MonkeyPatch.context() as patch, Sandbox() as made:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))
        made.run("")  # starts the zygote while the variable is set
        yield made


@pytest.fixture
def worker(sandbox: Sandbox) -> Iterator[Worker]:
    with sandbox.worker("sandbox_jobs") as made:
        yield made


@pytest.fixture(params=["process", "in process"])
def either(request: pytest.FixtureRequest, worker: Worker) -> Worker | InProcessWorker:
    return worker if request.param == "process" else InProcessWorker("sandbox_jobs")


def test_a_job_answers(either: Worker | InProcessWorker) -> None:
    header, blobs = either.call("echo", {"x": [1, "ø"]}, [b"abc", b""], timeout_s=20)
    assert (header, blobs) == ({"x": [1, "ø"]}, [b"abc", b""])


def test_a_large_blob_goes_there_and_back(worker: Worker) -> None:
    blob = bytes(range(256)) * 40_000
    assert worker.call("echo", {}, [blob], timeout_s=20)[1] == [blob]


def test_a_tool_error_arrives_as_the_same_class(either: Worker | InProcessWorker) -> None:
    with pytest.raises(sandbox_jobs.OddShape, match="cannot measure: 5 sides") as caught:
        either.call("refuse", {}, timeout_s=20)
    assert caught.value.outcome is Outcome.NOT_A_SOLID


def test_any_other_exception_is_a_fault_of_ours(either: Worker | InProcessWorker) -> None:
    with pytest.raises(InfraError, match="ZeroDivisionError: a fault of ours"):
        either.call("fail", {}, timeout_s=20)


def test_an_unknown_job_is_a_fault_of_ours(either: Worker | InProcessWorker) -> None:
    with pytest.raises(InfraError, match="nonesuch"):
        either.call("nonesuch", {}, timeout_s=20)


def test_a_worker_persists(worker: Worker) -> None:
    first = worker.call("pid", {}, timeout_s=20)
    assert worker.call("pid", {}, timeout_s=20) == first


def test_a_job_that_hangs_is_killed_and_the_next_call_finds_a_fresh_worker(
    worker: Worker,
) -> None:
    with pytest.raises(WorkerTimeout, match=r"'hang' did not end within 0\.3 s"):
        worker.call("hang", {}, timeout_s=0.3)
    assert worker.call("echo", {"ok": 1}, timeout_s=20)[0] == {"ok": 1}


def test_a_job_that_crashes_is_named_and_the_next_call_finds_a_fresh_worker(
    worker: Worker,
) -> None:
    with pytest.raises(WorkerCrash, match=r"'crash'.*SIGSEGV"):
        worker.call("crash", {}, timeout_s=20)
    assert worker.call("echo", {"ok": 1}, timeout_s=20)[0] == {"ok": 1}


def test_a_worker_cannot_write_outside_its_scratch(worker: Worker, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(InfraError, match=r"PermissionError|Read-only|FileNotFoundError"):
        worker.call("write", {"path": str(tmp_path / "x")}, timeout_s=20)
    assert list(tmp_path.iterdir()) == []


def test_what_a_job_left_running_ends_with_the_worker(sandbox: Sandbox) -> None:
    worker = sandbox.worker("sandbox_jobs")
    worker.call("leave_child", {}, timeout_s=20)
    assert worker.pid is not None
    (child,) = sweep.children_of(worker.pid)
    worker.close()
    assert sweep.num_threads(child) == 0


def test_a_closed_worker_says_so(worker: Worker) -> None:
    worker.close()
    worker.close()
    with pytest.raises(InfraError, match="closed"):
        worker.call("echo", {}, timeout_s=20)
