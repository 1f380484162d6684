"""Every part family through the real sandbox and judge."""

import pytest
from part_families import BY_NAME, FAMILIES, NAMES, design_of, unmet

from cadwright.envs.domains.family import DIFFICULTIES
from cadwright.envs.runtime import Runtime
from cadwright.tools.errors import Outcome

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))]

every_family = pytest.mark.parametrize("name", NAMES)
every_difficulty = pytest.mark.parametrize("difficulty", DIFFICULTIES)
every_seed = pytest.mark.parametrize("seed", SEEDS)
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


@pytest.mark.slow
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


@pytest.mark.slow
@every_family
def test_the_inline_program_makes_the_same_part(runtime, name):
    family = BY_NAME[name]
    design = design_of(family, 5)
    part = built(runtime, family.program(design))
    assert built(runtime, family.inline_program(design)).digest == part.digest


@every_mated
@pytest.mark.parametrize("difficulty", [pytest.param(1, marks=pytest.mark.slow), 5])
def test_the_mate_meets_its_constraints(runtime, name, difficulty):
    family = BY_NAME[name]
    mate = family.mate(design_of(family, difficulty))
    part = built(runtime, mate.program)
    assert runtime.judge.inspect(part).outcome is Outcome.OK
    assert unmet(runtime.judge, part, mate.constraints) == []


@pytest.mark.slow
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
