"""Numbers past all reason are refused by name: a worker that overflows would be our own failure."""

import numpy as np
import pytest

from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.part import Mesh
from cadwright.tools.geometry.wire import encode_mesh
from cadwright.tools.meshing.jobs import JOBS
from cadwright.tools.meshing.triangles import MAX_REACH_MM, check_reach

CORNERS = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], np.int32)


def request(size, **more):
    corners = np.where(CORNERS == 1.0, size, 0.0)
    header, blobs = encode_mesh(Mesh(corners, FACES, np.zeros(4, np.int32)))
    return {"mesh": header, "meshes": [header], **more}, blobs


@pytest.mark.parametrize("size", [1e10, 1e200], ids=str)
def test_mesh_past_all_reason_is_refused_and_no_failure_of_ours(size):
    with pytest.raises(GeometryError, match="less extreme numbers"):
        JOBS["survey"](*request(size))


def test_scale_past_all_reason_is_refused():
    scale = {"operation": "scale", "arguments": {"factors": [1e200] * 3, "centre": [0.0] * 3}}
    with pytest.raises(GeometryError, match="less extreme numbers"):
        JOBS["apply"](*request(1.0, **scale))


def test_largest_mesh_that_is_allowed_is_surveyed():
    reply, _ = JOBS["survey"](*request(MAX_REACH_MM))
    assert reply["survey"]["num_open_edges"] == 0


def test_no_vertices_reach_nowhere():
    check_reach(np.zeros((0, 3)))


@pytest.mark.parametrize("number", [np.inf, np.nan], ids=str)
def test_coordinate_that_is_no_number_is_refused(number):
    with pytest.raises(GeometryError, match="NaN or infinite"):
        check_reach(np.array([(0.0, number, 0.0)]))
