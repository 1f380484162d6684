from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cadwright.rewards.claims import Claim, ClaimKind, read_claims, standing
from cadwright.rewards.consistency import (
    Built,
    ClaimVerdict,
    check_claims,
    consistency_readings,
)
from cadwright.tools.geometry.faces import PlaneFace
from cadwright.tools.geometry.features import Features, Fillet, Unchecked, Wall
from cadwright.tools.geometry.part import Hole, Measures, Vector

TRUE, FALSE, UNKNOWN = ClaimVerdict.TRUE, ClaimVerdict.FALSE, ClaimVerdict.COULD_NOT_CHECK


def measures(
    size: Vector = (80.0, 60.0, 10.0), holes: tuple[float, ...] = (6.0,) * 4, **changes: Any
) -> Measures:
    values: dict[str, Any] = {
        "volume_mm3": 1.0,
        "area_mm2": 1.0,
        "bbox_mm": ((0.0, 0.0, 0.0), size),
        "bodies": 1,
        "is_watertight": True,
        "is_valid": True,
        "centre_mm": (0.0, 0.0, 0.0),
        "inertia_mm5": None,
        "num_faces": 10,
        "num_edges": 24,
        "num_triangles": 100,
        "open_edges": 0,
        "faces_by_kind": {"plane": 6, "cylinder": len(holes)},
        "holes": tuple(Hole(d, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 10.0, True) for d in holes),
    }
    return Measures(**(values | changes))


def plane(normal: Vector, offset: float) -> PlaneFace:
    return PlaneFace(normal, offset, 1.0, (0.0, 0.0, 0.0), (0,))


def box_planes(x: float, y: float, z: float) -> tuple[PlaneFace, ...]:
    up = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    down = [(-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)]
    tops = [plane(normal, size) for normal, size in zip(up, (x, y, z), strict=True)]
    return (*tops, *(plane(normal, 0.0) for normal in down))


FILLET = Fillet(2.0, True, 10.0, (0.0, 0.0, 0.0), None, 1, (0,))
WALL = Wall(3.0, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 50.0, 20.0, False, (0, 1))


def verdict(text: str, built: Built) -> ClaimVerdict:
    claims = read_claims(text)
    assert len(claims) == 1, claims
    return check_claims(claims, built)[0].verdict


HEARD = [
    ("four 6 mm holes", ClaimKind.HOLES, (6.0,), 4),
    ("4x Ø6 through holes", ClaimKind.HOLES, (6.0,), 4),
    ("four through holes of diameter 6", ClaimKind.HOLES, (6.0,), 4),
    ("six holes of radius 3 mm", ClaimKind.HOLES, (6.0,), 6),
    ("a 20 mm bore", ClaimKind.HOLES, (20.0,), None),
    ("two 6 mm holes in each flange", ClaimKind.HOLES, (6.0,), None),
    ("two rows of four 6 mm holes", ClaimKind.HOLES, (6.0,), None),
    ("two 0.5 in holes", ClaimKind.HOLES, (12.7,), 2),
    ("80 x 60 x 10 mm plate", ClaimKind.SIZE, (80.0, 60.0, 10.0), None),
    ("8x6x1 cm block", ClaimKind.SIZE, (80.0, 60.0, 10.0), None),
    ("A plate of 80 mm x 60 mm x 10 mm.", ClaimKind.SIZE, (80.0, 60.0, 10.0), None),
    ("fillet radius 2", ClaimKind.FILLET, (2.0,), None),
    ("R2 fillets", ClaimKind.FILLET, (2.0,), None),
    ("edges filleted with 2 mm", ClaimKind.FILLET, (2.0,), None),
    ("1.5 mm chamfers", ClaimKind.CHAMFER, (1.5,), None),
    ("wall 3 mm thick", ClaimKind.WALL, (3.0,), None),
    ("wall thickness: 3", ClaimKind.WALL, (3.0,), None),
    ("the overall height is 40 mm", ClaimKind.EXTENT, (40.0,), None),
]


@pytest.mark.parametrize(("text", "kind", "sizes", "count"), HEARD, ids=[row[0] for row in HEARD])
def test_a_plain_statement_is_a_claim(
    text: str, kind: ClaimKind, sizes: tuple[float, ...], count: int | None
) -> None:
    (claim,) = read_claims(text)
    assert (claim.kind, claim.count) == (kind, count)
    assert claim.sizes_mm == pytest.approx(sizes)


@pytest.mark.parametrize(
    "text",
    [
        "Is it four 6 mm holes?",
        "no 6 mm holes",
        "there might be four 6 mm holes",
        "the plate had four 6 mm holes before",
        "about 6 mm holes",
        "the brief asks for four 6 mm holes",
        "5-6 mm holes",
        "four 1/4 in holes",
        "four 6,5 mm holes",
        "four M6 holes",
        "6 mm deep holes",
        "four holes 20 mm apart",
        "6 mm hole pattern",
        "4 holes",
        "fillet 4 corners",
        "fillet 2 in the corners",
        "2 x 45° chamfer",
        "two 45 degree chamfers",
        "a 20 x 10 x 5 mm pocket in the plate",
        "walls 3 mm high",
        "`four 6 mm holes`",
        "```python\n# four 6 mm holes\n```",
        "```python\n# four 6 mm holes, and the fence never closes",
        "",
    ],
)
def test_what_is_not_understood_without_doubt_is_no_claim(text: str) -> None:
    assert read_claims(text) == ()


