"""A strict OpenAI-compatible server on the loopback, whose behaviour a test scripts."""

from __future__ import annotations

import base64
import io
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image

Behaviour = Callable[["Handler"], None]
USAGE = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}


class FakeServer(ThreadingHTTPServer):
    """Plays its behaviours one request after another, the last one for ever."""

    daemon_threads = True

    def __init__(self, behaviours: Sequence[Behaviour]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours = list(behaviours)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.faults: list[str] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[FakeServer]:
    server = FakeServer(behaviours)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02))
    thread.start()
    try:
        yield server
        assert server.faults == []
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


class Handler(BaseHTTPRequestHandler):
    server: FakeServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        data = json.loads(body)
        number = len(self.server.requests)
        self.server.requests.append(data)
        self.server.headers.append({k.lower(): v for k, v in self.headers.items()})
        fault = fault_of(self.path, data)
        if fault:
            self.server.faults.append(fault)
            self.send_json({"error": {"message": fault, "type": "invalid_request"}}, 400)
            return
        behaviours = self.server.behaviours
        behaviours[min(number, len(behaviours) - 1)](self)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    @property
    def is_streamed(self) -> bool:
        return bool(self.server.requests[-1].get("stream"))

    def send_json(self, data: Any, status: int = 200, **headers: str) -> None:
        self.send_raw(json.dumps(data).encode(), status, **headers)

    def send_raw(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()

    def send_chunk(self, data: Any) -> None:
        text = data if isinstance(data, str) else json.dumps(data)
        self.wfile.write(f"data: {text}\n\n".encode())
        self.wfile.flush()


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [choice],
    }  # fmt: skip


def says(
    text: str = "", *calls: tuple[str, Any], finish: str = "", usage: Any = USAGE
) -> Behaviour:
    """Answer well, streamed or whole as asked; each call is a name and its arguments."""

    def behave(handler: Handler) -> None:
        tool_calls = [
            {
                "index": index, "id": f"call_{index}", "type": "function",
                "function": {"name": name, "arguments": arguments_text(arguments)},
            }
            for index, (name, arguments) in enumerate(calls)
        ]  # fmt: skip
        reason = finish or ("tool_calls" if calls else "stop")
        if handler.is_streamed:
            stream(handler, text, tool_calls, reason, usage)
        else:
            message = {"role": "assistant", "content": text, "tool_calls": tool_calls or None}
            choice = {"index": 0, "message": message, "finish_reason": reason}
            handler.send_json({"id": "c", "choices": [choice], "usage": usage})

    return behave


def arguments_text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def stream(handler: Handler, text: str, calls: list[Any], reason: str, usage: Any) -> None:
    handler.begin_stream()
    for piece in [text[:5], text[5:]]:
        handler.send_chunk(chunk(content=piece))
    for call in calls:
        arguments = call["function"]["arguments"]
        first = {**call, "function": {"name": call["function"]["name"], "arguments": ""}}
        handler.send_chunk(chunk(tool_calls=[first]))
        for part in (arguments[:7], arguments[7:]):
            handler.send_chunk(
                chunk(tool_calls=[{"index": call["index"], "function": {"arguments": part}}])
            )
    handler.send_chunk(chunk(reason))
    handler.send_chunk({"id": "c", "choices": [], "usage": usage})
    handler.send_chunk("[DONE]")


def refuses(status: int, message: str = "no", **headers: str) -> Behaviour:
    body = {"error": {"message": message, "type": "error", "code": None}}
    return lambda handler: handler.send_json(body, status, **headers)


def sends(body: bytes) -> Behaviour:
    """Answer with bytes that need not be a reply."""

    def behave(handler: Handler) -> None:
        if handler.is_streamed:
            handler.begin_stream()
            handler.wfile.write(b"data: " + body + b"\n\n")
        else:
            handler.send_raw(body)

    return behave


def breaks_off(text: str) -> Behaviour:
    """Stream half a reply and close the connection."""

    def behave(handler: Handler) -> None:
        handler.begin_stream()
        handler.send_chunk(chunk(content=text))

    return behave


def stalls(text: str) -> Behaviour:
    """Stream a piece and then nothing until the test is over."""

    def behave(handler: Handler) -> None:
        handler.begin_stream()
        if text:
            handler.send_chunk(chunk(content=text))
        handler.server.released.wait(30)

    return behave


def drips() -> Behaviour:
    """Keep the connection alive with comments and never answer."""

    def behave(handler: Handler) -> None:
        handler.begin_stream()
        while not handler.server.released.is_set():
            try:
                handler.wfile.write(b": keep-alive\n\n")
            except OSError:
                return
            time.sleep(0.02)

    return behave


def fault_of(path: str, data: dict[str, Any]) -> str:
    """Return what a strict server would refuse a request for."""
    if path != "/v1/chat/completions":
        return f"no such path {path}"
    for spec in data.get("tools", []):
        if spec.get("type") != "function" or spec["function"]["parameters"]["type"] != "object":
            return f"not a tool: {spec}"
    waiting: set[str] = set()
    for message in data["messages"]:
        fault = fault_of_message(message, waiting)
        if fault:
            return fault
    return f"calls without a result: {waiting}" if waiting else ""


def fault_of_message(message: dict[str, Any], waiting: set[str]) -> str:
    role, content = message["role"], message["content"]
    if role == "tool":
        if message["tool_call_id"] not in waiting:
            return f"a result of no call: {message['tool_call_id']}"
        waiting.remove(message["tool_call_id"])
        return "" if isinstance(content, str) else "a tool's content must be text"
    if waiting:
        return f"{role} before the results of {waiting}"
    for call in message.get("tool_calls", []):
        if role != "assistant" or not isinstance(call["function"]["arguments"], str):
            return f"not a call: {call}"
        waiting.add(call["id"])
    if isinstance(content, str):
        return ""
    return next((fault for part in content if (fault := fault_of_part(part))), "")


def fault_of_part(part: dict[str, Any]) -> str:
    if part["type"] == "text":
        return "" if isinstance(part["text"], str) else "text must be text"
    url = part["image_url"]["url"]
    head, _, body = url.partition(",")
    if head != "data:image/png;base64":
        return f"not a PNG data URL: {head}"
    with Image.open(io.BytesIO(base64.b64decode(body))) as image:
        return "" if image.format == "PNG" and image.mode == "RGB" else "not an RGB PNG"


def pictures(request: dict[str, Any]) -> list[tuple[int, int]]:
    """Return (H, W) of every picture in a request."""
    sizes = []
    for message in request["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else []:
            if part["type"] == "image_url":
                body = part["image_url"]["url"].partition(",")[2]
                with Image.open(io.BytesIO(base64.b64decode(body))) as image:
                    sizes.append((image.height, image.width))
    return sizes
