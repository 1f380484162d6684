"""What the commands share: options, where text goes, the last line of ``--json``.

Results go to standard output and progress to standard error. With ``--json`` standard output
holds one JSON object in one line and nothing else; people still see progress on standard error.
"""

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cadwright.agent.terminal import visible
from cadwright.envs.names import safe_name
from cadwright.envs.sources import expanded
from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from cadwright.envs.task import Task

PolicyOption = Annotated[
    str,
    typer.Option(
        "--policy",
        "-p",
        metavar="SPEC",
        help="Who decides: expert, tiny, hf:MODEL, openai:MODEL@URL, human, scripted, "
        "scripted:FILE, replay:FILE|FOLDER, random.",
    ),
]
TierOption = Annotated[
    str | None,
    typer.Option(
        "--tier",
        metavar="NAME",
        help="Speed of a local model: standard, fast (same greedy tokens), auto.",
    ),
]


def path_of(text: str) -> Path:
    """Return a path as it was given; for ``typer``, which takes an empty one for the folder here.

    Raises:
        BadParameter: It is empty, or no path at all.
    """
    if not text:
        raise typer.BadParameter("the path is empty; is a variable of the shell not set?")
    if "\0" in text:
        raise typer.BadParameter("a path cannot hold a NUL character")
    return Path(text)


OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", parser=path_of, metavar="DIR", help="Folder for what the run leaves."
    ),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="Seed; each task's own by default.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object as the last line, nothing else.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no tables.")]
MAX_TIME_S = 366 * 86_400.0  # infinity is no time that a record could hold
TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        min=0.1,
        max=MAX_TIME_S,
        help="Wall time of one episode.",
    ),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", "-n", metavar="N", min=1, help="First N tasks only.")
]

BackendOption = Annotated[
    str,
    typer.Option("--backend", metavar="NAME", help="Renderer: auto, moderngl, pyrender, raycast."),
]
RecipeOption = Annotated[
    str | None,
    typer.Option(
        "--recipe",
        metavar="NAME|FILE",
        help="Compose a reward as well: create, edit, repair, mesh, or a YAML file.",
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option("--strict", help="Refuse to run model code where a confinement wall is missing."),
]


class Output:
    """Where a command writes.

    Args:
        as_json: Standard output is for the JSON object alone.
        quiet: No text for people.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json = as_json
        self.is_quiet = quiet

    @property
    def text(self) -> Console:
        """Console for results: standard output, or standard error beside ``--json``."""
        return _console(stderr=self.as_json, quiet=self.is_quiet)

    @property
    def progress(self) -> Console:
        """Console for progress, on standard error."""
        return _console(stderr=True, quiet=self.is_quiet)

    def line(self, text: str, *, style: str = "") -> None:
        """Print a line of results as it is: no markup is obeyed and nothing is wrapped."""
        _print(self.text, text, style)

    def remarks_on(self, policy: object) -> None:
        """Say what a policy has found out about its model, where it has one."""
        for note in getattr(policy, "notes", ()):
            self.remark(f"note: {note}")

    def remark(self, text: str, *, style: str = "yellow") -> None:
        """Print a line beside the results, on standard error."""
        _print(self.progress, text, style)

    def complain(self, text: str) -> None:
        """Say in one line on standard error what went wrong, ``--quiet`` or not."""
        _print(_console(stderr=True, quiet=False), " ".join(text.split()), "red")

    def finish(self, data: Mapping[str, Any]) -> None:
        """Print the JSON object where it was asked for."""
        if self.as_json:
            sys.stdout.write(json.dumps(data, allow_nan=False) + "\n")
            sys.stdout.flush()


def is_broken_pipe(error: BaseException) -> bool:
    """Whether the reader of what is printed has left, as ``head`` does.

    Rich makes an exit of it, and only the context tells why.
    """
    cause = error.__context__ if isinstance(error, SystemExit) else error
    return isinstance(cause, BrokenPipeError)


def why_refused(error: OSError) -> str:
    """Say which file or folder cannot be used, and why."""
    why = (error.strerror or str(error)).lower()
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {why}"
    return f"nothing more can be written: {why}; make room, or give another --out"


def write_to_nobody() -> None:
    """Let the rest of what is printed vanish, what is still buffered included."""
    nobody = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # no file behind it, or closed
            if _is_unread(stream.fileno()):
                os.dup2(nobody, stream.fileno())
    os.close(nobody)


def one_task(spec: str, tell: Callable[[str], None] = lambda text: None) -> Task:
    """Return the one task that ``spec`` names.

    Args:
        spec: As a person writes it.
        tell: Told of each entry of the file that is no task and was left out.

    Raises:
        UsageError: It names several.
    """
    from cadwright.envs.suites import load_tasks

    loaded = load_tasks(spec)
    found = loaded.tasks
    for refusal in loaded.refused:
        tell(f"left out: {refusal}")
    if len(found) != 1:
        ids = ", ".join(task.id for task in found[:5]) + (", ..." if len(found) > 5 else "")
        raise UsageError(f"{spec} holds {len(found)} tasks: choose one with {spec}#ID, as in {ids}")
    return found[0]


def absolute_spec(spec: str) -> str:
    """Return a suite spec that holds from any folder: a path in it becomes absolute."""
    scheme, colon, rest = spec.rpartition(":")
    path, mark, options = rest, "", ""
    for separator in ("?", "#"):
        if separator in rest and not Path(rest).exists():
            path, mark, options = rest.partition(separator)
            break
    if not expanded(path).exists():
        return spec
    return f"{scheme}{colon}{expanded(path).resolve()}{mark}{options}"


def slug(text: str) -> str:
    """Return a short folder name for a spec."""
    tail = text.rstrip("/").replace(os.sep, "/").rsplit("/", 1)[-1]
    head = text.partition(":")[0] if ":" in text else ""
    name = f"{head}-{tail}" if head and not tail.startswith(head) else tail
    plain = "".join(c if c.isalnum() or c in "._-" else "-" for c in name.lower()).strip("-.")
    return safe_name(plain or "run")


def _is_unread(fd: int) -> bool:
    """Whether a descriptor is a pipe that nobody holds the other end of."""
    poller = select.poll()
    poller.register(fd, select.POLLOUT)
    return any(happened & select.POLLERR for _, happened in poller.poll(0))


def _print(console: Console, text: str, style: str) -> None:
    from rich.text import Text

    console.print(Text(visible(text), style=style), soft_wrap=True)


def _console(*, stderr: bool, quiet: bool) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, quiet=quiet, highlight=False)
