"""Give up root, every capability, and the chance of ever getting either back."""

from __future__ import annotations

import os
from pathlib import Path

from cadwright.tools.sandbox import kernel

NOBODY = 65534

_SECURE_BITS = 0b1110_1111  # NOROOT, NO_SETUID_FIXUP, KEEP_CAPS off, NO_CAP_AMBIENT_RAISE; locked


def usable_uid(wanted: int | None) -> int:
    """Return the uid to drop to: ``wanted``, or nobody where it does not exist here.

    A container may know a few thousand uids only. An ordinary user keeps the own one.
    """
    if os.geteuid() != 0:
        return os.geteuid()
    return wanted if wanted is not None and _is_mapped(wanted) else NOBODY


def drop_to(uid: int) -> tuple[str, ...]:
    """Become an ordinary user for good.

    Raises:
        OSError: A container refuses.
    """
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    return ("unprivileged_uid",)


def drop_capabilities() -> tuple[str, ...]:
    """Give up what a user namespace, or a service manager, granted."""
    kernel.drop_capabilities()
    return ("no_capabilities",)


def forbid_new_privileges() -> tuple[str, ...]:
    """Make setuid programs and file capabilities grant nothing from here on."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    return ("no_new_privs",)


def hide_memory() -> tuple[str, ...]:
    """Keep other processes of the same uid out of this one's memory and /proc files."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    return ("not_dumpable",)


def die_first() -> tuple[str, ...]:
    """Let the kernel take this process before any other when memory runs out."""
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    return ("out_of_memory_first",)


def _is_mapped(uid: int) -> bool:
    lines = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
    ranges = [(int(first), int(count)) for first, _, count in (line.split() for line in lines)]
    return any(first <= uid < first + count for first, count in ranges)
