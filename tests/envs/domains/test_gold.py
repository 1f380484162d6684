"""One task of every domain through the real workers: gold scores 1.0, naive answers do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cadwright.envs.domains.audit import NEAR_GOLD, Auditor
from cadwright.envs.domains.registry import domains, generate

SEED = 1
ALL = domains()
FAMILIES = sorted({(domain.env, domain.family) for domain in ALL})
WAYS = sorted({(domain.env, domain.operation, domain.modality) for domain in ALL})


def marked(keys):
    """Mark what needs a browser."""
    return [
        pytest.param(key, id=".".join(key), marks=[pytest.mark.browser][key[0] != "browser" :])
        for key in keys
    ]


@pytest.fixture(scope="module")
def auditor(runtime):
    return Auditor(runtime)


def first_of(way):
    return next(d for d in ALL if (d.env, d.operation, d.modality) == way)


# one family after the other: its domains ask for the same parts, which are made once
@pytest.mark.parametrize("family", marked(FAMILIES))
def test_the_gold_answer_of_every_domain_scores_one(family, auditor):
    mine = [domain for domain in ALL if (domain.env, domain.family) == family]
    scores = {d.id: auditor.scores(generate(d.id, SEED, 2), ("gold",))["gold"] for d in mine}
    assert scores == dict.fromkeys(scores, pytest.approx(1.0, abs=0.01))


@pytest.mark.parametrize("way", marked(WAYS))
def test_a_task_of_every_way_of_asking_is_clean_and_not_won_by_doing_nothing(way, auditor):
    audit = auditor.task(generate(first_of(way).id, SEED, 3))
    assert audit.faults == ()
    assert audit.gold > 0.99
    for naive in (audit.box, audit.unchanged):
        assert naive is None or naive < NEAR_GOLD


def test_an_unedited_part_earns_nothing(auditor):
    task = generate(first_of(("cad", "edit", "start")).id, SEED, 3)
    assert auditor.task(task).unchanged == 0.0


def test_a_brief_that_forgets_a_number_is_found(auditor):
    task = generate("cad.create.text.lever", SEED, 3)
    wrong = replace(task, brief="A lever of steel with two bores and a boss, in mm.")
    assert any(fault.startswith("wording_lacks") for fault in auditor.task(wrong).faults)


def test_an_error_message_that_no_program_gives_is_found(auditor):
    task = generate(first_of(("cad", "debug", "program")).id, SEED, 3)
    told = {"kind": "name", "line": 1, "error": "NameError: name 'x' is not defined"}
    wrong = replace(task, meta={**task.meta, "fault": told})
    assert any(fault.startswith("error_differs") for fault in auditor.task(wrong).faults)


def test_an_answer_that_the_part_does_not_have_is_found(auditor):
    task = generate(first_of(("cad", "inspect", "start")).id, SEED, 3)
    wrong = replace(task, answer={"value": 1.5, "about": "volume", "tolerance": 0.005})
    assert any(fault.startswith("answer_differs") for fault in auditor.task(wrong).faults)


def test_a_start_that_is_the_answer_is_found(auditor):
    task = generate(first_of(("cad", "edit", "start")).id, SEED, 3)
    wrong = replace(task, start=task.reference)
    assert any(fault.startswith("start_wins") for fault in auditor.task(wrong).faults)
