from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator

import identities
import pytest

from cadwright.tools.errors import InfraError
from cadwright.tools.sandbox import capabilities, landlock
from cadwright.tools.sandbox.capabilities import Capability

WALLS = {
    "landlock",
    "seccomp",
    "no_new_privs",
    "unprivileged_uid",
    "user_namespace",
    "network_namespace",
    "process_namespace",
    "scratch_quota",
    "process_count",
    "interpreter",
    "pidfd",
    "subreaper",
}


@pytest.fixture(scope="module", params=identities.IDENTITIES)
def box(request: pytest.FixtureRequest) -> Iterator[identities.Box]:
    driver = identities.start(request.param)
    yield driver
    driver.close()


def test_probe_names_every_wall_once(box: identities.Box) -> None:
    names = [record["name"] for record in box.ask("probe")["records"]]
    assert len(names) == len(set(names))
    assert set(names) == WALLS


def test_probe_says_what_it_found_and_what_to_do(box: identities.Box) -> None:
    for record in box.ask("probe")["records"]:
        assert record["detail"]
        assert record["remedy"]
        assert "\n" not in record["detail"] + record["remedy"]


def test_probe_changes_nothing(box: identities.Box) -> None:
    assert box.ask("probe")["is_unchanged"]


def test_ordinary_kernel_refuses_nothing_that_the_probe_claims(box: identities.Box) -> None:
    """What the probe calls available stands in a confined process, too."""
    records = {record["name"]: record["available"] for record in box.ask("probe")["records"]}
    walls = box.ask("contain", code="print(*WALLS)")["text"].split()
    for probed, wall in {
        "landlock": "landlock_files",
        "seccomp": "seccomp",
        "no_new_privs": "no_new_privs",
        "unprivileged_uid": "unprivileged_uid",
        "network_namespace": "network_namespace",
        "scratch_quota": "scratch_quota",
        "process_count": "process_count",
    }.items():
        assert records[probed] == (wall in walls), probed


def run(try_it: object) -> Capability:
    return capabilities._run(capabilities._Probe("wall", try_it, "do this"))  # type: ignore[arg-type]


def test_wall_that_stands_is_available() -> None:
    assert run(lambda: "it stands") == Capability("wall", True, "it stands", "do this")


def test_wall_that_the_kernel_refuses_is_missing() -> None:
    def refuse() -> str:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    assert run(refuse) == Capability("wall", False, "Operation not permitted", "do this")


def test_probe_that_dies_is_a_missing_wall() -> None:
    assert run(lambda: os._exit(3)) == Capability("wall", False, "the probe died", "do this")


def test_kernel_without_landlock_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    found = run(capabilities._landlock)
    assert not found.available
    assert "no Landlock" in found.detail


def test_probe_that_cannot_start_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOENT, "no interpreter")

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(InfraError, match="the confinement probe could not run"):
        capabilities.probe()
