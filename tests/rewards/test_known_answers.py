"""Intersection over union against answers from school geometry, through the whole scorer.

Every row is two shapes and the ratio that a pencil gives. Round shapes are polyhedra here, fine
enough that their own error stays far below the 0.005 that is allowed.
"""

import math

import manifold3d
import numpy as np
import pytest
from judge_shapes import box, inside_out, mesh, mirrored, moved, rotation, score, together, united

from cadwright.rewards import similarity
from cadwright.rewards.normalise import normalise
from cadwright.tools.geometry.solids import arrays_of, manifold_of

SEGMENTS = 96
ALLOWED = 0.005
PI = math.pi


def solid(m):
    return mesh(*arrays_of(m))


def ball(radius=5.0, at=(0, 0, 0)):
    return moved(solid(manifold3d.Manifold.sphere(radius, SEGMENTS)), at)


def rod(radius=5.0, height=10.0, at=(0, 0, 0)):
    made = manifold3d.Manifold.cylinder(height, radius, radius, SEGMENTS, center=True)
    return moved(solid(made), at)


def angle_bracket():
    """An L of 400 and 300 mm² and 10 mm depth: mirrored, the leg of 300 stands elsewhere."""
    return united(box((40, 10, 10), at=(20, 5, 5)), box((10, 32, 10), at=(5, 24, 5)))


def tube(outer, inner, height=10.0):
    made = manifold_of(rod(outer, height).vertices, rod(outer, height).faces)
    bore = rod(inner, 2 * height)
    return solid(made - manifold_of(bore.vertices, bore.faces))


def half_ball():
    whole = manifold3d.Manifold.sphere(5.0, SEGMENTS)
    return solid(whole.trim_by_plane((0, 0, 1), 0))


def ratio(common, first, second):
    return common / (first + second - common)


def lens(distance):
    """Area that two unit circles share."""
    return 2 * math.acos(distance / 2) - distance / 2 * math.sqrt(4 - distance**2)


def ball_lens(distance):
    """Volume that two unit balls share."""
    return PI * (4 + distance) * (2 - distance) ** 2 / 12


def turned_squares(degrees):
    """Area that two concentric unit squares share."""
    angle = math.radians(degrees)
    return 2 / (1 + math.sin(angle) + math.cos(angle))


CUBE, LONG, BAR = box(), box((10, 20, 30)), box((80, 60, 2))
Z = (0, 0, 1)
EPSILONS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3)

