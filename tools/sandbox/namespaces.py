"""Namespaces: a network with nothing in it, and a file tree of a session's own.

The network and IPC namespaces hold nothing a session could spoil for another, so the zygote enters
them once (``share``) and every child inherits them: making and tearing down one for each session
would cost the kernel more than everything else here together.

The mount namespace is each session's own. In it people's files are out of sight, and every mount
is read-only but the scratch folder, a RAM disk of a fixed size: it cannot fill the machine's disk
and vanishes with its last process.

Root makes namespaces directly. An ordinary user makes them inside a user namespace, which has a
process count of its own, too: a fork bomb stops at the session's limit.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cadwright.tools.sandbox import kernel

_NO_SETUID_DEVICES = kernel.MS_NOSUID | kernel.MS_NODEV
_EMPTY = "size=1m,mode=0711"
_SCRATCH_FILES = 4096  # inodes: empty files must not eat memory either

# Top-level folders that hold no files of people's; Landlock lets few of them be read.
_SYSTEM = frozenset(
    ("bin", "sbin", "lib", "lib32", "lib64", "usr", "etc", "nix", "gnu", "dev", "proc", "sys")
)


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


@dataclass(frozen=True, slots=True)
class Curtain:
    """A folder to be covered by an empty one, in which only a few paths appear.

    Attributes:
        folder: What to cover.
        shown: (path, whether it is a folder) of what stays, at its old place.
    """

    folder: str
    shown: tuple[tuple[str, bool], ...] = ()


def curtains(paths: Iterable[Path]) -> tuple[Curtain, ...]:
    """Plan to cover all of the machine's files but the system's and ``paths``.

    Reading is Landlock's affair; but names, sizes and times can be asked for without opening a
    file, and a reference part should not even be seen to exist. An interpreter under ``/root``
    could not be reached either, once root's rights are gone, were ``/root`` not covered.
    """
    covered: dict[Path, list[Path]] = {folder: [] for folder in _top_level_folders()}
    for path in paths:
        folder = next((up for up in reversed(path.parents) if _must_cover(up, covered)), None)
        if folder is not None:
            covered.setdefault(folder, []).append(path)
    return tuple(
        Curtain(str(folder), tuple((str(path), path.is_dir()) for path in shown))
        for folder, shown in covered.items()
    )


class OwnMounts:
    """A mount namespace of this process alone, entered by making the object.

    All mounting is done through it: a cover drawn in the machine's own namespace would take the
    files away from everybody.

    Raises:
        OSError: The kernel or a container refuses; nothing has been mounted then.
    """

    def __init__(self) -> None:
        before = _mount_namespace()
        kernel.unshare(kernel.CLONE_NEWNS)
        if _mount_namespace() == before:
            raise OSError(errno.ENOTSUP, "still in the mount namespace of the parent")
        # From here on nothing that is mounted spreads to where this one was copied from.
        kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)

    def draw(self, planned: Iterable[Curtain]) -> tuple[str, ...]:
        """Cover what was planned."""
        planned = tuple(planned)
        handles = {
            path: os.open(path, os.O_PATH | os.O_CLOEXEC)
            for curtain in planned
            for path, _ in curtain.shown
        }
        mask = os.umask(0o022)
        try:
            _cover_with_nothing([curtain.folder for curtain in planned if not curtain.shown])
            for curtain in planned:
                if curtain.shown:
                    _cover(curtain, handles)
        finally:
            os.umask(mask)
            for handle in handles.values():
                os.close(handle)
        return ("hidden_files",)

    def make_read_only(self, scratch: Path, size_bytes: int, uid: int) -> tuple[str, ...]:
        """Make the whole file tree read-only, with a RAM disk over ``scratch``."""
        kernel.make_mounts_read_only()
        options = f"size={size_bytes},nr_inodes={_SCRATCH_FILES},mode=0700,uid={uid}"
        kernel.mount("tmpfs", str(scratch), "tmpfs", _NO_SETUID_DEVICES, options)
        return ("read_only_mounts", "scratch_quota")


def _mount_namespace() -> int:
    return os.stat("/proc/self/ns/mnt").st_ino


def _top_level_folders() -> list[Path]:
    with os.scandir("/") as entries:
        names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    return [Path("/", name) for name in names if name not in _SYSTEM]


def _must_cover(folder: Path, covered: Container[Path]) -> bool:
    return folder in covered or not folder.stat().st_mode & stat.S_IXOTH


def _cover_with_nothing(folders: list[str]) -> None:
    """Cover folders with one and the same empty one: a file system costs more than a mount."""
    for folder in folders[:1]:
        kernel.mount("tmpfs", folder, "tmpfs", _NO_SETUID_DEVICES, _EMPTY)
    for folder in folders[1:]:
        kernel.mount(folders[0], folder, None, kernel.MS_BIND)


def _cover(curtain: Curtain, handles: Mapping[str, int]) -> None:
    kernel.mount("tmpfs", curtain.folder, "tmpfs", _NO_SETUID_DEVICES, _EMPTY)
    for path, is_folder in curtain.shown:
        if is_folder:
            os.makedirs(path, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        source = f"/proc/self/fd/{handles[path]}"
        kernel.mount(source, path, None, kernel.MS_BIND | kernel.MS_REC)
