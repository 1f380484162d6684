from __future__ import annotations

import dataclasses
import json
import math

import pytest

from cadwright.tools.sandbox.limits import Limits


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "1", None, math.inf])
def test_limits_refuse_what_is_not_a_positive_count(value: object) -> None:
    with pytest.raises((TypeError, ValueError), match=r"Limits\.processes must be a positive"):
        Limits(processes=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, True, "20"])
def test_limits_refuse_a_wall_clock_that_is_no_time(value: object) -> None:
    with pytest.raises((TypeError, ValueError), match=r"Limits\.wall_s must be a positive number"):
        Limits(wall_s=value)  # type: ignore[arg-type]


def test_limits_are_json_able() -> None:
    limits = Limits(wall_s=1.5, cpu_s=3)
    assert Limits(**json.loads(json.dumps(dataclasses.asdict(limits)))) == limits
