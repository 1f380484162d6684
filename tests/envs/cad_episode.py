"""A task and the actions that solve it, for the tests of ``cadwright/Cad-v0``."""

import json

from cadwright.envs.sources import GeometrySource, ImageSource
from cadwright.envs.task import EpisodeLimits, Task

BOX = "import cadquery as cq\nresult = cq.Workplane().box(30, 20, 10)"

DRILLED = "result = result.faces('>Z').workplane().hole(6)"

TASK = Task(
    id="test/block",
    brief="A block 30 x 20 x 10 mm with a 6 mm hole from the top.",
    reference=GeometrySource(f"{BOX}\n{DRILLED}"),
    images=(ImageSource(view="sheet"), ImageSource(view="top")),
    limits=EpisodeLimits(turns=6),
)

EDIT = Task(id="test/edit", brief="Drill it.", start=GeometrySource(BOX), reference=TASK.reference)


def act(tool: str, **arguments: object) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


EPISODE = [
    act("execute", code=BOX),
    act("execute", code="result = result.edges().fillet(50)"),
    act("execute", code=DRILLED),
    act("compare", view="top"),
    act("submit"),
]
