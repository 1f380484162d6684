"""``cadwright modeller`` serves the page and says where."""

from __future__ import annotations

import urllib.request

import pytest

from cadwright.agent.cli import modeller as command
from cadwright.tools.errors import UsageError


def test_the_printed_address_gives_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = []

    def visit() -> None:
        address = capsys.readouterr().out.split()[4]
        with urllib.request.urlopen(address) as answer:
            pages.append(answer.read())

    monkeypatch.setattr(command, "wait", visit)
    command.modeller(port=0)
    assert b"<title>cadwright modeller</title>" in pages[0]


def test_a_taken_port_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from cadwright.tools.browsing.serve import StaticServer

    def refuse(server: StaticServer) -> StaticServer:
        raise UsageError(
            f"cannot listen on port {server.port}: in use; use --port 0 for a free one"
        )

    monkeypatch.setattr(StaticServer, "start", refuse)
    with pytest.raises(UsageError, match="--port 0"):
        command.modeller(port=8765)
