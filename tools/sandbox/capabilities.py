"""Which walls can stand on this machine, found out by putting each one up.

Every probe runs in a forked child of a helper process, so that nothing sticks to the caller and a
probe that dies counts as refused. ``cadwright doctor`` prints what ``probe`` returns.
"""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import resource
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from cadwright.tools.errors import InfraError
from cadwright.tools.sandbox import kernel, landlock, namespaces, privileges, seccomp
from cadwright.tools.sandbox.readable import ReadablePaths

_TIMEOUT_S = 30.0
_SPARE_UID = 2_147_000_000  # no session and no person has it
_FEW = 3
_CLONE_NEWPID = 0x2000_0000
_PR_SET_CHILD_SUBREAPER = 36
_NAMESPACE_REMEDY = (
    "run as root, or allow user namespaces: sysctl kernel.unprivileged_userns_clone=1,"
    " kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 0;"
    " in a container: --security-opt seccomp=unconfined or --cap-add SYS_ADMIN"
)


@dataclass(frozen=True, slots=True)
class Capability:
    """One wall, or one thing the sandbox needs, on this machine.

    Attributes:
        name: What it is called in trajectories.
        available: Whether it stood when tried.
        detail: What was found.
        remedy: What a person can do where it is missing.
    """

    name: str
    available: bool
    detail: str
    remedy: str


@dataclass(frozen=True, slots=True)
class _Probe:
    name: str
    try_it: Callable[[], str]
    remedy: str


def probe() -> tuple[Capability, ...]:
    """Try every wall in a process of its own; takes a fraction of a second.

    Raises:
        InfraError: The helper process could not run at all.
    """
    command = [sys.executable, "-P", "-m", "cadwright.tools.sandbox.capabilities"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=True)
        return tuple(Capability(**record) for record in json.loads(done.stdout))
    except (OSError, subprocess.SubprocessError, ValueError) as err:
        raise InfraError(f"the confinement probe could not run: {err}") from err


def main() -> None:
    """Probe from this single-threaded process and write the records as JSON."""
    records = [dataclasses.asdict(_run(each)) for each in _PROBES]
    sys.stdout.write(json.dumps(records))


def _run(each: _Probe) -> Capability:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _report(each.try_it, write)
    os.close(write)
    with open(read, encoding="utf-8") as pipe:
        verdict, _, detail = pipe.read().partition(" ")
    os.waitpid(pid, 0)
    available = verdict == "yes"
    return Capability(each.name, available, detail or "the probe died", each.remedy)


def _report(try_it: Callable[[], str], write: int) -> NoReturn:
    try:
        text = f"yes {try_it()}"
    except OSError as err:
        text = f"no {err.strerror or err}"
    os.write(write, text.encode())
    os._exit(0)


def _landlock() -> str:
    version = landlock.abi()
    if not version:
        raise OSError(errno.EOPNOTSUPP, "this kernel has no Landlock, or it is switched off")
    privileges.forbid_new_privileges()
    landlock.restrict(ReadablePaths((), ()), Path(tempfile.gettempdir()))
    if _can_open("/etc/passwd"):
        raise OSError(errno.ENOSYS, "the rules load but do not deny")
    network = "TCP" if version >= landlock.NETWORK_ABI else "no network rules"
    scope = "signals" if version >= landlock.SCOPE_ABI else "no signal rules"
    return f"ABI {version}: files, {network}, {scope}"


