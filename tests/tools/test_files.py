"""Files that somebody names: what is no regular file, or has no end, is refused unread."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from cadwright.tools.errors import UsageError
from cadwright.tools.files import read_bytes, read_text, size_of


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\x00\xff")
    assert read_bytes(tmp_path / "a.bin") == b"\x00\xff"


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.step")
    with pytest.raises(UsageError, match=r"p\.step is a pipe, not a file"):
        read_bytes(tmp_path / "p.step")


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.yaml")
        with pytest.raises(UsageError, match=r"s\.yaml is a socket"):
            read_bytes(Path("s.yaml"))


def test_a_link_to_a_device_without_an_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    with pytest.raises(UsageError, match=r"zero\.py is a device"):
        read_text(tmp_path / "zero.py")


def test_the_null_device_is_an_empty_file() -> None:
    assert read_text(Path(os.devnull)) == ""


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder, not a file"):
        size_of(tmp_path)


def test_a_missing_file_says_no_more_than_that(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.py: no such file$"):
        read_bytes(tmp_path / "nowhere.py")


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        size_of(Path("a\0b"))


def test_a_file_over_the_limit_is_refused_with_its_own_size(tmp_path: Path) -> None:
    with (tmp_path / "big.stl").open("wb") as file:
        file.truncate(2**31)
    with pytest.raises(UsageError, match="2048 MB given, at most 256 MB allowed"):
        read_bytes(tmp_path / "big.stl")


def test_one_byte_too_many_does_not_read_as_the_limit_itself(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * (2**20 + 1))
    with pytest.raises(UsageError, match="1048577 bytes given, at most 1 MB allowed"):
        read_bytes(tmp_path / "a", 2**20)


def test_a_file_at_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 8)
    assert len(read_bytes(tmp_path / "a", 8)) == 8


def test_a_file_that_says_0_bytes_is_held_to_the_limit_too() -> None:
    with pytest.raises(UsageError, match="at most 4 bytes allowed"):
        read_bytes(Path("/proc/self/maps"), 4)
