"""Run an episode again from its record and say what came out equal.

The recorded assistant turns are played to a fresh workspace. What the policy read and saw, the
outcome of every call, the part and the score have to come out as before; times do not. An action
log that replays is also how an episode is restored after its machine has died.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent import artifacts
from cadwright.agent.context import ContextOverflow
from cadwright.agent.context_report import ContextReport
from cadwright.agent.episode import run_episode
from cadwright.agent.header import task_digest
from cadwright.agent.messages import (
    AssistantTurn,
    Conversation,
    call_from_json,
    pixels_digest,
    problem_from_json,
)
from cadwright.agent.policies.policy import TurnList
from cadwright.agent.trajectory import Record, Trajectory, read_trajectory
from cadwright.envs.task import EpisodeLimits
from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    from cadwright.envs.core import Workspace
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import GeometrySource, PublicTask, Task
    from cadwright.tools.tool import ToolSpec


@dataclass(frozen=True, slots=True)
class Check:
    """One thing compared: how many of it, and the first place where it differs."""

    name: str
    num_compared: int
    difference: str = ""

    @property
    def is_equal(self) -> bool:
        """Whether the replay gave the same."""
        return not self.difference


class RecordedPolicy(TurnList):
    """Plays the assistant turns of a trajectory."""

    def __init__(self, trajectory: Trajectory) -> None:
        super().__init__(trajectory.header["policy"])
        self._trajectory = trajectory

    @property
    def is_privileged(self) -> bool:
        """It may do what the recorded policy was allowed to do."""
        return bool(self._trajectory.header["is_privileged"])

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        """Begin at the first recorded turn."""
        del seed, variant
        gold = getattr(task, "gold", None)
        self.begin(tuple(_turns(self._trajectory, gold.source if gold is not None else None)))

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        """Return the recorded turn; behind the last one, end as the recorded episode did."""
        full = next(self._trajectory.of_kind("context_limit"), None)
        if full is not None and conversation.num_turns >= len(self._turns):
            raise ContextOverflow(full["message"], ContextReport.from_json(full["context"]))
        return super().act(conversation, tools)


def replay(
    folder: Path,
    task: Task,
    runtime: Runtime,
    into: Path,
    *,
    workspace: Workspace | None = None,
) -> list[Check]:
    """Run the episode in ``folder`` again, leave the new one in ``into``, and compare.

    Raises:
        UsageError: There is no finished episode, or ``task`` is not what it was.
    """
    before = read_trajectory(folder)
    _require_replayable(before, task)
    limits = _limits(before)
    run_episode(
        dataclasses.replace(task, limits=limits),
        RecordedPolicy(before),
        runtime,
        into,
        seed=before.header["seed"],
        variant=before.header["variant"],
        wanted=artifacts.Wanted(formats=()),
        workspace=workspace,
    )
    return [*compare(before, read_trajectory(into)), stored_pictures(before)]


def recorded_backend(trajectory: Trajectory) -> str:
    """Return the renderer that drew what is on record; ``auto`` for OpenGL, or without pictures."""
    for block in _blocks(trajectory, "image"):
        drew = block["render_id"].partition("/")[0].removesuffix("-fallback")
        if drew in ("raycast", "pyrender"):
            return str(drew)
    return "auto"


def compare(before: Trajectory, after: Trajectory) -> list[Check]:
    """Compare two trajectories, times left out."""
    return [
        _check("actions", _actions(before), _actions(after)),
        _check("observation texts", _texts(before), _texts(after)),
        _check("pictures", _pictures(before), _pictures(after)),
        _check("call outcomes", _outcomes(before), _outcomes(after)),
        _check("end", _ending(before, "end_reason"), _ending(after, "end_reason")),
        _check("part", _ending(before, "part_digest"), _ending(after, "part_digest")),
        _check("score", _ending(before, "score"), _ending(after, "score")),
    ]


def stored_pictures(trajectory: Trajectory) -> Check:
    """Compare the picture files of an episode with the hashes on its record, each file once."""
    recorded = {block["file"]: block["sha256"] for block in _blocks(trajectory, "image")}
    faults = [
        said
        for name, digest in recorded.items()
        if (said := _picture_fault(trajectory, name, digest))
    ]
    return Check("picture files", len(recorded), "; ".join(faults))


def _picture_fault(trajectory: Trajectory, name: str, digest: str) -> str:
    """Say what is wrong with a stored picture; empty where it is the one on record."""
    try:
        pixels = trajectory.load_image(name)
    except UsageError as error:
        return str(error)
    return "" if pixels_digest(pixels) == digest else f"{name} is not the picture on record"


def _require_replayable(trajectory: Trajectory, task: Task) -> None:
    if trajectory.ending is None:
        raise UsageError(f"{trajectory.folder}: the episode never ended, so there is no result")
    if any(trajectory.of_kind("interrupted")):
        raise UsageError(f"{trajectory.folder}: somebody interrupted it, so it has no end to meet")
    if task_digest(task) != trajectory.header["task_digest"]:
        raise UsageError(
            f"task {task.id} is not what it was when {trajectory.folder} was recorded: "
            "brief, files or scoring have changed"
        )


def _limits(trajectory: Trajectory) -> EpisodeLimits:
    try:
        return EpisodeLimits(**trajectory.header["task"]["limits"])
    except (TypeError, ValueError) as error:
        raise UsageError(f"{trajectory.folder}: damaged header: task.limits: {error}") from error


def _turns(trajectory: Trajectory, gold: GeometrySource | None) -> Iterator[AssistantTurn]:
    said = (r for r in trajectory.of_kind("message") if r["role"] == "assistant")
    for message, decision in zip(said, trajectory.of_kind("decision"), strict=True):
        problems = tuple(map(problem_from_json, decision.get("problems", ())))
        num_refused = sum(problem.call is not None for problem in problems)
        calls = message["tool_calls"]
        yield AssistantTurn(
            text="\n".join(block["text"] for block in message["blocks"]),
            tool_calls=tuple(map(call_from_json, calls[: len(calls) - num_refused])),
            gold=gold if decision["is_privileged"] else None,
            is_stop=decision["is_stop"],
            problems=problems,
            repairs=tuple(decision.get("repairs", ())),
        )


def _check(name: str, before: Iterable[Any], after: Iterable[Any]) -> Check:
    """Compare two sequences place by place."""
    left, right = list(before), list(after)
    for place, (old, new) in enumerate(zip(left, right, strict=False), start=1):
        if old != new:
            return Check(name, len(left), f"number {place}: {_first_difference(old, new)}")
    if len(left) != len(right):
        return Check(name, len(left), f"{len(left)} became {len(right)}")
    return Check(name, len(left))


def _first_difference(old: Any, new: Any, path: str = "") -> str:
    """Say where two pieces of plain data part, with the path to it."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        key = next(key for key in old if old[key] != new[key])
        return _first_difference(old[key], new[key], f"{path}.{key}")
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        index = next(i for i, item in enumerate(old) if item != new[i])
        return _first_difference(old[index], new[index], f"{path}[{index}]")
    where = f"{path.removeprefix('.')}: " if path else ""
    return f"{where}{_short(old)} became {_short(new)}"


def _short(value: object, limit: int = 80) -> str:
    text = str(value).replace("\n", " ")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _actions(trajectory: Trajectory) -> Iterator[Any]:
    for record in trajectory.of_kind("message"):
        if record["role"] == "assistant":
            yield record["tool_calls"]


def _blocks(trajectory: Trajectory, kind: str) -> Iterator[Record]:
    for record in trajectory.of_kind("message"):
        if record["role"] != "assistant":
            yield from (block for block in record["blocks"] if block["type"] == kind)


def _texts(trajectory: Trajectory) -> Iterator[str]:
    return (block["text"] for block in _blocks(trajectory, "text"))


def _pictures(trajectory: Trajectory) -> Iterator[str]:
    return (block["sha256"] for block in _blocks(trajectory, "image"))


def _outcomes(trajectory: Trajectory) -> Iterator[str]:
    return (record["outcome"] for record in trajectory.of_kind("result"))


def _ending(trajectory: Trajectory, field: str) -> Iterator[Any]:
    if trajectory.ending is not None:
        yield trajectory.ending[field]
