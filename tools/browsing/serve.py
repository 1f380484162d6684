"""Serve a folder of static files to a browser on this machine, and to nothing else.

The server listens on the loopback address only and answers only requests that name it by that
address, so that a page elsewhere cannot reach it through a name of its own (DNS rebinding). It
serves plain files below one folder; it does not list folders, follow links out of the folder or
write anything.
"""

from __future__ import annotations

import mimetypes
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import unquote, urlsplit

from cadwright.tools.errors import UsageError

LOOPBACK = "127.0.0.1"
POLL_S = 0.05  # how soon a stopped server notices

# Browsers refuse WebAssembly and modules of another type, and hosts' own tables differ.
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}

# The outer fence around any application: nothing leaves this origin. A page may be stricter.
CONTENT_POLICY = (
    "default-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob: data:; "
    "connect-src 'self' blob: data:; frame-ancestors 'none'; form-action 'self'; base-uri 'self'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": CONTENT_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(slots=True)
class StaticServer:
    """A folder under an address of this machine; a context manager.

    Attributes:
        folder: What is served.
        port: Port, 0 for any that is free.
        index: The page that ``/`` means.
        headers: Added to every answer, in place of those of ``HEADERS`` with the same name.
    """

    folder: Path
    port: int = 0
    index: str = "index.html"
    headers: Mapping[str, str] = field(default_factory=dict)
    _server: ThreadingHTTPServer | None = None
    _thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Address of the start page.

        Raises:
            UsageError: The server does not run.
        """
        if self._server is None:
            raise UsageError("the server does not run: call start() first")
        return f"http://{LOOPBACK}:{self._server.server_address[1]}/"

    def start(self) -> StaticServer:
        """Listen and serve in a thread of its own.

        Raises:
            UsageError: The folder has no such page, or the port is taken.
        """
        if not (self.folder / self.index).is_file():
            raise UsageError(f"{self.folder} has no {self.index}: it cannot be served")
        headers = {**HEADERS, **self.headers}
        handler = partial(_Handler, self.folder.resolve(), self.index, headers)
        try:
            self._server = _Server((LOOPBACK, self.port), handler)
        except (OSError, OverflowError) as error:
            message = f"cannot listen on port {self.port}: {error}; use --port 0 for a free one"
            raise UsageError(message) from error
        serve = partial(self._server.serve_forever, poll_interval=POLL_S)
        self._thread = threading.Thread(target=serve, name="static-server", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop; twice is once."""
        server, self._server = self._server, None
        if server is not None and self._thread is not None:
            server.shutdown()
            server.server_close()
            self._thread.join()

    def __enter__(self) -> StaticServer:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a browser keeps its connections open

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a browser that closes its connection early is no event."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "cadwright"
    sys_version = ""

    def __init__(
        self,
        root: Path,
        index: str,
        headers: Mapping[str, str],
        *connection: object,
        **named: object,
    ) -> None:
        self.root = root
        self.index = index
        self.extra = headers
        super().__init__(*connection, **named)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer with a file."""
        self._answer(has_body=True)

    def do_HEAD(self) -> None:
        """Answer with the headers of a file."""
        self._answer(has_body=False)

    def log_message(self, format: str, *args: object) -> None:
        """Keep silent: requests of a page are not news."""

    def _answer(self, *, has_body: bool) -> None:
        if not self._is_for_us():
            return self._send(HTTPStatus.MISDIRECTED_REQUEST, b"", "text/plain", has_body)
        path = urlsplit(self.path).path
        if path == "/favicon.ico":  # asked for by every browser, and no error
            return self._send(HTTPStatus.NO_CONTENT, b"", "image/x-icon", has_body)
        file = find(self.root, path, self.index)
        if file is None:
            return self._send(HTTPStatus.NOT_FOUND, b"not found", "text/plain", has_body)
        return self._send(HTTPStatus.OK, file.read_bytes(), content_type(file), has_body)

    def _is_for_us(self) -> bool:
        name = self.headers.get("Host", "").rpartition(":")[0]
        return name in (LOOPBACK, "localhost")

    def _send(self, status: HTTPStatus, body: bytes, kind: str, has_body: bool) -> None:
        self.send_response(status)
        for name, value in self.extra.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if has_body:
            self.wfile.write(body)


def find(root: Path, url_path: str, index: str = "index.html") -> Path | None:
    """Return the file that a URL path names, or ``None`` if it is not a file below the root.

    Args:
        root: Resolved folder.
        url_path: Path of a request, quoted.
        index: What ``/`` and paths that end in ``/`` mean there.
    """
    name = unquote(url_path).lstrip("/")
    if "\0" in name or "\\" in name:
        return None
    if not name or name.endswith("/"):
        name += index
    file = (root / name).resolve()
    return file if file.is_relative_to(root) and file.is_file() else None


def content_type(file: Path) -> str:
    """Return the content type by the file's suffix."""
    known = CONTENT_TYPES.get(file.suffix.lower())
    return known or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
