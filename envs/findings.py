"""What lint has to say about a task: findings and their report."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Level(StrEnum):
    """An error makes the task unfit for use; a warning asks a person to look."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault, with a stable code."""

    level: Level
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class LintReport:
    """All findings of one task; none at all is a clean task."""

    task_id: str
    findings: tuple[Finding, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that make the task unfit for use."""
        return tuple(f for f in self.findings if f.level is Level.ERROR)

    @property
    def is_clean(self) -> bool:
        """Whether there is no error; warnings are allowed."""
        return not self.errors

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return {"id": self.task_id, "findings": [asdict(f) for f in self.findings]}


def error(code: str, message: str) -> Finding:
    """Return a finding that makes the task unfit for use."""
    return Finding(Level.ERROR, code, message)


def warning(code: str, message: str) -> Finding:
    """Return a finding that asks a person to look."""
    return Finding(Level.WARNING, code, message)
