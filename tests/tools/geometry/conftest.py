"""Parts and a worker for the geometry tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from solids import SOLIDS, part_from, plate

from cadwright.tools.geometry.client import GeometryClient
from cadwright.tools.geometry.jobs import JOBS
from cadwright.tools.geometry.part import Part


class JsonWorker:
    """A worker in this process whose frames go through strict JSON, as on the wire."""

    def call(
        self, job: str, header: dict[str, Any], blobs: Sequence[bytes] = (), *, timeout_s: float
    ) -> tuple[dict[str, Any], list[bytes]]:
        reply, out = JOBS[job](_over_json(header), list(blobs))
        return _over_json(reply), out


def _over_json(value: dict[str, Any]) -> dict[str, Any]:
    copied: dict[str, Any] = json.loads(json.dumps(value, allow_nan=False))
    return copied


@pytest.fixture
def client() -> GeometryClient:
    return GeometryClient(JsonWorker())


@pytest.fixture(params=SOLIDS, scope="session")
def solid(request: pytest.FixtureRequest) -> Part:
    return part_from(SOLIDS[request.param](), request.param)


@pytest.fixture(scope="session")
def plate_part() -> Part:
    return part_from(plate(), "plate")
