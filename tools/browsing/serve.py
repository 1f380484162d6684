"""A server of static files on loopback: what an app's page loads, and nothing above its folder."""

from __future__ import annotations

import http.server
import threading
from http import HTTPStatus
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
OTHER = "application/octet-stream"


class StaticServer:
    """Serves one folder on a free port of 127.0.0.1 until it is closed.

    Args:
        folder: The root; files outside of it are not found, links included.
        index: What ``/`` means.
        policy: A ``Content-Security-Policy`` for every answer, or none.
    """

    def __init__(self, folder: Path, *, index: str = "index.html", policy: str = "") -> None:
        self._folder = folder.resolve()
        self._index = index
        self._policy = policy
        self._server: http.server.ThreadingHTTPServer | None = None

    def start(self, port: int = 0) -> str:
        """Start and return the address, without a slash at the end. Idempotent.

        Args:
            port: 0 for any free one.
        """
        if self._server is None:
            self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), self._handler())
            self._server.daemon_threads = True
            serve = self._server.serve_forever
            threading.Thread(target=serve, name="cadwright-static", daemon=True).start()
        return self.url

    @property
    def url(self) -> str:
        """The address."""
        if self._server is None:
            raise RuntimeError("start() the server first")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """Stop. Idempotent."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find(self, url_path: str) -> Path | None:
        """Return the file that a request means, or None."""
        name = unquote(urlsplit(url_path).path).lstrip("/") or self._index
        if "\0" in name:
            return None
        path = (self._folder / name).resolve()
        return path if path.is_relative_to(self._folder) and path.is_file() else None

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = server.find(self.path)
                if path is None:
                    # browsers ask for an icon by themselves: no page is at fault
                    is_icon = urlsplit(self.path).path == "/favicon.ico"
                    self._answer(HTTPStatus.NO_CONTENT if is_icon else HTTPStatus.NOT_FOUND, b"")
                    return
                kind = TYPES.get(path.suffix.lower(), OTHER)
                self._answer(HTTPStatus.OK, path.read_bytes(), kind)

            def _answer(self, status: HTTPStatus, body: bytes, kind: str = OTHER) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "no-store")
                self.send_header("X-Content-Type-Options", "nosniff")
                if server._policy:
                    self.send_header("Content-Security-Policy", server._policy)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Stay quiet: the terminal belongs to the episode."""

        return Handler
