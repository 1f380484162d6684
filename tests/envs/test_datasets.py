"""Loaders against small folders that imitate each data set, and against the real ones.

The real data is not in this repository: set CADWRIGHT_DATA to the folder that holds it.
"""

import json
import os
from pathlib import Path

import pytest

from cadwright.envs.suites import load_tasks
from cadwright.tools.errors import TaskError

TRIANGLE = "solid x\nendsolid x\n"
CADQUERYEVAL = """\
task_id: "task{n}" # adjust if needed
description: "A nut.

  1. It is 10mm wide."
reference_stl: "./reference/task{n}.stl"
requirements:
  bounding_box: [11.5, 10, 5.0]
  topology_requirements:
    expected_component_count: 2
manual_operations: 2
"""


@pytest.fixture
def cadprompt(tmp_path):
    root = tmp_path / "cadprompt"
    for name in ("00000007", "00000633"):
        part = root / name
        part.mkdir(parents=True)
        (part / "prompt.txt").write_text(" an extruded circle. ")
        (part / "prompt_detailed.txt").write_text("A circle of radius 0.75 units.\n")
        (part / "program.py").write_text("import cadquery as cq\npart = cq.Workplane()")
        (part / "part.stl").write_text(TRIANGLE)
        (part / "facts.json").write_text('{"Ground_Truth": {"Is_Solid": true}}')
    return root


@pytest.fixture
def cadqueryeval(tmp_path):
    root = tmp_path / "cadqueryeval"
    root.mkdir()
    for n in (2, 10, 1):
        (root / f"task{n}.yaml").write_text(CADQUERYEVAL.format(n=n))
        (root / f"task{n}.stl").write_text(TRIANGLE)
    return root


@pytest.fixture
def cadtestbench(tmp_path, cadprompt):
    root = tmp_path / "cadtestbench"
    root.mkdir()
    rows = [
        {"id": "00000007", "model": "M", "prompt_kind": kind, "program": f"# {kind}"}
        for kind in ("abstract", "detailed")
    ]
    (root / "m.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return root


@pytest.fixture
def cadgenbench(tmp_path):
    root = tmp_path / "cadgenbench"
    (root / "test_1/candidates").mkdir(parents=True)
    (root / "geometry").mkdir()
    for file in (
        *("box.step", "geometry/sphere_10.step", "test_1/gt.step", "test_1/jig.step"),
        *("test_1/candidates/correct.step", "test_1/candidates/broken_1_small_hole.step"),
    ):
        (root / file).write_text("ISO-10303-21;")
    return root


def ids(suite):
    return [task.id for task in suite]


def test_cadprompt_takes_the_detailed_text_by_default(cadprompt):
    suite = load_tasks(f"cadprompt:{cadprompt}")
    assert ids(suite) == ["00000007", "00000633"]
    assert suite.tasks[0].brief == "A circle of radius 0.75 units."


def test_cadprompt_takes_the_abstract_text_on_request(cadprompt):
    suite = load_tasks(f"cadprompt:{cadprompt}?prompt=abstract")
    assert suite.tasks[0].brief == "an extruded circle."


def test_cadprompt_with_both_texts_tells_them_apart_by_id(cadprompt):
    spec = f"cadprompt:{cadprompt}?prompt=both#00000633/abstract"
    assert ids(load_tasks(spec)) == ["00000633/abstract"]
    assert len(load_tasks(f"cadprompt:{cadprompt}?prompt=both")) == 4


def test_cadprompt_gold_binds_the_part_as_the_result(cadprompt):
    gold = load_tasks(f"cadprompt:{cadprompt}").tasks[0].gold
    assert gold.kind == "program"
    assert "result = part" in gold.source.text().splitlines()[-1]


def test_cadprompt_states_units_licence_and_what_was_published(cadprompt):
    suite = load_tasks(f"cadprompt:{cadprompt}")
    meta = suite.tasks[0].meta
    assert meta["units"] == "unit, read as mm"
    assert "test use only" in meta["licence"]
    assert meta["published"] == {"Is_Solid": True}
    assert suite.notices


def test_cadprompt_refuses_one_part_and_keeps_the_others(cadprompt):
    (cadprompt / "00000007/prompt_detailed.txt").unlink()
    suite = load_tasks(f"cadprompt:{cadprompt}")
    assert ids(suite) == ["00000633"]
    (refusal,) = suite.refused
    assert str(refusal).startswith("00000007: prompt_detailed.txt is missing in")


def test_cadprompt_opens_one_part(cadprompt):
    assert ids(load_tasks(f"cadprompt:{cadprompt}/00000633")) == ["00000633"]


def test_cadqueryeval_sorts_by_number(cadqueryeval):
    assert ids(load_tasks(f"cadqueryeval:{cadqueryeval}")) == ["task1", "task2", "task10"]


def test_cadqueryeval_finds_the_truth_beside_the_text(cadqueryeval):
    task = load_tasks(f"cadqueryeval:{cadqueryeval}").tasks[0]
    assert task.reference.origin == cadqueryeval / "task1.stl"


def test_cadqueryeval_prefers_the_truth_where_the_text_says(cadqueryeval):
    (cadqueryeval / "reference").mkdir()
    (cadqueryeval / "reference/task1.stl").write_text(TRIANGLE)
    task = load_tasks(f"cadqueryeval:{cadqueryeval}").tasks[0]
    assert task.reference.origin == cadqueryeval / "reference/task1.stl"


def test_cadqueryeval_gold_is_the_truth_handed_in_as_a_part(cadqueryeval):
    task = load_tasks(f"cadqueryeval:{cadqueryeval}").tasks[0]
    assert task.gold.kind == "part"
    assert task.gold.source == task.reference


def test_cadqueryeval_keeps_the_requirements(cadqueryeval):
    task = load_tasks(f"cadqueryeval:{cadqueryeval}").tasks[0]
    assert task.meta["expect"] == {"size_mm": [11.5, 10, 5.0], "components": 2}
    assert task.scoring == {"protocol": "cadqueryeval"}


def test_cadqueryeval_names_what_was_tried_for_a_missing_truth(cadqueryeval):
    (cadqueryeval / "task2.stl").unlink()
    (refusal,) = load_tasks(f"cadqueryeval:{cadqueryeval}").refused
    assert str(refusal) == "task2.yaml: no truth found, tried reference/task2.stl and task2.stl"


def test_cadtestbench_is_the_cadprompt_task_with_the_program_beside_it(cadtestbench):
    suite = load_tasks(f"cadtestbench:{cadtestbench}")
    assert ids(suite) == ["00000007/abstract", "00000007/detailed"]
    assert suite.tasks[0].brief == "an extruded circle."
    assert suite.tasks[0].meta["candidates"] == [{"name": "M", "program": "# abstract"}]


def test_cadtestbench_takes_the_truth_from_elsewhere(cadtestbench, cadprompt, tmp_path):
    moved = cadprompt.rename(tmp_path / "truths")
    assert len(load_tasks(f"cadtestbench:{cadtestbench}?truth={moved}")) == 2


def test_cadtestbench_without_truth_says_how_to_give_it(cadtestbench, cadprompt, tmp_path):
    cadprompt.rename(tmp_path / "truths")
    with pytest.raises(TaskError, match=r"\?truth=CADPROMPT_FOLDER"):
        load_tasks(f"cadtestbench:{cadtestbench}")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{oops", "not JSON"),
        ('{"id": "00000007"}', "expected text in id"),
        ('{"id": "9", "prompt_kind": "detailed", "program": ""}', "part '9' is not in"),
        ('{"id": "00000007", "prompt_kind": "x", "program": ""}', "prompt_kind is 'x'"),
        ('{"id": "../../x", "prompt_kind": "detailed", "program": ""}', "is not in"),
    ],
    ids=["not JSON", "fields", "unknown id", "unknown kind", "path as id"],
)
def test_cadtestbench_refuses_a_bad_line_by_number(cadtestbench, line, reason):
    file = cadtestbench / "m.jsonl"
    file.write_text(file.read_text() + "\n" + line)
    (refusal,) = load_tasks(f"cadtestbench:{cadtestbench}").refused
    assert refusal.line == 3
    assert reason in refusal.reason


