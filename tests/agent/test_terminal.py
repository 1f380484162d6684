"""What anybody wrote reaches a terminal as letters, never as orders."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.agent.terminal import visible


@given(st.text(st.characters()))
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    kinds = {unicodedata.category(c) for c in visible(text) if c not in "\t\n\r"}
    assert not kinds & {"Cc", "Cs"}


@given(st.text(st.characters(exclude_categories=("C",))))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jx", "\\x1b[2Jx"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("\ud800", "\\ud800"),
        ("one\n\ttwo", "one\n\ttwo"),
    ],
    ids=["clear", "c1", "right-to-left", "half-a-pair", "lines"],
)
def test_control_characters_are_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown
