import re
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from cadwright.envs.names import MAX_LENGTH, nearest, safe_name

ids = st.text(min_size=1, max_size=80)
confusing_ids = st.text(alphabet="aAbB/\\.~- ßſſKÅé\u0301", min_size=1, max_size=6)


@given(ids | confusing_ids, ids | confusing_ids)
@example("A", "a")
@example("a/b", "a b")
@example("é", "e\u0301")
@example("con", "CON")
def test_different_ids_get_names_that_differ_without_case(one, other):
    if one != other:
        assert safe_name(one).casefold() != safe_name(other).casefold()


@given(ids)
@example("../../escape")
@example("\ud800")
def test_a_name_holds_no_separator_and_fits(task_id):
    name = safe_name(task_id)
    assert re.fullmatch(r"[a-z0-9_~.-]+", name)
    assert 1 <= len(name) <= MAX_LENGTH
    assert name.strip(".") != ""


@given(ids)
@example("../../escape")
@example("..")
def test_a_name_stays_in_its_folder(task_id):
    folder = Path("/runs/one")
    assert (folder / safe_name(task_id)).resolve().parent == folder


@given(st.from_regex(r"[a-z0-9][a-z0-9_-]{0,63}", fullmatch=True))
def test_a_plain_lower_case_id_is_its_own_name(task_id):
    assume(not re.fullmatch(r"con|prn|aux|nul|(com|lpt)[0-9]", task_id))
    assert safe_name(task_id) == task_id


def test_a_number_is_its_own_name():
    assert safe_name("00000007") == "00000007"


@pytest.mark.parametrize("device", ["con", "nul", "com1", "lpt9.txt"])
def test_a_device_name_of_windows_is_not_used(device):
    assert safe_name(device) != device


def test_the_nearest_match_comes_first():
    assert nearest("breif", ["brief", "id"]) == " (did you mean 'brief'?), allowed: brief, id"
