"""Ask a mesh worker for operations; nothing is computed on meshes in the process that asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cadwright.tools.errors import GeometryError, Outcome, WorkerCrash, WorkerTimeout
from cadwright.tools.geometry.client import Worker
from cadwright.tools.geometry.part import Mesh, Notice
from cadwright.tools.geometry.wire import decode_mesh, encode_mesh
from cadwright.tools.meshing.made import Made, encode_meshes
from cadwright.tools.meshing.survey import Survey

_TRIES = 2  # what kills two fresh workers is to blame, not the machine


class MeshingClient:
    """Typed calls to a mesh worker.

    Args:
        worker: A worker that serves ``cadwright.tools.meshing.jobs``.
        step_s: Wall time of one operation.
    """

    def __init__(self, worker: Worker, *, step_s: float = 30.0) -> None:
        self._worker = worker
        self.step_s = step_s

    def apply(
        self,
        operation: str,
        meshes: Sequence[Mesh] = (),
        arguments: Mapping[str, Any] | None = None,
    ) -> Made:
        """Do one operation.

        Args:
            operation: A name in ``operations.OPERATIONS``.
            meshes: What it works on.
            arguments: Plain values, checked by the tool.

        Raises:
            GeometryError: It cannot be done, takes too long or kills every worker.
        """
        headers, blobs = encode_meshes(meshes)
        request = {"operation": operation, "arguments": dict(arguments or {}), "meshes": headers}
        reply, out = self._ask("apply", request, blobs)
        return Made(
            tuple(decode_mesh(one, out) for one in reply["meshes"]),
            tuple(reply["facts"]),
            reply["numbers"],
            tuple(Notice(code, message) for code, message in reply["notices"]),
        )

    def survey(self, mesh: Mesh) -> Survey:
        """Count what is wrong with a mesh; the errors are those of ``apply``."""
        header, blobs = encode_mesh(mesh)
        reply, _ = self._ask("survey", {"mesh": header}, blobs)
        return Survey(**reply["survey"])

    def _ask(
        self, job: str, request: dict[str, Any], blobs: Sequence[bytes]
    ) -> tuple[dict[str, Any], list[bytes]]:
        for _ in range(_TRIES):
            try:
                return self._worker.call(job, request, blobs, timeout_s=self.step_s)
            except WorkerTimeout as err:
                raise GeometryError(
                    f"not done within {self.step_s:g} s: use a smaller mesh or a coarser setting",
                    Outcome.TIMEOUT,
                ) from err
            except WorkerCrash:
                continue
        raise GeometryError("the geometry kernel crashes on this mesh", Outcome.NATIVE_CRASH)
