"""Records over the wire: nothing is lost, and nothing malformed gets in."""

import copy
import json
import subprocess
import sys

import numpy as np
import pytest

from cadwright.tools.errors import Outcome, UsageError, WorkerCrash, WorkerTimeout
from cadwright.tools.geometry.client import GeometryClient
from cadwright.tools.geometry.formats import ImportFailure
from cadwright.tools.geometry.inspect import inspect_part
from cadwright.tools.geometry.part import Notice, Part, Tessellation
from cadwright.tools.geometry.wire import (
    WireError,
    decode_inspection,
    decode_part,
    encode_inspection,
    encode_part,
)


@pytest.fixture(scope="module")
def inspection(solid):
    return inspect_part(solid)


@pytest.fixture(scope="module")
def frame(plate_part):
    header, blobs = encode_inspection(inspect_part(plate_part))
    return json.loads(json.dumps(header, allow_nan=False)), blobs


def test_an_inspection_survives_the_wire(inspection):
    header, blobs = encode_inspection(inspection)
    found = decode_inspection(json.loads(json.dumps(header, allow_nan=False)), blobs)
    assert found.measures == inspection.measures
    assert (found.outcome, found.notices) == (inspection.outcome, inspection.notices)
    assert np.array_equal(found.mesh.vertices, inspection.mesh.vertices)
    assert np.array_equal(found.mesh.face_ids, inspection.mesh.face_ids)
    assert np.array_equal(found.edges.segments, inspection.edges.segments)


def test_a_part_survives_the_wire(inspection, solid):
    part = Part(solid.brep, inspection.mesh, "lid", (Notice("units_converted", "INCH"),))
    header, blobs = encode_part(part)
    found = decode_part(json.loads(json.dumps(header)), blobs)
    assert (found.digest, found.name, found.notices) == (part.digest, part.name, part.notices)


def test_two_parts_share_a_frame(solid, plate_part):
    first, blobs = encode_part(solid)
    second, more = encode_part(plate_part, first_blob=len(blobs))
    together = [*blobs, *more]
    assert decode_part(first, together).digest == solid.digest
    assert decode_part(second, together).digest == plate_part.digest


def _set(header, path, value):
    *parents, last = path
    for key in parents:
        header = header[key]
    header[last] = value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("outcome",), "splendid"),
        (("message",), 7),
        (("notices",), [["a"]]),
        (("notices",), [["a", "b"]] * 1000),
        (("mesh",), []),
        (("mesh", "vertices", "blob"), 99),
        (("mesh", "vertices", "blob"), True),
        (("mesh", "vertices", "dtype"), "<f4"),
        (("mesh", "vertices", "dtype"), "O"),
        (("mesh", "vertices", "shape"), [10**12, 3]),
        (("mesh", "vertices", "shape"), [-1, 3]),
        (("mesh", "vertices", "shape"), [1.5, 3]),
        (("mesh", "face_ids", "shape"), [1]),
        (("measures", "volume_mm3"), "much"),
        (("measures", "volume_mm3"), float("nan")),
        (("measures", "area_mm2"), float("inf")),
        (("measures", "area_mm2"), True),
        (("measures", "bodies"), -1),
        (("measures", "bodies"), 1.0),
        (("measures", "is_valid"), 1),
        (("measures", "bbox_mm"), [[0, 0, 0]]),
        (("measures", "centre_mm"), [0, 0]),
        (("measures", "inertia_mm5"), [[0, 0, 0]] * 2),
        (("measures", "faces_by_kind"), {"plane": "six"}),
        (("measures", "holes", 0, "axis"), None),
    ],
    ids=str,
)
def test_a_malformed_frame_is_refused(frame, path, value):
    header = copy.deepcopy(frame[0])
    _set(header, path, value)
    with pytest.raises(WireError):
        decode_inspection(header, frame[1])


def test_a_nan_in_a_blob_is_refused(frame):
    header, blobs = frame[0], list(frame[1])
    place = header["mesh"]["vertices"]["blob"]
    blobs[place] = np.full(len(blobs[place]) // 8, np.nan).tobytes()
    with pytest.raises(WireError, match="NaN"):
        decode_inspection(header, blobs)


def test_an_index_out_of_range_is_refused(frame):
    header, blobs = frame[0], list(frame[1])
    place = header["mesh"]["faces"]["blob"]
    blobs[place] = np.full(len(blobs[place]) // 4, 10**6, "<i4").tobytes()
    with pytest.raises(WireError, match="names a vertex outside"):
        decode_inspection(header, blobs)


def test_a_short_blob_is_refused(frame):
    blobs = [blob[:-1] for blob in frame[1]]
    with pytest.raises(WireError, match="bytes"):
        decode_inspection(frame[0], blobs)


def test_the_process_that_asks_loads_no_kernel():
    code = (
        "import sys, cadwright.tools.geometry.client; "
        "sys.exit(bool({'OCP', 'cadquery', 'scipy', 'trimesh'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_client_inspects(client, plate_part):
    assert client.inspect(plate_part).measures == inspect_part(plate_part).measures


def test_the_client_passes_the_tessellation_on(client, plate_part):
    fine = client.inspect(plate_part, tolerance=Tessellation(angle_deg=5)).measures
    assert fine.num_triangles > client.inspect(plate_part).measures.num_triangles


def test_the_client_writes_and_reads_a_file(client, plate_part, tmp_path):
    path = tmp_path / "plate.STEP"
    path.write_bytes(client.write(plate_part, "step"))
    part = client.read(path)
    assert part.name == "plate.STEP"
    assert client.inspect(part).measures.bodies == 1


def test_a_missing_file_is_the_users_error(client, tmp_path):
    with pytest.raises(UsageError, match=r"lid\.stl: no such file"):
        client.read(tmp_path / "lid.stl")


def test_an_unknown_ending_is_refused_before_a_worker_is_asked(tmp_path):
    (tmp_path / "lid.dwg").write_bytes(b"x")
    with pytest.raises(ImportFailure, match="unknown format"):
        GeometryClient(Broken(AssertionError())).read(tmp_path / "lid.dwg")


class Broken:
    """A worker that answers every call with the same error."""

    def __init__(self, error):
        self.error = error
        self.calls = 0

    def call(self, job, header, blobs=(), *, timeout_s):
        self.calls += 1
        raise self.error


def test_a_file_that_kills_two_workers_is_to_blame():
    worker = Broken(WorkerCrash("SIGSEGV"))
    with pytest.raises(ImportFailure, match="the CAD kernel crashes on it"):
        GeometryClient(worker).read(b"x", "step", name="lid.step")
    assert worker.calls == 2


def test_a_file_that_hangs_a_worker_is_a_timeout():
    with pytest.raises(ImportFailure, match="not read within 3 s") as caught:
        GeometryClient(Broken(WorkerTimeout("late"))).read(b"x", "step", timeout_s=3)
    assert caught.value.outcome is Outcome.TIMEOUT
