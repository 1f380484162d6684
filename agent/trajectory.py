"""An episode on disk: everything needed to replay, re-score and train.

    EPISODE/
      trajectory.jsonl    one record per line, append-only: header, messages, calls, results, end
      images/0001.png     every picture a policy saw, stored once
      part.brep  part.stl what the judge scores, written before it scores
      score.json          the score, written after

A record is ``{"kind": ..., ..., "timing": {...}}``. Wall times live under ``timing`` and nowhere
else, so two runs are the same where their records without ``timing`` are. A process that dies in
mid-line leaves a readable file: the torn last line is dropped. Nothing in an episode folder is
ever shown to a policy, and nothing in it comes from what a task hides but the digest in the header.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from cadwright.agent.context import ContextOverflow
from cadwright.agent.context_report import ContextReport, rebuild
from cadwright.agent.forms import FLAG, LIST, TEXT, WHOLE, an_object, fault, or_null
from cadwright.agent.messages import (
    AssistantTurn,
    Conversation,
    Message,
    call_to_json,
    message_from_json,
    message_to_json,
    pixels_digest,
    problem_to_json,
    to_plain,
)
from cadwright.tools.errors import UsageError
from cadwright.tools.files import MAX_RECORD_BYTES, read_bytes
from cadwright.tools.tool import ImageBlock, Pixels, TextBlock, ToolCall, ToolResult, ToolSpec

FORMAT = 1  # raised when an older reader could not make sense of a new file
FILE_NAME = "trajectory.jsonl"

Record = dict[str, Any]

# What every reader counts on, by kind. A kind that is not here is of a later version, or of no use.
_FORMS = {
    "header": {
        "task": an_object({"id": TEXT, "limits": an_object()}),
        "suite": TEXT,
        "task_digest": TEXT,
        "seed": WHOLE,
        "policy": TEXT,
        "variant": TEXT,
        "is_privileged": FLAG,
    },
    "message": {"role": TEXT, "blocks": LIST, "tool_calls": LIST},
    "decision": {"is_stop": FLAG, "is_privileged": FLAG},
    "result": {"call": an_object({"name": TEXT, "id": TEXT}), "outcome": TEXT},
    "end": {
        "outcome": TEXT,
        "end_reason": TEXT,
        "part_digest": TEXT,
        "score": or_null(an_object()),
    },
}


class TrajectoryWriter:
    """Appends records to an episode folder.

    Args:
        folder: Created where missing. An episode that is already in it is refused.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "images").mkdir(parents=True, exist_ok=True)
        try:
            self._file = (folder / FILE_NAME).open("xb")  # not after a look: two may look at once
        except FileExistsError as error:
            message = f"{folder} already holds an episode: give another folder"
            raise UsageError(message) from error
        self._start = time.monotonic()
        self._images: dict[str, str] = {}  # digest -> file name

    def record(self, kind: str, data: Mapping[str, Any], *, seconds: float | None = None) -> None:
        """Append one record; it reaches the operating system before this returns."""
        timing = {"at_s": round(time.monotonic() - self._start, 6)}
        if seconds is not None:
            timing["seconds"] = round(seconds, 6)
        line = json.dumps({"kind": kind, **data, "timing": timing}, allow_nan=False)
        self._file.write(line.encode() + b"\n")
        self._file.flush()

    def message(self, message: Message) -> None:
        """Append a message exactly as it was sent."""
        self.record("message", message_to_json(message, self.save_image))

    def decision(self, turn: AssistantTurn, seconds: float) -> None:
        """Append what a turn holds besides its message."""
        data = {
            "is_stop": turn.is_stop,
            "is_privileged": turn.gold is not None,
            "author": turn.author,
            "tokens": asdict(turn.tokens) if turn.tokens is not None else None,
            "thinking": turn.thinking,
            "problems": [problem_to_json(problem) for problem in turn.problems],
            "repairs": list(turn.repairs),
            "context": turn.context.to_json() if turn.context is not None else None,
            "usage": turn.usage.to_json() if turn.usage is not None else None,
        }
        self.record("decision", data, seconds=seconds)

    def tools(self, tools: Sequence[ToolSpec]) -> None:
        """Append what the policy may call, as it reads it."""
        self.record("tools", {"tools": [spec.to_openai() for spec in tools]})

    def overflow(self, full: ContextOverflow) -> None:
        """Append why the next turn could not be asked for."""
        data = {"message": str(full), "context": full.report.to_json()}
        self.record("context_limit", data)

    def result(self, call: ToolCall, result: ToolResult) -> None:
        """Append what a result holds besides its message."""
        data = {
            "call": call_to_json(call),
            "outcome": result.outcome.value,
            "deltas": to_plain(result.deltas),
            "notices": [asdict(notice) for notice in result.notices],
            "is_final": result.is_final,
        }
        self.record("result", data, seconds=result.seconds)

    def save_image(self, image: ImageBlock) -> str:
        """Store a picture once and return its file name inside the folder."""
        digest = pixels_digest(image.pixels)
        if digest not in self._images:
            name = f"images/{len(self._images) + 1:04d}.png"
            (self.folder / name).write_bytes(png(image))
            self._images[digest] = name
        return self._images[digest]

    def close(self) -> None:
        """Close the file. Idempotent."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A trajectory as read back.

    Attributes:
        folder: Where it lies.
        records: All whole records, oldest first.
        is_torn: The last line was cut off: the process died while it wrote.
    """

    folder: Path
    records: tuple[Record, ...]
    is_torn: bool = False

    @property
    def header(self) -> Record:
        """The first record: task, seed, policy, versions."""
        return self.records[0]

    @property
    def ending(self) -> Record | None:
        """The last record where the episode ended, or None where its process died."""
        return next((r for r in reversed(self.records) if r["kind"] == "end"), None)

    def of_kind(self, kind: str) -> Iterator[Record]:
        """Yield the records of one kind in order."""
        return (record for record in self.records if record["kind"] == kind)

    def load_image(self, name: str) -> Pixels:
        """Return a stored picture, (H, W, 3) uint8."""
        return load_png(inside(self.folder, name))

    def conversation(self) -> Conversation:
        """Return the conversation with its pictures."""
        messages = (message_from_json(r, self.load_image) for r in self.of_kind("message"))
        return Conversation(messages)

    def sent(self, turn: int) -> tuple[Message, ...]:
        """Return the messages that went out for assistant turn ``turn`` (the first is 1).

        They are the conversation so far behind the policy's system message, with pictures and
        texts replaced as its context budget had them.

        Raises:
            UsageError: There was no such turn, or a scaled picture does not come out the same.
        """
        decisions = list(self.of_kind("decision"))
        if not 1 <= turn <= len(decisions):
            raise UsageError(f"{self.folder}: has turns 1 to {len(decisions)}, not {turn}")
        messages = self.conversation().messages
        own = [at for at, message in enumerate(messages) if message.role == "assistant"]
        before = messages[: own[turn - 1]]
        context = decisions[turn - 1].get("context")
        if context is not None:
            before = rebuild(before, ContextReport.from_json(context))
        system = self.header.get("settings", {}).get("system")
        prefix = (Message("system", (TextBlock(system),)),) if system else ()
        return (*prefix, *before)