def test_cadgenbench_makes_a_create_task_and_one_repair_task_a_fault(cadgenbench):
    create, repair = load_tasks(f"cadgenbench:{cadgenbench}").tasks
    assert (create.id, create.start) == ("test_1/create", None)
    assert repair.id == "test_1/broken_1_small_hole"
    assert "small hole" in repair.brief
    assert repair.start.name == "broken_1_small_hole.step"


def test_cadgenbench_gold_is_the_correct_candidate(cadgenbench):
    for task in load_tasks(f"cadgenbench:{cadgenbench}"):
        assert task.gold.source.name == "correct.step"
        assert task.reference.name == "gt.step"


def test_cadgenbench_lists_candidates_and_keep_out_volumes(cadgenbench):
    meta = load_tasks(f"cadgenbench:{cadgenbench}").tasks[0].meta
    assert [c["name"] for c in meta["candidates"]] == ["broken_1_small_hole", "correct"]
    assert [Path(k["file"]).name for k in meta["keep_out"]] == ["jig.step"]


def test_cadgenbench_fixtures_are_their_own_truth(cadgenbench):
    suite = load_tasks(f"cadgenbench:{cadgenbench}?kind=fixtures")
    assert ids(suite) == ["box", "geometry/sphere_10"]
    assert suite.tasks[0].gold.source == suite.tasks[0].reference


@pytest.mark.parametrize("name", ["cadprompt", "cadqueryeval", "cadtestbench", "cadgenbench"])
def test_a_folder_given_without_the_name_of_its_set_is_recognised(name, request):
    folder = request.getfixturevalue(name)
    with pytest.raises(TaskError, match=f"use {name}:{folder}"):
        load_tasks(folder)


@pytest.mark.parametrize("name", ["cadprompt", "cadqueryeval", "cadtestbench", "cadgenbench"])
def test_an_empty_folder_says_what_is_expected(name, tmp_path):
    (tmp_path / "cadprompt").mkdir()
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(TaskError, match=f"{name}: nothing to load in .*; expected"):
        load_tasks(f"{name}:{empty}")


@pytest.mark.parametrize(
    ("query", "message"),
    [("promt=x", "did you mean 'prompt'"), ("prompt=abstrct", "did you mean 'abstract'")],
)
def test_a_wrong_option_names_the_nearest(cadprompt, query, message):
    with pytest.raises(TaskError, match=message):
        load_tasks(f"cadprompt:{cadprompt}?{query}")


def real(name):
    root = os.environ.get("CADWRIGHT_DATA")
    if not root:
        pytest.skip("CADWRIGHT_DATA does not name a folder with the data sets")
    return f"{name}:{root}/{name}"


@pytest.mark.parametrize(
    ("name", "query", "count"),
    [
        ("cadprompt", "", 200),
        ("cadprompt", "?prompt=both", 400),
        ("cadqueryeval", "", 25),
        ("cadtestbench", "", 400),
        ("cadgenbench", "", 8),
        ("cadgenbench", "?kind=all", 22),
    ],
)
def test_the_real_set_loads_whole(name, query, count):
    suite = load_tasks(real(name) + query)
    assert len(suite) == count
    assert suite.refused == ()
    assert all(task.brief and task.reference.read() and task.gold for task in suite)
