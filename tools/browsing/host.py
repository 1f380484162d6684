"""One browser in one thread: the place where everything that touches Playwright happens.

Playwright's synchronous interface belongs to the thread that started it and refuses to run inside
an event loop. So it gets a thread of its own, and callers (a notebook, an asyncio server, four
threads) hand it functions and wait. A call that takes too long is ended by killing Chromium: the
thread is then free again and the next episode starts a fresh browser.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Expired
from typing import TYPE_CHECKING, Any, TypeVar

from cadwright.tools.browsing import chromium
from cadwright.tools.browsing.processes import descendants, is_running, kill_all, memory_mb
from cadwright.tools.errors import DependencyError, InfraError, WorkerCrash, WorkerTimeout

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

Answer = TypeVar("Answer")

LAUNCH_S = 30.0
CALL_S = 30.0
CLOSE_S = 5.0
RECYCLED_AFTER = 200  # contexts: a browser keeps some memory of each


class BrowserHost:
    """Owns one Chromium and the thread that talks to it. Starts at the first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] | None = None
        self._thread: threading.Thread | None = None
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._pid = 0
        self._contexts = 0

    def run(self, job: Callable[[], Answer], *, timeout_s: float = CALL_S) -> Answer:
        """Run ``job`` in the browser's thread and return what it returns.

        Raises:
            WorkerTimeout: It took too long; the browser was killed.
            WorkerCrash: The browser died under it.
            InfraError: What else Playwright refused to do.
        """
        answer: Future[Answer] = Future()
        self._queue().put((job, answer))
        try:
            return answer.result(timeout_s)
        except Expired as error:
            self.kill()
            raise WorkerTimeout(f"the browser did not answer in {timeout_s:g} s") from error

    def browser(self) -> Browser:
        """Return the running browser, started or replaced where need be. Only inside of ``run``."""
        is_worn = self._contexts >= RECYCLED_AFTER
        if self._browser is not None and (is_worn or not self.is_alive):
            self._drop_browser()
        if self._browser is None:
            self._browser = self._launch()
        self._contexts += 1
        return self._browser

    def kill(self) -> None:
        """Kill Chromium and all of its helpers, from any thread."""
        kill_all(list(self.pids))

    @property
    def is_alive(self) -> bool:
        """Whether Chromium runs. Playwright itself learns of a death only at its next call."""
        return bool(self._pid) and is_running(self._pid)

    @property
    def memory_mb(self) -> float:
        """Proportional memory of the browser's processes."""
        return memory_mb(list(self.pids))

    @property
    def pids(self) -> tuple[int, ...]:
        """The browser's processes, the main one first; none while none runs."""
        return (self._pid, *descendants(self._pid)) if self._pid else ()

    def close(self) -> None:
        """Close the browser and end the thread. Idempotent; bounded, then by force."""
        with self._lock:
            jobs, thread = self._jobs, self._thread
            self._jobs = self._thread = None
        if jobs is None or thread is None:
            return
        jobs.put(None)
        thread.join(CLOSE_S)
        if thread.is_alive():
            self.kill()
            thread.join(CLOSE_S)
        self.kill()
        self._pid = 0

    def _queue(self) -> queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]:
        with self._lock:
            if self._jobs is None:
                self._jobs = queue.SimpleQueue()
                self._thread = threading.Thread(
                    target=self._serve, args=(self._jobs,), name="cadwright-browser", daemon=True
                )
                self._thread.start()
            return self._jobs

    def _serve(self, jobs: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]) -> None:
        """Answer one job after the other until there comes none."""
        while (item := jobs.get()) is not None:
            _answer(*item)
        self._drop_browser()
        if self._playwright is not None:
            with contextlib.suppress(*_playwright_errors()):
                self._playwright.stop()
            self._playwright = None

    def _launch(self) -> Browser:
        before = set(descendants(os.getpid()))
        if self._playwright is None:
            self._playwright = _start_playwright()
        browser = self._playwright.chromium.launch(
            executable_path=chromium.executable(),
            headless=True,
            args=chromium.switches(),
            timeout=LAUNCH_S * 1e3,
        )
        # other threads may have started processes meanwhile: the first that is a Chromium is ours
        started = (pid for pid in descendants(os.getpid()) if pid not in before)
        self._pid = next((pid for pid in started if _is_browser(pid)), 0)
        self._contexts = 0
        return browser

    def _drop_browser(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            with contextlib.suppress(*_playwright_errors()):
                browser.close()
        self.kill()
        self._pid = 0


def _answer(job: Callable[[], Any], answer: Future[Any]) -> None:
    """Run one job; whatever Playwright raises becomes a fault of our machinery."""
    closed, failed = _closed_error(), _playwright_errors()
    try:
        answer.set_result(job())
    except closed as error:
        answer.set_exception(WorkerCrash(f"the browser died: {_first_line(error)}"))
    except failed as error:
        answer.set_exception(InfraError(f"the browser refused: {_first_line(error)}"))
    except BaseException as error:
        answer.set_exception(error)


def _start_playwright() -> Playwright:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise DependencyError(
            "playwright is not installed; run: pip install 'cadwright[browser]'"
        ) from error
    return sync_playwright().start()


def _playwright_errors() -> tuple[type[Exception], ...]:
    try:
        from playwright.sync_api import Error
    except ImportError:
        return ()
    return (Error,)


def _closed_error() -> tuple[type[Exception], ...]:
    try:
        from playwright._impl._errors import TargetClosedError
    except ImportError:
        return ()
    return (TargetClosedError,)


def _is_browser(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"chrom" in file.read()
    except OSError:
        return False


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0]
