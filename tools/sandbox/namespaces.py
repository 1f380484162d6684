"""Namespaces: a network with nothing in it, and a file tree of a session's own.

The network and IPC namespaces hold nothing a session could spoil for another, so the zygote enters
them once (``share``) and every child inherits them: making and tearing down one for each session
would cost the kernel more than everything else here together.

The mount namespace is each session's own. In it every mount is read-only but the scratch folder,
a RAM disk of a fixed size: it cannot fill the machine's disk and vanishes with its last process.

Root makes namespaces directly. An ordinary user makes them inside a user namespace, which has a
process count of its own, too: a fork bomb stops at the session's limit.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from cadwright.tools.sandbox import kernel

_NO_SETUID_DEVICES = kernel.MS_NOSUID | kernel.MS_NODEV
_SCRATCH_FILES = 4096  # inodes: empty files must not eat memory either


def share() -> tuple[str, ...]:
    """Enter the namespaces that all children of this single-threaded process share.

    Raises:
        OSError: The kernel or a container refuses.
    """
    if not may_make_namespaces():
        own_user_namespace()
    return empty_network()


def may_make_namespaces() -> bool:
    """Say whether this process makes namespaces directly, as root on the machine does."""
    return os.geteuid() == 0 and kernel.has_capability(kernel.CAP_SYS_ADMIN)


def own_user_namespace() -> tuple[str, ...]:
    """Enter a user namespace as the same user: the right to make others, an own process count."""
    uid, gid = os.geteuid(), os.getegid()
    # After a setuid the files of /proc/self belong to root until the process is dumpable again.
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
    kernel.unshare(kernel.CLONE_NEWUSER)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1", encoding="ascii")
    return ("user_namespace",)


def empty_network() -> tuple[str, ...]:
    """Enter a network without interfaces, and an IPC namespace without segments or queues."""
    kernel.unshare(kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC)
    return ("network_namespace", "ipc_namespace")


def own_mounts() -> tuple[str, ...]:
    """Enter a mount namespace: what is mounted from here on is seen by nobody else."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    return ("mount_namespace",)


def closed_folders(paths: Iterable[Path]) -> dict[Path, list[Path]]:
    """Return the outermost folders that only root may pass, with the given paths below each."""
    closed: dict[Path, list[Path]] = {}
    for path in paths:
        folder = next((up for up in reversed(path.parents) if not _others_may_pass(up)), None)
        if folder is not None:
            closed.setdefault(folder, []).append(path)
    return closed


def reveal(closed: Mapping[Path, Iterable[Path]]) -> tuple[str, ...]:
    """Make paths below folders of root's reachable for the uid that comes next.

    An interpreter under ``/root`` cannot be reached once root's rights are gone. Each closed
    folder is covered by an empty one, in which only the given paths appear.
    """
    for folder, paths in closed.items():
        _cover(folder, paths)
    return ()


def make_read_only(scratch: Path, size_bytes: int, uid: int) -> tuple[str, ...]:
    """Make the whole file tree read-only, with a RAM disk over ``scratch``."""
    kernel.make_mounts_read_only()
    options = f"size={size_bytes},nr_inodes={_SCRATCH_FILES},mode=0700,uid={uid}"
    kernel.mount("tmpfs", str(scratch), "tmpfs", _NO_SETUID_DEVICES, options)
    return ("read_only_mounts", "scratch_quota")


def _others_may_pass(folder: Path) -> bool:
    return bool(folder.stat().st_mode & stat.S_IXOTH)


def _cover(folder: Path, paths: Iterable[Path]) -> None:
    handles = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in paths}
    mask = os.umask(0o022)
    try:
        kernel.mount("tmpfs", str(folder), "tmpfs", _NO_SETUID_DEVICES, "size=1m,mode=0711")
        for path, handle in handles.items():
            _make_mount_point(path, is_folder=_is_folder(handle))
            source = f"/proc/self/fd/{handle}"
            kernel.mount(source, str(path), None, kernel.MS_BIND | kernel.MS_REC)
    finally:
        os.umask(mask)
        for handle in handles.values():
            os.close(handle)


def _is_folder(handle: int) -> bool:
    return os.path.isdir(f"/proc/self/fd/{handle}")


def _make_mount_point(path: Path, *, is_folder: bool) -> None:
    if is_folder:
        path.mkdir(parents=True, exist_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
