"""STL and OBJ: what real exporters write, and what damage looks like."""

import struct

import numpy as np
import pytest

from cadwright.tools.errors import Outcome
from cadwright.tools.geometry.formats import ImportFailure
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.obj import read_obj
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.stl import read_stl, write_stl

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def mesh():
    return read_obj(TETRAHEDRON.encode(), "t.obj")


def text_stl(number: str = "{:g}", newline: str = "\n") -> bytes:
    lines = ["solid tetra"]
    for corners in mesh().vertices[mesh().faces].tolist():
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += ["      vertex " + " ".join(number.format(x) for x in point) for point in corners]
        lines += ["    endloop", "  endfacet"]
    return (newline.join([*lines, "endsolid tetra"]) + newline).encode()


def volume(found):
    return inspect_part(Part(mesh=found)).measures.volume_mm3


@pytest.mark.parametrize("number", ["{:g}", "{:e}", "{:+.3f}"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["unix", "dos"])
def test_text_stl_of_any_style_is_read(number, newline):
    assert volume(read_stl(text_stl(number, newline), "t.stl")) == pytest.approx(1 / 6)


def test_a_binary_stl_whose_header_says_solid_is_read():
    data = b"solid of some exporter".ljust(80) + write_stl(mesh())[80:]
    assert volume(read_stl(data, "t.stl")) == pytest.approx(1 / 6)


def test_corners_are_joined():
    assert len(read_stl(write_stl(mesh()), "t.stl").vertices) == 4


def test_a_text_stl_without_its_end_is_truncated():
    with pytest.raises(ImportFailure, match="truncated"):
        read_stl(text_stl()[:-40], "t.stl")


def test_an_absurd_count_is_refused_by_size_not_by_memory():
    with pytest.raises(ImportFailure, match="4294967295 triangles"):
        read_stl(b"\0" * 80 + struct.pack("<I", 0xFFFFFFFF) + b"\0" * 50, "t.stl")


def test_a_stl_of_no_triangles_is_empty():
    with pytest.raises(ImportFailure) as caught:
        read_stl(b"\0" * 84, "t.stl")
    assert caught.value.outcome is Outcome.EMPTY_GEOMETRY


def test_infinity_is_not_a_coordinate():
    with pytest.raises(ImportFailure) as caught:
        read_stl(text_stl().replace(b"vertex 1", b"vertex inf", 1), "t.stl")
    assert caught.value.outcome is Outcome.INVALID_GEOMETRY


def test_a_word_is_not_a_coordinate():
    with pytest.raises(ImportFailure, match="not three numbers"):
        read_stl(text_stl().replace(b"vertex 1", b"vertex one", 1), "t.stl")


def test_polygons_negative_indices_and_texture_slots_are_understood():
    box = "".join(f"v {x} {y} {z}\n" for z in (0, 1) for x, y in ((0, 0), (2, 0), (2, 3), (0, 3)))
    sides = "f 4 3 2 1\nf 5/1 6/2/3 7//4 8\nf -8 -7 -3 -4\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
    assert volume(read_obj((box + sides).encode(), "box.obj")) == pytest.approx(6)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("f 1 2 9", "face index 9"),
        ("f 0 1 2", "face index 0"),
        ("f -9 1 2", "face index -9"),
        ("f a b c", "'a' is not a vertex index"),
        ("f 1 2", "needs three vertices"),
        ("v 1 2", "needs three numbers"),
    ],
)
def test_a_bad_obj_line_is_named(line, words):
    with pytest.raises(ImportFailure, match="line 9") as caught:
        read_obj((TETRAHEDRON + line).encode(), "t.obj")
    assert words in str(caught.value)


def test_an_obj_of_points_only_is_empty():
    with pytest.raises(ImportFailure) as caught:
        read_obj(b"v 0 0 0\n", "t.obj")
    assert caught.value.outcome is Outcome.EMPTY_GEOMETRY


def test_normals_in_the_file_are_not_needed():
    facets = np.frombuffer(write_stl(mesh())[84:], np.uint8).reshape(4, 50).copy()
    facets[:, :12] = 0
    data = write_stl(mesh())[:84] + facets.tobytes()
    assert volume(read_stl(data, "t.stl")) == pytest.approx(1 / 6)