def _can_open(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError:
        return False
    return True


def _seccomp() -> str:
    privileges.forbid_new_privileges()
    seccomp.install()
    try:
        os.kill(os.getpid(), 0)
    except PermissionError:
        return f"filter of {len(seccomp.build(os.uname().machine)) // 8} instructions works"
    raise OSError(errno.ENOSYS, "the filter loads but does not deny")


def _no_new_privs() -> str:
    privileges.forbid_new_privileges()
    return "set"


def _unprivileged_uid() -> str:
    if os.geteuid() != 0:
        return f"already an ordinary user, uid {os.geteuid()}"
    uid = privileges.usable_uid(_SPARE_UID)
    privileges.drop_to(uid)
    return "a uid for each session" if uid == _SPARE_UID else "one uid for all sessions: nobody"


def _user_namespace() -> str:
    namespaces.own_user_namespace()
    return "entered one"


def _network_namespace() -> str:
    namespaces.share()
    return "entered an empty network"


def _process_namespace() -> str:
    _gain_namespaces()
    kernel.unshare(_CLONE_NEWPID)
    return "a session and all it forks end together"


def _scratch_quota() -> str:
    _gain_namespaces()
    mounts = namespaces.OwnMounts()
    # Any folder will do: what covers it is seen by this process alone, and goes with it.
    mounts.make_read_only(Path(tempfile.gettempdir()), 1 << 20, os.geteuid())
    return "read-only file tree, scratch folder on a RAM disk of a fixed size"


def _interpreter() -> str:
    """Read the standard library as a session does: from behind covers, or as nobody in particular.

    Without it what the zygote has not yet imported cannot be: DXF files, the constraint solver.
    """
    folder = sysconfig.get_path("stdlib")
    try:
        _gain_namespaces()
        namespaces.OwnMounts()
    except OSError:
        privileges.drop_to(privileges.usable_uid(_SPARE_UID))
        os.listdir(folder)
        return "readable for sessions where it is"
    return "shown to sessions wherever it is"


def _gain_namespaces() -> None:
    if not namespaces.may_make_namespaces():
        namespaces.own_user_namespace()


def _process_count() -> str:
    """Fork more often than allowed, as a user who has other processes besides."""
    if os.geteuid() == 0:
        privileges.drop_to(privileges.usable_uid(_SPARE_UID))
    else:
        namespaces.own_user_namespace()
    resource.setrlimit(resource.RLIMIT_NPROC, (_FEW, _FEW))
    read, write = os.pipe()
    for _ in range(2 * _FEW):
        try:
            child = os.fork()
        except BlockingIOError:
            return "a fork bomb stops at the limit of its session"
        if child == 0:
            os.close(write)
            os.read(read, 1)  # until the prober has gone
            os._exit(0)
    raise OSError(errno.ENOTSUP, f"a limit of {_FEW} processes let {2 * _FEW} through")


def _pidfd() -> str:
    os.close(os.pidfd_open(os.getpid()))
    return "processes are named without races"


def _subreaper() -> str:
    kernel.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    return "orphans of a session come back to it"


_PROBES = (
    _Probe(
        "landlock",
        _landlock,
        "Linux 5.13 or newer with landlock in the lsm= list of the boot command line",
    ),
    _Probe(
        "seccomp",
        _seccomp,
        "a kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64",
    ),
    _Probe("no_new_privs", _no_new_privs, "Linux 3.5 or newer"),
    _Probe(
        "unprivileged_uid",
        _unprivileged_uid,
        "run as an ordinary user, or give the container CAP_SETUID and CAP_SETGID",
    ),
    _Probe("user_namespace", _user_namespace, _NAMESPACE_REMEDY),
    _Probe("network_namespace", _network_namespace, _NAMESPACE_REMEDY),
    _Probe("process_namespace", _process_namespace, _NAMESPACE_REMEDY),
    _Probe("scratch_quota", _scratch_quota, f"Linux 5.12 or newer, and {_NAMESPACE_REMEDY}"),
    _Probe("process_count", _process_count, _NAMESPACE_REMEDY),
    _Probe(
        "interpreter",
        _interpreter,
        "install Python where everybody may read it, not under /root; or give the container"
        " CAP_SYS_ADMIN",
    ),
    _Probe("pidfd", _pidfd, "Linux 5.3 or newer"),
    _Probe("subreaper", _subreaper, "Linux 3.4 or newer"),
)

if __name__ == "__main__":
    main()
