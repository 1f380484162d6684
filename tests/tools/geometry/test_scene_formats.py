"""glTF and 3MF: units, axes, transforms, instances, and files made to do harm."""

import base64
import io
import json
import math
import zipfile

import numpy as np
import pytest

from cadwright.tools.geometry import placing, threemf
from cadwright.tools.geometry.formats import ImportFailure
from cadwright.tools.geometry.gltf import read_gltf
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.part import Part
from cadwright.tools.geometry.threemf import read_3mf

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "<u2")
MODEL = "3D/3dmodel.model"


def measures(found):
    return inspect_part(Part(mesh=found[0])).measures


def gltf(nodes, *, generator="test", **extra):
    """Return a JSON glTF of one tetrahedron mesh; ``nodes`` use it as mesh 0."""
    data = FACES.tobytes() + CORNERS.tobytes()
    document = {
        "asset": {"version": "2.0", "generator": generator},
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 1}, "indices": 0}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5123, "type": "SCALAR", "count": 12},
            {"bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 4},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 24},
            {"buffer": 0, "byteOffset": 24, "byteLength": 48},
        ],
        "buffers": [
            {
                "byteLength": 72,
                "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode(),
            }
        ],
    }
    return json.dumps({**document, **extra}).encode()


def test_gltf_is_metres_and_y_up():
    found = measures(read_gltf(gltf([{"mesh": 0, "scale": [1, 2, 3]}]), "t.gltf"))
    assert found.size_mm == pytest.approx((1000, 3000, 2000))
    assert found.bbox_mm == ((0.0, -3000.0, 0.0), (1000.0, 0.0, 2000.0))


def test_a_file_by_trimesh_is_taken_as_mm_with_a_notice():
    loaded = read_gltf(gltf([{"mesh": 0}], generator="https://github.com/mikedh/trimesh"), "t")
    assert measures(loaded).size_mm == pytest.approx((1, 1, 1))
    assert [notice.code for notice in loaded[1]] == ["units_assumed"]


def test_transforms_multiply_down_the_tree():
    half = math.sqrt(0.5)
    nodes = [
        {"children": [1], "translation": [1, 0, 0]},
        {"mesh": 0, "rotation": [0, 0, half, half]},  # a quarter turn about Z
    ]
    found = measures(read_gltf(gltf(nodes), "t.gltf"))
    assert found.bbox_mm[0][0] == pytest.approx(0)
    assert found.bbox_mm[1] == pytest.approx((1000, 0, 1000))


def test_instances_become_bodies():
    nodes = [{"mesh": 0}, {"mesh": 0, "translation": [5, 0, 0]}]
    assert measures(read_gltf(gltf(nodes), "t.gltf")).bodies == 2


def test_a_mirrored_instance_still_faces_outwards():
    loaded = read_gltf(gltf([{"mesh": 0, "scale": [-1, 1, 1]}]), "t.gltf")
    assert (
        inspect_part(Part(mesh=loaded[0])).notices
        == inspect_part(Part(mesh=read_gltf(gltf([{"mesh": 0}]), "t.gltf")[0])).notices
    )


@pytest.mark.parametrize("mode", [5, 6], ids=["strip", "fan"])
def test_strips_and_fans_are_triangles(mode):
    primitive = {"attributes": {"POSITION": 1}, "mode": mode}
    found = read_gltf(gltf([{"mesh": 0}], meshes=[{"primitives": [primitive]}]), "t.gltf")[0]
    assert len(found.faces) == 2


def test_lines_are_left_out_with_a_notice():
    primitives = [{"attributes": {"POSITION": 1}, "mode": mode} for mode in (1, 4)]
    loaded = read_gltf(gltf([{"mesh": 0}], meshes=[{"primitives": primitives}]), "t.gltf")
    assert [notice.code for notice in loaded[1]] == ["ignored_geometry"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"nodes": [{"children": [0]}], "scenes": [{"nodes": [0]}]}, "nested more than"),
        ({"nodes": [{"mesh": 7}]}, "mesh 7 is not one of 1"),
        ({"buffers": [{"byteLength": 72, "uri": "file:///etc/passwd"}]}, "another file"),
        ({"buffers": [{"byteLength": 72, "uri": "data:x;base64,????"}]}, "not base64"),
        ({"buffers": [{"byteLength": 72}]}, "no data"),
        ({"extensionsRequired": ["KHR_draco_mesh_compression"]}, "not supported"),
        ({"bufferViews": [{"buffer": 0, "byteLength": 10**9}] * 2}, "outside its buffer"),
        ({"accessors": []}, "accessor 1 is not one of 0"),
    ],
    ids=["cycle", "mesh", "outside_file", "base64", "no_buffer", "draco", "view", "accessor"],
)
def test_a_hostile_gltf_is_refused_with_its_cause(change, words):
    with pytest.raises(ImportFailure, match=words):
        read_gltf(gltf(**{"nodes": [{"mesh": 0}], **change}), "t.gltf")


