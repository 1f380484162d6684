from pathlib import Path

import pytest

from cadwright.envs.names import safe_name
from cadwright.envs.tasks_file import load_file, parse_jsonl, parse_yaml
from cadwright.tools.errors import TaskError

E05 = Path(__file__).parents[1] / "cases/eval/e05_ids_hard.jsonl"

SUITE = """\
suite: little
version: "3"
about: Two tasks.
defaults:
  limits: {turns: 5}
  meta: {licence: Apache-2.0}
tasks:
  - id: 00000007
    brief: a cube
  - id: b
    brief: a disc
    limits: {wall_s: 30}
    meta: {tags: [round]}
"""


def yaml_suite(text, **settings):
    return parse_yaml(text, file=Path("/suite/little.yaml"), **settings)


def refusal_of(text):
    (refusal,) = yaml_suite(text).refused
    return refusal


def test_hard_ids_leave_seven_tasks():
    assert [task.id for task in load_file(E05)] == [
        *("a/b", "a b", "../../escape", "Ø12–槽", "A", "a", "7"),
    ]


def test_hard_ids_refuse_the_duplicate_and_the_missing_id_by_line():
    refused = load_file(E05).refused
    assert [r.line for r in refused] == [8, 9]
    assert str(refused[0]) == "e05_ids_hard.jsonl:8: id 'a b' is taken by line 2"
    assert "'id' is missing" in refused[1].reason


def test_hard_ids_get_names_that_stay_apart_and_inside(tmp_path):
    names = [safe_name(task.id) for task in load_file(E05)]
    assert len({name.casefold() for name in names}) == 7
    assert all((tmp_path / name).resolve().parent == tmp_path.resolve() for name in names)


def test_a_suite_knows_its_name_and_version():
    suite = yaml_suite(SUITE)
    assert (suite.name, suite.version, suite.about) == ("little", "3", "Two tasks.")


def test_an_id_is_taken_as_written():
    assert [task.id for task in yaml_suite(SUITE)] == ["00000007", "b"]


@pytest.mark.parametrize("written", ["2024-01-01", "no", "1_000", "1e3", "0x10"])
def test_an_id_that_looks_like_something_else_stays_text(written):
    assert yaml_suite(f"id: {written}\nbrief: x").tasks[0].id == written


def test_defaults_fill_in_and_merge():
    first, second = yaml_suite(SUITE).tasks
    assert (first.limits.turns, second.limits.turns, second.limits.wall_s) == (5, 5, 30)
    assert dict(second.meta) == {"licence": "Apache-2.0", "tags": ["round"]}


def test_a_file_may_hold_one_task():
    assert yaml_suite("id: a\nbrief: x").tasks[0].id == "a"


def test_a_file_may_hold_a_list():
    assert len(yaml_suite("- {id: a, brief: x}\n- {id: b, brief: y}")) == 2


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("- id: a\n  brief: x\n  breif: y", 3, "unknown field 'breif'"),
        ("- id: a\n  brief: x\n  limits:\n    turns: 3\n    step_s: 0", 5, "limits.step_s is 0"),
        ("- id: a\n  brief: x\n  tools:\n  - execute\n  - 3", 5, "tools.1 is 3"),
        ("- {id: a, brief: x}\n-\n  brief: y", 3, "'id' is missing"),
        ("- {id: a, brief: x}\n- id: a\n  brief: y", 2, "is taken by line 1"),
        ("- {id: a, brief: x}\n- id:\n  brief: y", 2, "'id' is missing"),
        ("- {id: a, brief: x}\n- just text", 2, "a mapping"),
    ],
    ids=["unknown", "nested", "list item", "missing", "duplicate", "null id", "text"],
)
def test_a_refusal_names_its_line(text, line, reason):
    refusal = refusal_of(text)
    assert refusal.line == line
    assert reason in refusal.reason


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tasks: [\n  {id: a", r"little.yaml:\d: not YAML"),
        ("- id: a\n  brief: x\n  brief: y", "little.yaml:3: 'brief' is given twice"),
        ("tasks: []\nsuiet: x", "little.yaml:2: unknown suite field 'suiet'.*'suite'"),
        ("suite: x\ntasks: {a: 1}", "little.yaml:2: tasks must be a list"),
        ("tasks: []\ndefaults: 3", "little.yaml:2: defaults must be a mapping"),
        ("", "the file is empty"),
        ("id: a\n---\nid: b", "not YAML"),
        ("id: !!python/object/apply:os.system ['true']", "not YAML"),
        ("? [1, 2]\n: 3\n? {a: 1}\n: 4", "not YAML"),
    ],
)
def test_a_file_that_cannot_be_parsed_names_the_line(text, message):
    with pytest.raises(TaskError, match=message):
        yaml_suite(text)


def test_nested_aliases_do_not_explode():
    rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(TaskError, match="aliases nested too deep"):
        yaml_suite("a0: &a0 [x]\n" + "\n".join(rows))


def test_an_alias_to_itself_does_not_hang():
    with pytest.raises(TaskError, match="aliases nested too deep"):
        yaml_suite("id: &a [*a]")


def test_a_relative_file_belongs_to_the_task_file():
    task = yaml_suite("id: a\nbrief: x\nreference: parts/a.stl").tasks[0]
    assert task.reference is not None
    assert task.reference.origin == Path("/suite/parts/a.stl")


def test_a_bad_line_costs_only_itself():
    text = '{"id": "a", "brief": "x"}\n{oops\n\n{"id": "b", "brief": "y"}\n'
    suite = parse_jsonl(text, file=Path("t.jsonl"))
    assert [task.id for task in suite] == ["a", "b"]
    assert [r.line for r in suite.refused] == [2]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": "a", "id": "b", "brief": "x"}', "'id' is given twice"),
        ('{"id": "a", "brief": "x", "limits": {"wall_s": NaN}}', "limits.wall_s is nan"),
        ("[" * 100_000, "not JSON"),
        ("[1, 2]", "a mapping"),
    ],
    ids=["duplicate key", "NaN", "nested too deep", "list"],
)
def test_a_hostile_line_is_refused(line, reason):
    (refusal,) = parse_jsonl(line, file=Path("t.jsonl")).refused
    assert reason in refusal.reason


def test_a_line_separator_inside_a_text_does_not_end_the_line():
    suite = parse_jsonl('{"id": "a", "brief": "x\u2028y"}', file=Path("t.jsonl"))
    assert suite.tasks[0].brief == "x\u2028y"


def test_a_file_is_read_as_utf8_whatever_the_locale(tmp_path, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    file = tmp_path / "t.jsonl"
    file.write_bytes('\ufeff{"id": "Ø", "brief": "槽"}'.encode())
    assert load_file(file).tasks[0].id == "Ø"


def test_a_file_that_is_not_utf8_says_so(tmp_path):
    file = tmp_path / "t.yaml"
    file.write_bytes(b"id: caf\xe9")
    with pytest.raises(TaskError, match="not UTF-8 text at byte 7"):
        load_file(file)


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(TaskError, match=r"task files end in .yaml"):
        load_file(tmp_path / "t.toml")
