"""Partial credit: how much of a wrong answer still counts.

One law for every residual of the package. It is smooth and falls all the way, so that a policy
that comes closer is always told so, and it never reaches 0, so that no group of wrong answers
looks alike. It knows nothing about what the residual measures.
"""

from __future__ import annotations

import math

from cadwright.rewards.hygiene import unit_interval
from cadwright.tools.errors import UsageError


def credit(residual: float, tolerance: float, half: float) -> float:
    """Return the credit of a residual: 1 inside the tolerance, then ``2**(-(r - tol) / half)``.

    Args:
        residual: Distance from what was asked, at least 0, in any unit; infinity earns 0.
        tolerance: Residual that still earns full credit, in the same unit.
        half: Further residual that halves the credit, in the same unit, above 0.

    Raises:
        UsageError: The residual is negative or no number, or ``half`` is not above 0.
    """
    if math.isnan(residual) or residual < 0.0:
        raise UsageError(f"residual is {residual}: give a number that is 0 or more")
    if not half > 0.0:
        raise UsageError(f"half is {half}: give a number above 0")
    beyond = residual - tolerance
    return 1.0 if beyond <= 0.0 else unit_interval(2.0 ** (-beyond / half))
