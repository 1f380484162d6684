"""The commands together, and how an error leaves them: one line on stderr and an exit code.

0 done, 1 the run finished with errors of our own, 2 the person can correct it, 130 Ctrl-C, 141 the
reader of a pipe has had enough. A traceback is printed only where ``CADWRIGHT_DEBUG=1`` asks for
one.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from types import TracebackType

import typer

from cadwright.agent.cli import (
    doctor,
    evaluate,
    film,
    judge,
    modeller,
    replay,
    report,
    run,
    tasks,
    train,
)
from cadwright.agent.cli.common import is_broken_pipe, why_refused, write_to_nobody
from cadwright.agent.terminal import visible
from cadwright.tools.errors import (
    CadwrightError,
    DependencyError,
    GeometryError,
    Interrupted,
    UsageError,
)

DONE, OUR_FAULT, THEIR_FAULT = 0, 1, 2
STOPPED, UNREAD = 130, 141  # as shells count Ctrl-C and SIGPIPE
# Said without the name of a file: the disk is full, has a quota, a limit of size, or fails.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

# Wrong flags and values. Newer typer carries its own copy of click, so this is the one way to
# name the class that holds in all versions.
_WrongCommand: type[Exception] = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="cadwright",
    help="Run, watch and measure agents that model 3D parts.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@app.callback(invoke_without_command=True)
def _root(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    if version:
        from cadwright import __version__

        sys.stdout.write(f"cadwright {__version__}\n")
        raise typer.Exit


app.command("run")(run.run)
app.command("eval")(evaluate.evaluate_suite)
app.command("judge")(judge.judge)
app.command("report")(report.report)
app.command("replay")(replay.replay_episode)
app.command("film")(film.film_episode)
app.add_typer(tasks.app, name="tasks")
app.add_typer(train.app, name="train")
app.command("modeller")(modeller.modeller)
app.command("doctor")(doctor.doctor)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    _open_streams()
    if not _wants_traces():
        sys.excepthook = _one_line
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # under LANG=C an id such as Ø12 could not be shown
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(run_command(sys.argv[1:] if arguments is None else arguments))


def _open_streams() -> None:
    """Put nothing where a standard stream was closed, as by ``>&-`` or under cron.

    Else the next file that is opened takes its number, and what is printed lands in it.
    """
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(fd)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))


def run_command(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    try:
        code = _run(arguments)
        sys.stdout.flush()  # not at exit, where a broken pipe has no exit code of ours
    except (BrokenPipeError, SystemExit) as error:
        if not is_broken_pipe(error):
            raise
        write_to_nobody()
        return UNREAD
    return code


def _run(arguments: Sequence[str]) -> int:
    try:
        # Not ``app(...)``: that would put typer's own traceback hook in place of ours.
        command = typer.main.get_command(app)
        code = command.main(list(arguments), prog_name="cadwright", standalone_mode=False)
    except _WrongCommand as error:
        return _say(getattr(error, "format_message", error.__str__)(), THEIR_FAULT)
    except (UsageError, DependencyError, GeometryError) as error:  # the last: a file of theirs
        return _say(str(error), THEIR_FAULT, error)
    except Interrupted as error:
        return _say(str(error), STOPPED)
    except CadwrightError as error:
        return _say(str(error), OUR_FAULT, error)
    except (KeyboardInterrupt, typer.Abort):
        return _say("stopped", STOPPED)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None and error.errno not in _FULL:
            raise  # a bug of ours, not a folder or disk of theirs
        return _say(why_refused(error), THEIR_FAULT, error)
    if code == STOPPED:  # newer typer makes an exit code of Ctrl-C, and says nothing
        return _say("stopped", STOPPED)
    return code if isinstance(code, int) else DONE


def _say(message: str, code: int, error: Exception | None = None) -> int:
    if error is not None and _wants_traces():
        raise error
    line = visible(" ".join(message.split()))
    if line:
        with suppress(BrokenPipeError):
            sys.stderr.write(f"error: {line}\n")
    return code


def _one_line(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report a bug of ours without burying the person in frames."""
    del trace
    text = " ".join(str(error).split())
    sys.stderr.write(f"internal error: {kind.__name__}: {text} (CADWRIGHT_DEBUG=1 shows where)\n")


def _wants_traces() -> bool:
    return os.environ.get("CADWRIGHT_DEBUG", "") not in ("", "0")
