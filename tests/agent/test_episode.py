from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import (
    SECRET,
    FakeRuntime,
    FakeWorkspace,
    failing_score,
    make_task,
    records,
)

from cadwright.agent.artifacts import Wanted
from cadwright.agent.episode import MAX_CALLS_PER_TURN, run_episode
from cadwright.agent.episode_result import EpisodeResult
from cadwright.agent.events import Event
from cadwright.agent.messages import AssistantTurn, Conversation, pixels_digest
from cadwright.agent.policies.expert import ExpertPolicy
from cadwright.agent.policies.policy import Policy, TurnList
from cadwright.agent.policies.scripted import ScriptedPolicy
from cadwright.envs.core import EndReason
from cadwright.envs.task import EpisodeLimits, PublicTask, Task
from cadwright.rewards.score import Score, Verdict
from cadwright.tools.errors import InfraError, Outcome
from cadwright.tools.tool import ToolCall, ToolSpec


def calls(*codes: str, submit: bool = True) -> ScriptedPolicy:
    turns = [AssistantTurn("", (ToolCall("execute", {"code": code}, code),)) for code in codes]
    if submit:
        turns.append(AssistantTurn("", (ToolCall("submit", {}, "submit"),)))
    return ScriptedPolicy(turns)


def run(folder: Path, policy: Policy, **options: Any) -> EpisodeResult:
    task = options.pop("task", make_task())
    runtime = options.pop("runtime", FakeRuntime())
    workspace = options.pop("workspace", FakeWorkspace())
    return run_episode(task, policy, runtime, folder, workspace=workspace, **options)


class Recorder(TurnList):
    """Keeps what it was given."""

    def __init__(self) -> None:
        super().__init__("recorder")
        self.task: Task | PublicTask | None = None
        self.seen: list[Conversation] = []

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        self.task = task
        self.begin([AssistantTurn("", (ToolCall("execute", {"code": "good box"}, "1"),))])

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        self.seen.append(Conversation(conversation.messages))
        return super().act(conversation, tools)


class Broken(TurnList):
    """Raises when it is asked."""

    def __init__(self, error: Exception) -> None:
        super().__init__("broken")
        self._error = error

    def reset(self, task: Task | PublicTask, seed: int, variant: str = "") -> None:
        del task, seed, variant

    def act(self, conversation: Conversation, tools: Sequence[ToolSpec]) -> AssistantTurn:
        raise self._error


def test_submitted_part_is_scored(tmp_path: Path) -> None:
    result = run(tmp_path / "e", calls("good box"))
    assert (result.outcome, result.end_reason) == (Outcome.OK, EndReason.SUBMITTED)
    assert result.score is not None
    assert result.score.value == 1.0
    assert (result.turns, result.calls) == (2, 2)


def test_policy_can_correct_a_mistake_that_it_saw(tmp_path: Path) -> None:
    result = run(tmp_path / "e", calls("bad", "good box"))
    assert result.outcome is Outcome.OK
    outcomes = [r["outcome"] for r in records(tmp_path / "e") if r["kind"] == "result"]
    assert outcomes == ["python_error", "ok", "ok"]


def test_failure_that_left_no_part_is_the_outcome(tmp_path: Path) -> None:
    result = run(tmp_path / "e", calls("bad"))
    assert (result.outcome, result.end_reason) == (Outcome.PYTHON_ERROR, EndReason.STOPPED)
    assert result.message == "error: python_error: bad"
    assert result.score is not None
    assert result.score.value == 0.0


@pytest.mark.parametrize(
    ("limits", "codes", "reason"),
    [
        (EpisodeLimits(turns=2), ["good a", "good b", "good c"], EndReason.TURN_LIMIT),
        (EpisodeLimits(repeated_failures=2), ["a", "b", "c"], EndReason.REPEATED_FAILURES),
        (EpisodeLimits(wall_s=0.0), ["good a", "good b"], EndReason.TIME_LIMIT),
    ],
    ids=["turns", "failures", "time"],
)
def test_limit_ends_the_episode(
    tmp_path: Path, limits: EpisodeLimits, codes: list[str], reason: EndReason
) -> None:
    assert run(tmp_path / "e", calls(*codes), task=make_task(limits=limits)).end_reason is reason


def test_part_at_a_limit_is_still_scored(tmp_path: Path) -> None:
    task = make_task(limits=EpisodeLimits(turns=1))
    result = run(tmp_path / "e", calls("good box", "good box"), task=task)
    assert result.score is not None
    assert result.score.value == 1.0