ROWS = {
    "box: same": (CUBE, CUBE, 1),
    "box: half shifted": (CUBE, box(at=(5, 0, 0)), 1 / 3),
    "box: quarter shifted": (CUBE, box(at=(2.5, 0, 0)), 0.6),
    "box: shifted on three axes": (CUBE, box(at=(5, 5, 5)), 1 / 15),
    "box: touching faces": (CUBE, box(at=(10, 0, 0)), 0),
    "box: touching edges": (CUBE, box(at=(10, 10, 0)), 0),
    "box: touching corners": (CUBE, box(at=(10, 10, 10)), 0),
    "box: disjoint": (CUBE, box(at=(30, 0, 0)), 0),
    "box: a kilometre apart": (CUBE, box(at=(1e6, 0, 0)), 0),
    "box: contained in the middle": (box((5, 5, 5)), CUBE, 1 / 8),
    "box: contained in a corner": (box((5, 5, 5), at=(2.5, 2.5, 2.5)), CUBE, 1 / 8),
    "box: contained on a face": (box((5, 5, 5), at=(0, 0, 2.5)), CUBE, 1 / 8),
    "box: contains": (box((20, 20, 20)), CUBE, 1 / 8),
    "box: twice as long": (CUBE, box((20, 10, 10), at=(5, 0, 0)), 1 / 2),
    "box: sliver contained": (box((0.01, 10, 10)), CUBE, 0.001),
    "box: scaled by 1.1": (moved(CUBE, scale=1.1), CUBE, 1 / 1.331),
    "box: scaled by 0.5": (moved(CUBE, scale=0.5), CUBE, 1 / 8),
    "box: scaled by 1.001": (moved(CUBE, scale=1.001), CUBE, 1.001**-3),
    "box: scaled by 1000": (moved(CUBE, scale=1000), CUBE, 1e-9),
    "box: cube turned by 90": (moved(CUBE, rotation=rotation(Z, 90)), CUBE, 1),
    "box: cube turned by 180": (moved(CUBE, rotation=rotation(Z, 180)), CUBE, 1),
    "box: turned over a diagonal": (moved(CUBE, rotation=rotation((1, 1, 1), 120)), CUBE, 1),
    "box: long turned by 90": (moved(LONG, rotation=rotation(Z, 90)), LONG, 1 / 3),
    "box: mirrored": (mirrored(LONG), LONG, 1),
    "bracket: mirrored": (
        moved(mirrored(angle_bracket()), (40, 0, 0)),
        angle_bracket(),
        ratio(4000, 7000, 7000),
    ),
    "bracket: turned by 180": (
        moved(angle_bracket(), (40, 40, 0), rotation(Z, 180)),
        angle_bracket(),
        ratio(2000, 7000, 7000),
    ),
    "box: half shifted, both far away": (
        box(at=(1e5, 1e5, 1e5)),
        box(at=(1e5 + 5, 1e5, 1e5)),
        1 / 3,
    ),
    "box: half shifted, a micrometre large": (
        box((1e-3, 1e-3, 1e-3)),
        box((1e-3, 1e-3, 1e-3), at=(5e-4, 0, 0)),
        1 / 3,
    ),
    "box: half shifted, a hundred metres large": (
        box((1e5, 1e5, 1e5)),
        box((1e5, 1e5, 1e5), at=(5e4, 0, 0)),
        1 / 3,
    ),
    "plate: a quarter of its thickness up": (BAR, moved(BAR, (0, 0, 0.5)), 0.6),
    "plate: its own thickness up": (BAR, moved(BAR, (0, 0, 2)), 0),
    "plate: in a block": (BAR, box((80, 60, 20)), 0.1),
    "bodies: duplicated": (together(CUBE, CUBE), CUBE, 1),
    "bodies: nested": (together(CUBE, box((3, 3, 3))), CUBE, 1),
    "bodies: overlapping": (
        together(CUBE, box(at=(5, 0, 0))),
        box((15, 10, 10), at=(2.5, 0, 0)),
        1,
    ),
    "bodies: unfused": (together(CUBE, box(at=(10, 0, 0))), box((20, 10, 10), at=(5, 0, 0)), 1),
    "bodies: two of two": (
        together(CUBE, box(at=(30, 0, 0))),
        together(box(at=(30, 0, 0)), CUBE),
        1,
    ),
    "bodies: one of two": (CUBE, together(CUBE, box(at=(30, 0, 0))), 1 / 2),
    "box: inside out": (inside_out(CUBE), CUBE, 1),
    "box: with a cavity": (together(CUBE, inside_out(box((5, 5, 5)))), CUBE, 7 / 8),
    "box: its cavity alone": (box((5, 5, 5)), together(CUBE, inside_out(box((5, 5, 5)))), 0),
    "cylinder: same": (rod(), rod(), 1),
    "cylinder: half shifted along": (rod(), rod(at=(0, 0, 5)), 1 / 3),
    "cylinder: end to end": (rod(), rod(at=(0, 0, 10)), 0),
    "cylinder: half as high": (rod(height=5), rod(), 1 / 2),
    "cylinder: half as thick": (rod(2.5), rod(), 1 / 4),
    "cylinder: a radius aside": (rod(), rod(at=(5, 0, 0)), ratio(lens(1), PI, PI)),
    "cylinder: half a radius aside": (rod(), rod(at=(2.5, 0, 0)), ratio(lens(0.5), PI, PI)),
    "cylinder: touching": (rod(), rod(at=(10, 0, 0)), 0),
    "cylinder: disjoint": (rod(), rod(at=(15, 0, 0)), 0),
    "cylinder: turned about its axis": (moved(rod(), rotation=rotation(Z, 7.3)), rod(), 1),
    "cylinder: upside down": (moved(rod(), rotation=rotation((1, 0, 0), 180)), rod(), 1),
    "cylinder: mirrored": (mirrored(rod()), rod(), 1),
    "cylinder: crossing another": (
        moved(rod(height=20), rotation=rotation((0, 1, 0), 90)),
        rod(height=20),
        ratio(16 / 3, 4 * PI, 4 * PI),
    ),
    "cylinder: in its box": (rod(), CUBE, PI / 4),
    "cylinder: around its box": (box((math.sqrt(50), math.sqrt(50), 10)), rod(), 2 / PI),
    "cylinder: scaled by 1.1": (moved(rod(), scale=1.1), rod(), 1 / 1.331),
    "cylinder: bored": (tube(5, 3), rod(), 1 - 0.36),
    "cylinder: its bore alone": (rod(3), tube(5, 3), 0),
    "sphere: same": (ball(), ball(), 1),
    "sphere: turned": (moved(ball(), rotation=rotation((1, 2, 3), 33)), ball(), 1),
    "sphere: half as large": (ball(2.5), ball(), 1 / 8),
    "sphere: scaled by 1.2": (moved(ball(), scale=1.2), ball(), 1 / 1.728),
    "sphere: a radius aside": (
        ball(),
        ball(at=(5, 0, 0)),
        ratio(ball_lens(1), 4 * PI / 3, 4 * PI / 3),
    ),
    "sphere: half a radius aside": (
        ball(),
        ball(at=(0, 2.5, 0)),
        ratio(ball_lens(0.5), 4 * PI / 3, 4 * PI / 3),
    ),
    "sphere: touching": (ball(), ball(at=(10, 0, 0)), 0),
    "sphere: disjoint": (ball(), ball(at=(20, 20, 20)), 0),
    "sphere: in its box": (ball(), CUBE, PI / 6),
    "sphere: in its cylinder": (ball(), rod(), 2 / 3),
    "sphere: around its box": (
        box((10 / math.sqrt(3),) * 3),
        ball(),
        (2 / math.sqrt(3)) ** 3 / (4 * PI / 3),
    ),
    "sphere: half of it": (half_ball(), ball(), 1 / 2),
    "sphere: hollow": (together(ball(), inside_out(ball(2.5))), ball(), 7 / 8),
    **{
        f"box: turned by {angle}": (
            moved(CUBE, rotation=rotation(Z, angle)),
            CUBE,
            ratio(turned_squares(angle), 1, 1),
        )
        for angle in (1e-5, 1e-3, 1, 30, 45)
    },
    **{f"box: shifted by {e:g}": (CUBE, box(at=(e, 0, 0)), (10 - e) / (10 + e)) for e in EPSILONS},
    **{
        f"box: shifted on three axes by {e:g}": (
            CUBE,
            box(at=(e, e, e)),
            ratio((10 - e) ** 3, 1000, 1000),
        )
        for e in EPSILONS
    },
    **{f"cylinder: shifted by {e:g}": (rod(), rod(at=(e, e, 0)), 1) for e in EPSILONS},
    **{f"sphere: shifted by {e:g}": (ball(), ball(at=(e, 0, e)), 1) for e in EPSILONS},
}


