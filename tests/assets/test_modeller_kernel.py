"""Operations of the modeller against volumes that are known."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import pytest
from modeller_driver import Modeller, feature

pytestmark = pytest.mark.browser

CHORDS = 2e-3  # share of a round volume that is lost between the chords of a circle
EXACT = 1e-6

PLATE = feature("box", 1, width=60, depth=40, height=10)


def sketch(number: int, *entities: dict[str, Any], plane: str = "XY", **params: Any) -> Any:
    return feature("sketch", number, plane=plane, entities=list(entities), **params)


def rectangle(x: float, y: float, width: float, height: float, radius: float = 0) -> dict[str, Any]:
    size = {"width": width, "height": height, "radius": radius}
    return {"id": "e1", "type": "rectangle", "x": x, "y": y, **size}


def circle(x: float, y: float, diameter: float, name: str = "e2") -> dict[str, Any]:
    return {"id": name, "type": "circle", "x": x, "y": y, "diameter": diameter}


TRIANGLE = {
    "points": [
        {"id": "p1", "x": 0, "y": 0},
        {"id": "p2", "x": 30, "y": 0},
        {"id": "p3", "x": 0, "y": 40},
    ],
    "entities": [
        {"id": "e1", "type": "line", "a": "p1", "b": "p2"},
        {"id": "e2", "type": "line", "a": "p3", "b": "p2"},
        {"id": "e3", "type": "line", "a": "p3", "b": "p1"},
    ],
}
HALF_DISC = {
    "points": [{"id": "p1", "x": -10, "y": 0}, {"id": "p2", "x": 10, "y": 0}],
    "entities": [
        {"id": "e1", "type": "line", "a": "p1", "b": "p2"},
        {"id": "e2", "type": "arc", "a": "p2", "b": "p1", "bulge": 1},
    ],
}
UPRIGHT = [f"f1:{a}|f1:{b}" for a in ("back", "front") for b in ("left", "right")]

SOLIDS = {
    "box": ([PLATE], 24000.0, EXACT),
    "cylinder": ([feature("cylinder", 1, diameter=20, height=30)], pi * 100 * 30, CHORDS),
    "sphere": ([feature("sphere", 1, diameter=20)], 4 / 3 * pi * 1000, CHORDS),
    "cone": ([feature("cone", 1, bottom=20, top=0, height=30)], pi * 100 * 10, CHORDS),
    "cone upside down": ([feature("cone", 1, bottom=0, top=20, height=30)], pi * 1000, CHORDS),
    "frustum": ([feature("cone", 1, bottom=20, top=10, height=12)], pi * 175 * 4, CHORDS),
    "extruded rectangle with a hole": (
        [
            sketch(1, rectangle(0, 0, 60, 40), circle(30, 20, 10)),
            feature("extrude", 2, sketch="f1", length=10),
        ],
        24000 - pi * 250,
        CHORDS,
    ),
    "extruded rounded rectangle": (
        [
            sketch(1, rectangle(0, 0, 60, 40, radius=8)),
            feature("extrude", 2, sketch="f1", length=10),
        ],
        24000 - (4 - pi) * 640,
        EXACT * 100,
    ),
    "extruded triangle of lines": (
        [feature("sketch", 1, **TRIANGLE), feature("extrude", 2, sketch="f1", length=5)],
        3000.0,
        EXACT,
    ),
    "extruded half disc with an arc": (
        [feature("sketch", 1, **HALF_DISC), feature("extrude", 2, sketch="f1", length=4)],
        200 * pi,
        CHORDS,
    ),
    "extruded to both sides": (
        [
            sketch(1, rectangle(0, 0, 10, 10)),
            feature("extrude", 2, sketch="f1", length=7, direction="symmetric"),
        ],
        700.0,
        EXACT,
    ),
    "revolved ring": (
        [sketch(1, rectangle(10, 0, 5, 4), plane="XZ"), feature("revolve", 2, sketch="f1")],
        pi * (225 - 100) * 4,
        CHORDS,
    ),
    "revolved quarter": (
        [
            sketch(1, rectangle(10, 0, 5, 4), plane="XZ"),
            feature("revolve", 2, sketch="f1", angle=90),
        ],
        pi * 125,
        CHORDS,
    ),
    "revolved about x on the other side": (
        [
            sketch(1, rectangle(0, -15, 4, 5)),
            feature("revolve", 2, sketch="f1", axis="x"),
        ],
        pi * 500,
        CHORDS,
    ),
    "plain hole": (
        [PLATE, feature("hole", 2, plane="f1:top", x=20, y=20, diameter=8)],
        24000 - pi * 160,
        CHORDS,
    ),
    "blind hole": (
        [
            PLATE,
            feature("hole", 2, plane="f1:top", x=20, y=20, diameter=8, extent="length", depth=4),
        ],
        24000 - pi * 64,
        CHORDS,
    ),
    "counterbore": (
        [
            PLATE,
            feature(
                "hole",
                2,
                plane="f1:top",
                x=20,
                y=20,
                diameter=6,
                kind="counterbore",
                boreDiameter=12,
                boreDepth=4,
            ),
        ],
        24000 - pi * (36 * 4 + 9 * 6),
        CHORDS,
    ),
    "countersink": (
        [
            PLATE,
            feature(
                "hole",
                2,
                plane="f1:top",
                x=20,
                y=20,
                diameter=6,
                kind="countersink",
                boreDiameter=12,
            ),
        ],
        24000 - pi * (9 * 10 + (36 + 18 + 9) - 27),
        CHORDS,
    ),
    "rounded upright edges": (
        [PLATE, feature("blend", 2, edges=UPRIGHT, size=5)],
        24000 - (4 - pi) * 250,
        EXACT * 100,
    ),
    "chamfered upright edges": (
        [PLATE, feature("blend", 2, edges=UPRIGHT, size=5, kind="chamfer")],
        24000 - 500.0,
        EXACT,
    ),
    "rounded inner edge": (
        [
            PLATE,
            feature("box", 2, width=10, depth=40, height=40, operation="add"),
            feature("blend", 3, edges=["f1:top|f2:right"], size=5),
        ],
        24000 + 12000 + (4 - pi) / 4 * 25 * 40,
        EXACT * 100,
    ),
    "linear pattern of a hole": (
        [
            PLATE,
            feature("hole", 2, plane="f1:top", x=10, y=10, diameter=6),
            feature(
                "linear",
                3,
                source="f2",
                count=3,
                spacing=20,
                secondAxis="Y",
                secondCount=2,
                secondSpacing=20,
            ),
        ],
        24000 - 6 * pi * 90,
        CHORDS,
    ),
    "circular pattern of bodies": (
        [
            feature("box", 1, width=5, depth=5, height=5, x=20),
            feature("circular", 2, source="f1", count=4, result="separate"),
        ],
        500.0,
        EXACT,
    ),
    "mirrored feature": (
        [
            feature("box", 1, width=60, depth=40, height=10, x=-30),
            feature("hole", 2, plane="f1:top", x=20, y=20, diameter=6),
            feature("mirror", 3, source="f2", plane="YZ"),
        ],
        24000 - 2 * pi * 90,
        CHORDS,
    ),
    "union of bodies": (
        [
            PLATE,
            feature("box", 2, width=60, depth=40, height=10, z=5, operation="new"),
            feature("boolean", 3, operation="union", target="f1", tool="f2"),
        ],
        36000.0,
        EXACT,
    ),
    "subtracted body": (
        [
            PLATE,
            feature("box", 2, width=10, depth=40, height=10, z=5, operation="new"),
            feature("boolean", 3, operation="subtract", target="f1", tool="f2"),
        ],
        22000.0,
        EXACT,
    ),
    "intersected bodies": (
        [
            PLATE,
            feature("box", 2, width=10, depth=40, height=10, z=5, operation="new"),
            feature("boolean", 3, operation="intersect", target="f1", tool="f2"),
        ],
        2000.0,
        EXACT,
    ),
    "turned and copied": (
        [PLATE, feature("move", 2, body="f1", rz=30, dx=100, copy=True)],
        48000.0,
        EXACT * 10,
    ),
}


@pytest.mark.parametrize("case", SOLIDS.values(), ids=SOLIDS)
def test_volume_is_the_analytic_one(modeller: Modeller, case: Any) -> None:
    features, expected, tolerance = case
    modeller.reset(*features)
    assert modeller.state()["errors"] == {}
    assert modeller.volume() == pytest.approx(expected, rel=tolerance)


REFUSED = {
    "open outline": (
        [
            feature("sketch", 1, points=TRIANGLE["points"], entities=TRIANGLE["entities"][:2]),
            feature("extrude", 2, sketch="f1"),
        ],
        "no closed outline",
    ),
    "outline over the axis": (
        [sketch(1, rectangle(-5, 0, 20, 5)), feature("revolve", 2, sketch="f1")],
        "crosses the axis",
    ),
    "face that is gone": (
        [PLATE, feature("hole", 2, plane="f1:lid", x=0, y=0)],
        "no longer there",
    ),
    "cut into the air": (
        [PLATE, feature("box", 2, x=500, operation="cut")],
        "does not meet a body",
    ),
    "cut of everything": (
        [
            PLATE,
            feature("box", 2, x=-5, y=-5, z=-5, width=90, depth=90, height=90, operation="cut"),
        ],
        "Nothing would be left",
    ),
    "narrow counterbore": (
        [PLATE, feature("hole", 2, plane="f1:top", x=9, y=9, kind="counterbore", boreDiameter=3)],
        "must be wider",
    ),
    "curved edge": (
        [
            feature("cylinder", 1),
            feature("blend", 2, edges=["f1:side|f1:top"]),
        ],
        "straight edges",
    ),
    "copies that multiply": (
        [feature("sphere", 1), feature("circular", 2, source="f1", count=5)],
        "triangles: at most",
    ),
    "radius that does not fit": (
        [sketch(1, rectangle(0, 0, 10, 10, radius=6)), feature("extrude", 2, sketch="f1")],
        "does not fit",
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_said_and_leaves_the_rest(modeller: Modeller, case: Any) -> None:
    features, message = case
    modeller.reset(*features)
    state = modeller.state()
    assert message in state["errors"]["f2"]
    before = 24000.0 if features[0] is PLATE else None
    assert before is None or modeller.volume() == pytest.approx(before)


def test_faces_keep_their_names_when_a_dimension_changes(modeller: Modeller) -> None:
    hole = feature("hole", 2, plane="f1:right", x=20, y=5, diameter=4)
    modeller.reset(PLATE, hole)
    modeller.reset(feature("box", 1, width=80, depth=40, height=10), hole)
    assert modeller.state()["errors"] == {}
    assert modeller.volume() == pytest.approx(32000 - pi * 4 * 80, rel=CHORDS)


def test_a_tilted_face_can_be_drilled(modeller: Modeller) -> None:
    modeller.reset(
        feature("box", 1, width=20, depth=20, height=20),
        feature("blend", 2, edges=["f1:right|f1:top"], size=10, kind="chamfer"),
        feature("hole", 3, plane="f2:blend1", x=10, y=0, diameter=4, extent="length", depth=5),
    )
    assert modeller.state()["errors"] == {}
    assert modeller.volume() == pytest.approx(8000 - 1000 - pi * 4 * 5, rel=CHORDS)


def test_a_typed_length_is_solved_with_the_constraints(modeller: Modeller) -> None:
    points = [
        {"id": f"p{k}", "x": x, "y": y} for k, (x, y) in enumerate([(0, 0), (30, 0), (30, 40)])
    ]
    lines = [
        {"id": "e4", "type": "line", "a": "p0", "b": "p1", "constraint": "horizontal"},
        {"id": "e5", "type": "line", "a": "p1", "b": "p2", "constraint": "vertical", "length": 40},
        {"id": "e6", "type": "line", "a": "p2", "b": "p0", "constraint": "none"},
    ]
    modeller.reset(feature("sketch", 1, points=points, entities=lines))
    modeller.press("feature-f1", "edit-sketch")
    modeller.click(15, 0, 0)
    modeller.put("length", "9")
    found = {
        p["id"]: (p["x"], p["y"])
        for p in modeller.state()["document"]["features"][0]["params"]["points"]
    }
    (x0, y0), (x1, y1), (x2, y2) = found["p0"], found["p1"], found["p2"]
    assert (y0, x2) == (y1, x1)
    assert abs(x1 - x0) == pytest.approx(9)
    assert sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2) == pytest.approx(40)
