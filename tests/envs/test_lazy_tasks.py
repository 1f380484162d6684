"""Tasks of suites without a digest are made when they are looked at."""

from __future__ import annotations

import pickle

import pytest

from cadwright.envs import lazy_tasks
from cadwright.envs.domains import registry
from cadwright.envs.lazy_tasks import LazyTasks, Promise
from cadwright.envs.suites import load_tasks
from cadwright.envs.task import Task
from cadwright.envs.tasks_file import digest_of
from cadwright.tools.errors import TaskError, UsageError

LEVER = "cad.create.text.lever"


@pytest.fixture
def made():
    """Return five promised tasks and the ids of those that were made."""
    log = []

    def promise(task_id):
        return Promise(task_id, lambda: log.append(task_id) or Task(task_id, "a brief"))

    return LazyTasks(promise(name) for name in "abcde"), log


def test_number_ids_slices_and_choices_make_nothing(made):
    tasks, log = made
    assert len(tasks) == 5
    assert tasks.ids == tuple("abcde")
    assert tasks[1:3].ids == ("b", "c")
    assert tasks.only({"e", "a"}).ids == ("a", "e")
    assert log == []


def test_a_task_is_made_once_also_by_a_slice(made):
    tasks, log = made
    assert tasks[3] is tasks[3:][0]
    assert log == ["d"]


def test_a_task_that_cannot_be_made_says_which():
    def refuse():
        raise UsageError("no part fits")

    with pytest.raises(TaskError, match="x/1-0: no part fits"):
        _ = LazyTasks([Promise("x/1-0", refuse)])[0]


def test_the_mesh_suite_loads_without_making_a_task(monkeypatch):
    monkeypatch.setattr(lazy_tasks.Promise, "task", property(lambda self: 1 / 0))
    assert len(load_tasks("mesh-core").ids) == 60


def test_one_task_of_the_mesh_suite_is_that_of_its_domain():
    task_id = "mesh.units.start.disc"
    name = next(one for one in load_tasks("mesh-core").ids if one.startswith(task_id))
    (task,) = load_tasks(f"mesh-core#{name}")
    assert task == load_tasks(name).tasks[0]
    assert task.id == name


def test_the_ids_of_a_generated_suite_are_those_of_its_tasks():
    suite = load_tasks("drawing")
    assert suite.ids == tuple(task.id for task in suite)


def test_a_digest_is_checked_though_tasks_could_wait(tmp_path):
    right = digest_of([registry.generate(LEVER, 2)])
    for digest, notices in ((right, 0), ("0" * 64, 1)):
        file = tmp_path / f"mine_{notices}.yaml"
        file.write_text(
            f"suite: mine\ndigest: '{digest}'\ngenerate: [{{domain: {LEVER}, seeds: 2}}]\n"
        )
        assert len(load_tasks(file).notices) == notices


def test_a_suite_without_a_digest_survives_pickling(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(
        f"suite: mine\ntasks: [{{id: a, brief: x}}]\ngenerate: [{{id: b, domain: {LEVER}}}]\n"
    )
    again = pickle.loads(pickle.dumps(load_tasks(file)))
    assert again.ids == ("a", "b")
    assert again.tasks[1].domain == LEVER
