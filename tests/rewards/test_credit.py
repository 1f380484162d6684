import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.rewards.credit import credit
from cadwright.tools.errors import UsageError

SIZES = st.floats(0.0, 1e6)
HALVES = st.floats(1e-3, 1e6)


@given(SIZES, HALVES)
def test_a_residual_within_the_tolerance_earns_everything(tolerance, half):
    assert credit(tolerance, tolerance, half) == 1.0


@given(SIZES, SIZES, SIZES, HALVES)
def test_a_larger_residual_never_earns_more(first, second, tolerance, half):
    small, large = sorted((first, second))
    assert credit(small, tolerance, half) >= credit(large, tolerance, half)


@given(st.floats(0.1, 100.0), st.floats(0.1, 100.0))
def test_half_the_credit_is_left_after_half(tolerance, half):
    assert credit(tolerance + half, tolerance, half) == pytest.approx(0.5)


def test_an_infinite_residual_earns_nothing():
    assert credit(math.inf, 0.1, 1.0) == 0.0


@pytest.mark.parametrize("residual", [-1.0, math.nan], ids=str)
def test_a_residual_that_is_no_distance_is_refused(residual):
    with pytest.raises(UsageError, match="residual"):
        credit(residual, 0.1, 1.0)


def test_a_half_of_zero_is_refused():
    with pytest.raises(UsageError, match="half"):
        credit(1.0, 0.1, 0.0)
