"""Files of constraints: lines of faults, files of regions, what is written can be read."""

import pytest

from cadwright.envs.constraints_file import load_constraints, write_constraints
from cadwright.envs.judging import scoring_of
from cadwright.envs.task import Task
from cadwright.envs.tasks_file import parse_yaml
from cadwright.rewards.constraints.parse import parse_constraints
from cadwright.tools.errors import TaskError

GOOD = """\
# a plate
- kind: hole
  diameter: 6
  at: [[0, 0, 5], [10, 0, 5]]
- {kind: keep_out, region: {file: jigs/pin.step}}
"""


def written(tmp_path, text):
    (tmp_path / "jigs").mkdir(exist_ok=True)
    (tmp_path / "jigs" / "pin.step").touch()
    file = tmp_path / "asked.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_list_is_read(tmp_path):
    hole, _ = load_constraints(written(tmp_path, GOOD))
    assert hole.at == ((0.0, 0.0, 5.0), (10.0, 0.0, 5.0))


def test_a_mapping_with_the_list_is_read(tmp_path):
    file = written(tmp_path, "constraints:\n- {kind: bodies, count: 1}\n")
    assert [one.kind for one in load_constraints(file)] == ["bodies"]


def test_region_files_belong_to_the_folder_of_the_file(tmp_path):
    _, pin = load_constraints(written(tmp_path, GOOD))
    assert pin.region.file == str(tmp_path / "jigs" / "pin.step")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (GOOD.replace("diameter", "diametre"), 3, "unknown field 'diametre': did you mean"),
        (GOOD.replace("kind: hole", "kind: hoole"), 2, "unknown kind 'hoole': did you mean 'hole'"),
        (GOOD.replace("[10, 0, 5]", "[10, 0]"), 4, "three numbers"),
        (GOOD.replace("file:", "fil:"), 5, "did you mean 'file'"),
        ("constraint:\n- {kind: bodies}\n", 1, "the list is 'constraints'"),
        ("- kind: [", 1, "not YAML"),
        (GOOD.replace("pin", "nut"), 5, "region: no such file: .*nut.step"),
        ("constraints: []\n", 1, "the list is empty"),
        (GOOD.replace("diameter: 6", "diameter: -6"), 3, "-6, allowed: a number above 0"),
    ],
    ids=["field", "kind", "place", "nested", "key", "syntax", "file", "empty", "negative"],
)
def test_a_fault_names_file_and_line(tmp_path, text, line, message):
    with pytest.raises(TaskError, match=message) as fault:
        load_constraints(written(tmp_path, text))
    assert f"asked.yaml:{line}: " in str(fault.value)


def test_what_is_written_can_be_read(tmp_path):
    constraints = parse_constraints(
        [
            {"id": "a", "kind": "hole", "diameter": 6, "at": [1, None, 3], "opens": "-x"},
            {"id": "b", "kind": "symmetry", "mirror": [0.6, 0.8, 0]},
            {"id": "c", "kind": "filled", "region": {"min": [0, 0, 0], "max": [1, 2, 3]}},
        ]
    )
    text = write_constraints(constraints, source="plate.step")
    assert load_constraints(written(tmp_path, text)) == constraints
    assert "# hole: diameter 6 mm" in text


def test_a_task_names_the_line_of_a_bad_constraint(tmp_path):
    text = "id: a\nbrief: b\nconstraints:\n- kind: bodies\n  count: 1\n- kind: volume\n  vale: 3\n"
    suite = parse_yaml(text, file=tmp_path / "task.yaml")
    (refusal,) = suite.refused
    assert refusal.line == 7
    assert "did you mean 'value'" in refusal.reason


def test_a_task_with_constraints_alone_is_scored_by_them():
    task = Task(id="a", brief="b", constraints=({"kind": "bodies", "count": 1},))
    assert scoring_of(task).protocol == "constraints"