@pytest.mark.parametrize("name", ROWS)
def test_overlap_is_the_known_answer(name):
    first, second, expected = ROWS[name]
    term = score(first, second, weights={"iou": 1.0}, gates={}).term("iou")
    assert term.raw == pytest.approx(expected, abs=ALLOWED)
    assert term.note == ""  # exact, not approximated


@pytest.mark.parametrize("name", [name for name in ROWS if name.startswith("box")])
def test_boxes_are_exact_to_rounding(name):
    first, second, expected = ROWS[name]
    one, two = (normalise(m) for m in (first, second))
    placed = [s.manifold.translate(s.centre) for s in (one, two)]
    # single steps of 1e-10 mm at 100 m from the origin
    assert similarity.exact_overlap(*placed).iou == pytest.approx(expected, abs=1e-6)


def test_table_is_as_long_as_promised():
    assert len(ROWS) >= 60


def test_two_empty_shapes_have_no_overlap_to_speak_of():
    empty = manifold_of(np.zeros((0, 3)), np.zeros((0, 3)))
    assert similarity.exact_overlap(empty, empty).iou is None


def test_nothing_overlaps_an_empty_shape():
    empty = manifold_of(np.zeros((0, 3)), np.zeros((0, 3)))
    assert similarity.exact_overlap(empty, normalise(CUBE).manifold).iou == 0.0