def test_words_without_a_call_are_answered(tmp_path: Path) -> None:
    policy = ScriptedPolicy([AssistantTurn("hm"), AssistantTurn("", is_stop=True)])
    run(tmp_path / "e", policy)
    said = [r for r in records(tmp_path / "e") if r["kind"] == "message"]
    assert "Call one of: execute, submit" in said[2]["blocks"][0]["text"]


def test_calls_past_the_cap_are_answered_and_not_run(tmp_path: Path) -> None:
    many = tuple(ToolCall("execute", {"code": "good"}, str(n)) for n in range(20))
    policy = ScriptedPolicy([AssistantTurn("", many), AssistantTurn("", is_stop=True)])
    result = run(tmp_path / "e", policy)
    results = [r for r in records(tmp_path / "e") if r["kind"] == "result"]
    assert result.calls == MAX_CALLS_PER_TURN
    assert [r["outcome"] for r in results[MAX_CALLS_PER_TURN:]] == ["bad_call"] * 4


def test_calls_after_submit_in_one_turn_do_not_run(tmp_path: Path) -> None:
    turn = AssistantTurn(
        "",
        (
            ToolCall("execute", {"code": "good box"}),
            ToolCall("submit", {}),
            ToolCall("execute", {"code": "good other"}),
        ),
    )
    result = run(tmp_path / "e", ScriptedPolicy([turn]))
    assert result.calls == 2
    assert result.score is not None
    assert result.score.value == 1.0


@pytest.mark.parametrize(
    ("code", "area", "kind"),
    [("crash", "tool", "WorkerCrash"), ("bug", "tool", "ZeroDivisionError")],
)
def test_failure_of_a_tool_is_ours(tmp_path: Path, code: str, area: str, kind: str) -> None:
    result = run(tmp_path / "e", calls(code))
    assert result.end_reason is EndReason.INFRA_ERROR
    assert result.outcome is Outcome.INFRA_ERROR
    assert result.score is None
    assert result.fault is not None
    assert (result.fault.area, result.fault.error) == (area, kind)


def test_policy_that_raises_is_a_policy_error(tmp_path: Path) -> None:
    result = run(tmp_path / "e", Broken(KeyError("logits")))
    assert result.end_reason is EndReason.POLICY_ERROR
    assert result.fault is not None
    assert result.fault.area == "policy"
    assert "KeyError" in next(r for r in records(tmp_path / "e") if r["kind"] == "fault")["trace"]


def test_policy_whose_server_is_down_is_an_infra_error(tmp_path: Path) -> None:
    result = run(tmp_path / "e", Broken(InfraError("no server")))
    assert result.end_reason is EndReason.INFRA_ERROR


def test_judge_that_fails_costs_the_score_and_not_the_episode(tmp_path: Path) -> None:
    folder = tmp_path / "e"
    result = run(folder, calls("good box"), runtime=FakeRuntime(failing_score))
    assert result.fault is not None
    assert result.fault.area == "reward"
    assert result.end_reason is EndReason.SUBMITTED
    assert (folder / "part.brep").read_bytes() == b"good box"


def test_judge_that_says_it_failed_is_a_fault_of_ours(tmp_path: Path) -> None:
    def score(task: Task, submission: object) -> Score:
        return Score(None, Verdict.INFRA_ERROR, "worker gone")

    result = run(tmp_path / "e", calls("good box"), runtime=FakeRuntime(score))
    assert result.outcome is Outcome.INFRA_ERROR
    assert result.message == "reward: InfraError: worker gone"


def test_part_of_a_broken_episode_is_kept(tmp_path: Path) -> None:
    result = run(tmp_path / "e", calls("good box", "crash"))
    assert result.fault is not None
    assert result.score is None
    assert (tmp_path / "e" / "part.brep").read_bytes() == b"good box"


def test_part_is_on_disk_before_it_is_scored(tmp_path: Path) -> None:
    seen: list[bytes] = []

    def score(task: Task, submission: object) -> Any:
        seen.append((tmp_path / "e" / "part.brep").read_bytes())
        raise InfraError("enough seen")

    run(tmp_path / "e", calls("good box"), runtime=FakeRuntime(score))
    assert seen == [b"good box"]


def test_policy_gets_the_public_half_only(tmp_path: Path) -> None:
    policy = Recorder()
    run(tmp_path / "e", policy)
    assert isinstance(policy.task, PublicTask)


