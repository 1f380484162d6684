"""Declarations, parsing and the faults that parsing names."""

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from cadwright.rewards.constraints.field import ConstraintFault, members_of
from cadwright.rewards.constraints.parse import (
    KINDS,
    parse_constraint,
    parse_constraints,
    to_plain,
)
from cadwright.rewards.constraints.reference import common_markdown, kinds_markdown
from cadwright.rewards.constraints.wording import asked_text

DOCS = Path(__file__).parents[3] / "docs" / "constraints.md"
SIZE = {"kind": "bounding_box", "size": [1, 2, 3]}
BOX = {"kind": "fits_in_box", "size": [1, 2, 3]}
AT = {"kind": "hole", "diameter": 5}


def example(name):
    return {"kind": name, **KINDS[name].example}


def test_there_are_at_least_25_kinds():
    assert len(KINDS) >= 25


@pytest.mark.parametrize("name", KINDS)
def test_the_example_of_a_kind_survives_the_way_out_and_back(name):
    constraint = parse_constraint(example(name))
    assert parse_constraint(to_plain(constraint)) == constraint


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_frozen_and_says_what_it_asks(name):
    constraint = parse_constraint(example(name))
    assert asked_text(constraint)
    with pytest.raises(FrozenInstanceError):
        constraint.weight = 2.0


@pytest.mark.parametrize("name", KINDS)
def test_every_field_says_how_it_is_read(name):
    declared = {member.name for member in members_of(KINDS[name])}
    assert declared == {item.name for item in fields(KINDS[name])}


@pytest.mark.parametrize("name", KINDS)
def test_tolerance_and_half_of_a_kind_can_be_used(name):
    slack = parse_constraint(example(name)).slack
    assert slack.tolerance >= 0.0
    assert slack.half > 0.0


@pytest.mark.parametrize(
    ("data", "where", "message"),
    [
        ([{"kind": "hol", "diameter": 6}], (0, "kind"), "did you mean 'hole'"),
        ([{"diameter": 6}], (0,), "needs a kind"),
        ([{"kind": "hole", "diamter": 6}], (0, "diamter"), "did you mean 'diameter'"),
        ([{"kind": "hole"}], (0,), "lacks the field 'diameter'"),
        ([{"kind": "hole", "diameter": "6"}], (0, "diameter"), "'6', allowed: a number"),
        ([{"kind": "hole", "diameter": True}], (0, "diameter"), "a number"),
        ([{"kind": "hole", "diameter": float("nan")}], (0, "diameter"), "a number"),
        ([{"kind": "hole", "diameter": -6}], (0, "diameter"), "above 0"),
        ([AT, {**AT, "at": [1, 2]}], (1, "at"), "three numbers"),
        ([{**AT, "at": [[1, 2, 3], [None, None, None]]}], (0, "at", 1), "at least one coordinate"),
        ([{**AT, "axis": "up"}], (0, "axis"), "a direction such as"),
        ([{**AT, "axis": [0, 0, 0]}], (0, "axis"), "must not be 0"),
        ([{**AT, "bottom": "flt"}], (0, "bottom"), "did you mean 'flat'"),
        ([{**AT, "counterbore": {"diametr": 8}}], (0, "counterbore", "diametr"), "did you mean"),
        ([{**AT, "count": 3, "at": [[1, 2, 3]]}], (0,), "count is 3 with 1 places"),
        ([{"kind": "keep_out", "region": {"min": [0, 0, 0]}}], (0, "region"), "give a box"),
        ([{"kind": "symmetry"}], (0,), "give mirror"),
        ([{**BOX, "centre": [0, 0, 0], "order": "any"}], (0,), "leave centre or order out"),
        ([{"kind": "thread_hole", "thread": "M9"}], (0, "thread"), "nearest are M8, M10"),
        ([{**SIZE, "id": "a"}, {**SIZE, "id": "a"}], (1, "id"), "is taken"),
        ([{**SIZE, "weight": -1}], (0, "weight"), "from 0"),
        ("hole", (), "a list"),
        ([3], (0,), "a mapping"),
    ],
    ids=str,
)
def test_a_fault_is_named_with_its_place(data, where, message):
    with pytest.raises(ConstraintFault, match=message) as fault:
        parse_constraints(data)
    assert fault.value.where == where


def test_a_region_in_a_file_is_called_by_its_name():
    region = {"file": "/a/long/way/down/jig.step"}
    (asked,) = parse_constraints([{"kind": "keep_out", "region": region}])
    assert asked_text(asked) == "region [file jig.step]"


def test_a_fault_is_one_line():
    with pytest.raises(ConstraintFault) as fault:
        parse_constraints([{"kind": "zzz"}])
    assert "\n" not in str(fault.value)


def test_constraints_without_ids_get_their_own():
    assert [one.id for one in parse_constraints([SIZE, SIZE])] == [
        "1_bounding_box",
        "2_bounding_box",
    ]


def test_a_direction_becomes_a_unit_vector():
    assert parse_constraint({**AT, "axis": [0, 3, 4]}).axis == (0.0, 0.6, 0.8)


def test_one_place_is_a_list_of_one():
    assert parse_constraint({**AT, "at": [1, 2, None]}).at == ((1.0, 2.0, None),)


def test_the_documentation_describes_every_kind_as_declared():
    text = DOCS.read_text(encoding="utf-8")
    assert common_markdown() in text
    assert kinds_markdown().rstrip() in text
