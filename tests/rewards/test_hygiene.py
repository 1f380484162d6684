import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.rewards.hygiene import clean_reward
from cadwright.tools.errors import UsageError

CASE = Path(__file__).parents[1] / "cases" / "eval" / "e04_hostile_scores.json"
HOSTILE = json.loads(CASE.read_text(encoding="utf-8"))["rewards_from_components"]
IDS = [f"{value!r}-{type(value).__name__}" for value in HOSTILE]


@pytest.mark.parametrize("value", HOSTILE, ids=IDS)
def test_hostile_component_is_refused_masked_or_clamped(value):
    components = {"shape": value, "size": 0.5}
    if isinstance(value, str | bool):
        with pytest.raises(UsageError, match="'shape'"):
            clean_reward(components)
        return
    clean = clean_reward(components)
    if value is None or not math.isfinite(value):
        assert clean.components["shape"] is None
        assert clean.value == 0.5
    else:
        assert clean.components["shape"] in (0.0, 1.0)
    codes = [flag.code for flag in clean.flags]
    expected = {True: [], False: ["not_finite"]}[value is None or math.isfinite(value)]
    if value in (2.0, -1000.0):
        expected = ["out_of_range"]
    assert codes == expected


def test_flag_names_the_component():
    assert "surface" in clean_reward({"surface": math.nan}).flags[0].message


def test_nothing_but_masked_components_is_masked_not_zero():
    assert clean_reward({"a": None, "b": math.nan}).value is None


def test_no_components_is_masked_not_zero():
    assert clean_reward({}).value is None


def test_weights_decide_the_mean():
    clean = clean_reward({"a": 1.0, "b": 0.0}, weights={"a": 3.0, "b": 1.0})
    assert clean.value == pytest.approx(0.75)


@pytest.mark.parametrize(
    "value", [np.float32(0.25), np.int64(1), np.float64(0.5)], ids=["float32", "int64", "float64"]
)
def test_numpy_numbers_are_numbers(value):
    assert clean_reward({"a": value}).value == float(value)


@pytest.mark.parametrize(
    "value", [np.True_, np.array([0.5]), [0.5], 1j], ids=["bool_", "array", "list", "complex"]
)
def test_anything_else_is_refused_by_name(value):
    with pytest.raises(UsageError, match="'a'"):
        clean_reward({"a": value})


def test_integer_beyond_float_is_masked():
    assert clean_reward({"a": 10**400}).value is None


@given(st.dictionaries(st.text(max_size=5), st.one_of(st.none(), st.floats(), st.integers())))
def test_whatever_comes_in_what_goes_out_is_strict_json(components):
    clean = clean_reward(components)
    json.dumps([clean.value, clean.components], allow_nan=False)
    assert clean.value is None or 0.0 <= clean.value <= 1.0
