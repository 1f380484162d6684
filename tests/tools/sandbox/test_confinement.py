from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import attacks
import identities
import pytest

from cadwright.tools.sandbox import confinement, kernel, namespaces, privileges, readable
from cadwright.tools.sandbox.confinement import REQUIRED, Confinement, ConfinementError


@pytest.fixture(scope="module", params=identities.IDENTITIES)
def box(request: pytest.FixtureRequest) -> Iterator[identities.Box]:
    driver = identities.start(request.param)
    yield driver
    driver.close()


def contain(box: identities.Box, code: str, **limits: float) -> str:
    text: str = box.ask("contain", code=attacks.program(code, box.targets), limits=limits)["text"]
    return text


@pytest.mark.parametrize("name", attacks.DENIED)
def test_every_attempt_is_denied(box: identities.Box, name: str) -> None:
    lines = contain(box, attacks.DENIED[name]).splitlines()
    assert lines
    assert [line for line in lines if not line.startswith("contained:")] == []


def test_nothing_outside_was_reached(box: identities.Box) -> None:
    for name in ("network", "network_through_a_pair"):
        contain(box, attacks.DENIED[name])
    assert box.ask("heard")["heard"] == []


def test_all_required_walls_stand(box: identities.Box) -> None:
    walls = ast.literal_eval(contain(box, "print(WALLS)"))
    assert set(REQUIRED) <= set(walls)


def test_strict_runs_where_every_wall_stands(box: identities.Box) -> None:
    assert box.ask("contain", code="print('ran')", strict=True)["text"] == "ran\n"


@pytest.mark.parametrize("lacking", ["namespaces", "landlock", "seccomp"])
def test_strict_refuses_where_a_wall_is_missing(box: identities.Box, lacking: str) -> None:
    text = box.ask("contain", code="print('ran')", strict=True, without=[lacking])["text"]
    assert "ConfinementError: strict confinement cannot stand here" in text
    assert "ran\n" not in text


def test_secret_can_be_read_without_the_walls(box: identities.Box) -> None:
    assert Path(box.targets["secret"]).read_text() == "the hidden reference"


ORDINARY_WORK = {
    "files": "open('a', 'w').write('x'); os.rename('a', 'b'); print(os.listdir('.'))",
    "folders": "os.makedirs('a/b'); os.rename('a/b', 'c'); os.rmdir('a'); print('fine')",
    "temporary": "import tempfile; tempfile.TemporaryFile().write(b'x'); print('fine')",
    "threads": "import threading; t = threading.Thread(target=print, args=('fine',)); t.start();"
    " t.join()",
    "forks": "pid = os.fork()\nif not pid: os._exit(3)\nprint(os.waitpid(pid, 0)[1])",
    "random": "import secrets, uuid; uuid.uuid4(); secrets.token_bytes(8); print('fine')",
    "time": "import datetime; datetime.datetime.now().astimezone(); print('fine')",
    "packages": "import numpy, email, sqlite3, xml.dom.minidom; print(numpy.ones(3).sum())",
    "timers": "signal.signal(14, lambda *_: print('fine')); signal.alarm(1); time.sleep(2)",
    "devices": "open('/dev/null', 'w').write('x'); print(len(open('/dev/urandom', 'rb').read(8)))",
    "fonts": "print(bool(os.listdir('/etc/fonts')) if os.path.isdir('/etc/fonts') else 'none')",
}


@pytest.mark.parametrize("name", ORDINARY_WORK)
def test_ordinary_work_goes_on(box: identities.Box, name: str) -> None:
    text = contain(box, ORDINARY_WORK[name])
    assert text
    assert "Error" not in text


def test_scratch_is_the_working_and_temporary_folder(box: identities.Box) -> None:
    code = "import tempfile; print(os.getcwd() == tempfile.gettempdir() == os.environ['HOME'])"
    assert contain(box, code) == "True\n"


