"""Ask a worker process about geometry; nothing is parsed in the process that asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from cadwright.tools.errors import Outcome, WorkerCrash, WorkerTimeout
from cadwright.tools.files import read_bytes, size_of
from cadwright.tools.geometry.feature_wire import decode_record
from cadwright.tools.geometry.features import Features
from cadwright.tools.geometry.formats import (
    ImportFailure,
    check_size,
    format_of,
)
from cadwright.tools.geometry.gauge_client import GaugeClient
from cadwright.tools.geometry.outlines import Outlines
from cadwright.tools.geometry.part import Inspection, Part, Tessellation
from cadwright.tools.geometry.wire import (
    WireError,
    decode_inspection,
    decode_part,
    encode_part,
)

INSPECT_TIMEOUT_S = 20.0
FILE_TIMEOUT_S = 60.0
_TRIES = 2  # a file that kills two fresh workers is to blame, not the machine


class Worker(Protocol):
    """A process that answers jobs: ``cadwright.tools.sandbox`` has a confined one."""

    def call(
        self, job: str, header: dict[str, Any], blobs: Sequence[bytes] = (), *, timeout_s: float
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Return the reply to one job, or raise what the job raised."""


class GeometryClient:
    """Typed calls to a geometry worker.

    Args:
        worker: Any worker whose jobs include those of ``cadwright.tools.geometry.jobs``.

    Attributes:
        gauges: Measurements that need a question: thickness, clearance, sections, ...
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self.gauges = GaugeClient(worker)

    def inspect(
        self,
        part: Part,
        *,
        tolerance: Tessellation | None = None,
        timeout_s: float = INSPECT_TIMEOUT_S,
    ) -> Inspection:
        """Return validity, measures, triangles and edge lines of a part.

        Args:
            part: The part; its bytes go to the worker unparsed.
            tolerance: How fine to tessellate; None is the default.
            timeout_s: Wall-clock limit.

        Raises:
            WorkerTimeout: It took longer than ``timeout_s``.
            WorkerCrash: The kernel died on it.
        """
        header, blobs = encode_part(part)
        settings = None if tolerance is None else asdict(tolerance)
        request = {"part": header, "tessellation": settings}
        reply, out = self._worker.call("inspect", request, blobs, timeout_s=timeout_s)
        return decode_inspection(reply.get("inspection", {}), out)

    def read(
        self,
        source: Path | str | bytes,
        fmt: str | None = None,
        *,
        name: str | None = None,
        timeout_s: float = FILE_TIMEOUT_S,
    ) -> Part:
        """Return the part in a file.

        Args:
            source: Path of the file, or its bytes.
            fmt: Format or ending; None takes it from the path.
            name: For messages; None takes it from the path.
            timeout_s: Wall-clock limit.

        Raises:
            UsageError: The file is not there, no regular file or cannot be opened.
            ImportFailure: The file cannot become a part, or kills or hangs every worker.
        """
        called = name or ("part" if isinstance(source, bytes) else Path(source).name)
        data = source if isinstance(source, bytes) else _bytes_of(Path(source), called)
        check_size(len(data), called)
        header = {"format": format_of(fmt or called), "name": called}
        for _ in range(_TRIES):
            try:
                reply, out = self._worker.call("read", header, [data], timeout_s=timeout_s)
            except WorkerCrash:
                continue
            except WorkerTimeout as err:
                raise ImportFailure(
                    f"{called}: not read within {timeout_s:g} s", Outcome.TIMEOUT
                ) from err
            return decode_part(reply.get("part", {}), out)
        raise ImportFailure(f"{called}: the CAD kernel crashes on it: the file is damaged")

    def features(self, part: Part, *, timeout_s: float = INSPECT_TIMEOUT_S) -> Features:
        """Return the surfaces, holes, slots, pockets, fillets, ... of a part.

        Args:
            part: The part; its bytes go to the worker unparsed.
            timeout_s: Wall-clock limit.

        Raises:
            GeometryError: There is no geometry to look at.
            WorkerTimeout: It took longer than ``timeout_s``.
            WorkerCrash: The kernel died on it.
        """
        header, blobs = encode_part(part)
        reply, _ = self._worker.call("features", {"part": header}, blobs, timeout_s=timeout_s)
        return decode_record(Features, reply["features"])

    def outlines(
        self, part: Part, views: Sequence[str], *, timeout_s: float = INSPECT_TIMEOUT_S
    ) -> Outlines:
        """Return the visible and hidden lines of a part from each side, and its axes.

        Args:
            part: Exact geometry; its bytes go to the worker unparsed.
            views: Names out of ``tools.geometry.outlines.VIEWS``.
            timeout_s: Wall-clock limit.

        Raises:
            GeometryError: The part is a mesh, a view is unknown, or the kernel fails.
            WorkerTimeout: It took longer than ``timeout_s``.
            WorkerCrash: The kernel died on it.
        """
        header, blobs = encode_part(part)
        request = {"part": header, "views": list(views)}
        reply, _ = self._worker.call("outlines", request, blobs, timeout_s=timeout_s)
        return decode_record(Outlines, reply["outlines"])

    def write(self, part: Part, fmt: str, *, timeout_s: float = FILE_TIMEOUT_S) -> bytes:
        """Return a part as the bytes of a file that was read back and compared.

        Args:
            part: The part.
            fmt: ``step``, ``brep``, ``stl``, ``obj``, ``3mf`` or ``glb``.
            timeout_s: Wall-clock limit.

        Raises:
            GeometryError: The part cannot be written in this format.
        """
        header, blobs = encode_part(part)
        request = {"part": header, "format": format_of(fmt)}
        _, out = self._worker.call("write", request, blobs, timeout_s=timeout_s)
        if len(out) != 1:
            raise WireError(f"a written file is one blob, got {len(out)}")
        return out[0]


def _bytes_of(path: Path, called: str) -> bytes:
    check_size(size_of(path), called)  # before it is read: the message has the whole size
    return read_bytes(path)
