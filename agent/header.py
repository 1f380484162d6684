"""The first record of a trajectory: what would have to be equal for a run to repeat."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from cadwright.agent.messages import to_plain
from cadwright.agent.policies.policy import Policy
from cadwright.agent.trajectory import FORMAT
from cadwright.agent.versions import versions

if TYPE_CHECKING:
    from cadwright.envs.task import Task

_PROBE = threading.Lock()


def header(task: Task, policy: Policy, seed: int, variant: str, suite: str) -> dict[str, Any]:
    """Describe an episode before it begins; of what the task hides only a digest is kept."""
    return {
        "format": FORMAT,
        "task": public_part(task),
        "suite": suite,
        "task_digest": task_digest(task),
        "seed": seed,
        "policy": policy.name,
        "variant": variant,
        "is_privileged": policy.is_privileged,
        "settings": _settings_of(policy),
        "versions": versions(),
    }


@runtime_checkable
class Confined(Protocol):
    """A workspace that knows which walls stand around the model's code."""

    @property
    def confinement(self) -> tuple[str, ...]:
        """Names of the walls."""


@runtime_checkable
class Adjusted(Protocol):
    """A policy with settings that another run would need: sampling, budget, system message."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Plain data, no secret in it. ``system`` is the text of the system message it sends."""


def walls_around(workspace: object) -> tuple[str, ...]:
    """Return the walls around this workspace, or those that can stand on this machine."""
    return workspace.confinement if isinstance(workspace, Confined) else _possible_walls()


def public_part(task: Task) -> dict[str, Any]:
    """Return what a policy may see of ``task``; files appear as digests, not as paths."""
    public = task.public()
    return {
        "id": public.id,
        "domain": public.domain,
        "env": public.env,
        "brief": public.brief,
        "images": [hashlib.sha256(image.read()).hexdigest() for image in public.images],
        "start": public.start.digest if public.start is not None else None,
        "tools": list(public.tools) if public.tools is not None else None,
        "limits": dataclasses.asdict(public.limits),
    }


def task_digest(task: Task) -> str:
    """Return a hash of what is asked and how it is judged.

    The hidden half is in it; paths and limits are not, since an evaluation may set its own.
    """
    asked = {key: value for key, value in public_part(task).items() if key != "limits"}
    hidden = {
        "reference": task.reference.digest if task.reference is not None else None,
        "constraints": [dict(record) for record in task.constraints],
        "scoring": dict(task.scoring),
    }
    if task.answer is not None:
        hidden["answer"] = dict(task.answer)
    text = json.dumps([asked, hidden], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _settings_of(policy: Policy) -> dict[str, Any]:
    return dict(to_plain(policy.settings)) if isinstance(policy, Adjusted) else {}


def _possible_walls() -> tuple[str, ...]:
    with _PROBE:  # threads of one evaluation begin together and would all probe
        return _probed_walls()


@functools.cache
def _probed_walls() -> tuple[str, ...]:
    from cadwright.tools.sandbox.capabilities import probe

    return tuple(capability.name for capability in probe() if capability.available)
