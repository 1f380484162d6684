from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cadwright.tools.errors import Outcome
from cadwright.tools.sandbox import Sandbox, sweep

BOX = "import cadquery as cq\nresult = cq.Workplane().box(10, 10, 10)"


def wait_for(condition: Callable[[], bool], seconds: float = 15) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def family_of(pid: int) -> list[int]:
    """A process and all that descends from it."""
    return [pid, *(each for child in sweep.children_of(pid) for each in family_of(child))]


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def zygote_of(sandbox: Sandbox) -> int:
    assert sandbox.zygote_pid is not None
    return sandbox.zygote_pid


def test_nothing_starts_before_it_is_needed() -> None:
    sandbox = Sandbox()
    assert sandbox.zygote_pid is None
    sandbox.close()
    sandbox.close()


def test_a_closed_sandbox_says_so() -> None:
    sandbox = Sandbox()
    sandbox.close()
    step = sandbox.run(BOX)
    assert (step.outcome, step.error is not None) == (Outcome.INFRA_ERROR, True)


def test_the_zygote_has_one_thread(sandbox: Sandbox) -> None:
    sandbox.run(BOX)
    assert sweep.num_threads(zygote_of(sandbox)) == 1


def test_two_hundred_rounds_leave_nothing_behind(sandbox: Sandbox) -> None:
    daemon = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\n" + BOX
    rounds = [BOX, daemon, "1 / 0", "import os; os.abort()"]
    session = sandbox.session()
    sandbox.run(BOX)
    session.execute(BOX)
    gc.collect()
    fds = len(os.listdir("/proc/self/fd"))
    scratch = sandbox.zygote_pid
    assert scratch is not None
    for number in range(50):
        for code in rounds:
            session.execute(code)
        sandbox.run(rounds[number % 4])
        session.reset()
    session.execute(BOX)
    assert wait_for(lambda: len(family_of(zygote_of(sandbox))) == 3)
    assert len(os.listdir("/proc/self/fd")) == fds
    session.close()
    assert wait_for(lambda: family_of(zygote_of(sandbox)) == [zygote_of(sandbox)])


def test_close_leaves_no_process_descriptor_or_folder(tmp_path: Path) -> None:
    gc.collect()
    fds = os.listdir("/proc/self/fd")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(tmp_path))
        tmp_path.chmod(0o711)
        sandbox = Sandbox()
        session = sandbox.session()
        session.execute(BOX + "\nimport os; os.makedirs('a/b'); os.chmod('a', 0)")
        branch = session.branch()
        branch.execute("x = 1")
        sandbox.run(BOX)
        pids = family_of(zygote_of(sandbox))
        sandbox.close()
    assert wait_for(lambda: all(is_gone(pid) for pid in pids))
    assert list(tmp_path.iterdir()) == []
    session.close()
    branch.close()
    assert os.listdir("/proc/self/fd") == fds


def test_a_forgotten_sandbox_cleans_up_after_itself() -> None:
    sandbox = Sandbox()
    session = sandbox.session()
    pids = family_of(zygote_of(sandbox))
    del session, sandbox
    gc.collect()
    assert wait_for(lambda: all(is_gone(pid) for pid in pids))


def test_a_dead_zygote_is_replaced_and_its_sessions_say_so() -> None:
    with Sandbox() as sandbox:
        session = sandbox.session()
        session.execute(BOX)
        zygote = zygote_of(sandbox)
        os.kill(zygote, signal.SIGKILL)
        assert wait_for(lambda: is_gone(zygote))  # a step that is faster still succeeds
        step = session.execute(BOX)
        assert (step.outcome, "zygote" in str(step.error)) == (Outcome.INFRA_ERROR, True)
        assert sandbox.run(BOX).outcome is Outcome.OK
        session.reset()
        assert session.execute(BOX).outcome is Outcome.OK
        session.close()


MAIN = """
import sys, threading
from cadwright.tools.sandbox import Sandbox
sandbox = Sandbox()
session = sandbox.session()
session.execute("x = 1\\nimport cadquery as cq; result = cq.Workplane().box(1, 1, 1)")
worker = sandbox.worker("cadwright.tools.geometry.jobs")
spin = "import ctypes; ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)\\nwhile True: pass"
threading.Thread(target=session.execute, args=(spin, 60), daemon=True).start()
threading.Thread(target=sandbox.run, args=(spin, 60), daemon=True).start()
import time; time.sleep(1.5)
print(sandbox.zygote_pid, flush=True)
time.sleep(600)
"""


def test_a_killed_main_process_takes_everything_with_it(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o711)  # the sessions' own users have to pass
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", MAIN]
    main = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert main.stdout is not None
    zygote = int(main.stdout.readline())
    pids = family_of(zygote)
    assert len(pids) >= 4
    main.kill()
    main.wait()
    main.stdout.close()
    assert wait_for(lambda: all(is_gone(pid) for pid in pids))
    assert list(tmp_path.iterdir()) == []


def test_the_thread_that_started_the_zygote_may_end() -> None:
    with Sandbox() as sandbox:
        starter = threading.Thread(target=sandbox.run, args=("x = 1",))
        starter.start()
        starter.join()
        pid = zygote_of(sandbox)
        assert sandbox.run(BOX).outcome is Outcome.OK
        assert sandbox.zygote_pid == pid


def test_threads_share_a_sandbox(sandbox: Sandbox) -> None:
    outcomes: list[Outcome] = []

    def work() -> None:
        with sandbox.session() as session:
            outcomes.append(session.execute(BOX).outcome)
        outcomes.append(sandbox.run(BOX).outcome)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [Outcome.OK] * 16


def test_a_fork_of_the_main_process_neither_uses_nor_ends_the_sandbox(sandbox: Sandbox) -> None:
    sandbox.run(BOX)
    pid = os.fork()
    if pid == 0:
        refused = sandbox.run(BOX).outcome is Outcome.INFRA_ERROR
        sandbox.close()
        os._exit(0 if refused else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert sandbox.run(BOX).outcome is Outcome.OK
