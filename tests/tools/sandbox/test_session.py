from __future__ import annotations

import threading
import time

import pytest

from cadwright.tools.errors import Outcome, ToolError, UsageError
from cadwright.tools.geometry.part import Part
from cadwright.tools.sandbox import Sandbox, Session, StepResult, sweep
from cadwright.tools.sandbox.family import Step, StepLost, _CannotFork
from cadwright.tools.sandbox.process import Process

BOX = "import cadquery as cq\nresult = cq.Workplane().box(10, 10, 10)"
VOLUME = "print(round(result.val().Volume()))"


def ok(step: StepResult) -> StepResult:
    assert step.outcome is Outcome.OK, str(step.error)
    return step


def volume(session: Session) -> str:
    return ok(session.execute(VOLUME)).text.strip()


def test_names_persist_from_step_to_step(session: Session) -> None:
    ok(session.execute(BOX))
    ok(
        session.execute(
            "side = 2\nresult = result.faces('>Z').workplane().rect(side, 5).cutThruAll()"
        )
    )
    assert volume(session) == "900"


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("result = None; 1 / 0", Outcome.PYTHON_ERROR),
        ("result = None; import ctypes; ctypes.string_at(0)", Outcome.NATIVE_CRASH),
        ("result = None\nwhile True: pass", Outcome.TIMEOUT),
        ("result = 5", Outcome.NO_RESULT),
        ("result = None; import os; os._exit(0)", Outcome.NO_RESULT),
    ],
    ids=["error", "crash", "hang", "no result", "exit"],
)
def test_a_step_that_fails_changes_nothing(session: Session, code: str, outcome: Outcome) -> None:
    ok(session.execute(BOX))
    assert session.execute(code, timeout_s=1).outcome is outcome
    assert volume(session) == "1000"


@pytest.mark.parametrize("code", [5, None, b"x = 1", ["x = 1"]], ids=type)
def test_code_that_is_no_text_is_the_callers_mistake(
    sandbox: Sandbox, session: Session, code: object
) -> None:
    for execute in (session.execute, sandbox.run):
        with pytest.raises(UsageError, match="code must be a string of Python source, not "):
            execute(code)  # type: ignore[operator]


@pytest.mark.parametrize("time_s", [0, -1.0, float("nan"), float("inf"), True, "1"])
def test_a_time_limit_that_is_no_time_is_the_callers_mistake(
    sandbox: Sandbox, session: Session, time_s: object
) -> None:
    for execute in (session.execute, sandbox.run):
        with pytest.raises(UsageError, match="timeout_s must be a positive number of seconds"):
            execute(BOX, timeout_s=time_s)  # type: ignore[operator]


def test_a_program_too_long_to_be_sent_costs_nothing(session: Session) -> None:
    ok(session.execute(BOX))
    step = session.execute("#" + "x" * (5 << 20))
    assert step.outcome is Outcome.RESOURCE_LIMIT
    assert "at most" in str(step.error)
    assert volume(session) == "1000"


def test_undo_takes_back_the_last_steps(session: Session) -> None:
    ok(session.execute(BOX))
    for _ in range(3):
        ok(session.execute("result = cq.Workplane().box(1, 1, result.val().Volume() + 1)"))
    session.undo(2)
    assert volume(session) == "1001"


def test_a_step_after_undo_does_not_see_what_was_undone(session: Session) -> None:
    ok(session.execute(BOX))
    ok(session.execute("gone = 1"))
    session.undo()
    assert session.execute("gone").outcome is Outcome.PYTHON_ERROR


def test_more_steps_than_there_are_cannot_be_undone(session: Session) -> None:
    ok(session.execute(BOX))
    with pytest.raises(ToolError, match="cannot undo 2 steps: 1 can be taken back"):
        session.undo(2)


def test_only_the_last_checkpoints_are_kept(sandbox: Sandbox) -> None:
    with sandbox.session(checkpoints=3) as session:
        ok(session.execute(BOX))
        for _ in range(8):
            ok(session.execute("result = cq.Workplane().box(1, 1, result.val().Volume() + 1)"))
        assert (session.depth, len(session.pids)) == (3, 5)
        session.undo(3)
        assert volume(session) == "1005"


