"""What stopped a program comes with the line it was in."""

from __future__ import annotations

import pytest

from cadwright.tools.errors import Outcome
from cadwright.tools.sandbox import Sandbox, Session
from cadwright.tools.sandbox.last_words import UNKNOWN, Whereabouts, whereabouts

CODE = "import cadquery as cq\nx = 1\nslow(x)"
RUNNER = '  File "/a/runner.py", line 180 in _execute\n  File "/a/runner.py", line 90 in run\n'


def words(*frames: tuple[str, int]) -> bytes:
    """Frames as faulthandler writes them, innermost first, with ours below."""
    lines = "".join(f'  File "{file}", line {line} in f\n' for file, line in frames)
    return f"Current thread 0x0001 (most recent call first):\n{lines}{RUNNER}".encode()


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (words(("<model code>", 3)), 3),
        (words(("/b/cadquery/cq.py", 77), ("<model code>", 2), ("<model code>", 3)), 2),
        (words(("<model code>", 1), ("<model code, step 4>", 3)), 3),
        (words(("<model code>", 3))[:-200] + b'  File "<model code>", line 2 in f\n', 2),
    ],
    ids=["a line", "the deepest one", "the one of this step", "frames cut short"],
)
def test_the_line_is_the_deepest_of_the_code_that_was_sent(said: bytes, line: int) -> None:
    assert whereabouts(said, CODE) == Whereabouts(line, CODE.splitlines()[line - 1])


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\xff" * 1000,
        words(),
        words(("<model code>", 0)),
        words(("<model code>", 4)),
        words(("<model code>", 10**9)),
        b'File "<model code>", line 2',
    ],
    ids=["silence", "garbage", "no frame", "line 0", "past the end", "huge", "cut off"],
)
def test_words_that_name_no_line_of_the_code_are_worth_nothing(said: bytes) -> None:
    assert whereabouts(said, CODE) == UNKNOWN


def test_a_program_that_ran_to_its_end_was_being_read() -> None:
    said = b'  File "/a/results.py", line 9 in mesh_of\n  File "/a/runner.py", line 9 in _reply\n'
    assert whereabouts(said, CODE) == Whereabouts(is_over=True)


def test_a_call_into_an_earlier_step_is_named_by_the_line_that_called(session: Session) -> None:
    function = "def spin():\n\n\n    while True: pass\n"
    session.execute(f"import cadquery as cq\n{function}result = cq.Solid.makeBox(1, 1, 1)")
    error = session.execute("x = 1\nspin()", timeout_s=0.5).error
    assert error is not None
    assert (error.type, error.line, error.source) == ("Timeout", 2, "spin()")


def test_a_program_that_does_not_answer_is_stopped_all_the_same(session: Session) -> None:
    code = "import signal\nsignal.signal(signal.SIGUSR1, signal.SIG_IGN)\nwhile True: pass"
    step = session.execute(code, timeout_s=0.5)
    assert step.outcome is Outcome.TIMEOUT
    assert step.error is not None
    assert step.error.line is None


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "in a session"])
@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import os\n\nos.abort()", "SIGABRT"),
        ("import ctypes\n\nctypes.CDLL(None).abort()", "SIGABRT"),
        ("import ctypes\n\nctypes.string_at(0)", "SIGSEGV"),
    ],
    ids=["abort", "native abort", "fault"],
)
def test_a_crash_has_its_own_name_and_its_line(
    sandbox: Sandbox, session: Session, code: str, name: str, alone: bool
) -> None:
    step = sandbox.run(code) if alone else session.execute(code)
    assert step.error is not None
    assert (step.outcome, step.signal, step.error.line) == (Outcome.NATIVE_CRASH, name, 3)
