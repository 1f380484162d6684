"""Parts that are nearly their own image under some turn, brought back on themselves."""

import numpy as np
import pytest
from judge_shapes import box, mesh, mirrored, moved, prism, score
from scipy.spatial.transform import Rotation

from cadwright.rewards.normalise import normalise

SAME = 0.9999


def solid(m, shift=(0.0, 0.0, 0.0), turn=None):
    return normalise(moved(m)).manifold.transform(placement(shift, turn))


def placement(shift, turn):
    return np.column_stack([np.eye(3) if turn is None else turn, np.array(shift, dtype=float)])


def triangles(manifold):
    found = manifold.to_mesh()
    return mesh(np.array(found.vert_properties[:, :3], dtype=float), found.tri_verts)


def pin(radius, at=(0.0, 0.0), height=100.0, turn=None):
    return solid(prism(radius, height, 24), (*at, 0.0), turn)


def around(count, radius, phase=0.0):
    angles = phase + 2 * np.pi * np.arange(count) / count
    return [(radius * np.cos(angle), radius * np.sin(angle)) for angle in angles]


def drilled(body, holes):
    for hole in holes:
        body = body - hole
    return body


def flange(count):
    return drilled(pin(40, height=6), [pin(3, at) for at in around(count, 30)])


def gear(count):
    tooth = box((6, 2, 8))
    turns = [Rotation.from_rotvec([0, 0, 2 * np.pi * i / count]).as_matrix() for i in range(count)]
    teeth = [solid(tooth, turn @ [20, 0, 0], turn) for turn in turns]
    body = pin(19, height=8)
    for each in teeth:
        body = body + each
    return body - pin(4)


def cubic_frame():
    bars = [solid(box(size)) for size in np.full((3, 3), 28) + 60 * np.eye(3)]
    return drilled(solid(box((40, 40, 40))), bars)


def bored_ball():
    ball = solid(prism(20, 40, 48))
    for axis in ([1, 0, 0], [0, 1, 0]):
        ball = ball ^ solid(
            prism(20, 40, 48), turn=Rotation.from_rotvec(np.pi / 2 * np.array(axis)).as_matrix()
        )
    return ball - pin(3, (2, 5))


def hub():
    return pin(20, height=30) - pin(8) - solid(box((5, 4, 100)), (8, 0, 0))


def square_plate():
    return solid(box((50, 50, 5))) - pin(1.5, (18, 10))


def shapes():
    return {
        "flange of 3": flange(3),
        "flange of 4": flange(4),
        "flange of 8": flange(8),
        "flange of 12": flange(12),
        "flange of 7 and a pin hole": flange(7) - pin(1, (15.7, 6.6)),
        "gear of 11": gear(11),
        "gear of 24 with a keyway": gear(24) - solid(box((3, 2, 100)), (4, 0, 0)),
        "hub with a keyway": hub(),
        "hexagon with a hole": solid(prism(20, 10, 6)) - pin(1.5, (14, 0)),
        "ring with a notch": pin(30, height=8) - pin(25) - solid(box((8, 3, 2)), (27, 0, 3.5)),
        "square plate with a hole": square_plate(),
        "cylinder": pin(10, height=30),
        "cube": solid(box((20, 20, 20))),
        "cube with a blind hole": solid(box((20, 20, 20))) - solid(prism(2, 8, 24), (6, 5, 8)),
        "cubic frame": cubic_frame(),
        "cubic frame with a pin hole": cubic_frame() - solid(prism(1, 6, 24), (17, 5, -20)),
        "round in three directions": bored_ball(),
    }


def handed():
    return {
        "cube": solid(box((20, 20, 20))) - solid(prism(2, 8, 24), (6, 3, 8)) - pin(1, (-7, 5)),
        "flange": flange(5) - solid(prism(2, 3, 24), (12, 4, 3)),
        "hub": hub() - solid(prism(2, 9, 24), (3, 14, 15)),
        "plate": square_plate() - solid(box((9, 3, 2)), (-9, 12, 2.5)),
    }


# meshes, since the library of the solids complains of those that live to the end
SHAPES = {name: triangles(made) for name, made in shapes().items()}
HANDED = {name: triangles(made) for name, made in handed().items()}


def anywhere(seed):
    """A random turn and shift, the same for the same seed."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-90, 90, 3), Rotation.random(random_state=seed).as_matrix()


def overlap(part, wanted, alignment):
    return score(part, wanted, alignment=alignment, weights={"iou": 1.0}, gates={}).term("iou").raw


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SHAPES)
def test_rigid_brings_a_twin_back_on_itself(name, seed):
    shape = SHAPES[name]
    twin = moved(shape, *anywhere(seed))
    assert overlap(twin, shape, "rigid") > SAME


@pytest.mark.parametrize("scale", [1e-4, 0.3, 2.5, 1e4])
@pytest.mark.parametrize("name", ["flange of 12", "cubic frame with a pin hole", "gear of 11"])
def test_similarity_does_so_at_any_scale(name, scale):
    shape = SHAPES[name]
    twin = moved(shape, *anywhere(11), scale=scale)
    assert overlap(twin, shape, "similarity") > SAME


@pytest.mark.parametrize("name", SHAPES)
def test_part_where_it_should_be_is_not_turned(name):
    shape = SHAPES[name]
    assert np.allclose(
        score(shape, shape, alignment="rigid").card.transform["rotation"], np.eye(3), atol=1e-6
    )


@pytest.mark.parametrize("name", HANDED)
def test_mirrored_twin_is_another_part(name):
    shape = HANDED[name]
    twin = moved(mirrored(shape), *anywhere(5))
    assert overlap(twin, shape, "rigid") < SAME
    assert score(twin, shape, alignment="rigid").value < 1.0


@pytest.mark.parametrize("name", HANDED)
def test_handed_twin_is_the_same_part(name):
    shape = HANDED[name]
    assert score(moved(shape, *anywhere(6)), shape, alignment="rigid").value == 1.0
