"""A small memory of results by key."""

import pytest

from cadwright.tools.kept import Kept


def refuse():
    raise AssertionError("made again")


def test_a_kept_result_is_not_made_again():
    kept = Kept(2)
    assert kept.get("a", lambda: 1) == 1
    assert kept.get("a", refuse) == 1


def test_the_result_used_longest_ago_goes_first():
    kept = Kept(2)
    for key in ("a", "b", "a", "c"):
        kept.get(key, lambda: 0)
    kept.get("a", refuse)
    with pytest.raises(AssertionError, match="made again"):
        kept.get("b", refuse)


def test_what_is_dropped_is_made_again():
    kept = Kept(2)
    kept.get("a", lambda: 1)
    kept.drop("a")
    assert kept.get("a", lambda: 2) == 2


def test_what_cannot_be_made_is_not_kept():
    kept = Kept(2)
    with pytest.raises(AssertionError):
        kept.get("a", refuse)
    assert kept.get("a", lambda: 3) == 3
