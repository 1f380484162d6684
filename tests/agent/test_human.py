from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from agent_fakes import FakeRuntime, FakeWorkspace, make_task, records
from rich.console import Console

from cadwright.agent.episode import run_episode
from cadwright.agent.episode_result import EpisodeResult
from cadwright.agent.messages import AssistantTurn
from cadwright.agent.policies import make_policy
from cadwright.agent.policies.desk import TerminalDesk
from cadwright.agent.policies.human import HumanPolicy
from cadwright.agent.policies.policy import Policy
from cadwright.agent.policies.scripted import ScriptedPolicy
from cadwright.agent.policies.stepped import SteppedPolicy
from cadwright.agent.replay import replay
from cadwright.envs.core import EndReason
from cadwright.tools.tool import ToolCall


class PaperDesk:
    """Answers from a list; the end of the list is the end of the input."""

    def __init__(self, *answers: str | None, texts: Sequence[str | None] = ()) -> None:
        self._answers = list(answers)
        self._texts = list(texts)
        self.shown: list[str] = []
        self.edited: list[str] = []

    def show(self, text: str, *, style: str = "") -> None:
        self.shown.append(text)

    def ask(self, prompt: str) -> str | None:
        self.shown.append(prompt)
        return self._answers.pop(0) if self._answers else None

    def edit(self, text: str, suffix: str) -> str | None:
        self.edited.append(text)
        return self._texts.pop(0) if self._texts else None


def run(folder: Path, policy: Policy) -> EpisodeResult:
    runtime, workspace = FakeRuntime(), FakeWorkspace()
    return run_episode(make_task(), policy, runtime, folder, workspace=workspace)  # type: ignore[arg-type]


def decisions(folder: Path) -> list[dict[str, object]]:
    return [record for record in records(folder) if record["kind"] == "decision"]


def proposer() -> ScriptedPolicy:
    return ScriptedPolicy(
        [
            AssistantTurn("A box.", (ToolCall("execute", {"code": "bad"}, "1"),)),
            AssistantTurn("Again.", (ToolCall("execute", {"code": "good box"}, "2"),)),
            AssistantTurn("", (ToolCall("submit", {}, "3"),)),
        ],
        name="proposer",
    )


def test_a_person_models_and_submits(tmp_path: Path) -> None:
    desk = PaperDesk("execute", "submit", texts=["good box"])
    result = run(tmp_path / "e", HumanPolicy(desk))
    assert (result.end_reason, result.score and result.score.value) == (EndReason.SUBMITTED, 1.0)
    assert [decision["author"] for decision in decisions(tmp_path / "e")] == ["human", "human"]


def test_a_call_can_be_typed_in_full(tmp_path: Path) -> None:
    desk = PaperDesk("execute(code='good box')", "submit()")
    assert run(tmp_path / "e", HumanPolicy(desk)).end_reason is EndReason.SUBMITTED


def test_a_line_that_cannot_run_is_explained_and_never_reaches_the_episode(tmp_path: Path) -> None:
    desk = PaperDesk("exekute", "execute(kode=1)", "submit(", "", "help", "quit")
    result = run(tmp_path / "e", HumanPolicy(desk))
    assert (result.calls, result.problems, result.turns) == (0, 0, 1)
    text = "\n".join(desk.shown)
    assert "did you mean execute?" in text
    assert "unknown argument 'kode'" in text
    assert "strict JSON" not in text  # advice to models
    assert text.count("Type a call") == 2


@pytest.mark.parametrize("last", ["quit", "q", None], ids=["quit", "q", "end-of-input"])
def test_quitting_leaves_a_complete_record(tmp_path: Path, last: str | None) -> None:
    desk = PaperDesk("execute(code='good box')", last)
    result = run(tmp_path / "e", HumanPolicy(desk))
    assert result.end_reason is EndReason.STOPPED
    assert result.part_digest
    assert records(tmp_path / "e")[-1]["kind"] == "end"


def test_giving_up_in_the_editor_asks_again(tmp_path: Path) -> None:
    desk = PaperDesk("execute", "quit", texts=[None])
    assert run(tmp_path / "e", HumanPolicy(desk)).calls == 0


def test_the_editor_begins_with_the_last_code(tmp_path: Path) -> None:
    desk = PaperDesk("execute", "execute", "quit", texts=["good box", "good lid"])
    run(tmp_path / "e", HumanPolicy(desk))
    assert desk.edited == ["", "good box"]


