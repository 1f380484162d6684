"""The folder of one evaluation: rows that survive a kill, and a lock against a second writer.

RUN/
  run.json         what the run is: suite, policy, seed, limits, versions
  results.jsonl    one row per attempt, appended and synced as it ends
  episodes/        one folder per attempt
  targets/         a small picture of each reference
  summary.json  report.html
"""

from __future__ import annotations

import fcntl
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Self

from cadwright.agent.artifacts import write_json
from cadwright.agent.evaluation.lines import append_line, cut_torn_line
from cadwright.agent.forms import (
    FLAG,
    LIST,
    NUMBER,
    TEXT,
    WHOLE,
    Form,
    an_object,
    fault,
    or_null,
)
from cadwright.tools.errors import UsageError
from cadwright.tools.files import MAX_RECORD_BYTES, read_bytes

Row = dict[str, Any]
Config = Mapping[str, Any]

RESULTS, RESCORED, RUN = "results.jsonl", "rescored.jsonl", "run.json"

_SCORE: Form = {
    "value": or_null(NUMBER),
    "verdict": TEXT,
    "reason": TEXT,
    "terms": LIST,
    "card": or_null(an_object()),
}
_ROW: Form = {
    "task": TEXT,
    "variant": TEXT,
    "attempt": WHOLE,
    "is_final": FLAG,
    "outcome": TEXT,
    "score": or_null(an_object(_SCORE)),
    "fault": or_null(an_object({"area": TEXT})),
    "turns": WHOLE,
    "calls": WHOLE,
    "seconds": NUMBER,
    "session": TEXT,
    "elapsed_s": NUMBER,
    "episode": TEXT,
    "files": an_object(),
}
_RUN: Form = {"suite": TEXT, "policy": TEXT}


class RunFolder:
    """A run that is being written. Use it as a context manager: it holds the lock.

    Args:
        path: Created where missing.
        config: What makes two runs the same; a folder that holds another run is refused.

    Raises:
        UsageError: Another process writes here, or the folder holds another run.
    """

    def __init__(self, path: Path, config: Config) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(path)
        try:
            _claim(path, config)
            self._results = _open_repaired(path / RESULTS)
        except BaseException:
            self._lock.close()
            raise

    def rows(self) -> list[Row]:
        """Return the rows so far."""
        return read_rows(self.path / RESULTS)

    def append(self, row: Row) -> None:
        """Add one row; it is on the disk before this returns."""
        append_line(self._results, row)

    def close(self) -> None:
        """Let go of the lock. Idempotent."""
        self._results.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_run(path: Path) -> tuple[dict[str, Any], list[Row]]:
    """Read a run to report on it: its configuration and its rows, newest scores in place.

    Raises:
        UsageError: ``path`` holds no run.
    """
    if not (path / RUN).is_file():
        raise UsageError(f"{path}: no run here ({RUN} is missing)")
    config = _parse(read_bytes(path / RUN), str(path / RUN))
    _check(config, _RUN, str(path / RUN))
    rows = read_rows(path / RESULTS)
    rescored = {_attempt_key(row): row for row in read_rows(path / RESCORED)}
    return config, [{**row, **rescored.get(_attempt_key(row), {})} for row in rows]


def read_rows(path: Path) -> list[Row]:
    """Return the whole rows of a results file; a torn last line is left out."""
    if not path.is_file():
        return []
    *lines, _ = read_bytes(path, MAX_RECORD_BYTES).split(b"\n")
    return [_row(line, f"{path}:{at}") for at, line in enumerate(lines, start=1) if line]


def write_rescored(path: Path, rows: list[Row]) -> None:
    """Replace the file of new scores; the rows as first written stay as they are."""
    whole = path / (RESCORED + ".partial")
    lines = (json.dumps(row, allow_nan=False) + "\n" for row in rows)
    whole.write_text("".join(lines), encoding="utf-8")
    whole.replace(path / RESCORED)


def _attempt_key(row: Row) -> tuple[str, str, int]:
    return (row["task"], row["variant"], row["attempt"])


def _row(line: bytes, where: str) -> Row:
    row = _parse(line, where)
    _check(row, _ROW, where)
    episode = Path(row["episode"])
    if episode.is_absolute() or ".." in episode.parts:
        raise UsageError(f"{where}: damaged (episode {row['episode']!r} lies outside the run)")
    return row


def _check(record: Row, form: Form, where: str) -> None:
    if said := fault(record, form):
        raise UsageError(f"{where}: damaged ({said})")


def _parse(text: bytes, where: str) -> Row:
    try:
        found = json.loads(text, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: damaged ({error})") from error
    if not isinstance(found, dict):
        raise UsageError(f"{where}: damaged (no object)")
    return found


def _finite(text: str) -> float:
    """Read a number; 1e999 is none that could be written again."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a number that JSON has")
    return value


def _lock(path: Path) -> IO[bytes]:
    """Take the lock; the kernel drops it when this process dies, however it dies."""
    lock = (path / ".lock").open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.close()
        raise UsageError(f"{path}: another evaluation is writing here right now") from error
    return lock


def _claim(path: Path, config: Config) -> None:
    """Write ``run.json``, or check that it says the same."""
    wanted = json.loads(json.dumps(config))
    file = path / RUN
    if not file.exists():
        write_json(file, wanted)
        return
    found = _parse(read_bytes(file), str(file))
    for field in {**found, **wanted}:
        if found.get(field) != wanted.get(field):
            raise UsageError(
                f"{path} holds another run: {field} was {found.get(field)!r} and is now "
                f"{wanted.get(field)!r}; give another --out, or the same settings to resume"
            )


def _open_repaired(path: Path) -> IO[bytes]:
    """Open for appending; a line that a dying process left unfinished is cut off first."""
    file = path.open("ab+")
    cut_torn_line(file)
    return file
