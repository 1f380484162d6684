"""The filter is run here as the kernel would run it, for both architectures on any machine."""

from __future__ import annotations

import struct

import pytest

from cadwright.tools.sandbox import seccomp, syscalls

MACHINES = ("x86_64", "aarch64")
ALLOW, KILL, EPERM, ENOSYS = 0x7FFF_0000, 0x8000_0000, 0x0005_0001, 0x0005_0026
TRAP, SUCCESS, ENOTSUP = 0x0003_0000, 0x0005_0000, 0x0005_005F


@pytest.mark.parametrize("machine", MACHINES)
def test_filter_decides_as_the_tables_say(machine: syscalls.Machine) -> None:
    allowed = set(syscalls.allowed(machine).values())
    by_argument = set(syscalls.filtered(machine).values())
    for number in set(range(syscalls.HIGHEST_KNOWN + 1)) - by_argument:
        wanted = ALLOW if number in allowed else EPERM
        assert decide(machine, number) == wanted, number


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("clone", (17,), ALLOW),
        ("clone", (0x8000 | 17,), ALLOW),
        ("clone", (0x3D0F00,), ALLOW),  # a thread
        ("clone", (0x10000000 | 17,), EPERM),
        ("clone", (0x20000 | 17,), EPERM),
        ("clone", (0x8000 | 9,), EPERM),  # its end would kill the parent
        ("clone", (19,), EPERM),
        ("clone3", (0, 88), ENOSYS),
        ("fcntl", (3, 4), ALLOW),
        ("fcntl", (3, 8), EPERM),
        ("fcntl", (3, 1030), ALLOW),
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), EPERM),
        ("ioctl", (0, 0x1_0000_5412), EPERM),
        ("prctl", (1, 9), ALLOW),
        ("prctl", (1, 0), EPERM),
        ("prctl", (4, 1), EPERM),
        ("prctl", (15, 0), ALLOW),
        ("prctl", (36, 1), ALLOW),
        ("prctl", (22, 2), EPERM),
        ("socketpair", (1, 1), ALLOW),
        ("socketpair", (1, 0x80001), ALLOW),
        ("socketpair", (1, 2), EPERM),
        ("socketpair", (2, 1), EPERM),
        ("setsockopt", (3, 1, 16), ALLOW),
        ("setsockopt", (3, 1, 26), EPERM),
        ("setsockopt", (3, 6, 16), EPERM),
        ("prlimit64", (0, 7), ALLOW),
        ("prlimit64", (1, 7), EPERM),
        ("sched_setaffinity", (0,), ALLOW),
        ("sched_setaffinity", (1,), EPERM),
        ("tgkill", (7, 7, 6), TRAP),  # abort
        ("tgkill", (7, 7, 31), TRAP),
        ("tgkill", (7, 7, 9), EPERM),
        ("tgkill", (7, 7, 0), EPERM),
        ("tkill", (7, 6), TRAP),
        ("tkill", (7, 9), EPERM),
        ("fchmod", (3, 0o777), SUCCESS),
        ("fchmodat", (0, 0, 0o777, 0), SUCCESS),
        ("utimensat", (0, 1, 0x7000_0000_0010, 0), SUCCESS),
        ("utimensat", (0, 1, 0, 0), EPERM),  # now
        ("listxattr", (1, 0, 0), ENOTSUP),
    ],
)
def test_filter_looks_at_arguments(
    machine: syscalls.Machine, name: str, arguments: tuple[int, ...], wanted: int
) -> None:
    assert decide(machine, syscalls.filtered(machine)[name], *arguments) == wanted


@pytest.mark.parametrize("machine", MACHINES)
def test_filter_hides_calls_younger_than_the_list(machine: syscalls.Machine) -> None:
    assert decide(machine, syscalls.HIGHEST_KNOWN + 1) == ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_filter_kills_calls_of_another_architecture(machine: syscalls.Machine) -> None:
    assert decide(machine, 0, architecture=0x4000_0003) == KILL  # 32-bit x86


def test_filter_denies_the_x32_numbers() -> None:
    assert decide("x86_64", 0x4000_0000 | 1) == EPERM


def test_tables_name_no_number_twice() -> None:
    for machine in MACHINES:
        known: syscalls.Machine = machine  # type: ignore[assignment]
        numbers = [*syscalls.allowed(known).values(), *syscalls.filtered(known).values()]
        assert len(numbers) == len(set(numbers))


def decide(
    machine: syscalls.Machine, number: int, *arguments: int, architecture: int | None = None
) -> int:
    """Run the filter as the kernel's BPF machine does."""
    audit = seccomp._AUDIT_ARCH[machine] if architecture is None else architecture
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("=IIQ6Q", number, audit, 0, *padded)
    program = list(struct.iter_unpack("=HBBI", seccomp.build(machine)))
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, value = program[at]
        at += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x54:
            accumulator &= value
        elif code == 0x05:
            at += value
        else:
            holds = {0x15: accumulator == value, 0x25: accumulator > value}
            holds[0x35] = accumulator >= value
            at += if_true if holds[code] else if_false


def test_machine_without_a_table_is_refused() -> None:
    with pytest.raises(OSError, match="no system call table for 'riscv64'"):
        seccomp.build("riscv64")