def read_trajectory(folder: Path) -> Trajectory:
    """Read an episode folder.

    Raises:
        UsageError: No episode is there, a record is damaged, or it was written by a later
            version.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        raise UsageError(f"{folder}: no episode here ({FILE_NAME} is missing)")
    records, is_torn = read_lines(path)
    if not records or records[0]["kind"] != "header":
        raise UsageError(f"{path}: the header is missing")
    _check_format(records[0], path)
    for number, record in enumerate(records, start=1):
        if said := fault(record, _FORMS.get(record["kind"], {})):
            raise UsageError(f"{path}:{number}: damaged {record['kind']}: {said}")
    return Trajectory(folder, tuple(records), is_torn)


def _check_format(header: Record, path: Path) -> None:
    if said := fault(header, {"format": WHOLE}):
        raise UsageError(f"{path}:1: damaged header: {said}")
    if header["format"] > FORMAT:
        raise UsageError(
            f"{path}: written in format {header['format']}; this version reads up to {FORMAT}"
        )


def read_lines(path: Path) -> tuple[list[Record], bool]:
    """Read an append-only JSONL file; return its records and whether the last line was torn."""
    *lines, rest = read_bytes(path, MAX_RECORD_BYTES).split(b"\n")
    records = [_parse(line, path, number) for number, line in enumerate(lines, start=1)]
    return records, bool(rest)


def without_timing(record: Record) -> Record:
    """Return what must be equal in two runs of the same episode."""
    return {key: value for key, value in record.items() if key != "timing"}


def png(image: ImageBlock) -> bytes:
    """Return a picture as the bytes of a PNG file."""
    from PIL import Image

    buffer = io.BytesIO()
    # Level 1: a 512 px sheet in 4 ms instead of 30, at 1.2 times the bytes.
    Image.fromarray(np.ascontiguousarray(image.pixels)).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def load_png(path: Path) -> Pixels:
    """Read a picture as (H, W, 3) uint8.

    Raises:
        UsageError: It is not there, or no picture.
    """
    from PIL import Image

    if not path.exists():
        raise UsageError(f"{path}: the picture is gone")
    data = read_bytes(path)
    try:
        with Image.open(io.BytesIO(data)) as image:
            return np.asarray(image.convert("RGB"), dtype=np.uint8)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise UsageError(f"{path}: no readable picture ({error})") from error


def inside(folder: Path, name: str) -> Path:
    """Return ``folder / name`` where that stays in ``folder``: file names in records are data."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise UsageError(f"{folder}: a record names {name!r}, which lies outside the episode")
    return path


def _parse(line: bytes, path: Path, number: int) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}:{number}: damaged line ({error})") from error
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        raise UsageError(f"{path}:{number}: not a record")
    return record
