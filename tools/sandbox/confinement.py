"""Confine the calling process for good: the one door through which model code is let in.

``apply`` runs in a freshly forked, single-threaded child and puts up every wall the machine has.
None can be taken down again by the child or by anything that the child forks. The walls overlap on
purpose: each attack meets at least two, and what the machine lacks is reported, or refused by
``strict``.

What the walls do not do: they limit neither wall-clock time nor the memory of many processes
together. The main process watches both, and kills (``steps.py``, ``footprint.py``).
"""

from __future__ import annotations

import contextlib
import os
import platform
import resource
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

from cadwright.tools.errors import InfraError
from cadwright.tools.sandbox import kernel, landlock, namespaces, privileges, seccomp
from cadwright.tools.sandbox.limits import Limits
from cadwright.tools.sandbox.namespaces import Curtain, OwnMounts
from cadwright.tools.sandbox.readable import ReadablePaths, Role, readable_paths

REQUIRED = (
    "unprivileged_uid",
    "no_capabilities",
    "no_new_privs",
    "rlimits",
    "process_count",
    "landlock_files",
    "seccomp",
    "network_namespace",
    "hidden_files",
    "read_only_mounts",
    "scratch_quota",
)

_PENDING_SIGNALS = 128  # and timers: each takes kernel memory

Build = Callable[[], tuple[str, ...]]


class ConfinementError(InfraError):
    """A wall that ``strict`` asks for cannot stand on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """Which walls to put up, and what may be read behind them.

    Attributes:
        readable: Folders and files readable besides the interpreter, its packages and fonts.
        role: ``session`` runs model code, ``worker`` ours; a worker also reads the rewards.
        strict: Refuse to run when a wall of ``REQUIRED`` cannot stand, instead of reporting it.
        standing: Walls the parent already put up for all its children; ``prepare`` fills it in.
    """

    readable: tuple[Path, ...] = field(default=())
    role: Role = "session"
    strict: bool = False
    standing: tuple[str, ...] = field(default=())


class _Site:
    """What stands so far, and why the rest does not."""

    def __init__(self, standing: tuple[str, ...]) -> None:
        self.standing = list(standing)
        self.refusals: list[str] = []

    def build(self, *builds: Build) -> None:
        for build in builds:
            try:
                self.standing.extend(build())
            except OSError as err:
                self.refuse(_name(build), err)

    def refuse(self, wall: str, err: OSError) -> None:
        self.refusals.append(f"{wall}: {err.strerror or err}")

    def has(self, wall: str) -> bool:
        return wall in self.standing


def prepare(confinement: Confinement) -> Confinement:
    """Do once, in the single-threaded parent of all children, what need not be done in each.

    Call it first thing in the zygote, before any thread starts. ``apply`` does the same work
    itself, slower, where it has not been called.
    """
    site = _Site(confinement.standing)
    if not site.has("network_namespace"):
        site.build(namespaces.share)
    _survey(confinement.role, confinement.readable)
    with contextlib.suppress(OSError):  # no table for this machine: `apply` will report it
        seccomp.build(platform.machine())
    return replace(confinement, standing=tuple(site.standing))


def apply(
    confinement: Confinement, limits: Limits, scratch: Path, uid: int | None
) -> tuple[str, ...]:
    """Confine this process for good, with ``scratch`` as its working directory.

    Args:
        confinement: Which walls, and what may be read behind them.
        limits: How much of the machine the process may use.
        scratch: An empty folder of its own. Where the kernel allows, a RAM disk covers it, so
            that nothing written there is ever seen, or has to be removed, outside.
        uid: For root: a uid that no other session has. Ignored for an ordinary user.

    Returns:
        The names of the walls now standing.

    Raises:
        ConfinementError: ``strict``, and a wall of ``REQUIRED`` is missing.
    """
    scratch = scratch.resolve()
    site = _Site(confinement.standing)
    survey = _survey(confinement.role, confinement.readable)
    user = privileges.usable_uid(uid)
    site.build(privileges.die_first)
    _separate(site, _Tree(survey, scratch, limits.scratch_bytes, user), own_uid=user == uid)
    _settle(scratch)
    site.build(
        partial(_limit, limits, counted=site.has("user_namespace") or site.has("own_uid")),
        privileges.drop_capabilities,
        privileges.forbid_new_privileges,
        partial(landlock.restrict, survey.paths, scratch),
        privileges.hide_memory,
        seccomp.install,
    )
    if confinement.strict:
        _require(site)
    return tuple(site.standing)


def _settle(scratch: Path) -> None:
    """Make ``scratch`` the place where everything is written that names no other."""
    os.chdir(scratch)
    os.umask(0o077)
    os.environ.update(HOME=str(scratch), TMPDIR=str(scratch))
    tempfile.tempdir = str(scratch)  # whatever the zygote may have found before


@dataclass(frozen=True, slots=True)
class _Survey:
    """What is readable, and how to put the rest out of sight."""

    paths: ReadablePaths
    curtains: tuple[Curtain, ...]


@cache
def _survey(role: Role, extra: tuple[Path, ...]) -> _Survey:
    paths = readable_paths(role, extra)
    return _Survey(paths, namespaces.curtains(paths.outermost))


@dataclass(frozen=True, slots=True)
class _Tree:
    """The file tree a session sees."""

    survey: _Survey
    scratch: Path
    size_bytes: int
    uid: int

    def build(self, site: _Site) -> None:
        """Part from the machine's files; without a mount namespace nothing at all is mounted."""
        try:
            mounts = OwnMounts()
        except OSError as err:
            site.refuse("mount_namespace", err)
            return
        site.standing.append("mount_namespace")
        site.build(partial(self.hide_the_rest, mounts), partial(self.make_read_only, mounts))

    def hide_the_rest(self, mounts: OwnMounts) -> tuple[str, ...]:
        scratch = (str(self.scratch), True)
        planned = [
            replace(curtain, shown=(*curtain.shown, scratch))
            if self.scratch.is_relative_to(curtain.folder)
            else curtain
            for curtain in self.survey.curtains
        ]
        return mounts.draw(planned)

    def give_scratch(self) -> tuple[str, ...]:
        os.chown(self.scratch, self.uid, self.uid)
        return ()

    def make_read_only(self, mounts: OwnMounts) -> tuple[str, ...]:
        return mounts.make_read_only(self.scratch, self.size_bytes, self.uid)


