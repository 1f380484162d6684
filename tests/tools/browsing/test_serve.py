"""The static server gives out its folder and nothing else."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path

import pytest

from cadwright.tools.browsing.serve import StaticServer, find
from cadwright.tools.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "site"
    inside.mkdir()
    (inside / "index.html").write_text("home")
    (inside / "kernel.wasm").write_bytes(b"\0asm")
    (tmp_path / "secret").write_text("secret")
    (inside / "link").symlink_to(tmp_path / "secret")
    return inside


def test_types_and_policy_are_sent(folder):
    with (
        StaticServer(folder) as server,
        urllib.request.urlopen(f"{server.url}kernel.wasm") as answer,
    ):
        assert answer.headers["Content-Type"] == "application/wasm"
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        assert answer.read() == b"\0asm"


def test_the_root_is_the_index(folder):
    with StaticServer(folder) as server, urllib.request.urlopen(server.url) as answer:
        assert answer.read() == b"home"


@pytest.mark.parametrize(
    "path", ["/../secret", "/%2e%2e/secret", "/link", "/nothing", "//etc/passwd", "/a%00b"]
)
def test_what_lies_outside_is_not_found(folder, path):
    assert find(folder.resolve(), path) is None


def test_a_missing_file_is_404_and_a_missing_icon_is_not(folder):
    with StaticServer(folder) as server:
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{server.url}nothing")
        with urllib.request.urlopen(f"{server.url}favicon.ico") as answer:
            assert answer.status == 204


def test_another_page_may_be_the_index(folder):
    (folder / "demo.html").write_text("demo")
    server = StaticServer(folder, index="demo.html")
    with server, urllib.request.urlopen(server.url) as answer:
        assert answer.read() == b"demo"


def test_a_folder_without_its_page_is_refused(folder):
    with pytest.raises(UsageError, match=r"has no start\.html"):
        StaticServer(folder, index="start.html").start()


def test_another_name_for_this_machine_is_not_answered(folder):
    with StaticServer(folder) as server:
        request = urllib.request.Request(server.url, headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="421"):
            urllib.request.urlopen(request)


def test_closing_twice_and_starting_again_is_fine(folder):
    server = StaticServer(folder)
    server.close()
    server.start()
    server.close()
    server.close()
