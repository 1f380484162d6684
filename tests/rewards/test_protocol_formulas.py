"""Published formulas against numbers worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.rewards.protocols import formulas

COUNTS = st.tuples(*[st.integers(0, 20)] * 3)


@pytest.mark.parametrize(
    ("chamfer", "reward"),
    [
        (0.0, 1.0),
        (9e-6, 1.0),
        (1e-5, 1.0),
        (0.250005, 0.505),  # half way down the line
        (0.5 - 1e-12, 0.01),
        (0.5, 0.0),
        (7.0, 0.0),
    ],
)
def test_cad_coder_credit_is_one_then_a_line_then_nothing(chamfer, reward):
    assert formulas.cad_coder_geometry(chamfer) == pytest.approx(reward, abs=1e-9)


@pytest.mark.parametrize(
    ("angles", "area"),
    [
        ([0.0, 0.0, 0.0], 1.0),
        ([math.pi / 2, math.pi / 2], 0.625),  # (0 + 1/2)/2 over the first half, 1 over the second
        ([0.0, math.pi], 0.75),  # from 1/2 up to 1 in one trapezoid
        ([math.pi], 0.5),
    ],
)
def test_normal_auc_is_the_area_by_trapezoids(angles, area):
    assert formulas.normal_auc(np.array(angles)) == pytest.approx(area)


@pytest.mark.parametrize(
    ("part", "reference", "product"),
    [
        ((1, 4, 0), (1, 2, 0), 0.36),  # printed in the benchmark's documentation
        ((2, 0, 0), (1, 0, 0), 4 / 9),  # printed there too
        ((1, 1, 1), (1, 1, 1), 1.0),
        ((2, 3, 1), (1, 1, 0), (2 / 3 * 2 / 4 * 1 / 2) ** 2),
        ((1, -1, 0), (1, 0, 0), 0.0),
    ],
)
def test_topology_product_of_counts(part, reference, product):
    assert formulas.topology_product(part, reference) == pytest.approx(product)


@given(COUNTS, COUNTS)
def test_topology_product_does_not_depend_on_the_order(part, reference):
    assert formulas.topology_product(part, reference) == formulas.topology_product(reference, part)


@pytest.mark.parametrize(
    ("value", "start", "gain"),
    [(0.8, 0.8, 0.0), (1.0, 0.8, 1.0), (0.9, 0.8, 0.5), (0.3, 0.8, 0.0), (1.0, 1.0, 1.0)],
)
def test_gain_over_the_start_counts_from_the_start(value, start, gain):
    assert formulas.over_start(value, start) == pytest.approx(gain)


def test_tolerant_overlap_forgives_one_face():
    one, two = (np.zeros((6, 6, 6), bool) for _ in range(2))
    one[2, 2, 2] = two[3, 2, 2] = True
    assert formulas.tolerant_overlap(one, two, 2) == 1.0


def test_tolerant_overlap_counts_what_lies_outside_the_box():
    one = np.zeros((4, 4, 4), bool)
    one[1:3, 1:3, 1:3] = True  # 8 cells in common, 8 more of the part far away: 8 / (24 - 8)
    assert formulas.tolerant_overlap(one, one, 24) == 0.5


def test_tolerant_overlap_of_a_corner_neighbour_is_zero():
    one, two = (np.zeros((6, 6, 6), bool) for _ in range(2))
    one[2, 2, 2] = two[3, 3, 2] = True
    assert formulas.tolerant_overlap(one, two, 2) == 0.0


def test_no_cells_at_all_overlap_nothing():
    nothing = np.zeros((3, 3, 3), bool)
    assert formulas.tolerant_overlap(nothing, nothing, 0) == 0.0
