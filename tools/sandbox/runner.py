"""Run one step of model code in this process and turn what it made into a reply.

The namespace lives in the process: a fork of it is a checkpoint of every name and every shape.
What the reply says is as trustworthy as the code that ran before it was written: not at all. The
main process checks its form, the judge measures its geometry.
"""

from __future__ import annotations

import linecache
import os
import random
import shutil
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cadwright.tools.geometry.part import Notice
from cadwright.tools.geometry.wire import encode_mesh
from cadwright.tools.sandbox import feedback, meshes, results
from cadwright.tools.sandbox.hooks import Recorder
from cadwright.tools.sandbox.protocol import Header
from cadwright.tools.sandbox.results import Found, NoPart


@dataclass(frozen=True, slots=True)
class Reply:
    """What a step sends back: a JSON header, and the BREP bytes or triangles of the part."""

    header: Header
    blobs: tuple[bytes, ...] = ()

    @property
    def is_ok(self) -> bool:
        """The step counts: this process becomes the next checkpoint."""
        return bool(self.header["outcome"] == "ok")


@dataclass(slots=True)
class _Step:
    """What the running step has to show for itself."""

    names: tuple[str, ...] = ()
    notices: list[Notice] = field(default_factory=list)


class Workspace:
    """A ``__main__`` that persists from step to step.

    Args:
        recorder: What CadQuery was asked to show and export.
        seed: Seed of ``random`` and ``numpy.random``.
    """

    def __init__(self, recorder: Recorder, *, seed: int) -> None:
        import numpy as np

        random.seed(seed)
        np.random.seed(seed % (1 << 32))  # noqa: NPY002 - model code uses the global generator
        self._recorder = recorder
        self._module = types.ModuleType("__main__")
        self._module.__dict__["__builtins__"] = __builtins__
        for name in ("show_object", "debug"):
            self._module.__dict__[name] = recorder.show_object
        self._module.__dict__["debug"] = lambda *args, **kwargs: None
        self._steps = 0
        self._current: Found | None = None
        self._streams: tuple[Any, ...] = ()

    def enter(self, folder: str, copy_of: str | None) -> None:
        """Work in ``folder`` of the scratch, made as a copy of ``copy_of`` where that is given.

        Raises:
            OSError: The scratch is full.
        """
        path = Path(folder)
        if copy_of is not None and not path.exists():
            _copy_files(Path(copy_of), path)
        path.mkdir(parents=True, exist_ok=True)
        os.chdir(path)

    def run(self, code: str, *, with_mesh: bool = False) -> Reply:
        """Run model code and find the part it made, meshed where that is wanted."""
        self._begin()
        names, failure = self._bound_by(code)
        if failure is not None:
            return Reply(failure | {"names": list(names)})
        return self._reply(names, with_mesh=with_mesh)

    def run_on_meshes(
        self, code: str, given: Mapping[str, Header], blobs: Sequence[bytes]
    ) -> Reply:
        """Run model code with meshes at hand and find the mesh it made.

        Args:
            code: Python source.
            given: Meshes by name, the one to work on first.
            blobs: Their arrays.
        """
        self._begin()
        try:
            meshes.bind(self._module.__dict__, given, blobs)
            names, failure = self._bound_by(code)
            if failure is not None:
                return Reply(failure | {"names": list(names)})
            name, mesh = meshes.found_in(self._module.__dict__, names)
        except NoPart as err:
            return Reply(feedback.no_part(err) | {"names": []})
        except BaseException as err:  # a mesh may be whatever model code makes of it
            return Reply(feedback.failure(err, self._module.__dict__) | {"names": []})
        described, arrays = encode_mesh(mesh)
        header = {
            "op": "result",
            "outcome": "ok",
            "name": name,
            "names": list(names),
            "notices": [],
            "is_exact": False,
            "mesh": described,
        }
        return Reply(header, tuple(arrays))

    def _bound_by(self, code: str) -> tuple[tuple[str, ...], Header | None]:
        """Run the code; returns the names that it bound, and the header of a failed step."""
        namespace = self._module.__dict__
        before = dict(namespace)
        failure = self._execute(code, namespace)
        names = tuple(
            name
            for name, value in namespace.items()
            if not name.startswith("__") and (name not in before or before[name] is not value)
        )
        return names, failure

    def load_mesh(self, name: str, given: Header, blobs: Sequence[bytes]) -> Reply:
        """Bind a given mesh to ``name``, to look at: it is no part."""
        self._begin()
        meshes.bind_one(self._module.__dict__, name, given, blobs)
        return Reply({"op": "result", "outcome": "ok", "names": [name], "notices": []})

    def load(self, name: str, brep: bytes) -> Reply:
        """Bind a given part to ``name``."""
        self._begin()
        try:
            shape = results.shape_from_brep(brep)
        except BaseException as err:  # whatever the kernel says to bytes that are no shape
            return Reply(feedback.failure(err, {}) | {"names": []})
        self._module.__dict__[name] = shape
        return self._reply((name,))

    def flush(self) -> None:
        """Push out what was printed, before the reply is sent."""
        for stream in (sys.stdout, sys.stderr, *self._streams):
            feedback.quietly(stream.flush)

    def _begin(self) -> None:
        self._steps += 1
        self._recorder.clear()
        sys.modules["__main__"] = self._module
        sys.stdin = _text_stream(0, "r")
        self._streams = tuple(_text_stream(fd, "w") for fd in (1, 2))
        sys.stdout, sys.stderr = self._streams

    def _execute(self, code: str, namespace: dict[str, Any]) -> Header | None:
        """Run the code; returns the header of a failed step, or None."""
        filename = "<model code>" if self._steps == 1 else f"<model code, step {self._steps}>"
        linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
        had_result = namespace.get("result")
        try:
            exec(compile(code, filename, "exec", dont_inherit=True), namespace)
        except SystemExit as err:
            if namespace.get("result") is had_result and not self._recorder.shown:
                return feedback.early_exit(err)
        except BaseException as err:  # whatever model code raises is an observation
            return feedback.failure(err, namespace)
        return None

    def _reply(self, names: tuple[str, ...], *, with_mesh: bool = False) -> Reply:
        try:
            found = results.find(self._module.__dict__, names, self._recorder, self._current)
            shape = results.shape_of(found.value)
            brep = results.brep_bytes(shape)
            mesh, mesh_blobs = results.mesh_of(brep) if with_mesh else (None, ())
            notices = [*found.notices, *results.notices_about(found.value, self._recorder)]
        except NoPart as err:
            return Reply(feedback.no_part(err) | {"names": list(names)})
        except BaseException as err:  # the kernel can fail while it looks at a broken shape
            return Reply(feedback.failure(err, self._module.__dict__) | {"names": list(names)})
        self._current = Found(found.name, found.value)
        header = {
            "op": "result",
            "outcome": "ok",
            "name": found.name,
            "names": list(names),
            "notices": [[notice.code, notice.message] for notice in notices],
        }
        return Reply(header | {"mesh": mesh}, (brep, *mesh_blobs))


def _copy_files(source: Path, target: Path) -> None:
    """Copy ordinary files and folders; the walls forbid to copy owners, times and links."""
    for folder, _, names in os.walk(source):
        copy = target / Path(folder).relative_to(source)
        copy.mkdir(parents=True, exist_ok=True)
        for name in names:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                shutil.copyfile(path, copy / name)


def _text_stream(fd: int, mode: str) -> Any:
    """Open a standard stream afresh, whatever the step before did to it."""
    errors = "backslashreplace"
    return open(fd, mode, encoding="utf-8", errors=errors, buffering=1, closefd=False)
