"""Asks a server until it answers, within limits, and keeps the bill.

Retries are ours, not the client library's: only so can waiting be seeded, the total be bounded,
and every attempt be paid for. A reply is read in a thread of its own, so a server that drips or
falls silent is given up on time, and Ctrl-C works while nothing comes.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from cadwright.agent.context import ContextOverflow, ContextReport
from cadwright.agent.messages import Usage
from cadwright.agent.policies.policy import DecisionFailed, DecisionStopped
from cadwright.agent.policies.served_options import ServedSpec
from cadwright.agent.policies.served_reply import Assembler, MalformedReply, Reply
from cadwright.tools.errors import DependencyError, UsageError

if TYPE_CHECKING:
    import openai

FIRST_WAIT_S = 1.0  # before the second attempt; doubles from there
LONGEST_WAIT_S = 60.0
CHARS_PER_TOKEN = 4.0  # only for an attempt whose server sent no count

_RETRIED = (408, 409, 425, 429)  # and every 5xx
_THEIRS = (401, 403, 404)  # key, rights, model or path: a person has to correct it
_FULL_MARKS = ("context_length_exceeded", "context length", "maximum context", "too many tokens")


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes:
        data: Keyword arguments of ``chat.completions.create``.
        prompt_tokens: Our estimate, for an attempt that the server never counted.
        report: What of the conversation is in it.
    """

    data: Mapping[str, Any]
    prompt_tokens: int
    report: ContextReport