def _separate(site: _Site, tree: _Tree, *, own_uid: bool) -> None:
    """Part from the rest of the machine: as root directly, as a user inside a user namespace."""
    network = () if site.has("network_namespace") else (namespaces.empty_network,)
    drop = partial(privileges.drop_to, tree.uid)
    if os.geteuid() == 0:
        site.build(tree.give_scratch)
    if namespaces.may_make_namespaces():
        site.build(*network)
        tree.build(site)
        site.build(drop)
        if own_uid and site.has("unprivileged_uid"):
            site.standing.append("own_uid")
        else:
            site.build(namespaces.own_user_namespace)
    else:
        site.build(drop, namespaces.own_user_namespace, *network)
        tree.build(site)


def _limit(limits: Limits, *, counted: bool) -> tuple[str, ...]:
    """Set resource limits; those counted by user only where no process of others is counted in."""
    room = kernel.address_space_bytes() + limits.memory_bytes
    values = {
        resource.RLIMIT_AS: room,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_RTPRIO: 0,
        resource.RLIMIT_NICE: 0,
    }
    if limits.cpu_s is not None:
        values[resource.RLIMIT_CPU] = limits.cpu_s
    if counted:
        values[resource.RLIMIT_NPROC] = limits.processes
        values[resource.RLIMIT_SIGPENDING] = _PENDING_SIGNALS
    for kind, value in values.items():
        _lower(kind, value)
    return ("rlimits", "process_count") if counted else ("rlimits",)


def _lower(kind: int, value: int) -> None:
    """Set soft and hard limit to ``value``, or leave a hard limit that is lower already."""
    _, hard = resource.getrlimit(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _require(site: _Site) -> None:
    missing = [wall for wall in REQUIRED if not site.has(wall)]
    if missing:
        raise ConfinementError(
            f"strict confinement cannot stand here: {', '.join(missing)} missing"
            f" ({'; '.join(site.refusals) or 'no refusal by the kernel'});"
            " `cadwright doctor` says what to change"
        )


def _name(build: Build) -> str:
    return build.func.__name__ if isinstance(build, partial) else build.__name__
