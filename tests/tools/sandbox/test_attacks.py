"""Attacks through the real sandbox: each is contained, the next step works, nothing is left."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import attacks
import identities
import pytest

WORKS = "import cadquery as cq\nresult = cq.Workplane().box(1, 2, 3)\n"
WALL_S = 2.0
FILLING_S = 40.0  # to fill the memory takes a busy machine longer than any other attack needs
MEMORY_BYTES = 1 << 29
SETTLE_S = 20.0
ROUNDS = 200

ANY_FAILURE = {
    "python_error",
    "native_crash",
    "timeout",
    "resource_limit",
    "no_result",
    "import_error",
    "bad_call",
}
OUTCOMES = {
    "numpy_memory": {"resource_limit"},
    "list_memory": {"resource_limit"},
    "memory_of_many": {"resource_limit"},
    "memory_of_daemons": {"resource_limit"},
    "crash": {"native_crash"},
    "abort": {"native_crash"},
    "alarm": {"native_crash"},
    "deaf_loop": {"timeout"},
    "print_flood": {"timeout"},
    "raw_print_flood": {"timeout"},
    "exponential_fork_bomb": {"timeout", "resource_limit"},
    "quit_quietly": {"no_result"},
    "quit": {"no_result"},
}
# Attacks that end by themselves: with a part in hand they succeed, and become the next checkpoint.
LINGERING = (
    "fork_bomb",
    "thread_bomb",
    "planted_siblings",
    "late_alarm",
    "daemon",
    "busy_daemons",
    "running_threads",
    "disk_fill",
    "many_files",
    "deep_folders",
    "many_descriptors",
    "garbage_on_every_descriptor",
    "huge_frame",
    "forged_replies",
    "descriptor_gift",
    "close_every_descriptor",
    "shut_every_socket",
    "spoiled_interpreter",
    "exit_hooks",
)


@pytest.fixture(scope="module", params=identities.IDENTITIES)
def box(request: pytest.FixtureRequest) -> Iterator[identities.Box]:
    driver = identities.start(request.param)
    driver.ask("start", limits={"wall_s": WALL_S, "memory_bytes": MEMORY_BYTES})
    driver.ask("open", name="first")  # whatever starts once has started before anything is counted
    driver.ask("close", name="first")
    yield driver
    driver.ask("stop")
    assert settled(driver, {"processes": 0}) == {}
    driver.close()


@pytest.fixture
def session(box: identities.Box) -> Iterator[str]:
    before = box.ask("counts")
    box.ask("open", name="session")
    yield "session"
    box.ask("close", name="session")
    assert settled(box, before) == {}


def settled(box: identities.Box, before: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Wait until the kernel has cleaned up; return what is still more than before."""
    deadline = time.monotonic() + SETTLE_S
    while True:
        now = box.ask("counts")
        more = {key: (was, now[key]) for key, was in before.items() if now[key] > was}
        if not more or time.monotonic() > deadline:
            return more
        time.sleep(0.05)


def execute(
    box: identities.Box, session: str, code: str, timeout_s: float = WALL_S
) -> dict[str, Any]:
    return box.ask("execute", name=session, code=code, timeout_s=timeout_s)


@pytest.mark.parametrize("name", attacks.DENIED)
def test_every_attempt_is_denied_in_a_session(box: identities.Box, session: str, name: str) -> None:
    answer = execute(box, session, attacks.program(attacks.DENIED[name], box.targets) + WORKS)
    lines = answer["text"].splitlines()
    assert answer["outcome"] == "ok"
    assert lines
    assert [line for line in lines if not line.startswith("contained:")] == []
    assert execute(box, session, WORKS)["outcome"] == "ok"


@pytest.mark.parametrize("name", attacks.ENDURED)
def test_step_after_an_attack_works(box: identities.Box, session: str, name: str) -> None:
    wanted = OUTCOMES.get(name, ANY_FAILURE)
    limit_s = FILLING_S if wanted == {"resource_limit"} else WALL_S
    answer = execute(box, session, attacks.program(attacks.ENDURED[name], box.targets), limit_s)
    assert "ESCAPED" not in answer["text"]
    assert answer["outcome"] in wanted, answer
    assert answer["seconds"] < limit_s + SETTLE_S
    assert execute(box, session, WORKS)["outcome"] == "ok"


