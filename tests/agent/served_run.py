"""An episode against a server that behaves as it is told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agent_fakes import FakeRuntime, FakeWorkspace, make_task
from served_fakes import (
    Behaviour,
    FakeServer,
    says,
    serving,
)

from cadwright.agent.episode import run_episode
from cadwright.agent.episode_result import EpisodeResult
from cadwright.agent.policies.served import ServedPolicy
from cadwright.agent.policies.served_options import parse_served
from cadwright.envs.task import Task

GOOD = says("Here it is.", ("execute", {"code": "good box"}))

SUBMIT = says("", ("submit", {}))

PRICES = "price_in=2&price_out=10"  # a turn of USAGE costs 0.0025


class Waits:
    """Sleeps in no time and remembers."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def policy_of(server: FakeServer, options: str = "", waits: Waits | None = None) -> ServedPolicy:
    quick = "first_token_s=0.4&stall_s=0.3&total_s=20&attempts=3"
    argument = f"m@{server.url}?{'&'.join(filter(None, [quick, PRICES, options]))}"
    return ServedPolicy("openai:m", parse_served(argument), sleep=waits or Waits())


def run(
    folder: Path,
    behaviours: Sequence[Behaviour],
    options: str = "",
    *,
    waits: Waits | None = None,
    task: Task | None = None,
    workspace: FakeWorkspace | None = None,
) -> tuple[EpisodeResult, FakeServer]:
    with serving(*behaviours) as server:
        policy = policy_of(server, options, waits)
        try:
            result = run_episode(
                task or make_task(),
                policy,
                FakeRuntime(),  # type: ignore[arg-type]
                folder,
                workspace=workspace or FakeWorkspace(),
            )
        finally:
            policy.close()
    return result, server
