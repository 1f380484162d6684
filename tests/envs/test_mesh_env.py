"""``cadwright/Mesh-v0`` through the real workers: contract, hostile files, limits."""

import base64
import io
import json
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from vector_modes import plays_in_a_vector

from cadwright.envs.checker import check_env
from cadwright.envs.mesh import MeshEnv, MeshWorkspace
from cadwright.envs.registration import register_envs
from cadwright.envs.runtime import Runtime
from cadwright.envs.sources import GeometrySource, ImageSource
from cadwright.envs.task import EpisodeLimits, Task
from cadwright.envs.tool_env import ToolEnv
from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.geometry.stl import write_stl
from cadwright.tools.meshing.combining import combined
from cadwright.tools.meshing.primitives import primitive_mesh
from cadwright.tools.tool import ToolCall

register_envs()

CASES = Path(__file__).parents[1] / "cases" / "mesh"
UP = np.array([0.0, 0.0, 1.0])
BLOCK = primitive_mesh("box", (30.0, 20.0, 10.0), np.zeros(3), UP)
DRILL = primitive_mesh("cylinder", (6.0, 30.0), np.zeros(3), UP)
DRILLED = combined("difference", {"block": BLOCK, "drill": DRILL})


def stl(mesh: Mesh) -> GeometrySource:
    return GeometrySource(write_stl(mesh), "stl")


TASK = Task(
    id="test/drill",
    brief="Drill a hole of 6 mm through the middle.",
    env="mesh",
    start=stl(BLOCK),
    reference=stl(DRILLED),
    images=(ImageSource(view="sheet"), ImageSource(view="top")),
    limits=EpisodeLimits(turns=8),
)
BARE = Task(id="test/bare", brief="Anything.", env="mesh", reference=stl(BLOCK))


def act(tool: str, **arguments: object) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


EPISODE = [
    act("add", shape="cylinder", size_mm=[6, 30], name="drill"),
    act("combine", kind="difference", others=["nothing"]),
    act("combine", kind="difference", others=["drill"], name="part"),
    act("compare", view="top"),
    act("submit"),
]


@pytest.fixture
def env(runtime: Runtime) -> Iterator[MeshEnv]:
    made = MeshEnv(task=TASK, image_px=96, runtime=runtime)
    made.reset(seed=1)
    yield made
    made.close()


@pytest.fixture
def desk(runtime: Runtime) -> Iterator[MeshWorkspace]:
    made = MeshWorkspace(runtime, 96)
    made.reset(BARE, 0)
    yield made
    made.close()


def load(desk: MeshWorkspace, data: bytes, kind: str) -> Any:
    text = base64.b64encode(data).decode()
    if kind == "obj" or data[:5] == b"solid":
        text = data.decode()
    return desk.call(ToolCall("load", {"text": text, "format": kind}))


def test_reset_shows_brief_pictures_and_start(env: MeshEnv) -> None:
    observation, info = env.reset(seed=1)
    assert observation["text"].startswith(TASK.brief)
    assert "called `part`" in observation["text"]
    assert len(info["blocks"]) == 5
    assert (observation["image"] != 255).any()


def test_a_right_mesh_scores_one(env: MeshEnv) -> None:
    for action in EPISODE:
        _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert not info["is_masked"]


def test_the_unchanged_start_scores_nothing(env: MeshEnv) -> None:
    assert env.step(act("submit"))[1] == 0.0


def test_a_failed_call_changes_nothing(env: MeshEnv) -> None:
    before = env.step(act("measure"))[0]["text"]
    assert "error:" in env.step(act("hollow", wall_mm=9))[0]["text"]
    assert env.step(act("measure"))[0]["text"] == before


def test_undo_goes_back_over_tools_and_code(env: MeshEnv) -> None:
    env.step(act("execute", code="kept = 1; mesh.apply_translation((0, 0, 50))"))
    env.step(act("scale", factors=[2]))
    env.step(act("undo", steps=2))
    text = env.step(act("execute", code="print(mesh.bounds[1][2], 'kept' in dir())"))[0]["text"]
    assert "5.0 False" in text
    assert "cannot undo 9 calls" in env.step(act("undo", steps=9))[0]["text"]


