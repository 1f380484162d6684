"""The tools as models read them: a changed word or bound is seen, and meant."""

import json
from pathlib import Path

import pytest

from cadwright.tools.answering import AnswerTools
from cadwright.tools.browser import BrowserTools
from cadwright.tools.cad import CadTools
from cadwright.tools.mesh import MeshTools
from cadwright.tools.mesh_answering import MeshAnswerTools
from cadwright.tools.tool import Toolset

GOLDEN = Path(__file__).parent / "schemas"
KINDS = {
    "answer": AnswerTools,
    "browser": BrowserTools,
    "cad": CadTools,
    "mesh": MeshTools,
    "mesh_answer": MeshAnswerTools,
}


def written(name: str) -> str:
    """Return the schemas of a set of tools as its golden file has them."""
    specs = sorted(Toolset(KINDS[name]).specs, key=lambda spec: spec.name)
    return json.dumps([spec.to_openai() for spec in specs], indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", KINDS)
def test_a_model_reads_what_it_read_before(name):
    """Where a change is meant: write ``written(name)`` to the file; trajectories differ from it."""
    assert written(name) == (GOLDEN / f"{name}.json").read_text("utf-8")


@pytest.mark.parametrize("name", KINDS)
def test_every_tool_and_parameter_is_described(name):
    for spec in Toolset(KINDS[name]).specs:
        assert spec.description
        assert all(one.get("description") for one in spec.parameters["properties"].values())
