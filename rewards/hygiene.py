"""Numbers that may reach a trainer or a report: finite, in range, of the right type, or absent.

A reward that is NaN kills a training run hours later, a string crashes the logger, and ``True``
counts as a perfect 1.0. So every component passes through here once. This module does not decide
what a reward means; it only decides whether a value is one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cadwright.tools.errors import UsageError
from cadwright.tools.geometry.part import Notice


@dataclass(frozen=True, slots=True)
class CleanReward:
    """Reward components after the check.

    Attributes:
        value: Weighted mean of the components that have a value, or None when none has one
            (masked: the trainer must skip the sample, never read it as 0).
        components: Every component by name, in [0, 1] or None.
        flags: What had to be changed: ``not_finite`` (masked) or ``out_of_range`` (clamped).
    """

    value: float | None
    components: dict[str, float | None]
    flags: tuple[Notice, ...]


def clean_reward(
    components: Mapping[str, object], *, weights: Mapping[str, float] | None = None
) -> CleanReward:
    """Return reward components fit for a trainer and a strict JSON report.

    Args:
        components: Raw values by name; None means "no score".
        weights: Weight by name, 1.0 where a name is absent.

    Returns:
        Clean components in [0, 1] with their weighted mean. NaN and infinities become None and
        are flagged, values outside [0, 1] are clamped and flagged.

    Raises:
        UsageError: A component is not a number; the message names it.
    """
    clean: dict[str, float | None] = {}
    flags: list[Notice] = []
    for name, raw in components.items():
        clean[name] = _clean_component(name, raw, flags)
    weight_of = {name: (weights or {}).get(name, 1.0) for name in clean}
    return CleanReward(weighted_mean(clean, weight_of), clean, tuple(flags))


def weighted_mean(values: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    """Return the mean of the values that exist, or None when no weighted value exists."""
    present = [(v, weights[name]) for name, v in values.items() if v is not None]
    total = math.fsum(weight for _, weight in present)
    if total <= 0.0:
        return None
    return unit_interval(math.fsum(value * weight for value, weight in present) / total)


def unit_interval(value: float) -> float:
    """Return ``value`` held to [0, 1]; rounding must never push a perfect score past 1."""
    return min(1.0, max(0.0, value))


def finite_number(name: str, value: object) -> float:
    """Return ``value`` as a float.

    Raises:
        UsageError: It is a boolean, not a number, or not finite; the message names ``name``.
    """
    number = real_number(name, value)
    if not math.isfinite(number):
        raise UsageError(f"{name} is {number}: give a finite number")
    return number


def real_number(name: str, value: object) -> float:
    """Return ``value`` as a float, NaN and infinities included.

    Raises:
        UsageError: It is a boolean or not a number; the message names ``name``.
    """
    # bool is an int and np.bool_ converts to float: both would read as a perfect score
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, bool) or not is_number:
        raise UsageError(f"{name} is {value!r} ({type(value).__name__}): give a number or None")
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf


def _clean_component(name: str, raw: object, flags: list[Notice]) -> float | None:
    if raw is None:
        return None
    number = real_number(f"reward component {name!r}", raw)
    if not math.isfinite(number):
        flags.append(Notice("not_finite", f"{name} was {number}: masked, no score"))
        return None
    if not 0.0 <= number <= 1.0:
        flags.append(Notice("out_of_range", f"{name} was {number:g}: clamped to [0, 1]"))
    return unit_interval(number)
