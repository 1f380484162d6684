"""Generated tasks by suite entry, by spec and by id."""

from __future__ import annotations

import pytest

from cadwright.envs.domains.entries import is_task_id, tasks_of_entry
from cadwright.envs.domains.registry import domains
from cadwright.envs.suites import load_tasks
from cadwright.envs.task_record import FieldError
from cadwright.tools.errors import UsageError

LEVER = "cad.create.text.lever"


def ids(entry):
    return [task.id for task in tasks_of_entry(entry)]


def test_an_entry_is_one_task_where_it_says_no_more():
    assert ids({"domain": LEVER}) == [f"{LEVER}/1-0"]


def test_an_entry_is_every_seed_at_every_difficulty():
    entry = {"domain": LEVER, "seeds": [3, 4], "difficulty": [2, 5], "split": "test"}
    names = ("2-3", "2-4", "5-3", "5-4")
    assert ids(entry) == [f"{LEVER}/{name}-test" for name in names]


def test_lengths_and_depths_are_part_of_the_id():
    long = next(domain.id for domain in domains() if domain.modality == "long")
    entry = {"domain": long, "difficulty": 1, "tokens": [1000], "depth": [0.0, 0.5]}
    assert ids(entry) == [f"{long}/1-0-1000t-{p}p" for p in (0, 50)]


def test_one_task_may_have_a_name_of_its_own():
    assert ids({"id": "bench/lever", "domain": LEVER, "seeds": 2}) == ["bench/lever"]


@pytest.mark.parametrize(
    ("entry", "field", "message"),
    [
        ({"id": "x", "domain": LEVER, "seeds": [1, 2]}, ("id",), "this one makes 2"),
        ({"domain": LEVER, "seed": 3}, ("seed",), "did you mean 'seeds'"),
        ({"domain": LEVER, "seeds": -1}, ("seeds",), "whole numbers from 0"),
        ({"domain": LEVER, "difficulty": 6}, ("difficulty",), "from 1 to 5"),
        ({"domain": LEVER, "difficulty": True}, ("difficulty",), "from 1 to 5"),
        ({"domain": LEVER, "split": "tests"}, ("domain",), "did you mean 'test'"),
        ({"domain": "cad.create.text.levr"}, ("domain",), "did you mean"),
        ({"seeds": 3}, (), "needs a domain"),
        ("lever", (), "needs a domain"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_entry_that_cannot_be_used_names_its_field(entry, field, message):
    with pytest.raises(FieldError, match=message) as caught:
        ids(entry)
    assert caught.value.where == field


def test_a_suite_file_may_hold_written_and_generated_tasks(tmp_path):
    file = tmp_path / "mixed.yaml"
    file.write_text(
        "suite: mixed\n"
        "tasks: [{id: cube, brief: A cube of 10 mm.}]\n"
        "generate:\n"
        f"  - {{domain: {LEVER}, seeds: 2}}\n"
        f"  - {{domain: {LEVER}, sedes: 2}}\n"
    )
    suite = load_tasks(file)
    assert [task.id for task in suite] == ["cube", f"{LEVER}/3-2"]
    assert str(suite.refused[0]).startswith("mixed.yaml:5: unknown field 'sedes'")


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (f"domain:{LEVER}?seed=3&difficulty=2", [f"{LEVER}/2-3"]),
        (f"domain:{LEVER}?seed=3&n=2&difficulty=2", [f"{LEVER}/2-3", f"{LEVER}/2-4"]),
        (f"domain:{LEVER}", [f"{LEVER}/{n + 1}-{n}" for n in range(5)]),
        (f"domain:{LEVER}/4-9-test", [f"{LEVER}/4-9-test"]),
        (f"{LEVER}/4-9", [f"{LEVER}/4-9"]),
    ],
)
def test_a_spec_names_tasks(spec, expected):
    assert [task.id for task in load_tasks(spec)] == expected


def test_a_spec_may_name_many_domains():
    found = load_tasks("domain:cad.*.*.lever?n=1")
    assert {task.meta["family"] for task in found} == {"lever"}
    assert len({task.domain for task in found}) == len(found) > 3


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("domain:cad.creat", "no domain 'cad.creat'"),
        (f"domain:{LEVER}?sed=3", "did you mean 'seed'"),
        (f"domain:{LEVER}?n=many", "n is 'many'"),
        (f"domain:{LEVER}?depth=deep", "depth is 'deep'"),
        (f"domain:{LEVER}/third", "a task is DIFFICULTY-SEED"),
        (f"{LEVER}x/3-1", "did you mean"),
    ],
)
def test_a_wrong_spec_says_what_is_allowed(spec, message):
    with pytest.raises(UsageError, match=message):
        load_tasks(spec)


def test_the_id_of_a_task_leads_back_to_it():
    for task in load_tasks("domain:cad.create.text?n=1&split=validation").tasks[:5]:
        assert load_tasks(task.id).tasks == (task,)


@pytest.mark.parametrize("text", ["smoke/plate", "my/folder", "a.b.c.d/3", "cad.a.b.c/9-1"])
def test_other_names_are_no_ids_of_generated_tasks(text):
    assert not is_task_id(text)
