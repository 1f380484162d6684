"""Episodes by a served model: what is sent, what comes back, what is on record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agent_fakes import FakeRuntime, FakeWorkspace, make_task, records
from served_fakes import (
    pictures,
    refuses,
    says,
)
from served_run import GOOD, SUBMIT, Waits, run

from cadwright.agent.replay import replay
from cadwright.agent.trajectory import read_trajectory
from cadwright.envs.core import EndReason
from cadwright.envs.task import EpisodeLimits, Task
from cadwright.tools.errors import Outcome
from cadwright.tools.tool import Block, ImageBlock, ToolCall, ToolResult


@pytest.mark.parametrize("stream", ["1", "0"], ids=["streamed", "whole"])
def test_episode_ends_with_a_score_and_its_bill(tmp_path: Path, stream: str) -> None:
    result, server = run(tmp_path / "e", [GOOD, SUBMIT], f"stream={stream}")
    assert (result.end_reason, result.outcome) == (EndReason.SUBMITTED, Outcome.OK)
    assert result.score is not None
    assert result.usage is not None
    assert (result.usage.prompt_tokens, result.usage.completion_tokens) == (2000, 100)
    assert result.usage.cost == pytest.approx(2 * (1000 * 2 + 50 * 10) / 1e6)
    assert len(server.requests) == 2


def test_pictures_of_results_move_to_a_user_message(tmp_path: Path) -> None:
    _, server = run(tmp_path / "e", [GOOD, SUBMIT])
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "user"]
    assert len(pictures(server.requests[1])) == 2


def test_text_form_sends_no_tool_message_and_reads_calls_from_text(tmp_path: Path) -> None:
    call = '<tool_call>\n{"name": "execute", "arguments": {"code": "good box"}}\n</tool_call>'
    submit = '<tool_call>\n{"name": "submit", "arguments": {}}\n</tool_call>'
    result, server = run(tmp_path / "e", [says(call), says(submit)], "tools=text")
    assert result.end_reason is EndReason.SUBMITTED
    assert "tools" not in server.requests[1]
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert '"name": "execute"' in server.requests[0]["messages"][0]["content"]


def test_words_of_decline_end_the_episode_at_once(tmp_path: Path) -> None:
    told = "decline=I do not know this part."
    result, server = run(tmp_path / "e", [says(" I do not know this part. A gear?")], told)
    assert (result.end_reason, result.outcome) == (EndReason.STOPPED, Outcome.NO_RESULT)
    assert len(server.requests) == 1


def test_settings_are_on_record_and_the_key_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    refusal = refuses(500, "bad key sk-very-secret")
    result, server = run(tmp_path / "e", [refusal], "temperature=0.5&seed=7&top_p=0.9")
    assert server.headers[0]["authorization"] == "Bearer sk-very-secret"
    sent = server.requests[0]
    assert (sent["temperature"], sent["seed"], sent["top_p"]) == (0.5, 7, 0.9)
    settings = records(tmp_path / "e")[0]["settings"]
    assert (settings["temperature"], settings["seed"], settings["model"]) == (0.5, 7, "m")
    assert "sk-very-secret" not in (tmp_path / "e/trajectory.jsonl").read_text(encoding="utf-8")
    assert "[key]" in result.message


def test_an_empty_reply_is_answered_and_ends_as_repeated_failures(tmp_path: Path) -> None:
    result, _ = run(tmp_path / "e", [says("")])
    assert result.end_reason is EndReason.REPEATED_FAILURES
    assert result.problems == 3
    assert "The reply was empty" in read_trajectory(tmp_path / "e").conversation().messages[-1].text


def test_a_call_that_was_cut_off_never_runs(tmp_path: Path) -> None:
    cut = says("", ("execute", '{"code": "good box'), finish="length")
    workspace = FakeWorkspace()
    result, _ = run(tmp_path / "e", [cut, SUBMIT], workspace=workspace)
    problems = [r["problems"] for r in records(tmp_path / "e") if r["kind"] == "decision"]
    assert problems[0][0]["code"] == "truncated"
    assert result.part_digest == ""


def test_a_refused_provider_call_is_answered_under_its_id(tmp_path: Path) -> None:
    """The strict server checks that every call has its result."""
    bad = says("", ("execute", {"kode": "x"}), ("no_such_tool", {}), ("execute", "{not json"))
    result, _ = run(tmp_path / "e", [bad, GOOD, SUBMIT])
    assert result.end_reason is EndReason.SUBMITTED
    assert result.problems == 3


def test_a_context_that_the_server_finds_too_long_is_a_normal_end(tmp_path: Path) -> None:
    full = refuses(400, "This model's maximum context length is 8192 tokens.")
    result, _ = run(tmp_path / "e", [GOOD, full])
    assert result.end_reason is EndReason.CONTEXT_LIMIT
    assert result.score is not None


class ManyPictures(FakeWorkspace):
    """Answers every call with five pictures."""

    def call(self, call: ToolCall) -> ToolResult:
        result = super().call(call)
        images = tuple(
            ImageBlock(np.full((16, 16, 3), n, np.uint8), f"r{n}", f"view {n}") for n in range(5)
        )
        return ToolResult(
            result.name, result.text, images, result.outcome, call_id=call.id,
            is_final=result.is_final,
        )  # fmt: skip


def test_sixty_pictures_are_cut_to_the_budget_and_the_record_says_so(tmp_path: Path) -> None:
    task = make_task(limits=EpisodeLimits(turns=20, wall_s=60, repeated_failures=3))
    behaviours = [*[GOOD] * 12, SUBMIT]
    result, server = run(
        tmp_path / "e", behaviours, "images=6", task=task, workspace=ManyPictures()
    )
    assert result.end_reason is EndReason.SUBMITTED
    assert [len(pictures(request)) for request in server.requests] == [1, *[6] * 12]
    last = [r["context"] for r in records(tmp_path / "e") if r["kind"] == "decision"][-1]
    assert (last["images_sent"], last["images_full"]) == (6, 61)
    assert "[picture dropped: view 0 of step 1]" in json.dumps(server.requests[-1])


class HugePicture(FakeWorkspace):
    def reset(self, task: Task, seed: int) -> tuple[Block, ...]:
        text, _ = super().reset(task, seed)
        sheet = np.full((3000, 4000, 3), 255, np.uint8)
        sheet[::50, 100:3900] = 0
        return (text, ImageBlock(sheet, "drawing", "a drawing"))


def test_a_4000_px_picture_is_scaled_and_the_record_gives_it_again(tmp_path: Path) -> None:
    options = "image_px=250000&first_token_s=20"
    result, server = run(tmp_path / "e", [GOOD, SUBMIT], options, workspace=HugePicture())
    assert result.end_reason is EndReason.SUBMITTED
    height, width = pictures(server.requests[0])[0]
    assert height * width <= 250_000
    sent = read_trajectory(tmp_path / "e").sent(1)
    assert sent[1].images[0].pixels.shape == (height, width, 3)


def test_what_is_on_record_is_what_was_sent(tmp_path: Path) -> None:
    """The requests are made again from the record alone and compared with what the server got."""
    from cadwright.agent.policies.served_wire import PictureUrls, Wire

    _, server = run(tmp_path / "e", [GOOD, GOOD, SUBMIT], "images=2&tool_text=4")
    trajectory = read_trajectory(tmp_path / "e")
    wire = Wire("native", "user", PictureUrls())
    for turn, request in enumerate(server.requests, start=1):
        assert wire.messages(trajectory.sent(turn)) == request["messages"]
    tools = next(trajectory.of_kind("tools"))["tools"]
    assert tools == server.requests[0]["tools"]


def test_a_pace_spaces_requests(tmp_path: Path) -> None:
    waits = Waits()
    run(tmp_path / "e", [GOOD, SUBMIT], "rpm=1", waits=waits)
    assert max(waits.seconds) > 15.0


def test_bill_of_cached_tokens_takes_their_price(tmp_path: Path) -> None:
    usage: dict[str, Any] = {
        "prompt_tokens": 1000, "completion_tokens": 50,
        "prompt_tokens_details": {"cached_tokens": 800},
    }  # fmt: skip
    said = says("", ("execute", {"code": "good box"}), usage=usage)
    result, _ = run(tmp_path / "e", [said, said, SUBMIT], "price_cached=0.5")
    cached = (200 * 2 + 800 * 0.5 + 50 * 10) / 1e6
    assert result.usage is not None
    assert result.usage.cost == pytest.approx(2 * cached + (1000 * 2 + 50 * 10) / 1e6)


def test_more_cached_tokens_than_tokens_cost_no_less_than_all_cached(tmp_path: Path) -> None:
    usage: dict[str, Any] = {
        "prompt_tokens": 10, "completion_tokens": 0,
        "prompt_tokens_details": {"cached_tokens": 1000},
    }  # fmt: skip
    said = says("", ("submit", {}), usage=usage)
    result, _ = run(
        tmp_path / "e",
        [says("", ("execute", {"code": "good"}), usage=usage), said],
        "price_cached=0.5",
    )
    assert result.usage is not None
    assert result.usage.cost == pytest.approx(2 * 10 * 0.5 / 1e6)


def test_a_served_episode_replays_without_the_server(tmp_path: Path) -> None:
    bad = says("", ("execute", {"kode": "x"}))
    run(tmp_path / "e", [bad, GOOD, SUBMIT], "images=2")
    checks = replay(
        tmp_path / "e",
        make_task(),
        FakeRuntime(),  # type: ignore[arg-type]
        tmp_path / "again",
        workspace=FakeWorkspace(),
    )
    assert [check.name for check in checks if not check.is_equal] == []
