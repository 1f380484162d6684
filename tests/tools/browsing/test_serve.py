"""The static server gives out its folder and nothing else."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path

import pytest

from cadwright.tools.browsing.serve import StaticServer


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
        StaticServer(folder, policy="default-src 'self'") as server,
        urllib.request.urlopen(f"{server.url}/kernel.wasm") as answer,
    ):
        assert answer.headers["Content-Type"] == "application/wasm"
        assert answer.headers["Content-Security-Policy"] == "default-src 'self'"
        assert answer.read() == b"\0asm"


def test_the_root_is_the_index(folder):
    with StaticServer(folder) as server, urllib.request.urlopen(server.url) as answer:
        assert answer.read() == b"home"


@pytest.mark.parametrize(
    "path", ["/../secret", "/%2e%2e/secret", "/link", "/nothing", "//etc/passwd", "/a%00b"]
)
def test_what_lies_outside_is_not_found(folder, path):
    assert StaticServer(folder).find(path) is None


def test_a_missing_file_is_404_and_a_missing_icon_is_not(folder):
    with StaticServer(folder) as server:
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{server.url}/nothing")
        with urllib.request.urlopen(f"{server.url}/favicon.ico") as answer:
            assert answer.status == 204


def test_closing_twice_and_starting_again_is_fine(folder):
    server = StaticServer(folder)
    server.close()
    server.start()
    server.close()
    server.close()
