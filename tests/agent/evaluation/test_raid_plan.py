"""What a raid tries, and what it need not try twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cadwright.agent.evaluation.raid import groups_of, judged_key, plan, sample
from cadwright.envs.sources import GeometrySource
from cadwright.envs.suites import load_tasks
from cadwright.envs.task import Task
from cadwright.rewards.redteam import KIT, Kind

BLOCK = GeometrySource("result = cq.Workplane().box(1, 2, 3)")
OTHER = GeometrySource("result = cq.Workplane().box(3, 2, 1)")
TASK = Task("a", "A block.", reference=BLOCK)


def test_one_part_in_fifty_documents_is_tried_once() -> None:
    tasks = load_tasks("long-spec").tasks
    cases = plan(tasks)
    assert len(cases) == len({task.reference for task in tasks})
    assert sum(len(case.task_ids) for case in cases) == len(tasks)


@pytest.mark.parametrize(
    "change",
    [
        {"reference": OTHER},
        {"start": OTHER},
        {"constraints": ({"kind": "bodies", "count": 1},)},
        {"scoring": {"protocol": "cadprompt"}},
        {"env": "mesh"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_is_judged_otherwise_is_another_case(change: dict[str, object]) -> None:
    assert judged_key(replace(TASK, **change), None) != judged_key(TASK, None)


def test_words_do_not_make_another_case() -> None:
    assert judged_key(replace(TASK, id="b", brief="A cuboid."), None) == judged_key(TASK, None)


def test_programs_and_calls_are_tried_once_for_each_environment() -> None:
    tasks = [
        TASK,
        replace(TASK, id="b", reference=OTHER),
        replace(TASK, id="c", env="mesh"),
        replace(TASK, id="d", env="mesh", reference=OTHER),
    ]
    kinds = {case.task.id: {hack.kind for hack in case.hacks} for case in plan(tasks)}
    assert kinds["a"] >= {Kind.PROGRAM, Kind.PART}
    assert kinds["c"] >= {Kind.PROGRAM, Kind.CALLS, Kind.PART}
    assert not {Kind.PROGRAM, Kind.CALLS} & (kinds["b"] | kinds["d"])


def test_a_task_that_asks_for_a_number_gets_numbers_only() -> None:
    (case,) = plan([Task("a", "How long?", start=BLOCK, answer={"value": 3.0, "unit": "mm"})])
    assert {hack.kind for hack in case.hacks} == {Kind.ANSWER}


def test_tasks_with_one_right_answer_share_the_parts_of_the_hacks() -> None:
    strict = replace(TASK, id="b", scoring={"iou_target": 1.0})
    cases = plan([TASK, replace(TASK, id="c", reference=OTHER), strict])
    groups = groups_of(cases)
    assert [[case.task.id for case in group] for group in groups] == [["a", "b"], ["c"]]


def test_a_sample_has_every_operation_and_modality() -> None:
    kinds = ("cad.create.text", "cad.edit.start")
    tasks = [Task(f"{kind}{n}", "", domain=f"{kind}.part{n}") for kind in kinds for n in range(3)]
    assert [task.id for task in sample(tasks, 1)] == ["cad.create.text0", "cad.edit.start0"]


def test_every_hack_is_planned_for_some_task() -> None:
    number = Task("n", "How long?", start=BLOCK, answer={"value": 3.0})
    tasks = [replace(TASK, id=env, env=env) for env in ("cad", "mesh", "browser")]
    planned = {hack.name for case in plan([*tasks, number]) for hack in case.hacks}
    assert planned == {hack.name for hack in KIT}