def test_approved_turns_run_as_they_are(tmp_path: Path) -> None:
    desk = PaperDesk("a", "approve", "A")
    result = run(tmp_path / "e", SteppedPolicy(proposer(), desk))
    assert (result.end_reason, result.policy) == (EndReason.SUBMITTED, "proposer")
    assert [decision["author"] for decision in decisions(tmp_path / "e")] == ["", "", ""]
    assert any("bad" in text for text in desk.shown), "what would run is shown first"


def test_an_edited_call_runs_as_edited(tmp_path: Path) -> None:
    desk = PaperDesk("e", "t", "submit()", texts=["good box"])
    result = run(tmp_path / "e", SteppedPolicy(proposer(), desk))
    assert result.score is not None
    assert result.score.value == 1.0
    assert desk.edited == ["bad"]


def test_a_skipped_call_is_answered_with_the_note(tmp_path: Path) -> None:
    desk = PaperDesk("s", "use a box", "a", "a")
    result = run(tmp_path / "e", SteppedPolicy(proposer(), desk))
    assert (result.end_reason, result.calls) == (EndReason.SUBMITTED, 2)
    answer = next(r for r in records(tmp_path / "e") if r.get("role") == "tool")
    assert "a person skipped this call: use a box" in answer["blocks"][0]["text"]


def test_skipping_is_no_failure_of_the_policy(tmp_path: Path) -> None:
    turns = [AssistantTurn("", (ToolCall("execute", {"code": "x"}, f"{n}"),)) for n in range(9)]
    desk = PaperDesk(*["s", ""] * 9)
    result = run(tmp_path / "e", SteppedPolicy(ScriptedPolicy(turns), desk))
    assert (result.end_reason, result.turns) == (EndReason.TURN_LIMIT, 6)


def test_taking_over_lasts_until_back(tmp_path: Path) -> None:
    desk = PaperDesk("t", "execute(code='good box')", "back", "a", "a")
    run(tmp_path / "e", SteppedPolicy(proposer(), desk))
    authors = [decision["author"] for decision in decisions(tmp_path / "e")]
    assert authors == ["human", "", ""]


def test_quitting_a_step_stops_the_episode(tmp_path: Path) -> None:
    result = run(tmp_path / "e", SteppedPolicy(proposer(), PaperDesk("x", "", "q")))
    assert (result.end_reason, result.calls) == (EndReason.STOPPED, 0)


def test_stepping_is_on_record_and_replays(tmp_path: Path) -> None:
    desk = PaperDesk("s", "no", "e", "a", texts=["good box"])
    run(tmp_path / "e", SteppedPolicy(proposer(), desk))
    assert records(tmp_path / "e")[0]["settings"]["is_stepped"] is True
    runtime, workspace = FakeRuntime(), FakeWorkspace()
    checks = replay(tmp_path / "e", make_task(), runtime, tmp_path / "r", workspace=workspace)  # type: ignore[arg-type]
    assert [check.name for check in checks if not check.is_equal] == []


def terminal(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[TerminalDesk, io.StringIO]:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return TerminalDesk(Console(file=out, width=80), editor=""), out


def test_the_terminal_takes_lines_and_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, out = terminal("hello\none\ntwo\n.\n", monkeypatch)
    assert desk.ask("you> ") == "hello"
    assert desk.edit("[old]", ".py") == "one\ntwo"
    assert desk.ask("you> ") is None
    assert "[old]" in out.getvalue(), "no markup is obeyed"


def test_ctrl_c_at_the_prompt_is_the_end_of_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, _ = terminal("", monkeypatch)

    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    assert desk.ask("you> ") is None


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_editor_changes_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys, pathlib\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "path.write_text(path.read_text().replace('old', 'new'))\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(sys, "stdin", Screen())
    desk = TerminalDesk(editor=f"{sys.executable} {script}")
    assert desk.edit("old box", ".py") == "new box"
    assert TerminalDesk(editor=f"{sys.executable} -c 'exit(1)'").edit("old", ".py") is None


def test_what_an_editor_saved_in_another_encoding_is_given_up_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "editor.py"
    script.write_text("import sys, pathlib\npathlib.Path(sys.argv[1]).write_bytes(b'\\xff')\n")
    monkeypatch.setattr(sys, "stdin", Screen())
    out = io.StringIO()
    desk = TerminalDesk(Console(file=out, width=200), editor=f"{sys.executable} {script}")
    assert desk.edit("box", ".py") is None
    assert "cannot be read as UTF-8" in out.getvalue()


def test_human_is_a_policy_by_name() -> None:
    assert make_policy("human").name == "human"
