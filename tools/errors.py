"""Every error and outcome of cadwright, in one tree.

CadwrightError
├── ToolError            the policy can act on it: it becomes text in the next observation
│   └── GeometryError    a shape cannot be read, measured or built
├── UsageError           the person can act on it: one clear line, exit code 2
│   └── TaskError        a task file or suite is wrong (file, line and field named)
├── DependencyError      an optional package or system library is missing
├── Interrupted          somebody stopped it; what is finished is kept
└── InfraError           our own machinery failed; the score is masked, never 0
    ├── WorkerTimeout    a worker did not answer within its time limit
    └── WorkerCrash      a worker died while it held a job
"""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """How one tool call, program or file ended.

    Every value but ``infra_error`` describes what the policy (or the file's author) did;
    ``infra_error`` is ours and masks the score.
    """

    OK = "ok"
    PYTHON_ERROR = "python_error"
    NATIVE_CRASH = "native_crash"
    TIMEOUT = "timeout"
    RESOURCE_LIMIT = "resource_limit"
    NO_RESULT = "no_result"
    NOT_A_SOLID = "not_a_solid"
    EMPTY_GEOMETRY = "empty_geometry"
    INVALID_GEOMETRY = "invalid_geometry"
    IMPORT_ERROR = "import_error"
    BAD_CALL = "bad_call"
    INFRA_ERROR = "infra_error"


class CadwrightError(Exception):
    """Root of every error that cadwright raises on purpose."""


class ToolError(CadwrightError):
    """An error the policy can act on: what was given, what is allowed, what to do.

    Args:
        message: One line for the policy.
        outcome: The code that the tool result carries.
    """

    def __init__(self, message: str, outcome: Outcome = Outcome.BAD_CALL) -> None:
        super().__init__(message)
        self.outcome = outcome


class GeometryError(ToolError):
    """A shape or file that cannot be read, measured or written."""

    def __init__(self, message: str, outcome: Outcome = Outcome.INVALID_GEOMETRY) -> None:
        super().__init__(message, outcome)


class UsageError(CadwrightError):
    """A wrong flag, path or file that the person at the keyboard can correct."""


class TaskError(UsageError):
    """A task file or suite that cannot be used as written."""


class DependencyError(CadwrightError):
    """An optional package or system library that this call needs is missing."""


class Interrupted(CadwrightError):
    """Somebody stopped it: what is finished is kept, and the rest can be taken up again."""


class InfraError(CadwrightError):
    """Our own machinery failed: the policy is not to blame and the score is masked."""


class WorkerTimeout(InfraError):
    """A worker process did not answer in time and was killed."""


class WorkerCrash(InfraError):
    """A worker process died while it held a job."""
