"""A task that shows a measured sheet answers with sheets that can be laid over it."""

from collections.abc import Iterator

import numpy as np
import pytest

from cadwright.envs.cad import CadWorkspace
from cadwright.envs.runtime import Runtime
from cadwright.envs.sources import GeometrySource, ImageSource
from cadwright.envs.task import Task
from cadwright.tools.rendering.measured import STRIP_PX
from cadwright.tools.tool import ImageBlock, ToolCall

WANTED = "import cadquery as cq\nresult = cq.Workplane().box(40, 30, 10)"
CLOSE = "import cadquery as cq\nresult = cq.Workplane().box(44, 30, 10)"
TASK = Task(
    id="test/measured",
    brief="Model the part in the picture.",
    reference=GeometrySource(WANTED),
    images=(ImageSource(view="measured"),),
    meta={"table": [40, 30, 10]},
)


@pytest.fixture(scope="module")
def workspace() -> Iterator[CadWorkspace]:
    with Runtime.open(backend="raycast") as runtime:
        made = CadWorkspace(runtime)
        yield made
        made.close()


def picture(workspace: CadWorkspace) -> ImageBlock:
    block = workspace.reset(TASK, seed=0)[1]
    assert isinstance(block, ImageBlock)
    return block


def executed(workspace: CadWorkspace, code: str) -> ImageBlock:
    workspace.reset(TASK, seed=0)
    return workspace.call(ToolCall("execute", {"code": code})).images[0]


def test_the_target_carries_its_dimension_table(workspace: CadWorkspace) -> None:
    assert (picture(workspace).pixels[:STRIP_PX] < 255).any()


def test_the_wanted_part_leaves_no_colour(workspace: CadWorkspace) -> None:
    pixels = executed(workspace, WANTED).pixels
    assert (pixels == pixels[..., :1]).all()


def test_another_part_shows_in_colour_where_it_differs(workspace: CadWorkspace) -> None:
    pixels = executed(workspace, CLOSE).pixels.astype(int)
    differs = np.abs(pixels[..., 0] - pixels[..., 2]) > 40
    assert differs[STRIP_PX:].any()
    assert not differs[:STRIP_PX].any()