@pytest.mark.parametrize("name", LINGERING)
def test_step_after_an_attack_that_made_a_part_works(
    box: identities.Box, session: str, name: str
) -> None:
    execute(box, session, WORKS + attacks.program(attacks.ENDURED[name], box.targets))
    assert execute(box, session, WORKS)["outcome"] == "ok"


@pytest.mark.parametrize("name", ["crash", "deaf_loop", "exponential_fork_bomb", "huge_frame"])
def test_attack_costs_one_step_only(box: identities.Box, session: str, name: str) -> None:
    execute(box, session, WORKS + "kept = 41\n")
    execute(box, session, attacks.program(attacks.ENDURED[name], box.targets))
    answer = execute(box, session, WORKS + "print(kept + 1)\n")
    assert answer["text"] == "42\n"


@pytest.mark.parametrize("name", LINGERING)
def test_program_leaves_nothing_behind(box: identities.Box, name: str) -> None:
    before = box.ask("counts")
    answer = box.ask("run", code=WORKS + attacks.program(attacks.ENDURED[name], box.targets))
    assert answer["outcome"] != "infra_error", answer
    assert box.ask("run", code=WORKS)["outcome"] == "ok"
    assert settled(box, before) == {}


def test_nothing_outside_was_reached(box: identities.Box) -> None:
    assert box.ask("heard")["heard"] == []


def test_session_cannot_reach_the_files_of_another(box: identities.Box, session: str) -> None:
    box.ask("open", name="victim")
    code = WORKS + "import os\nopen('mine', 'w').write('x')\nprint(os.path.abspath('mine'))\n"
    path = execute(box, "victim", code)["text"].strip()
    targets = {**box.targets, "path": path}
    attack = """
folder = os.path.dirname(TARGETS["path"])
attempt("read", lambda: open(TARGETS["path"]).read())
attempt("write", lambda: open(TARGETS["path"], "a"))
attempt("list", lambda: os.listdir(folder))
attempt("see", lambda: os.stat(folder))
"""
    answer = execute(box, session, attacks.program(attack, targets) + WORKS)
    still = execute(box, "victim", WORKS + "import os\nprint(os.path.exists('mine'))\n")
    box.ask("close", name="victim")
    assert answer["text"].count("contained:") == 4
    assert "ESCAPED" not in answer["text"]
    assert still["text"] == "True\n"


def test_session_holds_no_descriptor_but_its_own(box: identities.Box, session: str) -> None:
    code = """
import os, socket, stat
for fd in range(3, 64):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    kind = "socket" if stat.S_ISSOCK(mode) else oct(stat.S_IFMT(mode))
    print(fd, kind)
"""
    lines = execute(box, session, WORKS + code)["text"].splitlines()
    assert len(lines) <= 1
    assert all(line.endswith("socket") for line in lines)


def test_environment_holds_no_secret(box: identities.Box, session: str) -> None:
    code = WORKS + "import os\nprint('CADWRIGHT_TEST_TOKEN' in os.environ)\n"
    assert execute(box, session, code)["text"] == "False\n"
    search = """
import ctypes, itertools
inherited = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
lines = itertools.takewhile(bool, (inherited[index] for index in itertools.count()))
print(any(b"CADWRIGHT_TEST_TOKEN" in line for line in lines))
"""
    assert execute(box, session, WORKS + search)["text"] == "False\n"


@pytest.mark.slow
def test_nothing_grows_over_many_rounds(box: identities.Box) -> None:
    order = random.Random(83)
    quick = [name for name in attacks.ENDURED if "timeout" not in OUTCOMES.get(name, set())]
    names = [*quick, *attacks.DENIED]
    box.ask("open", name="rounds")
    assert execute(box, "rounds", WORKS)["outcome"] == "ok"
    box.ask("close", name="rounds")
    before = box.ask("counts")
    for start in range(0, ROUNDS, 10):
        box.ask("open", name="rounds")
        for name in order.choices(names, k=10):
            code = {**attacks.ENDURED, **attacks.DENIED}[name]
            execute(box, "rounds", attacks.program(code, box.targets))
            assert execute(box, "rounds", WORKS)["outcome"] == "ok", (start, name)
        box.ask("close", name="rounds")
    assert settled(box, before) == {}
