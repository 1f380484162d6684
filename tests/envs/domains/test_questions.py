"""Questions mean one thing, and the harder ones ask for what has to be worked out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cadwright.envs.domains.audit_checks import check_task
from cadwright.envs.domains.catalogue import families
from cadwright.envs.domains.compact import BY_NAME
from cadwright.envs.domains.compact_volumes import VOLUME
from cadwright.envs.domains.naming import feature_name, overall_name
from cadwright.envs.domains.questions import questions
from cadwright.envs.domains.registry import domains, generate
from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.part import Inspection

ASKED = [d for d in domains() if d.env == "cad" and d.operation == "inspect"]
SEEDS, LEVELS = range(3), (1, 2, 3, 4, 5)
each_family = pytest.mark.parametrize("name", sorted({d.family for d in ASKED}))
each_domain = pytest.mark.parametrize("domain", [d.id for d in ASKED])


def designs(family):
    return [family.sample(np.random.default_rng(s), level) for s in SEEDS for level in LEVELS]


@each_family
def test_a_name_in_a_question_fits_one_dimension_only(name):
    family = families()[name]
    for design in designs(family):
        used = family.used(design)
        named = {
            d: said
            for d in used
            if (said := overall_name(family, design, d) or feature_name(d)) is not None
        }
        assert len(set(named.values())) == len(named)
        for dimension, said in named.items():
            others = [other.label for other in used if other != dimension]
            assert not any(set(said.split()) <= set(other.split()) for other in others)


@each_family
def test_a_size_is_asked_with_what_it_belongs_to(name):
    family = families()[name]
    for design in designs(family):
        for question in questions(family, design, np.random.default_rng(0)):
            if question.kind in ("dimension", "ratio"):
                assert f" of the {family.title}" in question.text


@each_domain
def test_harder_questions_ask_for_more(domain):
    mean = {
        level: np.mean([generate(domain, seed, level).meta["hardness"] for seed in range(6)])
        for level in (1, 5)
    }
    assert mean[1] + 0.5 <= mean[5]


@each_domain
def test_what_a_picture_does_not_show_is_not_asked_of_it(domain):
    for task in (generate(domain, seed, 2) for seed in range(6)):
        if ".views." in domain:
            assert "depth" not in task.brief


def test_a_question_that_fits_two_dimensions_is_found():
    task = generate("cad.inspect.start.slotted_plate", 2, 2)
    for wrong in ("What is the length, in mm?", "What is the length of the plate, in mm?"):
        asked = replace(task, brief=wrong, answer={"value": 40.0, "about": "dimension"})
        found = check_task(None, asked, Inspection(Outcome.OK, "", None, None, None))
        assert [finding.code for finding in found] == ["question_unclear"]


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_the_volume_of_a_compact_part_is_the_kernels(name):
    pytest.importorskip("cadquery")
    family = BY_NAME[name]
    for seed in range(2):
        design = family.sample(np.random.default_rng(seed), 1)
        made: dict[str, object] = {}
        exec(family.inline_program(design), made)
        assert VOLUME[name](design) == pytest.approx(made["result"].val().Volume(), rel=1e-6)