class ServedClient:
    """The connection of one policy to one server.

    Args:
        spec: Model, URL and options.
        sleep: Waits; a test passes its own.
    """

    def __init__(self, spec: ServedSpec, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._spec = spec
        self._options = spec.options
        self._sleep = sleep
        self._rng = np.random.default_rng(0)
        self._key = _key_in(spec.options.key_env)
        self._client = _open(spec, self._key or "none")
        rpm = spec.options.rpm
        self._pace = None if rpm is None else _pace_of(spec.url, rpm)
        self._has_answered = False
        self.on_text: Callable[[str], None] | None = None  # told of a reply while it comes

    def reseed(self, *seed: int) -> None:
        """Make the waits of an episode depend on its seed only."""
        self._rng = np.random.default_rng(seed)

    def ask(self, request: Request) -> tuple[Reply, Usage]:
        """Return the reply, and what all attempts together have cost.

        Raises:
            DecisionFailed: No attempt gave a reply; it carries the bill.
            ContextOverflow: The server says that the request is too long for the model.
            UsageError: The server refuses the key, the model or the request.
            DecisionStopped: Ctrl-C; it carries the bill.
        """
        start = time.monotonic()
        bill = Usage.nothing()
        for number in itertools.count(1):
            assembler = Assembler()
            problem: Exception | None = None
            try:
                self._wait_for_turn(start)
                self._receive(request, assembler, start)
                reply = assembler.reply()
            except KeyboardInterrupt:
                raise DecisionStopped(bill.plus(self._cost_of(assembler, request))) from None
            except _given_up_on() as error:
                problem = error
            bill = bill.plus(self._cost_of(assembler, request))
            bill = replace(bill, seconds=time.monotonic() - start)
            if problem is None:
                break
            self._pause(problem, number, request, bill)
        self._has_answered = True
        return reply, bill

    def _pause(self, problem: Exception, number: int, request: Request, bill: Usage) -> None:
        """Wait before the next attempt, or raise where there is none.

        What is raised has no cause: a traceback is on record, and a server may quote the key.
        """
        words = self._words(problem)
        self._raise_final(problem, words, request, bill)
        wait_s = self._wait_after(problem, number)
        is_late = bill.seconds + wait_s >= self._options.total_s
        if number == self._options.attempts or is_late:
            raise DecisionFailed(f"{words} ({number} attempts)", bill) from None
        self._tell(f"\n{words}: asked again in {wait_s:.0f} s\n")
        try:
            self._sleep(wait_s)
        except KeyboardInterrupt:
            raise DecisionStopped(bill) from None

    def close(self) -> None:
        """Close the connection. Idempotent."""
        self._client.close()

    def _receive(self, request: Request, assembler: Assembler, start: float) -> None:
        """Read one reply piece by piece, or give it up on time."""
        pump = _Pump(functools.partial(self._pieces, request))
        pump.start()
        wait_s, what = self._options.first_token_s, "no reply began"
        try:
            while True:
                left_s = start + self._options.total_s - time.monotonic()
                piece = pump.next(min(wait_s, left_s), what)
                if piece is None:
                    return
                self._tell(assembler.add(piece))
                wait_s, what = self._options.stall_s, "the reply stalled"
        finally:
            pump.abandon()

    def _pieces(self, request: Request, own: _Pump) -> Iterator[Any]:
        """Yield the pieces as plain data; runs in the thread of the pump."""
        create: Callable[..., Any] = self._client.chat.completions.create
        if not self._options.stream:
            yield _plain(create(**request.data))
            return
        options = {"include_usage": True}
        with create(**request.data, stream=True, stream_options=options) as stream:
            own.holds(stream.response)
            for chunk in stream:
                yield _plain(chunk)

    def _tell(self, text: str) -> None:
        if self.on_text is not None and text:
            self.on_text(text)

    def _wait_for_turn(self, start: float) -> None:
        if self._pace is not None:
            wait_s = self._pace.reserve()
            left_s = start + self._options.total_s - time.monotonic()
            self._sleep(max(0.0, min(wait_s, left_s)))

    def _cost_of(self, assembler: Assembler, request: Request) -> Usage:
        """Return what one attempt cost: by the server's count, else by ours where it began."""
        usage = assembler.usage
        if usage is not None:
            read, written = usage.prompt_tokens, usage.completion_tokens
            cached, estimated = usage.cached_tokens, 0
        elif assembler.num_chars:
            read, cached = request.prompt_tokens, 0
            written = round(assembler.num_chars / CHARS_PER_TOKEN)
            estimated = read + written
        else:
            read = written = cached = estimated = 0
        return Usage(
            prompt_tokens=read,
            completion_tokens=written,
            cached_tokens=cached,
            cost=self._price(read, cached, written),
            estimated_tokens=estimated,
        )

    def _price(self, read: int, cached: int, written: int) -> float | None:
        options, cached = self._options, min(cached, read)  # else a wrong count would pay us
        if options.price_in is None or options.price_out is None:
            return None
        cheap = options.price_in if options.price_cached is None else options.price_cached
        whole = (read - cached) * options.price_in + cached * cheap + written * options.price_out
        return whole / 1e6

    def _wait_after(self, problem: Exception, number: int) -> float:
        """Return the wait before the next attempt: what the server asks, else with full jitter."""
        asked_s = _retry_after_s(problem)
        if asked_s is not None:
            return asked_s
        ceiling_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (number - 1))
        return float(self._rng.uniform(0.5, 1.0)) * ceiling_s

    def _raise_final(self, problem: Exception, words: str, request: Request, bill: Usage) -> None:
        """Raise where another attempt cannot help.

        A server that refuses its very first request refuses the spec: its key, model or options.
        """
        status = getattr(problem, "status_code", None)
        if status is None or status in _RETRIED or status >= 500:
            return
        if any(mark in words.lower() for mark in _FULL_MARKS):
            raise ContextOverflow(words, request.report) from None
        if bill.attempts == 1 and (status in _THEIRS or not self._has_answered):
            raise UsageError(words) from None
        raise DecisionFailed(words, bill) from None

    def _words(self, problem: Exception) -> str:
        """Say what went wrong in one line, without the key that a server may quote."""
        text = " ".join(_told(problem).split())
        cause = problem.__cause__
        if cause is not None and str(cause):
            text += f" ({cause})"
        if self._key:
            text = text.replace(self._key, "[key]")
        return f"{self._spec.model} at {self._spec.url}: {text[:300]}"


class _Silent(Exception):
    """Nothing came for too long."""


