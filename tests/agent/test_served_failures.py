"""Servers that refuse, stall, break off or are not there: what is tried again, and who pays."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from agent_fakes import FakeRuntime, FakeWorkspace, make_task, records
from served_fakes import (
    Behaviour,
    breaks_off,
    drips,
    refuses,
    sends,
    serving,
    stalls,
)
from served_run import GOOD, SUBMIT, Waits, run

from cadwright.agent.episode import run_episode
from cadwright.agent.policies.served import ServedPolicy
from cadwright.agent.policies.served_options import parse_served
from cadwright.envs.core import EndReason
from cadwright.tools.errors import Outcome, UsageError


@pytest.mark.parametrize(
    "behaviour",
    [
        sends(b"not json"),
        sends(b"[]"),
        sends(b"{}"),
        sends(b'"text"'),
        sends(b'{"choices": [{"delta": {"content": 7}}]}'),
        sends(b'{"choices": [{"delta": {"tool_calls": [{"index": "x"}]}}]}'),
        sends(b'{"choices": [], "usage": {"prompt_tokens": "many"}}'),
        sends(b'{"choices": [], "usage": {"prompt_tokens": %d}}' % 10**400),
        sends(b"9" * 5000),
        sends(b"[" * 100_000),
        sends(b"\xff\xfe"),
        refuses(500),
        refuses(503),
        refuses(429),
        breaks_off("half a "),
        stalls("half a "),
        stalls(""),
        drips(),
    ],
    ids=[
        "no-json", "list", "no-choices", "string", "content-number", "index-text", "usage-text",
        "usage-huge", "digits", "brackets",
        "no-utf8", "500", "503", "429", "breaks-off", "stalls", "silent", "drips",
    ],
)  # fmt: skip
def test_a_failing_server_is_tried_again(tmp_path: Path, behaviour: Behaviour) -> None:
    result, server = run(tmp_path / "e", [behaviour, GOOD, SUBMIT])
    assert result.end_reason is EndReason.SUBMITTED
    assert len(server.requests) == 3
    assert result.usage is not None
    assert result.usage.attempts == 3


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (refuses(429, "slow down"), "slow down"),
        (stalls("half"), "stalled"),
        (stalls(""), "no reply began"),
        (drips(), "no reply began"),
        (breaks_off("half"), "broke off"),
        (sends(b"{}"), "no list of choices"),
    ],
    ids=["429", "stalls", "silent", "drips", "breaks-off", "malformed"],
)
def test_a_server_that_stays_broken_ends_the_episode_with_its_reason(
    tmp_path: Path, behaviour: Behaviour, words: str
) -> None:
    result, server = run(tmp_path / "e", [GOOD, behaviour])
    assert (result.end_reason, result.outcome) == (EndReason.INFRA_ERROR, Outcome.INFRA_ERROR)
    assert words in result.message
    assert len(server.requests) == 1 + 3
    assert result.part_digest, "what was made before is kept"
    assert records(tmp_path / "e")[-1]["kind"] == "end"


def test_the_bill_holds_every_attempt(tmp_path: Path) -> None:
    behaviours = [breaks_off("x" * 400), refuses(429), GOOD, SUBMIT]
    result, _ = run(tmp_path / "e", behaviours)
    assert result.usage is not None
    assert result.usage.attempts == 4
    estimated = result.usage.estimated_tokens  # the reply that broke off; a 429 costs nothing
    assert estimated == result.usage.prompt_tokens + result.usage.completion_tokens - 2100
    assert estimated >= 100
    decisions = [r for r in records(tmp_path / "e") if r["kind"] == "decision"]
    assert [d["usage"]["attempts"] for d in decisions] == [3, 1]


def test_the_bill_of_a_turn_that_never_came_is_kept(tmp_path: Path) -> None:
    result, _ = run(tmp_path / "e", [GOOD, breaks_off("x" * 400)])
    assert result.usage is not None
    assert result.usage.attempts == 4
    assert result.usage.completion_tokens == 50 + 3 * 100


def test_retry_after_is_obeyed(tmp_path: Path) -> None:
    waits = Waits()
    run(tmp_path / "e", [refuses(429, "slow", Retry_After="7"), GOOD, SUBMIT], waits=waits)
    assert 7.0 in waits.seconds


def test_waits_grow_and_depend_on_the_seed_only(tmp_path: Path) -> None:
    first, second = Waits(), Waits()
    run(tmp_path / "a", [refuses(503)], waits=first)
    run(tmp_path / "b", [refuses(503)], waits=second)
    assert first.seconds == second.seconds
    assert first.seconds[0] < 1.0 < first.seconds[1] <= 2.0


def test_a_wait_beyond_the_total_ends_the_turn_at_once(tmp_path: Path) -> None:
    result, server = run(tmp_path / "e", [refuses(429, "storm", Retry_After="3600")])
    assert result.end_reason is EndReason.INFRA_ERROR
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_model_is_wrong_use_and_not_tried_again(tmp_path: Path, status: int) -> None:
    result, server = run(tmp_path / "e", [refuses(status, "no such model")])
    assert result.fault is not None
    assert result.fault.error == UsageError.__name__
    assert len(server.requests) == 1


def test_a_server_that_is_not_there_ends_the_episode_with_its_address(tmp_path: Path) -> None:
    with serving(GOOD) as server:
        url = server.url
    served = parse_served(f"m@{url}?attempts=2&connect_s=1")
    policy = ServedPolicy("openai:m", served, sleep=Waits())
    result = run_episode(
        make_task(),
        policy,
        FakeRuntime(),  # type: ignore[arg-type]
        tmp_path / "e",
        workspace=FakeWorkspace(),
    )
    policy.close()
    assert result.end_reason is EndReason.INFRA_ERROR
    assert url in result.message


def test_no_reading_thread_outlives_its_request(tmp_path: Path) -> None:
    run(tmp_path / "e", [stalls("half"), drips(), GOOD, SUBMIT])
    deadline = time.monotonic() + 10
    while _reading() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _reading()


def _reading() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "cadwright-served"]
