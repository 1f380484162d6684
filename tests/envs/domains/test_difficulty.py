"""Difficulty means something: of compact parts the numbers and how they are told, else features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cadwright.envs.domains.audit_checks import check_task
from cadwright.envs.domains.compact import BY_NAME, FAMILIES
from cadwright.envs.domains.registry import domains, generate
from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.part import Inspection

TOLD = [d.id for d in domains() if d.id.startswith("cad.create.text.") and d.family in BY_NAME]
UNSEEN = Inspection(Outcome.OK, "", None, None, None)
each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


def lengths(task):
    counted = ("hole_count", "bolt_count")
    return [v for name, v in task.meta["dimensions"].items() if name not in counted]


@pytest.mark.parametrize("domain", TOLD)
def test_easy_compact_parts_are_told_number_by_number(domain):
    for level in (1, 2, 3):
        task = generate(domain, 0, level)
        assert "relations" not in task.meta
        assert all(f"{value}" in task.brief for value in lengths(task))


@pytest.mark.parametrize("domain", TOLD)
def test_hard_compact_parts_have_decimals_and_sizes_told_by_others(domain):
    for level in (4, 5):
        tasks = [generate(domain, seed, level) for seed in range(4)]
        assert any(value % 1 for task in tasks for value in lengths(task))
        for task in tasks:
            assert task.meta["relations"]
            assert all(relation["words"] in task.brief for relation in task.meta["relations"])


@pytest.mark.parametrize("domain", TOLD)
def test_sizes_told_by_others_are_those_of_the_part(domain):
    for task in (generate(domain, seed, 5) for seed in range(4)):
        assert list(check_task(None, task, UNSEEN)) == []


def test_a_size_that_follows_from_another_wrongly_is_found():
    task = generate(TOLD[0], 0, 5)
    (first, *rest) = task.meta["relations"]
    wrong = {**task.meta, "relations": [{**first, "more": first["more"] + 1}, *rest]}
    found = check_task(None, replace(task, meta=wrong), UNSEEN)
    assert [finding.code for finding in found] == ["wording_lacks"]


def test_a_measured_sheet_stays_in_whole_millimetres():
    for level in (1, 3, 5):
        task = generate("cad.create.measured.step_block", 0, level)
        assert all(isinstance(value, int) for value in task.meta["dimensions"].values())


@each_family
def test_fine_members_are_possible_and_what_their_constraints_say(family):
    pytest.importorskip("cadquery")
    for level in (4, 5):
        design = family.sample(np.random.default_rng(level), level)
        assert family.is_possible(design)
        made: dict[str, object] = {}
        exec(family.inline_program(design), made)
        box = made["result"].val().BoundingBox()
        asked = next(c for c in family.constraints(design) if c["kind"] == "bounding_box")
        assert [box.xlen, box.ylen, box.zlen] == pytest.approx(asked["size"], abs=1e-3)


SAID = [d.id for d in domains() if d.env == "browser" and d.operation in ("press", "set", "undo")]


@pytest.mark.parametrize("domain", SAID)
def test_what_a_hard_browser_task_types_is_not_in_its_brief(domain):
    for level in (4, 5):
        task = generate(domain, 3, level)
        calls = [call.arguments for call in task.gold.calls]
        typed = [call["text"] for call in calls if "text" in call]
        assert typed or ".undo." in domain
        assert not any(f" {text} " in task.brief for text in typed if float(text) > 12)


@pytest.mark.parametrize("domain", [d.id for d in domains() if d.env == "browser"])
def test_harder_browser_tasks_have_more_to_get_right(domain):
    easy, hard = (
        sum(generate(domain, seed, level).meta["features"] for seed in range(6)) for level in (1, 5)
    )
    assert easy < hard


def test_a_full_circle_is_drawn_with_its_diameter():
    task = generate("cad.create.drawing.plain_tube", 0, 5)
    marks = {mark["name"]: mark for mark in task.meta["drawing"]["annotations"]}
    for name in ("inner_radius", "outer_radius"):
        assert marks[name]["kind"] == "diameter"
        assert marks[name]["value"] == pytest.approx(2 * task.meta["dimensions"][name])
    assert marks["inner_radius"]["text"] == "⌀{value} THRU"
