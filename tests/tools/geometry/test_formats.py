"""The same part measures the same from every format."""

import pytest

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.formats import (
    MAX_FILE_BYTES,
    WRITABLE,
    ImportFailure,
    check_size,
    check_triangles,
    format_of,
)
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.read import read_part
from cadwright.tools.geometry.write import write_part

EXACT = ("step", "brep")


@pytest.fixture(scope="module")
def triangles(solid):
    """The solid as its own tessellation, for formats that hold no more."""
    return Part(mesh=inspect_part(solid).mesh)


@pytest.mark.parametrize("fmt", WRITABLE)
def test_export_and_load_keeps_the_measures(solid, triangles, fmt):
    expected = inspect_part(solid if fmt in EXACT else triangles).measures
    found = inspect_part(read_part(write_part(solid, fmt), fmt)).measures
    assert found.volume_mm3 == pytest.approx(expected.volume_mm3, rel=1e-5)
    assert found.area_mm2 == pytest.approx(expected.area_mm2, rel=1e-5)
    assert found.bodies == expected.bodies
    assert found.num_shells == expected.num_shells
    assert found.is_watertight
    for side in (0, 1):
        assert found.bbox_mm[side] == pytest.approx(expected.bbox_mm[side], abs=1e-4)
    assert found.centre_mm == pytest.approx(expected.centre_mm, abs=1e-3)


@pytest.mark.parametrize("fmt", WRITABLE)
def test_every_format_gives_the_volume_of_the_exact_part(solid, fmt):
    exact = inspect_part(solid).measures.volume_mm3
    found = inspect_part(read_part(write_part(solid, fmt), fmt)).measures.volume_mm3
    assert found == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("fmt", ["brep", "stl", "obj", "3mf", "glb"])
def test_the_same_part_gives_the_same_bytes(plate_part, fmt):
    assert write_part(plate_part, fmt) == write_part(plate_part, fmt)


def test_a_step_file_gives_the_same_part_though_its_bytes_differ(plate_part):
    first, second = (read_part(write_part(plate_part, "step"), "step") for _ in range(2))
    assert first.digest == second.digest


@pytest.mark.parametrize("fmt", EXACT)
def test_a_mesh_part_cannot_become_exact(triangles, fmt):
    with pytest.raises(GeometryError, match="use stl, obj, 3mf or glb"):
        write_part(triangles, fmt)


def test_gltf_is_read_only(plate_part):
    with pytest.raises(GeometryError, match="read only"):
        write_part(plate_part, "gltf")


def test_a_part_without_geometry_is_not_written():
    with pytest.raises(GeometryError, match="no geometry"):
        write_part(Part(), "stl")


@pytest.mark.parametrize(
    ("given", "fmt"),
    [("lid.STP", "step"), (".stl", "stl"), ("3mf", "3mf"), ("a.b/c.GLTF", "gltf")],
)
def test_a_file_name_tells_the_format(given, fmt):
    assert format_of(given) == fmt


def test_an_unknown_format_names_the_nearest():
    with pytest.raises(ImportFailure, match="did you mean step"):
        format_of("lid.stepp")


def test_an_empty_file_is_empty_geometry():
    with pytest.raises(ImportFailure, match="0 bytes") as caught:
        check_size(0, "lid.stl")
    assert caught.value.outcome is Outcome.EMPTY_GEOMETRY


def test_an_oversized_file_says_what_is_allowed():
    with pytest.raises(ImportFailure, match="at most 256 MB"):
        check_size(MAX_FILE_BYTES + 1, "lid.stl")


def test_too_many_triangles_say_what_to_do():
    with pytest.raises(ImportFailure, match="coarser"):
        check_triangles(10**9, "lid.stl")


@pytest.mark.parametrize("fmt", ["step", "brep", "stl", "obj", "3mf", "glb", "gltf"])
@pytest.mark.parametrize(
    "junk",
    [b"\x00", b"solid", b"{}", b"<html></html>", b"PK\x03\x04", b"glTF\x02\x00\x00\x00", b"[[[["],
    ids=["nul", "word", "object", "html", "zip", "glb", "list"],
)
def test_junk_of_any_kind_is_an_import_failure(fmt, junk):
    with pytest.raises(ImportFailure, match=r"junk\.bin: "):
        read_part(junk, fmt, name="junk.bin")


@pytest.mark.parametrize("fmt", WRITABLE)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99], ids=str)
def test_a_truncated_file_is_an_import_failure(plate_part, fmt, share):
    data = write_part(plate_part, fmt)
    cut = data[: int(len(data) * share)]
    if fmt == "obj":  # a text without an end: what is left may be a smaller, open surface
        try:
            assert not inspect_part(read_part(cut, fmt)).measures.is_watertight
        except ImportFailure:
            return
    else:
        with pytest.raises(ImportFailure):
            read_part(cut, fmt)