def test_undo_does_not_take_the_start(env: MeshEnv) -> None:
    assert "cannot undo: no call has changed anything yet" in env.step(act("undo"))[0]["text"]


def test_changes_are_told_with_a_picture(env: MeshEnv) -> None:
    env.step(EPISODE[0])
    info = env.step(EPISODE[2])[4]
    (result,) = info["results"]
    assert result.images
    env.step(act("move", offset_mm=[1, 0, 0]))
    told = env.step(act("scale", factors=[2]))[4]["results"][0]
    assert told.deltas["volume_mm3"] > 0.0


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (act("select", name="prat"), "did you mean 'part'"),
        (act("move", offset_mm=[1, 2]), "give three numbers"),
        (act("add", shape="box", size_mm=[1, 2]), "length x, width y, height z"),
        (act("add", shape="box", size_mm=[1, 2, -3]), "use a length above 0"),
        (act("add", shape="box", size_mm=[1, 2, 3], name="a b"), "is no name"),
        (act("thicken", thickness_mm=1), "use hollow"),
        (act("remesh", edge_mm=0.001), "at most 1000000 can be worked on"),
        (act("cut", normal=[0, 0, 0], offset_mm=0), "needs a length"),
        (act("cut", normal=[0, 0, 1], offset_mm=99), "nothing lies above"),
        (act("hollow", wall_mm=1, drain_mm=2, drains_mm=[[99, 0]]), "does not meet the cavity"),
        (act("load", text="???", format="glb"), "not base64"),
        (act("compare", view="front"), "it has sheet, top"),
    ],
)
def test_what_cannot_be_done_says_why(env: MeshEnv, action: str, message: str) -> None:
    assert message in env.step(action)[0]["text"]


def test_code_works_on_every_mesh_on_the_desk(env: MeshEnv) -> None:
    env.step(EPISODE[0])
    code = "result = trimesh.boolean.difference([meshes['part'], meshes['drill']])"
    env.step(act("execute", code=code, name="part"))
    assert env.step(act("submit"))[1] == 1.0


def test_both_checkers_pass_whole() -> None:
    def make() -> ToolEnv:
        env = gymnasium.make(
            "cadwright/Mesh-v0", task=TASK, image_px=96, render_mode="rgb_array"
        ).unwrapped
        assert isinstance(env, ToolEnv)
        return env

    assert len(check_env(make, EPISODE)) == 6


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("autoreset", list(AutoresetMode), ids=lambda m: m.name)
def test_both_vector_modes(mode: str, autoreset: AutoresetMode) -> None:
    turns = (EPISODE[0], EPISODE[2], act("measure"), act("submit"))
    plays_in_a_vector("cadwright/Mesh-v0", mode, autoreset, TASK, turns)


OUTCOMES = {
    "m00_reference_cube.stl": Outcome.OK,
    "m02_box_one_triangle_missing.stl": Outcome.NOT_A_SOLID,
    "m14_two_instances.glb": Outcome.OK,
    "m15_flat_plate.obj": Outcome.NOT_A_SOLID,
}
REFUSED = {
    "m06_truncated.stl": (Outcome.IMPORT_ERROR, "truncated or wrong size"),
    "m07_wrong_count.stl": (Outcome.IMPORT_ERROR, "999999 triangles"),
    "m08_zero_bytes.stl": (Outcome.EMPTY_GEOMETRY, "0 bytes"),
    "m09_html_error_page.stl": (Outcome.IMPORT_ERROR, "not an STL file"),
    "m10_nan_vertex.stl": (Outcome.INVALID_GEOMETRY, "NaN"),
    "m11_bad_face_index.obj": (Outcome.IMPORT_ERROR, "face index 9"),
}


