"""``cadwright judge`` over fakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_fakes import FakeJudge
from last_line import last_line

from cadwright.agent.cli.app import run_command
from cadwright.tools.errors import GeometryError, Outcome

pytestmark = pytest.mark.usefixtures("fakes")


def test_judge_prints_the_promised_fields(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "part.stl").write_text("good one")
    assert run_command(["judge", "part.stl", "--task", f"{suite}#one", "--json"]) == 0
    data = last_line(capsys)
    assert {"outcome", "message", "warnings", "measures", "score"} <= set(data)
    assert set(data["measures"]) == {
        "volume_mm3", "area_mm2", "bbox_mm", "bodies", "watertight", "valid",
    }  # fmt: skip
    assert {"value", "verdict", "reason", "terms", "card"} <= set(data["score"])
    assert data["measures"]["bbox_mm"] == [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]


@pytest.mark.parametrize("as_what", ["part", "reference"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("notes.txt", "notes.txt: unknown format"),
        ("notes", "notes: unknown format"),
        ("folder.step", "folder.step is a folder"),
        ("nowhere.stl", "nowhere.stl: no such file"),
    ],
)
def test_judge_refuses_what_is_no_part_file(
    tmp_path: Path, as_what: str, name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in ("notes.txt", "notes", "part.stl"):
        (tmp_path / file).write_text("good")
    (tmp_path / "folder.step").mkdir()
    command = ["judge", name] if as_what == "part" else ["judge", "part.stl", "-r", name]
    assert run_command(command) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_judge_of_a_file_that_cannot_be_read_exits_with_2_where_nothing_is_scored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreadable(*_: object) -> None:
        raise GeometryError("part.stl: no STL", Outcome.IMPORT_ERROR)

    monkeypatch.setattr(FakeJudge, "read", unreadable, raising=False)
    (tmp_path / "part.stl").write_text("no STL")
    assert run_command(["judge", "part.stl", "--json"]) == 2
    assert last_line(capsys)["outcome"] == "import_error"


def test_judge_without_a_reference_has_no_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "part.stl").write_text("good")
    run_command(["judge", "part.stl", "--json"])
    assert last_line(capsys)["score"] is None


def test_judge_against_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("part.stl", "reference.stl"):
        (tmp_path / name).write_text("good")
    run_command(["judge", "part.stl", "--reference", "reference.stl", "--json"])
    assert last_line(capsys)["score"]["verdict"] == "scored"


def test_judge_scores_a_file_without_a_part_like_an_episode_without_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreadable(*_: object) -> None:
        raise GeometryError("part.stl: the file is empty", Outcome.EMPTY_GEOMETRY)

    monkeypatch.setattr(FakeJudge, "read", unreadable, raising=False)
    for name in ("part.stl", "reference.stl"):
        (tmp_path / name).write_text("good")
    assert run_command(["judge", "part.stl", "-r", "reference.stl", "--json"]) == 0
    data = last_line(capsys)
    assert data["outcome"] == "empty_geometry"
    assert data["score"]["verdict"] == "invalid"
