"""What breaks out at an edge or runs into its like is found; what no rule names is not denied."""

import pytest
from constraint_parts import cq, one, part_of, report


def block():
    return cq.Workplane().box(20, 20, 10)


def plate():
    return cq.Workplane().box(60, 60, 10)


def on_top(made):
    return made.faces(">Z").workplane()


OVERLAPPING = {"kind": "hole", "diameter": 6, "at": [[-2, 0, 5], [2, 0, 5]], "through": True}
POCKET = {"size": [40, 30], "depth": 4, "at": [0, 0, 5], "opens": "+z"}


def overlapping():
    return part_of(on_top(block()).pushPoints([(-2, 0), (2, 0)]).hole(6))


def slotted(depth=None):
    """A slot that runs out at +x: its round end has its centre at x = 5."""
    drawn = on_top(block()).center(8, 0).slot2D(10, 4)
    return part_of(drawn.cutThruAll() if depth is None else drawn.cutBlind(-depth))


def drafted():
    """A pocket with walls that lean by more than walls do."""
    tool = cq.Workplane().workplane(offset=5).rect(40, 30).extrude(-4, taper=50)
    return part_of(plate().cut(tool))


def test_two_holes_that_run_into_each_other_are_two():
    part = overlapping()
    assert report(part, OVERLAPPING, {"kind": "hole_count", "count": 2}).all_met
    assert one(part, "hole_count", count=3).verdict == "residual"
    assert one(part, "hole", diameter=6, count=3).verdict == "residual"


def test_holes_that_run_into_each_other_bind_to_place_and_size():
    part = overlapping()
    assert one(part, "hole", diameter=6, at=[[-2, 0, 5], [6, 0, 5]]).verdict == "residual"
    assert one(part, "hole", diameter=5, count=2).verdict == "residual"
    assert one(part, "hole", diameter=6, axis="x").verdict == "residual"


def test_a_hole_over_an_edge_is_one_as_long_as_more_than_half_is_there():
    inside, outside = (part_of(on_top(block()).center(x, 0).hole(6)) for x in (9, 11))
    assert one(inside, "hole", diameter=6, at=[9, 0, 5], opens="+z").verdict == "met"
    result = one(outside, "hole", diameter=6)
    assert (result.verdict, result.credit) == ("residual", 0.0)


def test_a_blind_hole_over_an_edge_has_its_depth():
    part = part_of(on_top(block()).center(9, 0).hole(6, 4))
    asked = {"diameter": 6, "depth": 4, "opens": "+z", "bottom": "flat", "through": False}
    assert one(part, "hole", **asked).verdict == "met"
    assert one(part, "hole", **{**asked, "opens": "-z"}).verdict == "residual"


def test_a_bore_with_a_keyway_is_a_hole_and_may_be_counted_or_not():
    hub = cq.Workplane().circle(20).circle(8).extrude(10)
    part = part_of(hub.cut(cq.Workplane().box(4, 6, 30).translate((0, 8, 0))))
    assert one(part, "hole", diameter=16, axis="z", through=True).verdict == "met"
    assert [one(part, "hole_count", count=n).verdict for n in (0, 1, 2)] == [
        "met",
        "met",
        "residual",
    ]


@pytest.mark.parametrize("depth", [3, None], ids=["blind", "through"])
def test_a_slot_that_runs_out_at_an_edge_is_a_slot(depth):
    asked = {"width": 4, "length": 7, "at": [6.5, 0, 5], "along": "x", "through": depth is None}
    part = slotted(depth)
    assert one(part, "slot", **asked, opens="+z").verdict == "met"
    assert one(part, "slot", **{**asked, "along": "y"}).verdict == "residual"
    assert one(part, "slot", **{**asked, "width": 5}).verdict == "residual"
    assert one(part, "slot", **{**asked, "length": 9}).verdict == "residual"


@pytest.mark.parametrize(
    "part",
    [
        drafted(),
        part_of(plate().cut(cq.Workplane().box(40, 30, 4).translate((15, 0, 3)))),
    ],
    ids=["leaning walls", "open at an edge"],
)
def test_a_recess_without_a_name_is_not_denied_where_it_is(part):
    result = one(part, "pocket", **POCKET)
    assert (result.verdict, result.is_hidden) == ("could_not_check", True)


def test_a_recess_without_a_name_excuses_nothing_elsewhere():
    result = one(drafted(), "pocket", size=[8, 6], depth=2, at=[-26, -26, 5])
    assert (result.verdict, result.credit) == ("residual", 0.0)
    assert one(drafted(), "hole", diameter=6).verdict == "residual"


def test_a_recess_without_a_name_earns_nothing_without_a_reference():
    told = report(drafted(), {"kind": "pocket", **POCKET}, {"kind": "bodies", "count": 1})
    assert told.without_hiding().value == 0.5


@pytest.mark.parametrize("kind", ["pocket", "slot", "hole"])
def test_a_plain_plate_and_a_step_lack_what_is_asked(kind):
    sizes = {"pocket": POCKET, "slot": {"width": 4}, "hole": {"diameter": 6}}
    stepped = plate().cut(cq.Workplane().box(20, 60, 4).translate((20, 0, 3)))
    for made in (plate(), stepped):
        result = one(part_of(made), kind, **sizes[kind])
        assert (result.verdict, result.credit) == ("residual", 0.0)
