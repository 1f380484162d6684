"""What part families say of their members, without building them."""

import ast
import math
import re

import numpy as np
import pytest
from part_families import BY_NAME, FAMILIES, NAMES, design_of

from cadwright.envs.domains.family import DIFFICULTIES, number
from cadwright.envs.domains.sampling import tidy
from cadwright.rewards.constraints.parse import parse_constraints

# Which coordinate a view drops.
DEPTH = {"front": 1, "top": 2, "right": 0}
# What a dimension is, in distances between the two points of its annotation.
FACTOR = {"linear": 1, "radius": 1, "diameter": 2}

every_family = pytest.mark.parametrize("name", NAMES)
every_difficulty = pytest.mark.parametrize("difficulty", DIFFICULTIES)
every_drawn = pytest.mark.parametrize("name", [f.name for f in FAMILIES if f.annotate])


@every_family
@every_difficulty
def test_every_brief_says_every_number(name, difficulty):
    family = BY_NAME[name]
    design = design_of(family, difficulty)
    for brief in family.briefs(design):
        missing = [d.name for d in family.used(design) if number(design[d.name]) not in brief]
        assert missing == []


@every_family
def test_there_are_three_different_wordings(name):
    assert len(set(BY_NAME[name].briefs(design_of(BY_NAME[name], 5)))) >= 3


@every_family
@every_difficulty
def test_what_is_drawn_is_possible_and_rises_in_features(name, difficulty):
    family = BY_NAME[name]
    for seed in range(20):
        design = design_of(family, difficulty, seed)
        assert family.is_possible(design)
        bounds = {1: (0, 0), 2: (1, 1), 3: (1, 9), 4: (1, 9), 5: (len(family.options),) * 2}
        low, high = bounds[difficulty]
        assert low <= len(design.options) <= high


@every_family
@every_difficulty
def test_a_seed_gives_one_design(name, difficulty):
    family = BY_NAME[name]
    assert design_of(family, difficulty, 7) == design_of(family, difficulty, 7)


@every_family
def test_a_design_has_a_number_for_every_dimension(name):
    family = BY_NAME[name]
    assert set(design_of(family, 3).values) == {d.name for d in family.dimensions}
    assert set(family.used(design_of(family, 5))) == set(family.dimensions)


@every_family
def test_a_program_assigns_each_dimension_once(name):
    family = BY_NAME[name]
    program = ast.parse(family.program(design_of(family, 5)))
    nodes = [n for n in ast.walk(program) if isinstance(n, ast.Name)]
    stored = [n.id for n in nodes if isinstance(n.ctx, ast.Store)]
    assert {
        d.name: stored.count(d.name) for d in family.dimensions if stored.count(d.name) != 1
    } == {}


@every_family
def test_toggling_keeps_constraints_readable(name):
    family = BY_NAME[name]
    for option in family.options:
        records = family.constraints(design_of(family, 5).toggled(option))
        assert parse_constraints(records)


@every_family
def test_every_step_leaves_a_result(name):
    assert all("result = " in step.code for step in BY_NAME[name].steps)


@every_family
def test_options_and_steps_name_each_other(name):
    family = BY_NAME[name]
    assert {step.option for step in family.steps if step.option} == set(family.options)


@every_drawn
@every_difficulty
def test_a_drawing_dimensions_what_is_used_and_nothing_else(name, difficulty):
    family = BY_NAME[name]
    design = design_of(family, difficulty)
    drawn = {a.name for a in family.annotate(design) if a.name}
    assert drawn == {d.name for d in family.used(design)}


@every_drawn
@every_difficulty
def test_the_points_of_a_dimension_are_as_far_apart_as_it_says(name, difficulty):
    family = BY_NAME[name]
    design = design_of(family, difficulty)
    for mark in family.annotate(design):
        if mark.kind in FACTOR:
            first, second = (np.delete(point, DEPTH[mark.view]) for point in mark.points)
            got = FACTOR[mark.kind] * np.linalg.norm(second - first)
            assert got == pytest.approx(design[mark.name], abs=1e-6), mark


def test_families_have_names_of_their_own():
    assert len(BY_NAME) == len(FAMILIES)


@every_family
@pytest.mark.parametrize("factor", [0.5, 0.8, 1.25, 2])
def test_any_change_of_a_number_can_be_judged(name, factor):
    family = BY_NAME[name]
    design = design_of(family, 5)
    for dimension in family.dimensions:
        value = tidy(design[dimension.name] * factor)
        if dimension.unit == "count":
            value = max(1, round(value))
        changed = design.having(**{dimension.name: value})
        if family.is_possible(changed):
            assert parse_constraints(family.constraints(changed))


@every_family
def test_a_number_that_may_be_one_stands_before_no_plural(name):
    family = BY_NAME[name]
    texts = [*family.wordings, *family.options.values(), *(step.about for step in family.steps)]
    for dimension in (d for d in family.dimensions if d.unit == "count"):
        # "1 by 2 cells" is right: the last of several numbers is not what the noun counts
        plural = re.compile(r"(?<!by )\{" + dimension.name + r"\} ([a-z-]+ ){0,2}[a-z]+s\b")
        if any(plural.search(text) for text in texts):
            designs = [design_of(family, level, seed) for level in (1, 3, 5) for seed in range(20)]
            ones = [design.having(**{dimension.name: 1}) for design in designs]
            assert not any(family.is_possible(one) for one in ones)


@every_drawn
def test_a_note_that_counts_holes_on_a_circle_points_at_one(name):
    family = BY_NAME[name]
    for design in (design_of(family, 5, seed) for seed in range(10)):
        notes = {mark.name: mark for mark in family.annotate(design) if mark.kind == "note"}
        rings = [one for one in family.constraints(design) if one["kind"] == "hole_circle"]
        for ring in rings:
            counted = [m for n, m in notes.items() if n and design[n] == ring["count"]]
            for mark in (m for m in counted if "evenly" in m.text):
                (x, y, _), step = mark.points[0], 2 * math.pi / ring["count"]
                assert math.hypot(x, y) == pytest.approx(ring["circle"] / 2)
                turns = math.atan2(y, x) / step
                assert turns == pytest.approx(round(turns), abs=1e-9)