class _Pump(threading.Thread):
    """Reads pieces ahead, so that whoever waits for them can stop waiting.

    Args:
        pieces: Yields them; it is given this object to say which response it reads.
    """

    def __init__(self, pieces: Callable[[_Pump], Iterator[Any]]) -> None:
        super().__init__(daemon=True, name="cadwright-served")
        self._pieces = pieces
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._response: Any = None
        self._is_abandoned = False

    def run(self) -> None:
        """Read to the end."""
        last: Exception | None = None
        try:
            for piece in self._pieces(self):
                self._queue.put(piece)
                if self._is_abandoned:
                    return
        except _given_up_on() as error:
            last = error
        finally:
            self._queue.put(last)

    def next(self, wait_s: float, what: str) -> Any:
        """Return the next piece, or None behind the last.

        Raises:
            Exception: What ended the reading, if it was an error.
            _Silent: Nothing came.
        """
        try:
            piece = self._queue.get(timeout=max(0.0, wait_s))
        except queue.Empty:
            raise _Silent(f"{what}: nothing came for {wait_s:.1f} s") from None
        if isinstance(piece, Exception):
            raise piece
        return piece

    def holds(self, response: Any) -> None:
        """Remember what is being read."""
        self._response = response

    def abandon(self) -> None:
        """Let the thread end soon, also where it waits for a silent server."""
        self._is_abandoned = True
        stream = getattr(self._response, "extensions", {}).get("network_stream")
        held = stream.get_extra_info("socket") if stream is not None else None
        if isinstance(held, socket.socket):
            with suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)


class _Pace:
    """Spaces requests evenly, over all threads of the process."""

    def __init__(self, rpm: float) -> None:
        self._every_s = 60.0 / rpm
        self._lock = threading.Lock()
        self._next_s = 0.0

    def reserve(self) -> float:
        """Take the next place and return the seconds until it comes."""
        with self._lock:
            now_s = time.monotonic()
            place_s = max(now_s, self._next_s)
            self._next_s = place_s + self._every_s
            return place_s - now_s


@functools.cache
def _pace_of(url: str, rpm: float) -> _Pace:
    """Return the one pace of a server: a limit that each thread kept by itself would be none."""
    return _Pace(rpm)


def _key_in(variable: str) -> str:
    """Return the key that an environment variable holds, or nothing; a file adds a line end."""
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError(f"openai: {variable} holds no key: one is a single line of ASCII")
    return key


def _open(spec: ServedSpec, key: str) -> openai.OpenAI:
    try:
        import openai
    except ImportError as error:
        raise DependencyError(
            "openai is not installed; run: pip install 'cadwright[agent]'"
        ) from error
    options = spec.options
    silent_s = max(options.first_token_s, options.stall_s)
    timeout = openai.Timeout(silent_s, connect=options.connect_s)
    try:
        return openai.OpenAI(base_url=spec.url, api_key=key, max_retries=0, timeout=timeout)
    except (_transport().InvalidURL, ValueError) as error:
        raise UsageError(f"openai: {spec.url} is no URL: {error}") from error


@functools.cache
def _given_up_on() -> tuple[type[Exception], ...]:
    """Return what an attempt may end with; a bug of ours is not among it."""
    import openai

    transport = _transport()
    return (
        openai.OpenAIError,
        transport.HTTPError,
        transport.StreamError,
        ValueError,  # the library passes it on: no JSON, no UTF-8, a number of 5,000 digits
        RecursionError,  # and this for ten thousand brackets
        MalformedReply,
        _Silent,
        OSError,
    )


def _transport() -> Any:
    """Return what the library stands on: httpx2 in its version 3, httpx in version 2."""
    return import_module("httpx2" if find_spec("httpx2") is not None else "httpx")


def _plain(piece: Any) -> Any:
    """Return what the library made of a piece as the server sent it."""
    return piece.to_dict(mode="json", warnings=False) if hasattr(piece, "to_dict") else piece


def _told(problem: Exception) -> str:
    """Return what a problem says; the library tells of an error body in its own form only."""
    if isinstance(problem, json.JSONDecodeError):
        return f"the reply is no JSON: {problem.doc!r}"
    if isinstance(problem, RecursionError):
        return "the reply is nested too deep"
    text = str(problem) or type(problem).__name__
    body = getattr(problem, "body", None)
    if isinstance(body, Mapping):
        body = body.get("detail")  # of FastAPI, as `transformers serve` answers
    return f"{text}: {body}" if body and text.startswith("Error code") else text


def _retry_after_s(problem: Exception) -> float | None:
    """Return the seconds that a server asks to be left alone, if it does."""
    response = getattr(problem, "response", None)
    text = response.headers.get("retry-after") if response is not None else None
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None
