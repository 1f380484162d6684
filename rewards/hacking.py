"""The job of a judge worker that makes the parts of the red team.

The right answer is read and normalised once for all hacks of a task.
"""

from __future__ import annotations

from typing import Any

from cadwright.rewards.hack_shapes import plain_mesh
from cadwright.rewards.hacks import BASELINES, HACKS, NEAR_MISSES, Answer
from cadwright.rewards.normalise import normalise
from cadwright.rewards.start_hacks import START_HACKS, START_MISSES, Start
from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.inspect import inspection_of
from cadwright.tools.geometry.jobs import Reply
from cadwright.tools.geometry.part import Mesh, Part
from cadwright.tools.geometry.solids import arrays_of
from cadwright.tools.geometry.wire import decode_part, encode_part
from cadwright.tools.kept import Kept

KEPT = 4  # answers and starts

_answers: Kept[Answer] = Kept(KEPT)
_starts: Kept[Start] = Kept(KEPT)


def make_hack(name: str, answer: Answer, start: Start | None = None) -> Mesh:
    """Return the triangles of one hack, of the honest box or of a near miss.

    Args:
        name: Which.
        answer: The right answer.
        start: What the task starts from, where it starts from something.

    Raises:
        GeometryError: This answer or start cannot be hacked that way.
    """
    from_answer = {**BASELINES, **HACKS, **NEAR_MISSES}
    if name in from_answer:
        made = from_answer[name](answer)
    elif start is None:
        raise GeometryError("the task starts from nothing")
    else:
        made = {**START_HACKS, **START_MISSES}[name](start, answer)
    if isinstance(made, Mesh):
        return made
    return plain_mesh(*arrays_of(made))


def hack_job(header: dict[str, Any], blobs: list[bytes]) -> Reply:
    """Make the part of ``header["hack"]`` from the right answer and, where given, the start."""
    reference = decode_part(header["part"], blobs)
    answer = _answers.get(reference.digest, lambda: Answer(normalise(_mesh(reference))))
    start = None
    if "start" in header:
        given = decode_part(header["start"], blobs)
        start = _starts.get(given.digest, lambda: Start.of(_mesh(given)))
    made = Part(mesh=make_hack(header["hack"], answer, start), name=header["hack"])
    part, out = encode_part(made)
    return {"part": part}, out


def _mesh(part: Part) -> Mesh:
    mesh = inspection_of(part).mesh
    if mesh is None:
        raise GeometryError("there are no triangles to make a hack from")
    return mesh
