from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from agent_fakes import HEADER
from hypothesis import given
from hypothesis import strategies as st

from cadwright.agent.messages import Message
from cadwright.agent.trajectory import (
    FORMAT,
    TrajectoryWriter,
    inside,
    load_png,
    read_trajectory,
)
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ImageBlock, TextBlock

END = {"outcome": "ok", "end_reason": "submitted", "part_digest": "", "score": None}


def write(folder: Path, texts: tuple[str, ...] = ("one", "two")) -> Path:
    with TrajectoryWriter(folder) as log:
        log.record("header", HEADER)
        for text in texts:
            log.message(Message("user", (TextBlock(text),)))
        log.record("end", END, seconds=1.0)
    return folder / "trajectory.jsonl"


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    write(tmp_path / "e")
    trajectory = read_trajectory(tmp_path / "e")
    assert [m.text for m in trajectory.conversation()] == ["one", "two"]
    assert trajectory.ending is not None


@pytest.mark.parametrize("text", ["Ø12–槽", "a\u2028b", "\ud800", "\x00", "line\nline"])
def test_any_text_survives(tmp_path: Path, text: str) -> None:
    write(tmp_path / "e", (text,))
    assert read_trajectory(tmp_path / "e").conversation().messages[0].text == text


@given(cut=st.integers(1, 400))
def test_file_cut_anywhere_keeps_its_whole_records(tmp_path_factory: object, cut: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        path = write(Path(name) / "e")
        data = path.read_bytes()
        kept = max(len(data) - cut, data.index(b"\n") + 1)
        path.write_bytes(data[:kept])
        trajectory = read_trajectory(path.parent)
        assert len(trajectory.records) == data[:kept].count(b"\n")
        assert trajectory.is_torn == (not data[:kept].endswith(b"\n"))


def test_damage_in_the_middle_is_named_by_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "e")
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], b"{oops", *lines[2:]]))
    with pytest.raises(UsageError, match=r"trajectory\.jsonl:2: damaged"):
        read_trajectory(tmp_path / "e")


def change(path: Path, line: int, **changes: object) -> None:
    """Change fields of one record; ``...`` takes a field away."""
    lines = path.read_text().splitlines(keepends=True)
    record = json.loads(lines[line]) | changes
    kept = {key: value for key, value in record.items() if value is not ...}
    path.write_text("".join([*lines[:line], json.dumps(kept) + "\n", *lines[line + 1 :]]))


@pytest.mark.parametrize(
    ("line", "changes", "said"),
    [
        (0, {"format": ...}, ":1: damaged header: format is missing"),
        (0, {"format": "one"}, ":1: damaged header: format must be a whole number, not 'one'"),
        (0, {"task": ...}, ":1: damaged header: task is missing"),
        (0, {"task": {"id": 7}}, ":1: damaged header: task.id must be text, not 7"),
        (0, {"seed": True}, ":1: damaged header: seed must be a whole number, not True"),
        (1, {"blocks": None}, ":2: damaged message: blocks must be a list, not None"),
        (3, {"score": []}, r":4: damaged end: score must be an object or null, not \[\]"),
        (3, {"kind": 3}, ":4: not a record"),
    ],
)
def test_a_damaged_record_is_named_by_its_line_and_field(
    tmp_path: Path, line: int, changes: dict[str, object], said: str
) -> None:
    change(write(tmp_path / "e"), line, **changes)
    with pytest.raises(UsageError, match=rf"trajectory\.jsonl{said}"):
        read_trajectory(tmp_path / "e")


def test_fields_and_kinds_of_a_later_version_are_no_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "e")
    change(path, 0, novelty=1)
    change(path, 1, kind="novelty")
    assert read_trajectory(tmp_path / "e").ending is not None


@pytest.mark.parametrize("data", [None, b"", b"no picture", b"\x89PNG\r\n\x1a\n half of it"])
def test_a_picture_that_cannot_be_read_is_named(tmp_path: Path, data: bytes | None) -> None:
    if data is not None:
        (tmp_path / "a.png").write_bytes(data)
    with pytest.raises(UsageError, match=r"a\.png: (the picture is gone|no readable picture)"):
        load_png(tmp_path / "a.png")


def test_later_format_is_refused(tmp_path: Path) -> None:
    with TrajectoryWriter(tmp_path / "e") as log:
        log.record("header", HEADER | {"format": FORMAT + 1})
    with pytest.raises(UsageError, match="reads up to"):
        read_trajectory(tmp_path / "e")


def test_folder_that_holds_an_episode_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "e")
    with pytest.raises(UsageError, match="already holds an episode"):
        TrajectoryWriter(tmp_path / "e")


def test_folder_without_an_episode_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no episode here"):
        read_trajectory(tmp_path)


def test_same_picture_is_stored_once(tmp_path: Path) -> None:
    with TrajectoryWriter(tmp_path / "e") as log:
        pixels = np.full((4, 5, 3), 7, np.uint8)
        names = [log.save_image(ImageBlock(pixels.copy(), str(n))) for n in range(3)]
        assert len(set(names)) == 1
        assert np.array_equal(load_png(tmp_path / "e" / names[0]), pixels)


def test_file_name_in_a_record_cannot_leave_the_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="outside the episode"):
        inside(tmp_path / "e", "../../etc/passwd")
