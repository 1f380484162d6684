"""Landlock: the file, network and signal wall that needs no privilege.

Everything Landlock knows how to deny is denied; the rules then open the few folders a modelling
process reads, one scratch folder it may write, and three devices. Nothing under ``/proc`` is
opened: neither Python nor OCCT needs it once they are loaded.

Landlock does not cover permissions, ownership, times or extended attributes of a file: the
system calls that change those are denied in ``seccomp.py``.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

from cadwright.tools.sandbox import kernel
from cadwright.tools.sandbox.readable import ReadablePaths

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIR, REMOVE_FILE = 1 << 4, 1 << 5
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK = 1 << 6, 1 << 7, 1 << 8, 1 << 9
MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = 1 << 10, 1 << 11, 1 << 12
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15

_READ = READ_FILE | READ_DIR
_WRITE = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE
_ON_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
_DEVICES = {
    "/dev/null": READ_FILE | WRITE_FILE | TRUNCATE,
    "/dev/zero": READ_FILE,
    "/dev/urandom": READ_FILE,
}

_FS_RIGHTS_BY_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_NET_BIND_AND_CONNECT_TCP = 0b11
_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1
_RESTRICT_SELF_LOG_SAME_EXEC_OFF = 1  # a denied attack must not flood the machine's audit log

NETWORK_ABI, SCOPE_ABI, _LOG_ABI = 4, 6, 7


def abi() -> int:
    """Return the Landlock version of this kernel, 0 without Landlock."""
    try:
        return kernel.syscall(kernel.NR_LANDLOCK_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    except OSError as err:
        if err.errno in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM):
            return 0
        raise


def restrict(paths: ReadablePaths, scratch: Path) -> tuple[str, ...]:
    """Restrict this process for good; ``no_new_privs`` must be set.

    Args:
        paths: What may be read or listed, with all below it.
        scratch: The one folder that may be written.

    Returns:
        The walls that this kernel's Landlock gives.

    Raises:
        OSError: The kernel has no Landlock, or refuses it.
    """
    version = abi()
    if not version:
        raise OSError(errno.EOPNOTSUPP, "this kernel has no Landlock")
    handled = max(rights for since, rights in _FS_RIGHTS_BY_ABI.items() if since <= version)
    ruleset = _create_ruleset(version, handled)
    try:
        for path, rights in _rules(paths, scratch):
            _allow(ruleset, path, rights & handled)
        flags = _RESTRICT_SELF_LOG_SAME_EXEC_OFF if version >= _LOG_ABI else 0
        kernel.syscall(kernel.NR_LANDLOCK_RESTRICT_SELF, ruleset, flags)
    finally:
        os.close(ruleset)
    return _walls(version)


def _walls(version: int) -> tuple[str, ...]:
    network = ("landlock_network",) if version >= NETWORK_ABI else ()
    scope = ("landlock_scope",) if version >= SCOPE_ABI else ()
    return ("landlock_files", *network, *scope)


def _create_ruleset(version: int, handled: int) -> int:
    fields = [handled]
    if version >= NETWORK_ABI:
        fields.append(_NET_BIND_AND_CONNECT_TCP)
    if version >= SCOPE_ABI:
        fields.append(_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS)
    attributes = struct.pack(f"{len(fields)}Q", *fields)
    return kernel.syscall(kernel.NR_LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)


def _rules(paths: ReadablePaths, scratch: Path) -> Iterator[tuple[str, int]]:
    yield from ((str(path), _READ) for path in paths.readable)
    yield from ((str(path), READ_DIR) for path in paths.listable)
    yield from _DEVICES.items()
    yield str(scratch), _READ | _WRITE


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not there, or not ours to see: nothing to open
    try:
        if not stat.S_ISDIR(os.fstat(handle).st_mode):
            rights &= _ON_A_FILE
        rule = struct.pack("=Qi", rights, handle)
        kernel.syscall(kernel.NR_LANDLOCK_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(handle)
