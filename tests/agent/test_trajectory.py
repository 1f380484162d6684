from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
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


def write(folder: Path, texts: tuple[str, ...] = ("one", "two")) -> Path:
    with TrajectoryWriter(folder) as log:
        log.record("header", {"format": FORMAT})
        for text in texts:
            log.message(Message("user", (TextBlock(text),)))
        log.record("end", {"outcome": "ok"}, seconds=1.0)
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


def test_later_format_is_refused(tmp_path: Path) -> None:
    with TrajectoryWriter(tmp_path / "e") as log:
        log.record("header", {"format": FORMAT + 1})
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
