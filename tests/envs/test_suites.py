import functools
from dataclasses import replace

import pytest

from cadwright.envs.domains.plan import OPERATIONS
from cadwright.envs.domains.registry import domains
from cadwright.envs.suites import (
    Branch,
    builtin_suites,
    domain_tree,
    load_tasks,
    summary_of,
    written_suites,
)
from cadwright.envs.task import Task
from cadwright.tools.errors import TaskError, UsageError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "one.yaml").write_text("- {id: a, brief: x}\n- {id: b/c, brief: y}\n", "utf-8")
    (tmp_path / "two.jsonl").write_text('{"id": "d", "brief": "z"}\n{"id": "a", "brief": "x"}\n')
    (tmp_path / "notes.txt").write_text("not a task")
    return tmp_path


@functools.cache
def built_in(name):
    return load_tasks(name)


def ids(suite):
    return [task.id for task in suite]


@pytest.mark.parametrize("name", [name for name in builtin_suites() if name != "mesh-core"])
def test_a_built_in_suite_loads_whole(name):
    suite = built_in(name)
    assert suite.tasks
    assert suite.refused == ()
    assert suite.about


@pytest.mark.parametrize("name", written_suites())
def test_every_written_task_has_gold_reference_size_and_licence(name):
    for task in (task for task in built_in(name) if task.env == "cad"):
        assert task.gold is not None
        assert task.reference is not None
        assert task.meta["expect"]["size_mm"]
        assert task.meta["licence"] == "Apache-2.0"


SIZES = {"browser-core": 72, "cad-core": 120, "drawing": 60, "edit": 60, "long-spec": 50}


@pytest.mark.parametrize(("name", "count"), SIZES.items())
def test_a_generated_suite_has_as_many_tasks_as_it_says(name, count):
    assert len(built_in(name)) == count == summary_of(name).num_tasks


@pytest.mark.parametrize("name", SIZES)
def test_the_tasks_of_a_generated_suite_are_those_of_its_version(name):
    """Where this fails, tasks have changed: give the suite a new version and its new digest."""
    assert built_in(name).notices == ()


@pytest.mark.parametrize("name", SIZES)
def test_no_task_of_a_generated_suite_may_be_trained_on(name):
    assert {task.meta["split"] for task in built_in(name)} <= {"test", "out_of_family"}


@pytest.mark.parametrize("name", ["cad-core", "drawing", "edit"])
def test_a_generated_suite_has_every_difficulty_alike(name):
    tasks = built_in(name).tasks
    counts = [sum(task.difficulty == level for task in tasks) for level in range(1, 6)]
    assert len(set(counts)) == 1


@pytest.mark.slow
def test_the_mesh_suite_has_sixty_tasks_of_every_operation():
    """Meshes are computed: their last bits differ between processors, so they have no digest."""
    tasks = built_in("mesh-core").tasks
    assert len(tasks) == 60 == summary_of("mesh-core").num_tasks
    operations = {domain.operation for domain in domains() if domain.env == "mesh"}
    assert {task.domain.split(".")[1] for task in tasks} == operations


def test_the_core_suite_has_every_operation():
    assert {task.domain.split(".")[1] for task in built_in("cad-core")} == set(OPERATIONS)


def test_the_long_suite_has_every_length_at_every_depth():
    cells = {(t.meta["num_tokens"], t.meta["depth"]) for t in built_in("long-spec")}
    assert len(cells) == 25


def test_a_suite_whose_tasks_have_changed_says_so(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("suite: mine\ndigest: abc\ntasks: [{id: cube, brief: A cube of 10 mm.}]\n")
    (notice,) = load_tasks(file).notices
    assert "its tasks have changed" in notice


def test_smoke_has_ten_tasks_of_ten_kinds():
    suite = load_tasks("smoke")
    assert len(suite) == 10
    assert len({(task.domain) for task in suite}) == 10


def test_the_demo_errs_looks_and_corrects():
    (task,) = load_tasks("demo")
    names = [call.name for call in task.demo]
    assert names[0] == "execute"
    assert names[-1] == "submit"
    assert "measure" in names[1 : names.index("execute", 1)]


@pytest.mark.parametrize("spec", ["demo/bracket", "demo#bracket", "demo#demo/bracket"])
def test_one_task_of_a_built_in_suite(spec):
    assert ids(load_tasks(spec)) == ["demo/bracket"]


@pytest.mark.parametrize("task_id", ["a", "b/c"])
def test_one_task_of_a_file(folder, task_id):
    assert ids(load_tasks(f"{folder}/one.yaml#{task_id}")) == [task_id]


def test_a_path_that_holds_the_mark_is_not_cut(tmp_path):
    file = tmp_path / "a#b.yaml"
    file.write_text("{id: a, brief: x}")
    assert ids(load_tasks(file)) == ["a"]


def test_a_folder_joins_its_files_and_refuses_the_second_of_two_equal_ids(folder):
    suite = load_tasks(folder)
    assert ids(suite) == ["a", "b/c", "d"]
    assert [str(r) for r in suite.refused] == ["two.jsonl: id 'a' is taken by another file"]


def test_limit_keeps_the_first(folder):
    assert ids(load_tasks(folder, 2)) == ["a", "b/c"]


def test_ids_keep_the_order_of_the_suite(folder):
    assert ids(load_tasks(folder, ids=["d", "a"])) == ["a", "d"]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(UsageError, match="allowed: 1 or more"):
        load_tasks("demo", limit)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("smoek", "did you mean smoke"),
        ("cadpromt:x", "did you mean cadprompt:PATH"),
        ("demo/brackt", "no task 'brackt': nearest: demo/bracket"),
        ("cadprompt:", "cadprompt:PATH"),
        ("cadprompt:/no/such/folder", "does not exist"),
        ("", "no suite or task file ''"),
    ],
)
def test_a_wrong_spec_names_what_is_nearest(spec, message):
    with pytest.raises(TaskError, match=message) as caught:
        load_tasks(spec)
    assert "\n" not in str(caught.value)


def test_a_misspelled_file_names_its_neighbour(folder):
    with pytest.raises(TaskError, match=r"did you mean .*one\.yaml"):
        load_tasks(folder / "on.yaml")


def test_a_folder_without_task_files_says_so(tmp_path):
    with pytest.raises(TaskError, match=r"no task file here; expected \.yaml"):
        load_tasks(tmp_path)


def test_a_file_with_no_usable_task_gives_the_first_reason(tmp_path):
    file = tmp_path / "t.yaml"
    file.write_text("- {id: a}\n- {id: b}\n")
    with pytest.raises(TaskError, match=r"t.yaml:1: 'brief' is missing.* \(and 1 more\)"):
        load_tasks(file)


def test_the_domain_tree_counts_every_level():
    task = Task(id="a", brief="x", domain="cad.create.text.plate")
    tasks = [task, replace(task, domain="cad.create.text.shaft"), replace(task, domain="cad.edit")]
    shaft_and_plate = (Branch("plate", 1), Branch("shaft", 1))
    create = Branch("create", 2, (Branch("text", 2, shaft_and_plate),))
    assert domain_tree(tasks) == (Branch("cad", 3, (create, Branch("edit", 1))),)