def test_scratch_vanishes_with_its_process(box: identities.Box) -> None:
    code = attacks.program("open('left', 'w').write('x')", box.targets)
    assert box.ask("contain", code=code)["left"] == []


def test_scratch_holds_no_more_than_its_limit(box: identities.Box) -> None:
    code = """
try:
    for index in range(100):
        open(f"file{index}", "wb").write(bytes(1 << 20))
except OSError as err:
    print(index, err.strerror)
"""
    count, reason = contain(box, code, scratch_bytes=8 << 20).split(maxsplit=1)
    assert int(count) in (7, 8)
    assert reason == "No space left on device\n"


def test_one_file_is_no_larger_than_its_limit(box: identities.Box) -> None:
    code = "open('f', 'wb', 0).write(bytes(1 << 20)); print(os.stat('f').st_size)"
    assert contain(box, code, file_bytes=1 << 10) == "1024\n"


def test_forks_stop_at_the_limit(box: identities.Box) -> None:
    code = """
count = 1
read, write = os.pipe()
try:
    while os.fork():
        count += 1
    os.close(write); os.read(read, 1); os._exit(0)
except BlockingIOError:
    print(count)
"""
    assert contain(box, code, processes=6) == "6\n"


def test_memory_stops_at_the_allowance(box: identities.Box) -> None:
    code = "import mmap\ntry: mmap.mmap(-1, 1 << 28)\nexcept OSError: print('contained')"
    assert contain(box, code, memory_bytes=1 << 26) == "contained\n"
    assert contain(box, code, memory_bytes=1 << 29) == ""


def test_timers_stop_at_a_limit(box: identities.Box) -> None:
    code = """
timer, count = ctypes.c_void_p(), 0
try:
    while count < 1000:
        syscall((222, 107), 0, None, ctypes.byref(timer)); count += 1
except BlockingIOError:
    print("contained", count)
"""
    assert contain(box, code).startswith("contained")


def test_descriptors_stop_at_the_limit(box: identities.Box) -> None:
    code = "kept = []\ntry:\n while True: kept.append(os.dup(1))\nexcept OSError: print(len(kept))"
    assert int(contain(box, code, open_files=20)) < 20


def test_processor_time_stops_at_the_limit(box: identities.Box) -> None:
    code = attacks.program("while True: pass", box.targets)
    answer = box.ask("contain", code=code, limits={"cpu_s": 1})
    assert answer["signal"] in (9, 24)


def test_session_does_not_see_the_suites_that_ship_with_cadwright() -> None:
    paths = readable.readable_paths("session")
    root = Path(confinement.__file__).resolve().parents[2]
    assert not any((root / "assets").is_relative_to(path) for path in paths.readable)
    assert any(Path(confinement.__file__).resolve().is_relative_to(p) for p in paths.readable)


def test_folder_that_holds_cadwright_is_opened_without_it(tmp_path: Path) -> None:
    for name in ("cadwright/assets", "numpy", "scipy"):
        (tmp_path / "lib" / name).mkdir(parents=True)
    opened = set(readable._without(tmp_path / "lib" / "cadwright", tmp_path))
    assert opened == {tmp_path / "lib" / "numpy", tmp_path / "lib" / "scipy"}


def test_working_directory_is_never_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for role in ("session", "worker"):
        paths = readable.readable_paths(role)  # type: ignore[arg-type]
        assert not any(tmp_path.is_relative_to(path) for path in paths.readable)


