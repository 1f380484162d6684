from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.tools.sandbox.protocol import (
    DeadlineExceeded,
    PeerClosed,
    ProtocolError,
    ask_for_credentials,
    recv_frame,
    send_frame,
)

Pair = tuple[socket.socket, socket.socket]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture
def pair() -> Iterator[Pair]:
    a, b = socket.socketpair()
    with a, b:
        yield a, b


def deadline() -> float:
    return time.monotonic() + 5


@given(st.dictionaries(st.text(), JSON, max_size=5), st.lists(st.binary(max_size=200), max_size=5))
def test_a_frame_arrives_as_it_was_sent(header: dict[str, Any], blobs: list[bytes]) -> None:
    a, b = socket.socketpair()
    with a, b:
        send_frame(a, header, blobs)
        frame = recv_frame(b, deadline())
    assert (frame.header, frame.blobs) == (header, blobs)


def test_frames_do_not_run_into_each_other(pair: Pair) -> None:
    for number in range(5):
        send_frame(pair[0], {"n": number}, [bytes(number)])
    frames = [recv_frame(pair[1], deadline()) for _ in range(5)]
    assert [(frame.header["n"], len(frame.blobs[0])) for frame in frames] == [
        (number, number) for number in range(5)
    ]


def test_a_frame_larger_than_the_socket_buffer_arrives(pair: Pair) -> None:
    blob = bytes(range(256)) * 40_000
    sender = threading.Thread(target=send_frame, args=(pair[0], {}, [blob]))
    sender.start()
    assert recv_frame(pair[1], deadline()).blobs == [blob]
    sender.join()


@given(st.binary(max_size=64))
def test_any_bytes_end_in_a_protocol_error_or_a_frame(data: bytes) -> None:
    a, b = socket.socketpair()
    with b:
        with a:
            a.sendall(data)
        try:
            frame = recv_frame(b, deadline(), 1000)
        except ProtocolError:
            return
    assert isinstance(frame.header, dict)


@pytest.mark.parametrize(
    "header",
    [b"[1]", b"{", b'{"x": NaN}', b'{"x": Infinity}', b"\xff\xfe", b"[" * 100_000],
    ids=["not an object", "cut off", "nan", "infinity", "not utf-8", "deeply nested"],
)
def test_a_header_that_is_not_a_json_object_is_refused(pair: Pair, header: bytes) -> None:
    pair[0].sendall(struct.pack("<I", len(header)) + header + struct.pack("<I", 0))
    with pytest.raises(ProtocolError, match="header"):
        recv_frame(pair[1], deadline())


def test_a_huge_length_is_refused_before_memory_is_taken(pair: Pair) -> None:
    pair[0].sendall(struct.pack("<I", 2) + b"{}" + struct.pack("<IQ", 1, 1 << 62))
    with pytest.raises(ProtocolError, match="at most"):
        recv_frame(pair[1], deadline())


def test_a_huge_header_is_refused(pair: Pair) -> None:
    pair[0].sendall(struct.pack("<I", 0xFFFF_FFFF))
    with pytest.raises(ProtocolError, match="at most"):
        recv_frame(pair[1], deadline())


def test_nan_is_not_sent(pair: Pair) -> None:
    with pytest.raises(ValueError, match="JSON"):
        send_frame(pair[0], {"x": float("nan")})


def test_a_peer_that_trickles_does_not_outlast_the_deadline(pair: Pair) -> None:
    pair[0].sendall(struct.pack("<I", 10) + b"{")
    with pytest.raises(DeadlineExceeded):
        recv_frame(pair[1], time.monotonic() + 0.05)


def test_a_peer_that_does_not_read_does_not_outlast_the_deadline(pair: Pair) -> None:
    with pytest.raises(DeadlineExceeded):
        send_frame(pair[0], {}, [bytes(10 << 20)], deadline=time.monotonic() + 0.05)


def test_a_closed_peer_is_told_apart(pair: Pair) -> None:
    pair[0].close()
    with pytest.raises(PeerClosed):
        recv_frame(pair[1], deadline())


def test_descriptors_arrive_and_work(pair: Pair) -> None:
    read, write = os.pipe()
    send_frame(pair[0], {}, fds=[write])
    os.close(write)
    (received,) = recv_frame(pair[1], deadline(), max_fds=1).fds
    os.write(received, b"hello")
    os.close(received)
    assert os.read(read, 10) == b"hello"
    os.close(read)


@pytest.mark.parametrize("with_credentials", [False, True])
def test_descriptors_nobody_asked_for_are_not_kept(pair: Pair, with_credentials: bool) -> None:
    if with_credentials:
        ask_for_credentials(pair[1])
    before = len(os.listdir("/proc/self/fd"))
    send_frame(pair[0], {}, fds=[0, 1, 2])
    with contextlib.suppress(ProtocolError):
        assert recv_frame(pair[1], deadline()).fds == ()
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_frame_refused_closes_the_descriptors_that_came_with_it(pair: Pair) -> None:
    before = len(os.listdir("/proc/self/fd"))
    send_frame(pair[0], {}, [bytes(100)], fds=[0, 1])
    with pytest.raises(ProtocolError):
        recv_frame(pair[1], deadline(), 10, max_fds=2)
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_kernel_names_the_sender(pair: Pair) -> None:
    ask_for_credentials(pair[1])
    pid = os.fork()
    if pid == 0:
        send_frame(pair[0], {"pid": 1})
        os._exit(0)
    frame = recv_frame(pair[1], deadline())
    os.waitpid(pid, 0)
    assert (frame.pid, frame.uid) == (pid, os.getuid())