def test_nothing_hidden_reaches_policy_or_trajectory(tmp_path: Path) -> None:
    policy = Recorder()
    run(tmp_path / "e", policy)
    shown = [message.text for conversation in policy.seen for message in conversation]
    assert SECRET not in "".join(shown)
    assert SECRET not in (tmp_path / "e" / "trajectory.jsonl").read_text()


def test_record_is_exactly_what_the_policy_was_sent(tmp_path: Path) -> None:
    policy = Recorder()
    run(tmp_path / "e", policy)
    from cadwright.agent.trajectory import read_trajectory

    recorded = read_trajectory(tmp_path / "e").conversation().messages
    sent = policy.seen[-1].messages
    assert [m.text for m in recorded[: len(sent)]] == [m.text for m in sent]
    digests = [[pixels_digest(image.pixels) for image in m.images] for m in recorded[: len(sent)]]
    assert digests == [[pixels_digest(image.pixels) for image in m.images] for m in sent]


def test_privileged_submission_is_on_record(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_text("good box")
    task = make_task(meta={"gold": {"file": str(tmp_path / "part.stl")}})
    result = run(tmp_path / "e", ExpertPolicy(), task=task)
    kinds = [r["kind"] for r in records(tmp_path / "e")]
    assert "privileged_submit" in kinds
    assert records(tmp_path / "e")[0]["is_privileged"]
    assert result.score is not None
    assert result.score.value == 1.0


def test_gold_from_an_unprivileged_policy_is_refused(tmp_path: Path) -> None:
    reference = make_task().reference
    result = run(tmp_path / "e", ScriptedPolicy([AssistantTurn("", gold=reference)]))
    assert result.end_reason is EndReason.POLICY_ERROR
    assert result.part_digest == ""


def test_workspace_is_closed_whatever_happens(tmp_path: Path) -> None:
    workspace = FakeWorkspace()
    run(tmp_path / "e", calls("bug"), workspace=workspace)
    assert workspace.closed == 1


def test_observer_hears_the_episode_in_order(tmp_path: Path) -> None:
    heard: list[Event] = []
    run(tmp_path / "e", calls("good box"), on_event=heard.append)
    names = [type(event).__name__ for event in heard]
    assert names == ["Began", "Decided", "Executed", "Decided", "Executed", "Ended", "Scored"]


def test_two_runs_are_equal_except_for_times(tmp_path: Path) -> None:
    from cadwright.agent.trajectory import without_timing

    for name in "ab":
        run(tmp_path / name, calls("bad", "good box"))
    first, second = ([without_timing(r) for r in records(tmp_path / name)] for name in "ab")
    assert first == second


def test_wanted_files_are_left_behind(tmp_path: Path) -> None:
    wanted = Wanted(formats=("stl", "step"), sheet=True, thumbnail=True)
    result = run(tmp_path / "e", calls("good box"), wanted=wanted)
    assert set(result.files) == {"part", "stl", "step", "sheet", "thumbnail"}
    assert all((result.folder / name).stat().st_size for name in result.files.values())


def test_export_that_fails_is_noted_and_harms_nothing(tmp_path: Path) -> None:
    runtime = FakeRuntime()

    def write(part: object, fmt: str) -> bytes:
        raise InfraError("disk of the worker is full")

    runtime.judge.write = write  # type: ignore[method-assign, assignment]
    result = run(tmp_path / "e", calls("good box"), runtime=runtime)
    assert result.fault is None
    problems = [r for r in records(tmp_path / "e") if r["kind"] == "artifact_problem"]
    assert "disk of the worker" in problems[0]["message"]


def test_picture_that_the_disk_has_no_room_for_is_noted_and_half_of_it_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> int:
        write(path, data[:4])
        if path.name == "sheet.png":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, data)

    write = Path.write_bytes
    monkeypatch.setattr(Path, "write_bytes", full)
    result = run(tmp_path / "e", calls("good box"), wanted=Wanted(sheet=True))
    assert result.fault is None
    assert result.score is not None
    assert "sheet" not in result.files
    assert not (tmp_path / "e/sheet.png").exists()
    (problem,) = [r for r in records(tmp_path / "e") if r["kind"] == "artifact_problem"]
    assert problem["message"] == "sheet.png: No space left on device"


def test_seed_of_the_task_is_the_default(tmp_path: Path) -> None:
    result = run(tmp_path / "e", calls("good box"), task=replace(make_task(), seed=11))
    assert result.seed == 11
