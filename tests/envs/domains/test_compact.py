"""Compact families: whole numbers, one line, at most 60 mm, and a box as they ask for it."""

import numpy as np
import pytest

from cadwright.envs.domains.compact import BY_NAME, FAMILIES
from cadwright.envs.domains.compact_grid import LARGEST_MM, CompactFamily, Grid

MAX_TABLE = 8  # cells of a measured sheet
CLOSE_MM = 1e-3

each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


def test_there_are_24_families_with_names_of_their_own() -> None:
    assert len(BY_NAME) == len(FAMILIES) == 24


@each_family
def test_members_are_what_their_constraints_say(family: CompactFamily) -> None:
    cadquery = pytest.importorskip("cadquery")
    rng = np.random.default_rng(0)
    for _ in range(3):
        design = family.sample(rng, 1)
        names: dict[str, object] = {}
        exec(family.inline_program(design), names)
        result = names["result"]
        assert isinstance(result, cadquery.Workplane)
        box = result.val().BoundingBox()
        asked = next(c for c in family.constraints(design) if c["kind"] == "bounding_box")
        assert [box.xlen, box.ylen, box.zlen] == pytest.approx(asked["size"], abs=CLOSE_MM)
        centre = [box.center.x, box.center.y, box.center.z]
        assert centre == pytest.approx(asked["centre"], abs=CLOSE_MM)
        assert max(box.xlen, box.ylen, box.zlen) <= LARGEST_MM + CLOSE_MM
        assert len(result.solids().vals()) == 1


@each_family
def test_a_program_is_one_chain_of_whole_numbers(family: CompactFamily) -> None:
    design = family.sample(np.random.default_rng(1), 1)
    lines = family.inline_program(design).split("\n")
    assert lines[0] == "import cadquery as cq"
    assert [line for line in lines[1:] if line] == [lines[2]]
    assert all(isinstance(value, int) for value in design.values.values())


@each_family
def test_every_wording_says_every_dimension(family: CompactFamily) -> None:
    assert len(family.wordings) >= 4
    assert len(family.dimensions) <= MAX_TABLE
    for wording in family.wordings:
        assert all("{" + d.name + "}" in wording for d in family.dimensions)


@each_family
def test_neighbours_stay_in_the_family(family: CompactFamily) -> None:
    rng = np.random.default_rng(2)
    design = family.sample(rng, 1)
    for changes in (1, 2, 3):
        other = family.neighbour(rng, design, changes=changes)
        assert family.is_possible(other)
        moved = [n for n in family.grids if other[n] != design[n]]
        assert 1 <= len(moved) <= changes


@each_family
def test_a_whole_number_off_the_grid_is_no_member(family: CompactFamily) -> None:
    design = family.sample(np.random.default_rng(3), 1)
    assert family.is_possible(design)
    for name, grid in family.grids.items():
        assert not family.is_possible(design.having(**{name: 1000}))
        assert grid.step == 1 or not family.is_possible(design.having(**{name: design[name] + 1}))


def test_a_grid_admits_decimals_between_its_ends_and_counts_none() -> None:
    assert Grid(4, 12, 2).admits(5.5)
    assert not Grid(4, 12, 2).admits(12.5)
    assert not Grid(4, 12, unit="count").admits(5.5)


def test_a_grid_draws_what_it_holds() -> None:
    grid, rng = Grid(4, 12, 2), np.random.default_rng(4)
    drawn = {grid.draw(rng) for _ in range(100)}
    assert drawn == {4, 6, 8, 10, 12}
    assert not grid.holds(5)
    assert not grid.holds(14)
