"""Which check answers which kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cadwright.rewards.constraints.record import Constraint
from cadwright.rewards.constraints.result import Finding
from cadwright.rewards.constraints.subject import Subject

Asked = TypeVar("Asked", bound=Constraint)
Check = Callable[[Asked, Subject], Finding]

# The first argument of a check is its own kind, which a plain mapping cannot express.
CHECKS: dict[type[Constraint], Callable[[Any, Subject], Finding]] = {}


def checks(kind: type[Asked]) -> Callable[[Check[Asked]], Check[Asked]]:
    """Register the check of a kind."""

    def register(check: Check[Asked]) -> Check[Asked]:
        CHECKS[kind] = check
        return check

    return register
