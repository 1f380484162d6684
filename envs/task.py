"""The task: what an agent is asked to make, and what the judge holds against it.

A ``Task`` is plain data. ``public()`` is the half that a policy may see; the reference, the gold
answer and everything else in ``meta`` stay with the judge and never enter a sandbox, a prompt or
an observation. Reading task files is in ``tasks_file``, making parts from sources in ``sources``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from cadwright.envs.sources import GeometrySource, ImageSource, geometry_from_json
from cadwright.tools.tool import ToolCall

__all__ = [
    "ENVS",
    "EpisodeLimits",
    "GeometrySource",
    "Gold",
    "ImageSource",
    "PublicTask",
    "Task",
]

ENVS = ("cad", "mesh", "browser")


@dataclass(frozen=True, slots=True)
class EpisodeLimits:
    """Where an episode is cut off.

    Attributes:
        turns: Assistant turns.
        wall_s: Seconds for the whole episode, the policy's own time included.
        step_s: Seconds for one tool call.
        repeated_failures: Failed turns in a row, or failures of one and the same call.
        images: Most images that one observation may carry.
    """

    turns: int = 12
    wall_s: float = 600.0
    step_s: float = 30.0
    repeated_failures: int = 4
    images: int = 4


@dataclass(frozen=True, slots=True)
class Gold:
    """A known right answer.

    ``program`` runs in the sandbox, ``part`` is a file that is submitted as it is (for data sets
    that ship no program), ``calls`` are replayed one by one.
    """

    kind: Literal["program", "part", "calls"]
    source: GeometrySource | None = None
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class PublicTask:
    """What a policy may see of a task."""

    id: str
    domain: str
    env: str
    brief: str
    images: tuple[ImageSource, ...]
    start: GeometrySource | None
    tools: tuple[str, ...] | None
    limits: EpisodeLimits


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        id: Any printable text, unique in its suite; ``safe_name`` makes a file name of it.
        brief: What to make, in words. Lengths are mm unless it says otherwise.
        domain: Family, operation and modality, dotted: ``cad.create.text.flange``.
        env: The environment that runs it.
        images: Pictures that belong to the brief.
        start: Geometry the agent begins with (edit and repair tasks).
        reference: What the result is measured against. Hidden.
        constraints: Typed constraints, one record each. Hidden unless the brief says them.
        tools: Names of the allowed tools, or None for all of the environment.
        answer: The number that is asked for instead of a part: what
            ``rewards.answer.Answer.from_dict`` reads. Hidden.
        scoring: What ``rewards.scoring.Scoring.from_dict`` reads: ``protocol`` and the fields
            that differ from it. Hidden.
        difficulty: 1 (one feature) to 5, or None where nobody graded it.
        seed: Default seed of an episode.
        meta: Plain data about the task. Hidden. Known to this package are ``gold`` and ``demo``
            (see the properties), ``expect`` (``size_mm``, ``bodies``, ``volume_mm3`` that lint
            holds against the reference), ``candidates`` (known answers by name), ``table``
            (the numbers on a measured sheet) and ``start_is_broken``; the rest (``source``,
            ``licence``, ``units``, ``tags``) is for people.
    """

    id: str
    brief: str
    domain: str = "cad.create.text"
    env: str = "cad"
    images: tuple[ImageSource, ...] = ()
    start: GeometrySource | None = None
    reference: GeometrySource | None = field(default=None, repr=False)
    constraints: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    tools: tuple[str, ...] | None = None
    limits: EpisodeLimits = EpisodeLimits()
    scoring: Mapping[str, Any] = field(default_factory=dict, repr=False)
    answer: Mapping[str, Any] | None = field(default=None, repr=False)
    difficulty: int | None = None
    seed: int = 0
    meta: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def public(self) -> PublicTask:
        """Return what a policy may see; nothing in it leads to the hidden half."""
        return PublicTask(
            id=self.id,
            domain=self.domain,
            env=self.env,
            brief=self.brief,
            images=self.images,
            start=self.start,
            tools=self.tools,
            limits=self.limits,
        )

    @property
    def gold(self) -> Gold | None:
        """The known right answer, or None; ``meta.gold: reference`` means the reference itself."""
        raw = self.meta.get("gold")
        if raw is None:
            return None
        if raw == "reference":
            return _gold_of(self.reference) if self.reference is not None else None
        if "calls" in raw:
            return Gold("calls", calls=_calls(raw["calls"]))
        return _gold_of(geometry_from_json(raw))

    @property
    def demo(self) -> tuple[ToolCall, ...]:
        """The calls of ``meta.demo``, a script of turns that shows the task being solved."""
        return tuple(call for turn in self.meta.get("demo", ()) for call in _calls(turn["calls"]))

    def to_json(self) -> dict[str, Any]:
        """Return the whole task, hidden half included; ``tasks_file.task_from_json`` reads it."""
        return {
            "id": self.id,
            "brief": self.brief,
            "domain": self.domain,
            "env": self.env,
            "images": [image.to_json() for image in self.images],
            "start": self.start.to_json() if self.start else None,
            "reference": self.reference.to_json() if self.reference else None,
            "constraints": [dict(record) for record in self.constraints],
            "tools": list(self.tools) if self.tools is not None else None,
            "limits": asdict(self.limits),
            "scoring": dict(self.scoring),
            "answer": dict(self.answer) if self.answer is not None else None,
            "difficulty": self.difficulty,
            "seed": self.seed,
            "meta": dict(self.meta),
        }


def _calls(records: Iterable[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(record["name"], record["arguments"]) for record in records)


def _gold_of(source: GeometrySource) -> Gold:
    return Gold("program" if source.is_program else "part", source=source)
