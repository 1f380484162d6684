"""Calls into Linux that the standard library does not offer, through ctypes.

Each raises ``OSError`` with the kernel's errno, so that callers treat a missing feature, a missing
privilege and a container's refusal alike: that wall does not stand.
"""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path

CLONE_NEWNS = 0x0002_0000
CLONE_NEWIPC = 0x0800_0000
CLONE_NEWUSER = 0x1000_0000
CLONE_NEWNET = 0x4000_0000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x4_0000

PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_SECUREBITS = 28
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

CAP_SYS_ADMIN = 21

# These three and everything younger have the same number on every architecture.
NR_MOUNT_SETATTR = 442
NR_LANDLOCK_CREATE_RULESET, NR_LANDLOCK_ADD_RULE, NR_LANDLOCK_RESTRICT_SELF = 444, 445, 446

_MOUNT_ATTR_RDONLY = 1
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_CAPABILITY_VERSION_3 = 0x2008_0522
_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def syscall(number: int, *arguments: int | bytes | None) -> int:
    """Call the kernel by number; pointers are given as bytes, or as None."""
    raw = [_as_c(argument) for argument in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *raw))


def prctl(option: int, *arguments: int | bytes) -> int:
    """Set or read an attribute of this process; unused arguments are zero as Linux asks."""
    raw = [_as_c(argument) for argument in arguments]
    raw += [ctypes.c_ulong(0)] * (4 - len(raw))
    return _checked(_libc.prctl(ctypes.c_int(option), *raw))


def unshare(flags: int) -> None:
    """Move this process into new namespaces."""
    _checked(_libc.unshare(ctypes.c_int(flags)))


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount a file system, or change how one is mounted."""
    _checked(
        _libc.mount(
            os.fsencode(source),
            os.fsencode(target),
            None if kind is None else kind.encode(),
            ctypes.c_ulong(flags),
            options.encode() or None,
        )
    )


def make_mounts_read_only(root: str = "/") -> None:
    """Turn every mount at and under ``root`` read-only (Linux 5.12 or newer)."""
    attributes = struct.pack("QQQQ", _MOUNT_ATTR_RDONLY, 0, 0, 0)
    path = os.fsencode(root) + b"\0"
    syscall(NR_MOUNT_SETATTR, _AT_FDCWD, path, _AT_RECURSIVE, attributes, len(attributes))


def has_capability(number: int) -> bool:
    """Say whether a capability is in the effective set of this process."""
    line = next(line for line in _status().splitlines() if line.startswith("CapEff:"))
    return bool(int(line.split()[1], 16) >> number & 1)


def drop_capabilities() -> None:
    """Give up every capability, in every set, with no way back."""
    _libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    # Fails at the first capability this kernel does not know, or all along without CAP_SETPCAP;
    # no_new_privs makes the bounding set moot, since nothing can be gained by an exec.
    for number in range(64):
        if _libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0):
            break
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    _checked(_libc.capset(header, bytes(24)))


def address_space_bytes() -> int:
    """Return how much address space this process has mapped."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _status() -> str:
    return Path("/proc/self/status").read_text(encoding="ascii", errors="replace")


def _as_c(argument: int | bytes | None) -> object:
    if argument is None:
        return ctypes.c_void_p(None)
    return ctypes.c_long(argument) if isinstance(argument, int) else ctypes.c_char_p(argument)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
