"""``cadwright/Cad-v0`` through the real sandbox, judge and renderer."""

import os
import time
from pathlib import Path

import numpy as np
import pytest
from cad_episode import BOX, DRILLED, EDIT, EPISODE, TASK, act

from cadwright.envs.cad import CadEnv, CadWorkspace
from cadwright.envs.runtime import Runtime
from cadwright.envs.sources import GeometrySource
from cadwright.envs.task import Task
from cadwright.tools.errors import InfraError
from cadwright.tools.rendering.client import RenderClient


def wait_for_death(pid: int) -> None:
    status = Path(f"/proc/{pid}/stat")
    while status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)


def test_reset_shows_brief_and_target_pictures(env: CadEnv) -> None:
    observation, info = env.reset(seed=1)
    assert observation["text"].startswith(TASK.brief)
    assert len(info["blocks"]) == 3
    assert (observation["image"] != 255).any()
    assert {t.name for t in info["tools"]} == {
        "compare", "execute", "measure", "render", "submit", "undo",
    }  # fmt: skip


def test_the_hidden_reference_is_in_no_observation(env: CadEnv) -> None:
    observation, info = env.reset(seed=1)
    assert "hole(6)" not in observation["text"] + repr(info["blocks"])


def test_a_right_part_scores_one(env: CadEnv) -> None:
    for action in EPISODE:
        _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["score"].value == 1.0
    assert not info["is_masked"]


def test_an_unfinished_part_scores_less(env: CadEnv) -> None:
    env.step(EPISODE[0])
    assert 0.0 < float(env.step(EPISODE[-1])[1]) < 1.0


def test_a_failed_step_changes_nothing(env: CadEnv) -> None:
    env.step(EPISODE[0])
    before = env.step(act("measure"))[0]["text"]
    failed = env.step(EPISODE[1])[0]["text"]
    assert "fillet" in failed
    assert "nothing changed" in failed
    assert env.step(act("measure"))[0]["text"] == before


def test_undo_returns_part_and_names(env: CadEnv) -> None:
    env.step(EPISODE[0])
    env.step(EPISODE[2])
    assert "12 faces" not in env.step(act("undo"))[0]["text"]
    assert "6 faces" in env.step(act("execute", code="result = result"))[0]["text"]


def test_undo_further_than_done_is_refused(env: CadEnv) -> None:
    env.step(EPISODE[0])
    assert "cannot undo 2 steps: 1 successful" in env.step(act("undo", steps=2))[0]["text"]


def test_changes_are_told(env: CadEnv) -> None:
    env.step(EPISODE[0])
    observation, _, _, _, info = env.step(EPISODE[2])
    assert info["results"][0].deltas["holes"] == 1
    assert "volume -282.743 mm3" in observation["text"]


def test_a_cut_in_thin_air_is_warned_about(env: CadEnv) -> None:
    env.step(EPISODE[0])
    code = "result = result.cut(cq.Workplane().box(1, 1, 1).translate((99, 0, 0)))"
    assert "nothing_changed" in env.step(act("execute", code=code))[0]["text"]


def test_a_moved_part_is_not_unchanged(env: CadEnv) -> None:
    env.step(EPISODE[0])
    text = env.step(act("execute", code="result = result.translate((5, 0, 0))"))[0]["text"]
    assert "nothing_changed" not in text
    assert "centre of mass moved by (5, 0, 0) mm" in text


def test_compare_says_how_well_the_pictures_agree(env: CadEnv) -> None:
    env.step(EPISODE[0])
    wrong = env.step(act("compare", view="top"))[0]
    env.step(EPISODE[2])
    right = env.step(act("compare", view="top"))[0]
    assert wrong["text"] != right["text"]
    assert not np.array_equal(wrong["image"], right["image"])


def test_compare_without_that_picture_names_those_there_are(env: CadEnv) -> None:
    env.step(EPISODE[0])
    assert "it has sheet, top" in env.step(act("compare", view="front"))[0]["text"]


def test_a_tool_before_the_first_part_says_what_to_do(env: CadEnv) -> None:
    assert "call execute" in env.step(act("render"))[0]["text"]
    observation, _, terminated, _, _ = env.step(act("submit"))
    assert not terminated
    assert "no part to submit" in observation["text"]


def test_submit_takes_a_named_shape(env: CadEnv) -> None:
    code = f"{BOX}\n{DRILLED}\nother = cq.Workplane().box(1, 1, 1)"
    env.step(act("execute", code=code))
    assert float(env.step(act("submit", name="other"))[1]) < 0.5


@pytest.mark.parametrize("name", ["", "no such", "import", "__import__('os')"])
def test_submit_refuses_what_is_not_a_name(env: CadEnv, name: str) -> None:
    assert not env.step(act("submit", name=name))[2]


@pytest.mark.parametrize(
    "arguments",
    [
        {"view": "top"},
        {"section_axis": "x"},
        {"view": "iso", "zoom": 3, "highlight": [0]},
        {"view": "sheet", "highlight": [1, 2]},
    ],
    ids=str,
)
def test_render_draws_something(env: CadEnv, arguments: dict[str, object]) -> None:
    env.step(EPISODE[0])
    info = env.step(act("render", **arguments))[4]
    (image,) = info["results"][0].images
    assert len(np.unique(image.pixels.reshape(-1, 3), axis=0)) > 4


