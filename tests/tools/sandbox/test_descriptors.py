"""Open files run out late, and it is said when they do, in a process with limits of its own."""

from __future__ import annotations

import subprocess
import sys

RAISE = """
import resource
from cadwright.tools.sandbox import descriptors
resource.setrlimit(resource.RLIMIT_NOFILE, (64, {hard}))
descriptors.raise_limit()
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""
EXHAUST = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (41, 41))
from cadwright.tools.sandbox import Sandbox
BOX = "import cadquery as cq\\nresult = cq.Workplane().box(1, 1, 1)"
with Sandbox() as sandbox:
    sessions = [sandbox.session()]
    while (step := sessions[-1].execute(BOX)).is_ok:
        sessions.append(sandbox.session())
    print(step.outcome, step.error)
    print(sandbox.run(BOX).outcome)
    for session in sessions[2:]:
        session.close()
    print(sessions[0].depth, sessions[0].execute("print(result.val().Volume())").outcome)
"""


def python(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_soft_limit_is_raised_to_the_hard_one() -> None:
    assert python(RAISE.format(hard=256)) == ["256 256"]


def test_a_limit_that_cannot_be_raised_is_left_as_it_is() -> None:
    assert python(RAISE.format(hard=64)) == ["64 64"]


def test_a_session_too_many_says_so_and_costs_no_other_its_state() -> None:
    told, alone, later = python(EXHAUST)
    assert told.startswith("infra_error InfraError: all 41 files that this process may open")
    assert "close sessions" in told
    assert alone == "infra_error"
    assert later == "1 ok"
