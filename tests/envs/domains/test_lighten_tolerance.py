"""What a lightweight task says of its tolerance is what its judge allows."""

import re

import pytest

from cadwright.envs.domains.registry import generate, matching


@pytest.mark.parametrize("made", matching("cad.lightweight.*")[:6], ids=lambda made: made.id)
def test_the_brief_and_the_constraint_name_one_tolerance(made):
    task = generate(made.id, seed=1)
    percent = float(re.search(r"to within ([\d.]+) %", task.brief)[1])
    mass = next(record for record in task.constraints if record["kind"] == "mass")
    assert mass["tolerance"] == pytest.approx(percent / 100 * mass["value"], rel=1e-3, abs=1e-4)
