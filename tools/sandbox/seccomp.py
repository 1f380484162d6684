"""The system call filter: an allow-list as raw BPF, built once and loaded by each confined child.

What is not on the list gets EPERM; a call younger than the list gets ENOSYS, so that the C library
falls back. A call made for another architecture (32-bit entry points on x86_64) kills the process.
Only the low half of an argument is looked at: the kernel itself reads an ``int``, or it is a
pointer that is null or not.

Decisions worth knowing:

* **Signals.** A candidate runs under the same uid as the checkpoints it was forked from, so no call
  that sends a signal to a chosen process is allowed, ``tgkill`` included. It is also how ``abort``
  reaches itself, and a filter cannot tell the caller from its parent: whoever sends SIGABRT so is
  sent SIGSYS himself instead. A process that dies of SIGSYS is one that aborted.
* **Forks**: plain ones, threads, and siblings (``CLONE_PARENT``: checkpoints fork their successors
  so); no new namespaces. How many is up to ``RLIMIT_NPROC``.
* **Process group and session id** cannot be changed, so that one ``killpg`` reaches everything a
  session ever forked, daemons included.
* **Parent death signal**: may be set to SIGKILL by a fresh checkpoint, never disarmed.
* **Sockets**: those already open may be used, and connected stream pairs made. A datagram pair is
  refused, since it can still send to any named socket.
* **Files without a folder** (memfd, shared memory segments, message queues) are refused: no limit
  of ours counts them.
* **Permissions, owners, times and extended attributes** cannot be changed: Landlock does not cover
  them, and an ordinary user owns files outside the scratch folder. But every ``shutil.copy`` asks
  for it: permissions and times that are set to a value change nothing and succeed, and no file has
  attributes to copy. Times set to now are refused, since ``Path.touch`` would take a success to
  mean that there is a file.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import signal
import struct
from dataclasses import dataclass
from functools import cache
from typing import cast

from cadwright.tools.sandbox import kernel
from cadwright.tools.sandbox.syscalls import HIGHEST_KNOWN, Machine, allowed, filtered

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2

_LOAD_WORD, _AND, _RETURN = 0x20, 0x54, 0x06
_JUMP, _JUMP_EQUAL, _JUMP_GREATER, _JUMP_AT_LEAST = 0x05, 0x15, 0x25, 0x35

_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_AUDIT_ARCH = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
_X32_BIT = 0x4000_0000

_ALLOW, _KILL, _TRAP, _ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0003_0000, 0x0005_0000
_DENY, _NOT_THERE, _NOT_KEPT = (_ERRNO | e for e in (errno.EPERM, errno.ENOSYS, errno.ENOTSUP))
_NOTHING_DONE = _ERRNO  # the error of number 0 is success

_CLONE_FORBIDDEN = (
    0x0002_0000  # NEWNS
    | 0x7E00_0000  # NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
    | 0x0000_2000  # PTRACE
)
_EXIT_SIGNAL = 0xFF
_AF_UNIX = 1
_SOCK_CONNECTED, _SOCK_TYPE_MASK = (1, 5), 0xF  # SOCK_STREAM, SOCK_SEQPACKET

# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, record locks, F_GETOWN, open file description
# locks, F_DUPFD_CLOEXEC, pipe sizes. F_SETOWN, F_SETSIG and F_SETOWN_EX would aim signals.
_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 9, 36, 37, 38, 1030, 1031, 1032)
# TCGETS and TCGETS2 (isatty), TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
_IOCTL = (0x5401, 0x802C_542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
_SOL_SOCKET = 1
# SO_SNDBUF, SO_RCVBUF, SO_PASSCRED, SO_RCVTIMEO, SO_SNDTIMEO. No packet filters.
_SOCKET_OPTIONS = (7, 8, 16, 20, 21)
_PR_SET_PDEATHSIG = 1
# PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_CAPBSET_READ,
# PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS,
# PR_SET_VMA (the C library names its heaps).
_PRCTL = (2, 3, 15, 16, 23, 36, 37, 38, 39, 0x5356_4D41)


@dataclass(frozen=True, slots=True)
class _Check:
    """The low word of one argument, masked, must be one of ``values``."""

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFF_FFFF


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a call gets when all checks hold."""

    checks: tuple[_Check, ...]
    verdict: int = _ALLOW


_Code = list[bytes]

# ``raise`` and ``abort``. SIGSYS is how a handler of SIGSYS dies of what it handled.
_DEADLY = (signal.SIGABRT, signal.SIGSYS)
_ATTRIBUTES = ("getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr")

