"""The one wire format: frames of JSON and raw blobs over a Unix stream socket.

    frame = u32 header length | header (JSON object, UTF-8) | u32 blob count | u64 lengths | blobs

Nothing here unpickles or evaluates, so the worst that a hostile peer can send is a frame that is
refused. Descriptors ride on the first byte of a frame; the kernel adds the sender's credentials
where the receiving socket asked for them (``ask_for_credentials``).
"""

from __future__ import annotations

import array
import json
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cadwright.tools.errors import InfraError

Header = dict[str, Any]

MAX_HEADER_BYTES = 4 << 20
MAX_BLOBS = 256
MAX_FDS = 8
DEFAULT_MAX_BYTES = 256 << 20
_U32 = struct.Struct("<I")
_CREDENTIALS = struct.Struct("iII")  # struct ucred: pid, uid, gid


class ProtocolError(InfraError):
    """The peer sent something that is not a frame."""


class PeerClosed(ProtocolError):
    """The peer closed its end, mostly because it died."""


class DeadlineExceeded(ProtocolError):
    """The frame was not complete in time."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One received frame.

    Attributes:
        header: The JSON object.
        blobs: Raw bytes, in the order sent.
        fds: Descriptors that came along; the receiver owns and closes them.
        pid: Sender as the kernel saw it, or None where credentials were not asked for.
        uid: User of the sender, or None likewise.
    """

    header: Header
    blobs: list[bytes]
    fds: tuple[int, ...] = ()
    pid: int | None = None
    uid: int | None = None


def ask_for_credentials(sock: socket.socket) -> None:
    """Make the kernel state the sender of every frame; do so before the peer can send."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)


def send_frame(
    sock: socket.socket,
    header: Header,
    blobs: Sequence[bytes | memoryview] = (),
    *,
    fds: Sequence[int] = (),
    deadline: float | None = None,
) -> None:
    """Send one frame.

    Args:
        sock: Connected Unix stream socket.
        header: JSON-able object; NaN and infinity are refused.
        blobs: Raw bytes to send after it.
        fds: Descriptors to hand over; the sender still closes its own.
        deadline: ``time.monotonic()`` at which to give up; None waits for ever.

    Raises:
        PeerClosed: The other end is gone.
        DeadlineExceeded: The peer does not read.
    """
    text = json.dumps(header, allow_nan=False).encode()
    if len(text) > MAX_HEADER_BYTES or len(blobs) > MAX_BLOBS:
        raise ProtocolError(f"frame too large: header {len(text)} bytes, {len(blobs)} blobs")
    lengths = struct.pack(f"<{len(blobs)}Q", *(len(blob) for blob in blobs))
    head = _U32.pack(len(text)) + text + _U32.pack(len(blobs)) + lengths
    try:
        sent = _send_first(sock, head, fds, deadline)
        for piece in (memoryview(head)[sent:], *blobs):
            if len(piece):
                sock.settimeout(_remaining(deadline))
                sock.sendall(piece)
    except TimeoutError as err:
        raise DeadlineExceeded("the peer does not read") from err
    except OSError as err:
        raise PeerClosed(f"the peer is gone: {err}") from err


def recv_frame(
    sock: socket.socket,
    deadline: float | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    *,
    max_fds: int = 0,
) -> Frame:
    """Receive one frame, however hostile the sender.

    Args:
        sock: Connected Unix stream socket.
        deadline: ``time.monotonic()`` at which to give up; None waits for ever.
        max_bytes: Most bytes of all blobs together.
        max_fds: Most descriptors to accept.

    Raises:
        PeerClosed: The other end is gone.
        DeadlineExceeded: The frame was not complete in time.
        ProtocolError: Too large, or not a frame.
    """
    try:
        return _recv(sock, deadline, max_bytes, max_fds)
    except TimeoutError as err:
        raise DeadlineExceeded("no complete frame in time") from err
    except OSError as err:
        raise PeerClosed(f"the peer is gone: {err}") from err


def _recv(sock: socket.socket, deadline: float | None, max_bytes: int, max_fds: int) -> Frame:
    sock.settimeout(_remaining(deadline))
    room = socket.CMSG_SPACE(_CREDENTIALS.size)
    if max_fds:
        room += socket.CMSG_SPACE(array.array("i").itemsize * max_fds)
    first, ancillary, _, _ = sock.recvmsg(_U32.size, room, socket.MSG_CMSG_CLOEXEC)
    fds, pid, uid = _parse_ancillary(ancillary)
    if len(fds) > max_fds:
        _close_all(fds)
        raise ProtocolError(f"{len(fds)} descriptors in a frame, at most {max_fds} allowed")
    try:
        header, blobs = _recv_body(sock, first, deadline, max_bytes)
    except BaseException:
        _close_all(fds)
        raise
    return Frame(header, blobs, fds, pid, uid)


def _recv_body(
    sock: socket.socket, first: bytes, deadline: float | None, max_bytes: int
) -> tuple[Header, list[bytes]]:
    if not first:
        raise PeerClosed("the peer closed the connection")
    first += _recv_exactly(sock, _U32.size - len(first), deadline)
    header = _parse_header(_recv_exactly(sock, _length(first, MAX_HEADER_BYTES), deadline))
    count = _length(_recv_exactly(sock, _U32.size, deadline), MAX_BLOBS)
    lengths = struct.unpack(f"<{count}Q", _recv_exactly(sock, 8 * count, deadline))
    if sum(lengths) > max_bytes:
        raise ProtocolError(f"frame of {sum(lengths)} bytes, at most {max_bytes} allowed")
    return header, [_recv_exactly(sock, length, deadline) for length in lengths]


def _send_first(
    sock: socket.socket, head: bytes, fds: Sequence[int], deadline: float | None
) -> int:
    sock.settimeout(_remaining(deadline))
    if not fds:
        return sock.send(head)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
    return sock.sendmsg([head], rights)


def _recv_exactly(sock: socket.socket, size: int, deadline: float | None) -> bytes:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        sock.settimeout(_remaining(deadline))
        count = sock.recv_into(view)
        if not count:
            raise PeerClosed("the peer closed the connection in the middle of a frame")
        view = view[count:]
    return bytes(data)


def _remaining(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise DeadlineExceeded("the deadline has passed")
    return left


def _length(data: bytes, most: int) -> int:
    value: int = _U32.unpack(data)[0]
    if value > most:
        raise ProtocolError(f"length {value} in a frame, at most {most} allowed")
    return value


def _parse_header(data: bytes) -> Header:
    try:
        header = json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as err:
        raise ProtocolError(f"frame header is not JSON: {err}") from err
    if not isinstance(header, dict):
        raise ProtocolError("frame header is not a JSON object")
    return header


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _parse_ancillary(
    ancillary: list[tuple[int, int, bytes]],
) -> tuple[tuple[int, ...], int | None, int | None]:
    fds: list[int] = []
    pid = uid = None
    for level, kind, data in ancillary:
        if level != socket.SOL_SOCKET:
            continue
        if kind == socket.SCM_CREDENTIALS:
            pid, uid, _ = _CREDENTIALS.unpack(data[: _CREDENTIALS.size])
        elif kind == socket.SCM_RIGHTS:
            numbers = array.array("i")
            numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
            fds.extend(numbers)
    return tuple(fds), pid, uid


def _close_all(fds: Sequence[int]) -> None:
    for fd in fds:
        socket.close(fd)
