"""The file of one raid: trials that survive a kill, under a line that says of what.

Each trial is on the disk before the next one is reported. A half-written last line of a killed raid
is cut off; a second writer and trials of another kit, recipe or version are refused.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from cadwright.agent.evaluation.lines import append_line, cut_torn_line
from cadwright.rewards import redteam
from cadwright.rewards.redteam import Trial
from cadwright.tools.errors import UsageError
from cadwright.tools.files import MAX_RECORD_BYTES, read_bytes

if TYPE_CHECKING:
    from cadwright.agent.evaluation.raid import Case
    from cadwright.rewards.recipes import Recipe

FILE = "trials.jsonl"


class RaidFile:
    """The trials of a raid. Use it as a context manager: it holds a lock.

    Args:
        folder: Created where missing.
        about: What the trials depend on besides the tasks; ``about`` makes it.

    Raises:
        UsageError: Another process writes here, or the file holds another raid.
    """

    def __init__(self, folder: Path, about: dict[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / FILE
        self._file = self.path.open("ab+")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._claim(about)
        except BlockingIOError as error:
            self._file.close()
            raise UsageError(f"{folder}: another raid is writing here right now") from error
        except BaseException:
            self._file.close()
            raise

    def known(self) -> dict[tuple[str, str], Trial]:
        """Return the trials so far, by key of the case and name of the hack."""
        rows = self._lines()[1:]
        return {(row["key"], row["hack"]): Trial.from_json(row) for row in rows}

    def append(self, case: Case, trial: Trial) -> None:
        """Add a trial; it is on the disk before this returns."""
        append_line(self._file, {"key": case.key, "task": case.task.id, **trial.to_json()})

    def close(self) -> None:
        """Let go of the file. Idempotent."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _claim(self, about: dict[str, Any]) -> None:
        """Cut off a torn line; write what this is about, or compare it with what is there."""
        cut_torn_line(self._file)
        lines = self._lines()
        if not lines:
            append_line(self._file, about)
        elif lines[0] != about:
            differing = next(k for k in {**lines[0], **about} if lines[0].get(k) != about.get(k))
            raise UsageError(
                f"{self.path} holds another raid: {differing} differs; use another --out"
            )

    def _lines(self) -> list[dict[str, Any]]:
        lines = read_bytes(self.path, MAX_RECORD_BYTES).splitlines()
        try:
            return [json.loads(line) for line in lines]
        except ValueError as error:
            raise UsageError(f"{self.path}: damaged ({error}); use another --out") from error


def about(recipe: Recipe | None, version: str) -> dict[str, Any]:
    """Return what the trials of a raid depend on besides the tasks."""
    kit = " ".join(hack.name for hack in redteam.KIT)
    return {
        "what": "red team",
        "recipe": None if recipe is None else recipe.digest,
        "kit": hashlib.sha256(kit.encode()).hexdigest(),
        "version": version,
    }