def test_an_absurd_accessor_count_is_refused_before_memory_is_taken():
    accessors = json.loads(gltf([]))["accessors"]
    accessors[1]["count"] = 10**15
    with pytest.raises(ImportFailure, match="its view has 48"):
        read_gltf(gltf([{"mesh": 0}], accessors=accessors), "t.gltf")


def test_deeply_nested_json_is_refused():
    with pytest.raises(ImportFailure, match="nested too deeply"):
        read_gltf(b"[" * 200_000, "t.gltf")


def test_a_flood_of_instances_is_refused(monkeypatch):
    monkeypatch.setattr(placing, "MAX_INSTANCES", 50)
    doubling = [{"children": [k + 1, k + 1]} for k in range(30)] + [{"mesh": 0}]
    with pytest.raises(ImportFailure, match="more than 50 instances"):
        read_gltf(gltf(doubling, scenes=[{"nodes": [0]}]), "t.gltf")


def package(xml, path=MODEL, others=()):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in ((path, xml), *others):
            archive.writestr(name, text)
    return stream.getvalue()


def tetrahedron(number, faces=FACES):
    points = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in CORNERS.tolist())
    triangles = "".join(
        f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in np.array(faces).tolist()
    )
    body = f"<vertices>{points}</vertices><triangles>{triangles}</triangles>"
    return f'<object id="{number}"><mesh>{body}</mesh></object>'


def model(resources, build, unit="millimeter"):
    core = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
    return (
        f'<model unit="{unit}" xmlns="{core}" xmlns:p="urn:production">'
        f"<resources>{resources}</resources><build>{build}</build></model>"
    )


ITEM = '<item objectid="1"/>'


@pytest.mark.parametrize(
    ("unit", "edge"),
    [("micron", 1e-3), ("millimeter", 1), ("centimeter", 10), ("inch", 25.4), ("foot", 304.8),
     ("meter", 1000)],
)  # fmt: skip
def test_the_unit_of_a_3mf_is_honoured(unit, edge):
    found = measures(read_3mf(package(model(tetrahedron(1), ITEM, unit)), "t.3mf"))
    assert found.size_mm == pytest.approx((edge,) * 3)


def test_an_unknown_unit_lists_the_known_ones():
    with pytest.raises(ImportFailure, match="millimeter, centimeter, inch"):
        read_3mf(package(model(tetrahedron(1), ITEM, "furlong")), "t.3mf")


def test_components_and_items_are_placed():
    pair = (
        '<object id="2"><components><component objectid="1"/>'
        '<component objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0"/></components></object>'
    )
    item = '<item objectid="2" transform="2 0 0 0 2 0 0 0 2 0 0 100"/>'
    found = measures(read_3mf(package(model(tetrahedron(1) + pair, item)), "t.3mf"))
    assert found.bodies == 2
    assert found.bbox_mm == ((0.0, 0.0, 100.0), (12.0, 2.0, 102.0))


def test_an_object_in_another_model_part_is_found():
    item = '<item objectid="1" p:path="/3D/Objects/a.model"/>'
    other = ("3D/Objects/a.model", model(tetrahedron(1), ""))
    found = measures(read_3mf(package(model("", item), others=[other]), "t.3mf"))
    assert found.volume_mm3 == pytest.approx(1 / 6)


def test_only_what_is_built_counts():
    found = measures(read_3mf(package(model(tetrahedron(1) + tetrahedron(2), ITEM)), "t.3mf"))
    assert found.bodies == 1


CYCLE = '<object id="1"><components><component objectid="1"/></components></object>'
ENTITY = '<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + model("", "&b;")
OUTSIDE = '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + model("", "&x;")


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        (model(CYCLE, ITEM), "nested more than"),
        (ENTITY, "entities are not allowed"),
        (OUTSIDE, "entities are not allowed"),
        (model("", ITEM), "object 1 is used but not defined"),
        (model(tetrahedron(1, [[0, 1, 9]]), ITEM), "names vertex 9"),
        (model(tetrahedron(1, [[0, 1, -2]]), ITEM), "names vertex -1"),
        ("<model><resources>", "XML in the 3MF file is damaged"),
        (model(tetrahedron(1), ITEM).replace('x="1.0"', 'x="one"'), "damaged"),
    ],
    ids=["cycle", "entity_bomb", "outside_entity", "object", "vertex", "negative", "xml", "number"],
)
def test_a_hostile_3mf_is_refused_with_its_cause(xml, words):
    with pytest.raises(ImportFailure, match=words):
        read_3mf(package(xml), "t.3mf")


def test_a_zip_bomb_is_cut_off(monkeypatch):
    monkeypatch.setattr(threemf, "MAX_FILE_BYTES", 2**20)
    with pytest.raises(ImportFailure, match="unpacks to more than 1 MB"):
        read_3mf(package(" " * 2**21), "t.3mf")


def test_a_zip_without_a_model_says_so():
    with pytest.raises(ImportFailure, match="no 3D model"):
        read_3mf(package("x", path="readme.txt"), "t.3mf")
