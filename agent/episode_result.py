"""The record of one finished episode: one row of a table, one file on disk."""

from __future__ import annotations

import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cadwright.agent.context_report import ContextTotals
from cadwright.agent.messages import Usage
from cadwright.envs.core import EndReason
from cadwright.tools.errors import InfraError, Outcome

if TYPE_CHECKING:
    from cadwright.rewards.score import Score

Area = Literal["policy", "tool", "sandbox", "render", "reward"]

_AREAS: tuple[tuple[str, Area], ...] = (
    ("cadwright.tools.rendering", "render"),
    ("cadwright.tools.sandbox", "sandbox"),
)


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure that is not the policy's decision, put at one door.

    Attributes:
        area: Whose it is.
        error: Class of the exception.
        message: Its text.
        trace: The traceback, for whoever repairs it.
        is_infra: Our machinery failed and may work at the next try; False for a plain bug.
    """

    area: Area
    error: str
    message: str
    trace: str
    is_infra: bool

    @classmethod
    def of(cls, error: Exception, area: Area) -> Fault:
        """Describe ``error``; a tool's failure belongs to the machinery that it broke in."""
        return cls(
            area=_area_of(error) or area if area == "tool" else area,
            error=type(error).__name__,
            message=str(error) or type(error).__name__,
            trace="".join(traceback.format_exception(error)),
            is_infra=isinstance(error, InfraError | OSError),
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain data without the traceback, whose paths differ between machines."""
        return {"area": self.area, "error": self.error, "message": self.message}


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """How one episode went.

    Attributes:
        outcome: ``ok`` where a part was left to score, else why there is none.
        end_reason: What ended the conversation.
        message: The reason in words, empty where all went well.
        turns: Assistant turns taken.
        calls: Tool calls run.
        score: The judge's score, or None where it could not be made.
        part_digest: Hash of the part's geometry, or empty.
        seconds: Wall time of everything, scoring included.
        folder: Where the trajectory and its files lie.
        files: What lies there besides, by role: ``part``, ``sheet``, ...
        fault: What broke, where something of ours or of the policy's code did.
        problems: Calls that were answered without being run.
        repairs: Lossless repairs that made calls readable.
        usage: Tokens and cost over all attempts of all turns, where the policy counts them.
        context: What all turns sent and dropped, where the policy has a context budget.
    """

    task_id: str
    variant: str
    policy: str
    seed: int
    outcome: Outcome
    end_reason: EndReason
    message: str
    turns: int
    calls: int
    score: Score | None
    part_digest: str
    seconds: float
    folder: Path
    files: dict[str, str]
    fault: Fault | None = None
    problems: int = 0
    repairs: int = 0
    usage: Usage | None = None
    context: ContextTotals | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain data; equal for equal episodes except for ``seconds``."""
        return {
            "task": self.task_id,
            "variant": self.variant,
            "policy": self.policy,
            "seed": self.seed,
            "outcome": self.outcome.value,
            "end_reason": self.end_reason.value,
            "message": self.message,
            "turns": self.turns,
            "calls": self.calls,
            "score": self.score.to_json() if self.score is not None else None,
            "part_digest": self.part_digest,
            "files": self.files,
            "fault": self.fault.to_json() if self.fault is not None else None,
            "problems": self.problems,
            "repairs": self.repairs,
            "usage": self.usage.to_json() if self.usage is not None else None,
            "context": asdict(self.context) if self.context is not None else None,
            "seconds": round(self.seconds, 3),
        }


def _area_of(error: BaseException) -> Area | None:
    """Return the machinery that the innermost frame of ours belongs to."""
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        module = frame.f_globals.get("__name__", "")
        for prefix, area in _AREAS:
            if module.startswith(prefix):
                return area
    return None