# The first rule that holds decides; where none does, the call is denied.
_RULES: dict[str, tuple[_Rule, ...]] = {
    "clone": (
        _Rule(
            (
                _Check(0, (0,), _CLONE_FORBIDDEN),
                _Check(0, (0, signal.SIGCHLD), _EXIT_SIGNAL),  # its end signals no checkpoint
            )
        ),
    ),
    "clone3": (_Rule((), _NOT_THERE),),  # its flags are behind a pointer, where no filter can look
    "fcntl": (_Rule((_Check(1, _FCNTL),)),),
    "ioctl": (_Rule((_Check(1, _IOCTL),)),),
    "prctl": (
        _Rule((_Check(0, (_PR_SET_PDEATHSIG,)), _Check(1, (signal.SIGKILL,)))),
        _Rule((_Check(0, _PRCTL),)),
    ),
    "socketpair": (_Rule((_Check(0, (_AF_UNIX,)), _Check(1, _SOCK_CONNECTED, _SOCK_TYPE_MASK))),),
    "setsockopt": (_Rule((_Check(1, (_SOL_SOCKET,)), _Check(2, _SOCKET_OPTIONS))),),
    "prlimit64": (_Rule((_Check(0, (0,)),)),),
    "sched_setaffinity": (_Rule((_Check(0, (0,)),)),),
    "tgkill": (_Rule((_Check(2, _DEADLY),), _TRAP),),
    "tkill": (_Rule((_Check(1, _DEADLY),), _TRAP),),
    "utimensat": (_Rule((_Check(2, (0,)),), _DENY), _Rule((), _NOTHING_DONE)),  # null means now
    **{name: (_Rule((), _NOTHING_DONE),) for name in ("chmod", "fchmod", "fchmodat")},
    **{name: (_Rule((), _NOT_KEPT),) for name in _ATTRIBUTES},
}


def install() -> tuple[str, ...]:
    """Load the filter into this process for good; ``no_new_privs`` must be set.

    Raises:
        OSError: The kernel refuses, or the machine is neither x86_64 nor aarch64.
    """
    program = build(platform.machine())
    pointer = struct.pack("@HP", len(program) // 8, _address(program))
    kernel.prctl(_PR_SET_SECCOMP, _MODE_FILTER, pointer)
    return ("seccomp",)


@cache
def build(machine: str) -> bytes:
    """Return the filter as ``struct sock_filter`` records.

    Raises:
        OSError: There is no table for this machine.
    """
    if machine not in _AUDIT_ARCH:
        raise OSError(errno.ENOSYS, f"no system call table for {machine!r}: x86_64 or aarch64")
    known = cast(Machine, machine)
    code = [*_refuse_other_architectures(known), *_refuse_unknown_numbers()]
    return b"".join(code + _decide(_verdicts(known)))


def _refuse_other_architectures(machine: Machine) -> _Code:
    return [
        _instruction(_LOAD_WORD, _ARCHITECTURE_AT),
        _instruction(_JUMP_EQUAL, _AUDIT_ARCH[machine], 1, 0),
        _instruction(_RETURN, _KILL),
    ]


def _refuse_unknown_numbers() -> _Code:
    return [
        _instruction(_LOAD_WORD, _NUMBER_AT),
        _instruction(_JUMP_GREATER, _X32_BIT - 1, 0, 1),
        _instruction(_RETURN, _DENY),
        _instruction(_JUMP_GREATER, HIGHEST_KNOWN, 0, 1),
        _instruction(_RETURN, _NOT_THERE),
    ]


def _verdicts(machine: Machine) -> list[tuple[int, _Code]]:
    """Return pairs in rising order: from this call number on, this code decides."""
    allow, deny = [_instruction(_RETURN, _ALLOW)], [_instruction(_RETURN, _DENY)]
    by_number = dict.fromkeys(allowed(machine).values(), allow)
    by_number |= {number: _ruled(_RULES[name]) for name, number in filtered(machine).items()}
    verdicts: list[tuple[int, _Code]] = []
    for number in range(HIGHEST_KNOWN + 1):
        code = by_number.get(number, deny)
        if not verdicts or verdicts[-1][1] is not code:
            verdicts.append((number, code))
    return verdicts


def _decide(verdicts: list[tuple[int, _Code]]) -> _Code:
    """Search the verdicts by halving: the kernel tries the filter on every number as it loads."""
    if len(verdicts) == 1:
        return verdicts[0][1]
    middle = len(verdicts) // 2
    below, above = _decide(verdicts[:middle]), _decide(verdicts[middle:])
    fork = [
        _instruction(_JUMP_AT_LEAST, verdicts[middle][0], 0, 1),
        _instruction(_JUMP, len(below)),  # a conditional jump reaches 255 instructions only
    ]
    return [*fork, *below, *above]


def _ruled(rules: tuple[_Rule, ...]) -> _Code:
    code = [piece for rule in rules for piece in _rule(rule)]
    return [*code, _instruction(_RETURN, _DENY)]


def _rule(rule: _Rule) -> _Code:
    """Return from the filter when every check holds; otherwise fall out at the end."""
    code = [_instruction(_RETURN, rule.verdict)]
    for check in reversed(rule.checks):
        code = _checked(check, code)
    return code


def _checked(check: _Check, then: _Code) -> _Code:
    tests = len(check.values)
    jumps = [
        # Right: over the remaining tests into `then`. Wrong, after the last test: over `then`.
        _instruction(_JUMP_EQUAL, value, tests - 1 - index, len(then) if index == tests - 1 else 0)
        for index, value in enumerate(check.values)
    ]
    load = _instruction(_LOAD_WORD, _ARGUMENTS_AT + 8 * check.argument)
    return [load, _instruction(_AND, check.mask), *jumps, *then]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _address(data: bytes) -> int:
    """Return where the bytes live; the cached program keeps them there."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0
