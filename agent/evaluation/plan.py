"""What an evaluation has to do: every task with every attempt that the policy has for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cadwright.agent.policies.policy import Policy, visible_to
from cadwright.envs.names import safe_name
from cadwright.envs.task import Task
from cadwright.tools.errors import UsageError

Key = tuple[str, str]  # task id, variant


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """One episode to run."""

    task: Task
    variant: str
    attempt: int = 1

    @property
    def key(self) -> Key:
        """What identifies it in a run."""
        return (self.task.id, self.variant)

    @property
    def folder_name(self) -> str:
        """Folder of its episode: injective, since ``safe_name`` never gives ``@`` or ``+``."""
        variant = f"@{safe_name(self.variant)}" if self.variant else ""
        attempt = f"+{self.attempt}" if self.attempt > 1 else ""
        return safe_name(self.task.id) + variant + attempt

    def next_attempt(self) -> Work:
        """Return the same work, to be tried again."""
        return Work(self.task, self.variant, self.attempt + 1)


def plan(tasks: Sequence[Task], policy: Policy, limit: int | None = None) -> list[Work]:
    """List the episodes to run in the order of the suite.

    Args:
        tasks: The suite.
        policy: Asked for its variants of each task; a task without any is left out.
        limit: Keep only the first so many tasks.

    Raises:
        UsageError: Nothing is left to run.
    """
    chosen = tasks if limit is None else tasks[:limit]
    works = [
        Work(task, variant)
        for task in chosen
        for variant in policy.variants(visible_to(policy, task))
    ]
    if not works:
        raise UsageError(f"policy {policy.name} has nothing to run for these {len(chosen)} tasks")
    return works


def long_of(meta: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the length of a long specification, and how deep in it the needed numbers stand."""
    long = meta.get("long")
    if isinstance(long, Mapping):
        return {"tokens": int(long["tokens"]), "depth": float(long["depth"])}
    if "num_tokens" in meta and "depth" in meta:  # as the generated suites note it
        return {"tokens": int(meta["num_tokens"]), "depth": float(meta["depth"])}
    return None


def scenario_of(tasks: Sequence[Task], num_workers: int) -> str:
    """Return what the tier ``auto`` of a local model chooses by for a suite."""
    if tasks and all(long_of(task.meta) is not None for task in tasks):
        return "long"
    return "batch" if num_workers > 1 else "interactive"