@pytest.fixture
def mounted(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Record what would be mounted; nothing is."""
    calls: list[object] = []
    monkeypatch.setattr(kernel, "mount", lambda *arguments: calls.append(arguments))
    monkeypatch.setattr(kernel, "make_mounts_read_only", lambda: calls.append("read-only"))
    return calls


def test_nothing_is_mounted_where_a_namespace_is_refused(
    mounted: list[object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(flags: int) -> None:
        raise PermissionError(1, "refused")

    monkeypatch.setattr(kernel, "unshare", refuse)
    site = confinement._Site(())
    survey = confinement._survey("session", ())
    confinement._Tree(survey, tmp_path, 1 << 20, os.geteuid()).build(site)
    assert mounted == []
    assert site.standing == []
    assert site.refusals == ["mount_namespace: refused"]


def test_nothing_is_mounted_where_a_namespace_is_only_claimed(
    mounted: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "unshare", lambda flags: None)
    with pytest.raises(OSError, match="still in the mount namespace"):
        namespaces.OwnMounts()
    assert mounted == []


@pytest.mark.parametrize("lacking", ["namespaces", "landlock", "seccomp"])
def test_machine_is_left_as_it_was_where_a_wall_is_missing(
    box: identities.Box, lacking: str
) -> None:
    before = Path("/proc/self/mounts").read_text()
    answer = box.ask("contain", code="print(*WALLS)", without=[lacking])
    missing = {
        "namespaces": {"mount_namespace", "hidden_files", "read_only_mounts", "scratch_quota"},
        "landlock": {"landlock_files", "landlock_network", "landlock_scope"},
        "seccomp": {"seccomp"},
    }[lacking]
    walls = set(answer["text"].split())
    assert "no_new_privs" in walls
    assert not walls & missing
    assert Path("/proc/self/mounts").read_text() == before


# What still holds with one wall down; the rest of the attacks need that very wall.
WITHOUT_NAMESPACES = set(attacks.DENIED) - {"see_outside"}
IMPORTING = {"change_metadata", "execute", "kernel_doors"}  # read the standard library
WITHOUT_LANDLOCK = {
    "see_outside",
    "change_metadata",
    "network",
    "network_through_a_pair",
    "signals",
    "signals_by_descriptor",
    "leave_the_session",
    "become_root",
    "execute",
    "python_bypasses",
}
WITHOUT_SECCOMP = {"read_outside", "see_outside", "read_cadwright_answers", "python_bypasses"}


@pytest.mark.parametrize(
    ("lacking", "name"),
    [
        *(("namespaces", name) for name in sorted(WITHOUT_NAMESPACES)),
        *(("landlock", name) for name in sorted(WITHOUT_LANDLOCK)),
        *(("seccomp", name) for name in sorted(WITHOUT_SECCOMP)),
    ],
)
def test_other_walls_hold_where_one_is_missing(
    box: identities.Box, lacking: str, name: str
) -> None:
    is_out_of_reach = box.targets["uid"] == 0 and not everybody_reads(os.__file__)
    if lacking == "namespaces" and name in IMPORTING and is_out_of_reach:
        pytest.skip("this interpreter is for root alone: without namespaces it is out of reach")
    code = attacks.program(attacks.DENIED[name], box.targets)
    lines = box.ask("contain", code=code, without=[lacking])["text"].splitlines()
    assert lines
    assert [line for line in lines if not line.startswith("contained:")] == []


def everybody_reads(path: str) -> bool:
    return all(folder.stat().st_mode & 0o001 for folder in Path(path).resolve().parents)


def test_strict_names_what_is_missing() -> None:
    site = confinement._Site(())
    site.standing.extend(set(REQUIRED) - {"seccomp"})
    site.build(_refused)
    with pytest.raises(ConfinementError, match=r"seccomp missing \(_refused: No such"):
        confinement._require(site)


def _refused() -> tuple[str, ...]:
    raise OSError(2, os.strerror(2))


def test_strict_is_content_with_every_required_wall() -> None:
    confinement._require(confinement._Site(REQUIRED))


def test_uid_unknown_to_a_container_falls_back_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(privileges, "_is_mapped", lambda uid: uid < 65536)
    assert privileges.usable_uid(2_000_000_000) == privileges.NOBODY
    assert privileges.usable_uid(1000) == 1000


def test_confinement_is_a_value() -> None:
    assert Confinement(strict=True) == Confinement(strict=True) != Confinement()