@given(st.text(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    assert all(isinstance(claim, Claim) for claim in read_claims(text))


@pytest.mark.parametrize(
    "text",
    ["9" * 50_000, "4 holes" + " " * 49_000 + "a", "1 x " * 12_500, "four through " * 4_000],
    ids=["digits", "spaces", "products", "words"],
)
def test_a_hostile_text_is_read_to_its_end(text: str) -> None:
    assert read_claims(text) == ()


def test_a_later_turn_replaces_what_it_speaks_of() -> None:
    said = (
        *read_claims("An 80 x 60 x 10 mm plate with four 6 mm holes.", turn=1),
        *read_claims("The plate is now 80 x 60 x 12 mm.", turn=2),
    )
    assert {(c.kind, c.turn) for c in standing(said)} == {
        (ClaimKind.SIZE, 2),
        (ClaimKind.HOLES, 1),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("four 6 mm holes", TRUE),
        ("a 6 mm hole", TRUE),
        ("three 6 mm holes", FALSE),
        ("four 8 mm holes", FALSE),
        ("60 x 80 x 10 mm plate", TRUE),
        ("100 x 60 x 10 mm plate", FALSE),
        ("the bounding box is 70 x 60 x 10 mm", FALSE),
        ("40 x 30 x 5 mm plate", UNKNOWN),
        ("the overall height is 10 mm", TRUE),
        ("the overall height is 11 mm", FALSE),
        ("fillet radius 2", UNKNOWN),
        ("1 mm chamfers", UNKNOWN),
        ("wall 3 mm thick", UNKNOWN),
    ],
)
def test_measures_decide_what_they_can(text: str, expected: ClaimVerdict) -> None:
    assert verdict(text, Built(measures())) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fillet radius 2", TRUE),
        ("fillet radius 3", FALSE),
        ("1 mm chamfers", FALSE),
        ("wall 3 mm thick", TRUE),
        ("wall 4 mm thick", FALSE),
        ("50 x 40 x 10 mm block", TRUE),
        ("50 x 41 x 10 mm block", UNKNOWN),
    ],
)
def test_features_decide_the_rest(text: str, expected: ClaimVerdict) -> None:
    features = Features("brep", planes=box_planes(50, 40, 10), fillets=(FILLET,), walls=(WALL,))
    assert verdict(text, Built(measures(), features)) is expected


def test_an_incomplete_search_calls_nobody_a_liar() -> None:
    features = Features("brep", unchecked=(Unchecked("fillets", "free-form faces"),))
    assert verdict("fillet radius 3", Built(measures(), features)) is UNKNOWN


def test_a_part_of_too_many_faces_is_left_alone() -> None:
    features = Features("brep", planes=box_planes(50, 40, 10) * 100, walls=(WALL,))
    assert verdict("wall 4 mm thick", Built(measures(), features)) is UNKNOWN


def test_two_groups_of_equal_holes_are_counted_together() -> None:
    text = "Two 6 mm holes on top. One 6 mm hole in the side."
    checked = check_claims(read_claims(text), Built(measures(holes=(6.0,) * 3)))
    assert [one.verdict for one in checked] == [TRUE, TRUE]


def test_holes_of_a_mesh_could_not_be_checked() -> None:
    built = Built(measures(holes=(), faces_by_kind={"facet": 40}))
    assert verdict("four 6 mm holes", built) is UNKNOWN


GOLD = ("An 80 x 60 x 10 mm plate.", "Now four 6 mm holes.")


def test_words_that_match_the_part_earn_full_credit() -> None:
    readings = consistency_readings(GOLD, Built(measures()))
    assert {name: r.value for name, r in readings.items()} == {"claims": 1.0, "plan": 1.0}


def test_words_about_another_part_stay_below_half() -> None:
    reading = consistency_readings(GOLD, Built(measures((30.0, 20.0, 5.0), (4.0,))))["claims"]
    assert reading.value == 0.0
    assert "'four 6 mm holes' is false" in reading.note


def test_a_plan_that_was_given_up_is_seen() -> None:
    statements = ("A plate with four 8 mm holes.", "I made a 80 x 60 x 10 mm plate.")
    readings = consistency_readings(statements, Built(measures()))
    assert (readings["plan"].value, readings["claims"].value) == (0.0, 0.5)


@pytest.mark.parametrize("statements", [(), ("I will do my best.",)])
def test_who_claims_nothing_has_no_value(statements: tuple[str, ...]) -> None:
    assert consistency_readings(statements, Built(measures()))["claims"].value is None


def test_claims_about_no_part_have_no_value() -> None:
    assert consistency_readings(GOLD, None)["claims"].value is None