def test_every_case_has_an_expected_outcome() -> None:
    assert {path.name for path in CASES.iterdir()} == {*OUTCOMES, *REFUSED}


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_file_that_can_be_read_is_judged(desk: MeshWorkspace, name: str) -> None:
    path = CASES / name
    assert load(desk, path.read_bytes(), path.suffix[1:]).outcome is Outcome.OK
    found = desk.finish().inspection
    assert found is not None
    assert found.measures is not None
    assert found.outcome is OUTCOMES[name]
    expected = {
        "m00_reference_cube.stl": (1000.0, 1),
        "m02_box_one_triangle_missing.stl": (None, 1),
        "m14_two_instances.glb": (2000.0, 2),
        "m15_flat_plate.obj": (0.0, 1),
    }[name]
    volume = found.measures.volume_mm3
    assert (volume if volume is None else round(volume, 6), found.measures.bodies) == expected


@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_file_is_refused_and_the_desk_stays(desk: MeshWorkspace, name: str) -> None:
    path = CASES / name
    result = load(desk, path.read_bytes(), path.suffix[1:])
    outcome, message = REFUSED[name]
    assert (result.outcome, message in result.text) == (outcome, True)
    assert desk.finish().part is None


@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_start_is_refused_by_name(runtime: Runtime, name: str) -> None:
    workspace = MeshWorkspace(runtime, 96)
    task = Task(id="t", brief="Mend it.", env="mesh", start=GeometrySource(CASES / name))
    with pytest.raises(GeometryError, match=name):
        workspace.reset(task, 0)
    workspace.close()


def test_a_broken_start_can_be_mended(runtime: Runtime) -> None:
    start = GeometrySource(CASES / "m02_box_one_triangle_missing.stl")
    cube = GeometrySource(CASES / "m00_reference_cube.stl")
    task = Task(id="t", brief="Mend it.", env="mesh", start=start, reference=cube)
    env = MeshEnv(task=task, image_px=96, runtime=runtime)
    assert "not sound: holes 1, open edges 3" in env.reset(seed=0)[0]["text"]
    env.step(act("fill_holes"))
    assert env.step(act("submit"))[1] == 1.0
    env.close()


def test_a_zip_bomb_is_refused(desk: MeshWorkspace) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("3D/3dmodel.model", "w", force_zip64=True) as entry:
            for _ in range(300):
                entry.write(b" " * 2**20)
    result = load(desk, stream.getvalue(), "3mf")
    assert result.outcome is Outcome.IMPORT_ERROR
    assert "unpacks to more than 256 MB" in result.text


def test_ten_million_triangles_are_refused(desk: MeshWorkspace) -> None:
    count = 10_000_000
    header = b" " * 80 + struct.pack("<I", count)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "cadwright.tools.mesh._content", lambda text, kind: header + bytes(50) * count
        )
        result = load(desk, b"", "stl")
    assert result.outcome is Outcome.IMPORT_ERROR
    assert "at most 256 MB allowed" in result.text


def test_two_million_triangles_are_more_than_a_desk_takes(desk: MeshWorkspace) -> None:
    code = "result = trimesh.creation.icosphere(subdivisions=9)"
    result = desk.call(ToolCall("execute", {"code": code}))
    assert result.outcome is not Outcome.OK
    assert desk.finish().part is None


def test_close_twice_and_reset_again(runtime: Runtime) -> None:
    workspace = MeshWorkspace(runtime, 96)
    workspace.close()
    workspace.reset(TASK, 0)
    workspace.call(ToolCall("execute", {"code": "mesh.apply_scale(2)"}))
    assert "seccomp" in workspace.confinement
    workspace.close()
    workspace.close()
    assert workspace.tools() == ()
    workspace.reset(TASK, 0)
    assert len(workspace.tools()) == 31
    workspace.close()


def test_a_number_can_be_asked_for(runtime: Runtime) -> None:
    question = Task(
        id="t",
        brief="What is the volume in mm3?",
        env="mesh",
        start=stl(BLOCK),
        answer={"value": 6000.0, "unit": "mm3", "tolerance": 0.01},
    )
    env = MeshEnv(task=question, image_px=96, runtime=runtime)
    env.reset(seed=0)
    env.step(act("measure"))
    assert env.step(act("answer", value=6000))[1] == 1.0
    env.close()