def test_reset_forgets_everything(session: Session) -> None:
    ok(session.execute(BOX))
    session.reset()
    assert session.execute("result").outcome is Outcome.PYTHON_ERROR
    assert session.depth == 0


def test_a_loaded_part_is_bound(session: Session) -> None:
    part = ok(session.execute(BOX)).part
    assert part is not None
    session.reset()
    session.load(part)
    assert volume(session) == "1000"


def test_loading_and_returning_a_part_keeps_its_bytes(session: Session) -> None:
    part = ok(session.execute(BOX)).part
    assert part is not None
    session.reset()
    session.load(part)
    again = ok(session.execute("same = result")).part
    assert again is not None
    assert len(again.brep or b"") == len(part.brep or b"")


def test_a_part_without_geometry_cannot_be_loaded(session: Session) -> None:
    with pytest.raises(ToolError, match="no geometry"):
        session.load(Part())


def test_branches_go_their_own_ways(session: Session) -> None:
    ok(session.execute(BOX))
    with session.branch() as branch:
        ok(branch.execute("result = cq.Workplane().box(1, 1, 1)"))
        ok(session.execute("result = cq.Workplane().box(2, 2, 2)"))
        assert (volume(branch), volume(session)) == ("1", "8")


def test_a_branch_outlives_its_parent_and_can_undo_the_shared_steps(sandbox: Sandbox) -> None:
    parent = sandbox.session()
    ok(parent.execute(BOX))
    ok(parent.execute("result = cq.Workplane().box(1, 1, 1)"))
    branch = parent.branch()
    parent.close()
    branch.undo()
    assert volume(branch) == "1000"
    branch.close()


def test_a_branch_starts_with_a_copy_of_the_files(session: Session) -> None:
    ok(session.execute(BOX + "\nopen('note.txt', 'w').write('from the parent')"))
    with session.branch() as branch:
        assert ok(branch.execute("print(open('note.txt').read())")).text == "from the parent\n"
        ok(branch.execute("open('note.txt', 'w').write('changed')"))
    assert ok(session.execute("print(open('note.txt').read())")).text == "from the parent\n"


