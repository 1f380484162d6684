"""What a data set loader is, and the few steps that all of them share.

No data set is part of this package; a loader reads a folder that the user has. Every quirk is
handled in the open: it is written at its loader, in the suite's ``notices`` and in ``meta`` of the
task. Faulty truths are listed nowhere: judge and ``lint`` measure them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cadwright.envs.names import nearest
from cadwright.envs.sources import read_text
from cadwright.envs.task import Task
from cadwright.envs.tasks_file import LoadedSuite, Refusal
from cadwright.tools.errors import TaskError

NO_LICENCE = "none found: test use only"

Options = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Job:
    """A task still to be made, with the place to name where that fails."""

    make: Callable[[], Task]
    file: Path
    line: int | None = None


@dataclass(frozen=True, slots=True)
class DataSet:
    """A loader with what it says about itself.

    Attributes:
        load: Makes a suite of a path and the options after its ``?``.
        options: Option names with their values, the default first; empty means any text.
        expects: What the path has to hold, for an error message.
        recognises: Whether a path looks like this set, for a hint after a wrong spec.
    """

    name: str
    about: str
    load: Callable[[Path, Options], LoadedSuite]
    options: Mapping[str, tuple[str, ...]]
    expects: str
    recognises: Callable[[Path], bool]

    def open(self, path: Path, options: Options) -> LoadedSuite:
        """Load the suite.

        Raises:
            TaskError: The path holds nothing of the kind, or an option is wrong.
        """
        if not path.exists():
            raise TaskError(f"{self.name}: {path} does not exist; expected {self.expects}")
        suite = self.load(path, self._complete(options))
        if not suite.tasks and not suite.refused:
            raise TaskError(f"{self.name}: nothing to load in {path}; expected {self.expects}")
        return suite

    def _complete(self, options: Options) -> dict[str, str]:
        for key, value in options.items():
            if key not in self.options:
                raise TaskError(f"{self.name}: unknown option {key!r}{nearest(key, self.options)}")
            if self.options[key] and value not in self.options[key]:
                hint = nearest(value, self.options[key])
                raise TaskError(f"{self.name}: {key} is {value!r}{hint}")
        return {key: values[0] for key, values in self.options.items() if values} | dict(options)


def collect(name: str, jobs: Iterable[Job], *, notices: tuple[str, ...] = ()) -> LoadedSuite:
    """Run every job; a task that cannot be made is refused by name and the rest is kept."""
    tasks: list[Task] = []
    refused: list[Refusal] = []
    for job in jobs:
        try:
            tasks.append(job.make())
        except TaskError as err:
            refused.append(Refusal(job.file.name, job.line, str(err)))
    return LoadedSuite(name, tuple(tasks), tuple(refused), notices=notices)


def folders(path: Path) -> list[Path]:
    """Return the sub-folders of ``path`` in a fixed order; none where it is a file."""
    return sorted(p for p in path.iterdir() if p.is_dir()) if path.is_dir() else []


def existing(path: Path) -> Path:
    """Return ``path`` made absolute.

    Raises:
        TaskError: There is no such file.
    """
    if not path.is_file():
        raise TaskError(f"{path.name} is missing in {path.parent}")
    return path.absolute()


def first_holds(folder: Path, pattern: str, mark: str) -> bool:
    """Whether the first file that matches ``pattern`` in ``folder`` contains ``mark``."""
    file = min(folder.glob(pattern), default=None)
    return file is not None and mark in read_text(file)
