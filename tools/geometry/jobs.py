"""The jobs of a geometry worker: what it answers to, in frames of a header and blobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cadwright.tools.errors import GeometryError, Outcome
from cadwright.tools.geometry.feature_wire import decode_value, encode_record
from cadwright.tools.geometry.gauge_jobs import GAUGE_JOBS
from cadwright.tools.geometry.hidden_lines import outlines_of
from cadwright.tools.geometry.inspect import inspection_of
from cadwright.tools.geometry.part import Tessellation
from cadwright.tools.geometry.read import read_part
from cadwright.tools.geometry.recognise import find_features
from cadwright.tools.geometry.wire import decode_part, encode_inspection, encode_part
from cadwright.tools.geometry.write import write_part

Reply = tuple[dict[str, Any], list[bytes]]
Job = Callable[[dict[str, Any], list[bytes]], Reply]


def inspect_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Measure ``header["part"]``, tessellated as fine as ``header["tessellation"]`` says."""
    settings = header.get("tessellation")
    part = decode_part(header["part"], blobs)
    inspection, out = encode_inspection(
        inspection_of(part, tolerance=None if settings is None else Tessellation(**settings))
    )
    return {"inspection": inspection}, out


def read_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Read the file in the first blob: ``header["format"]``, ``header["name"]``."""
    if len(blobs) != 1:
        raise GeometryError(f"read takes one file, got {len(blobs)}", Outcome.BAD_CALL)
    part, out = encode_part(read_part(blobs[0], header["format"], name=header["name"]))
    return {"part": part}, out


def write_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Write ``header["part"]`` as ``header["format"]``; the file is the only blob."""
    data = write_part(decode_part(header["part"], blobs), header["format"])
    return {"bytes": len(data)}, [data]


def features_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Recognise the features of ``header["part"]``."""
    part = decode_part(header["part"], blobs)
    return {"features": encode_record(find_features(part))}, []


def outlines_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Draw the lines of ``header["part"]`` from each of ``header["views"]``."""
    part = decode_part(header["part"], blobs)
    views = decode_value(tuple[str, ...], header["views"])
    return {"outlines": encode_record(outlines_of(part, views))}, []


JOBS: dict[str, Job] = {
    "inspect": inspect_job,
    "read": read_job,
    "write": write_job,
    "features": features_job,
    "outlines": outlines_job,
    **GAUGE_JOBS,
}
