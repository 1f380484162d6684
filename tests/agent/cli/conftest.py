"""Fakes of runtime and workspace, and a suite for them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Self

import pytest
import yaml

from cadwright.envs import workspaces
from cadwright.envs.runtime import Runtime
from cadwright.tools import sandbox

sys.path.insert(0, str(Path(__file__).parents[1]))  # agent_fakes.py lies one folder up


class NoSandbox:
    """Stands in for a sandbox that nothing is run in."""

    def __init__(self, **options: object) -> None:
        del options

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from agent_fakes import FakeRuntime, FakeWorkspace

    monkeypatch.setattr(Runtime, "open", lambda **options: FakeRuntime())
    monkeypatch.setattr(sandbox, "Sandbox", NoSandbox)
    monkeypatch.setattr(workspaces, "make_workspace", lambda task, runtime: FakeWorkspace())
    monkeypatch.delenv("CADWRIGHT_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite.yaml"
    tasks = [
        {
            "id": name,
            "brief": f"make {name}",
            "reference": {"program": "result = None"},
            "meta": {"gold": {"program": f"good {name}"}},
        }
        for name in ("one", "two", "leaky")
    ]
    path.write_text(yaml.safe_dump({"suite": "suite", "tasks": tasks}), encoding="utf-8")
    return path