def test_turn_limit_truncates_and_still_scores(env: CadEnv) -> None:
    for _ in range(TASK.limits.turns):
        _, reward, terminated, truncated, info = env.step(EPISODE[0])
    assert (terminated, truncated) == (False, True)
    assert info["end_reason"] == "turn_limit"
    assert float(reward) > 0.5


def test_repeated_failures_truncate(env: CadEnv) -> None:
    for _ in range(TASK.limits.repeated_failures):
        _, reward, terminated, truncated, info = env.step("nonsense")
    assert (terminated, truncated, info["end_reason"]) == (False, True, "repeated_failures")
    assert reward == 0.0


def test_failures_are_graded_below_any_solid(env: CadEnv) -> None:
    rewards = []
    for code in ("", "1 / 0", "x = 1", BOX):
        env.reset(seed=0)
        if code:
            env.step(act("execute", code=code))
        for _ in range(TASK.limits.turns):
            _, reward, terminated, truncated, _ = env.step(act("measure"))
            if terminated or truncated:
                break
        rewards.append(float(reward))
    assert rewards == sorted(set(rewards))
    assert rewards[0] == 0.0


def test_an_unusable_reference_is_not_the_policys_failure(runtime: Runtime) -> None:
    task = Task(id="t", brief="A box.", reference=GeometrySource(b"not STEP", "step"))
    env = CadEnv(task=task, image_px=96, runtime=runtime)
    env.reset(seed=0)
    env.step(EPISODE[0])
    _, reward, terminated, _, info = env.step(act("submit"))
    assert (reward, terminated, info["is_masked"]) == (0.0, True, True)
    assert info["score"].verdict == "unscorable"
    assert "the task's geometry cannot be used" in info["score"].reason
    env.close()


def test_start_geometry_is_there_and_cannot_be_undone(runtime: Runtime) -> None:
    env = CadEnv(task=EDIT, image_px=128, runtime=runtime)
    observation, _ = env.reset(seed=0)
    assert "The part you begin with is in `result`" in observation["text"]
    assert "cannot undo" in env.step(act("undo"))[0]["text"]
    env.step(act("execute", code=f"import cadquery as cq\n{DRILLED}"))
    assert env.step(act("submit"))[1] == 1.0
    env.close()


def test_a_dead_zygote_is_our_fault_and_the_next_reset_works() -> None:
    env = CadEnv(task=TASK, image_px=128)
    env.reset(seed=0)
    assert env._runtime is not None
    pid = env._runtime.sandbox.zygote_pid
    assert pid is not None
    os.kill(pid, 9)
    wait_for_death(pid)
    _, reward, terminated, truncated, info = env.step(EPISODE[0])
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["end_reason"] == "infra_error"
    assert info["is_masked"]
    env.reset(seed=0)
    assert "ok: 1 body" in env.step(EPISODE[0])[0]["text"]
    env.close()


def test_model_randomness_follows_the_seed(env: CadEnv) -> None:
    code = f"{BOX}\nimport random\nprint(random.random())"
    texts = []
    for seed in (3, 3, 4):
        env.reset(seed=seed)
        texts.append(env.step(act("execute", code=code))[0]["text"])
    assert texts[0] == texts[1] != texts[2]


def test_the_workspace_knows_its_walls(runtime: Runtime) -> None:
    workspace = CadWorkspace(runtime, 96)
    assert workspace.confinement == ()
    workspace.reset(TASK, 0)
    assert "seccomp" in workspace.confinement
    workspace.close()


def test_a_renderer_that_fails_costs_the_picture_and_says_so(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = CadEnv(
        task=Task(id="test/bare", brief="A block.", reference=TASK.reference), runtime=runtime
    )
    env.reset(seed=1)

    def broken(*_: object, **__: object) -> None:
        raise InfraError("no OpenGL context")

    monkeypatch.setattr(RenderClient, "sheet", broken)
    observation, _, _, _, info = env.step(act("execute", code=BOX))
    assert observation["text"].startswith("ok: 1 body")
    assert "the part could not be drawn: no OpenGL context" in observation["text"]
    assert [notice.code for notice in info["results"][0].notices] == ["no_picture"]
    env.close()


def test_a_mesh_to_begin_with_is_something_to_rebuild(runtime: Runtime) -> None:
    scan = runtime.judge.write(runtime.part_of(GeometrySource(BOX)), "stl")
    task = Task(
        id="test/rebuild",
        brief="Rebuild it.",
        start=GeometrySource(scan, "stl"),
        reference=TASK.reference,
    )
    env = CadEnv(task=task, image_px=96, runtime=runtime)
    observation, _ = env.reset(seed=0)
    assert "is in `start`, a trimesh.Trimesh" in observation["text"]
    assert not env.step(act("submit"))[2]
    code = "import cadquery as cq\nresult = cq.Workplane().box(*start.extents)"
    env.step(act("execute", code=f"{code}\n{DRILLED}"))
    assert env.step(act("submit"))[1] == 1.0
    env.close()