def test_branches_run_at_the_same_time(session: Session) -> None:
    ok(session.execute(BOX))
    branches = [session.branch() for _ in range(3)]
    steps: list[StepResult] = []
    code = "import time; time.sleep(0.3); result = cq.Workplane().box(1, 1, 1)"
    threads = [
        threading.Thread(target=lambda b=branch: steps.append(b.execute(code)))  # type: ignore[misc]
        for branch in branches
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [step.outcome for step in steps] == [Outcome.OK] * 3
    for branch in branches:
        branch.close()


def test_a_closed_session_says_so(sandbox: Sandbox) -> None:
    session = sandbox.session()
    session.close()
    session.close()
    with pytest.raises(ToolError, match="closed"):
        session.execute(BOX)


def test_close_ends_a_running_step(sandbox: Sandbox) -> None:
    session = sandbox.session()
    steps: list[StepResult] = []
    thread = threading.Thread(target=lambda: steps.append(session.execute("while True: pass")))
    thread.start()
    time.sleep(0.2)
    session.close()
    thread.join(10)
    assert [step.outcome for step in steps] == [Outcome.INFRA_ERROR]
    assert "closed" in str(steps[0].error)


def test_the_same_steps_give_the_same_bytes(sandbox: Sandbox) -> None:
    code = (
        "import cadquery as cq, random\n"
        "size = random.uniform(5, 9)\n"
        "result = cq.Workplane().box(10, 10, size).edges('|Z').fillet(1)\n"
        "print(sorted({'a', 'b', 'c'}), hash('x'))"
    )
    runs = []
    for _ in range(2):
        with sandbox.session(seed=3) as session:
            step = ok(session.execute(code))
            assert step.part is not None
            runs.append((step.part.brep, step.text))
    with Sandbox() as other, other.session(seed=3) as session:
        step = ok(session.execute(code))
        assert step.part is not None
        runs.append((step.part.brep, step.text))
    assert runs[0] == runs[1] == runs[2]


def test_tessellating_changes_no_byte(session: Session) -> None:
    plain = ok(session.execute(BOX)).part
    session.reset()
    meshed = ok(session.execute(BOX + "\nresult.val().tessellate(0.1)")).part
    assert plain is not None
    assert meshed is not None
    assert plain.brep == meshed.brep


def test_a_daemonised_grandchild_does_not_survive_its_step(session: Session) -> None:
    daemon = (
        "import contextlib, os, time\n"
        "if os.fork() == 0:\n"
        "    with contextlib.suppress(PermissionError):\n"
        "        os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(600)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    )
    ok(session.execute(daemon + BOX))
    assert session.execute(daemon + "1 / 0").outcome is Outcome.PYTHON_ERROR
    root, *known = session.pids
    assert sweep.strays(root, set(known)) == []


def test_threads_that_are_left_running_fail_the_step(session: Session) -> None:
    code = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n"
    step = session.execute(code + BOX)
    assert step.outcome is Outcome.PYTHON_ERROR
    assert "threads" in str(step.error)


@pytest.mark.parametrize(
    "sabotage",
    [
        "signal.signal(signal.SIGALRM, lambda *_: os._exit(0))",
        "signal.signal(signal.SIGALRM, signal.SIG_DFL)",
    ],
    ids=["exits later", "is killed later"],
)
def test_a_checkpoint_that_dies_costs_its_own_session_only(
    sandbox: Sandbox, session: Session, sabotage: str
) -> None:
    ok(session.execute(BOX))
    with sandbox.session() as other:
        ok(other.execute(BOX))
        ok(session.execute(f"import os, signal\n{sabotage}\nsignal.setitimer(0, 0.2)"))
        time.sleep(0.5)
        assert session.execute("x = 1").outcome is Outcome.NATIVE_CRASH
        assert volume(session) == "1000"
        assert volume(other) == "1000"


LIE = """
import os, socket, struct, json
def say(header, blobs=()):
    text = json.dumps(header).encode()
    data = struct.pack("<I", len(text)) + text + struct.pack("<I", len(blobs))
    data += b"".join(struct.pack("<Q", len(b)) for b in blobs) + b"".join(blobs)
    for fd in range(3, 20):
        try:
            socket.socket(fileno=os.dup(fd)).send(data)
        except OSError:
            pass
"""


@pytest.mark.parametrize(
    "lie",
    [
        "say({'op': 'result', 'outcome': 'infra_error', 'notices': [], 'names': []})",
        "say({'op': 'result', 'outcome': 'ok', 'notices': 7, 'names': []})",
        "say({'outcome': 'python_error', 'notices': [], 'names': [], 'error': {'line': 'x'}})",
        "say([])",
        "say({'op': 'result', 'outcome': 'ok', 'name': 'result', 'notices': [], 'names': []})",
    ],
    ids=["infra error", "notices", "error", "not an object", "no bytes"],
)
def test_a_lying_step_gets_no_infra_error_and_the_next_step_works(
    session: Session, lie: str
) -> None:
    ok(session.execute(BOX))
    step = session.execute(LIE + lie + "\nimport time; time.sleep(5)", timeout_s=3)
    assert step.outcome in (Outcome.NO_RESULT, Outcome.NATIVE_CRASH, Outcome.TIMEOUT)
    assert volume(session) == "1000"


def test_a_lie_about_the_part_is_only_a_part(session: Session) -> None:
    lie = (
        "say({'op': 'result', 'outcome': 'ok', 'name': 'x', 'notices': [], 'names': []}, [b'junk'])"
    )
    step = session.execute(LIE + lie)
    assert step.outcome is Outcome.OK
    assert step.part is not None
    assert step.part.brep == b"junk"


def test_a_step_waits_until_the_dead_of_the_one_before_are_reaped(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = session._chain.family
    fork, tried = family._fork, []

    def crowded(tip: Process) -> Step:
        tried.append(tip)
        if len(tried) < 3:
            raise StepLost("no process left") from _CannotFork("no process left")
        return fork(tip)

    monkeypatch.setattr(family, "_fork", crowded)
    ok(session.execute(BOX))
    assert len(tried) == 3


def test_a_fork_bomb_ends_with_its_step(session: Session) -> None:
    ok(session.execute(BOX))
    bomb = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
    assert session.execute(bomb, timeout_s=1).outcome is Outcome.TIMEOUT
    root, *known = session.pids
    assert sweep.strays(root, set(known)) == []
    assert volume(session) == "1000"
