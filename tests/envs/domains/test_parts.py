"""Every part family through the real sandbox and judge."""

import numpy as np
import pytest
from part_families import BY_NAME, FAMILIES, NAMES, design_of, unmet

from cadwright.envs.domains.family import DIFFICULTIES, number
from cadwright.envs.runtime import Runtime
from cadwright.tools.errors import Outcome

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))]
# Which coordinate a view drops.
DEPTH = {"front": 1, "top": 2, "right": 0}
# What a dimension is, in distances between the two points of its annotation.
FACTOR = {"linear": 1, "radius": 1, "diameter": 2}

every_family = pytest.mark.parametrize("name", NAMES)
every_difficulty = pytest.mark.parametrize("difficulty", DIFFICULTIES)
every_seed = pytest.mark.parametrize("seed", SEEDS)
every_drawn = pytest.mark.parametrize("name", [f.name for f in FAMILIES if f.annotate])
every_mated = pytest.mark.parametrize("name", [f.name for f in FAMILIES if f.mate])
every_option = pytest.mark.parametrize(
    ("name", "option"), [(f.name, option) for f in FAMILIES for option in f.options]
)


@pytest.fixture(scope="module")
def runtime():
    with Runtime.open(backend="raycast") as opened:
        yield opened


def built(runtime, program):
    step = runtime.sandbox.run(program)
    assert step.error is None, f"{step.error}\n{program}"
    return step.part


@every_family
@every_difficulty
@every_seed
def test_a_member_is_a_valid_part_that_meets_its_constraints(runtime, name, difficulty, seed):
    family = BY_NAME[name]
    design = design_of(family, difficulty, seed)
    part = built(runtime, family.program(design))
    assert runtime.judge.inspect(part).outcome is Outcome.OK
    assert unmet(runtime.judge, part, family.constraints(design)) == []


@every_option
def test_every_option_can_be_added_and_taken_away(runtime, name, option):
    family = BY_NAME[name]
    design = design_of(family, 5)
    part = built(runtime, family.program(design))
    without = built(runtime, family.program(design.toggled(option)))
    assert without.digest != part.digest
    assert unmet(runtime.judge, without, family.constraints(design.toggled(option))) == []


@every_option
def test_a_bare_part_with_one_option_meets_its_constraints(runtime, name, option):
    family = BY_NAME[name]
    design = design_of(family, 1).toggled(option)
    part = built(runtime, family.program(design))
    assert unmet(runtime.judge, part, family.constraints(design)) == []


@every_family
def test_the_inline_program_makes_the_same_part(runtime, name):
    family = BY_NAME[name]
    design = design_of(family, 5)
    part = built(runtime, family.program(design))
    assert built(runtime, family.inline_program(design)).digest == part.digest


@every_mated
@pytest.mark.parametrize("difficulty", [1, 5])
def test_the_mate_meets_its_constraints(runtime, name, difficulty):
    family = BY_NAME[name]
    mate = family.mate(design_of(family, difficulty))
    part = built(runtime, mate.program)
    assert runtime.judge.inspect(part).outcome is Outcome.OK
    assert unmet(runtime.judge, part, mate.constraints) == []


@every_mated
@pytest.mark.parametrize("difficulty", [1, 5])
def test_the_mate_does_not_cut_into_its_part(runtime, name, difficulty):
    family = BY_NAME[name]
    design = design_of(family, difficulty)
    made = f"{family.program(design)}\nwhole = result\n{family.mate(design).program}"
    step = runtime.sandbox.run(f"{made}\nresult = whole.intersect(result)")
    assert step.error is None or step.outcome is Outcome.EMPTY_GEOMETRY, step.error
    measures = None if step.part is None else runtime.judge.inspect(step.part).measures
    assert measures is None or measures.volume_mm3 == pytest.approx(0.0, abs=1e-3)


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
