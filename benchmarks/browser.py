"""What a step and a reset of the browser environment cost, beside what others do, in one run.

    python benchmarks/browser.py            # some minutes
    python benchmarks/browser.py --quick    # a third of the rounds

Resets of the modeller: ours (soft, state checked), a new page, a new context, a new browser.
A step, on the same page with the same click: ours (click, wait for the app's own hook, capture,
list of elements), the capture of ``page.screenshot`` in its place, and the fixed half second of
sleep that other environments wait before they look. Steps a second with one and two workers, each
a process with a browser of its own. Read the ratios first: machines are shared. Aims on two cores
with software GL: soft reset 80 ms, full step 130 ms, five times the step with the fixed sleep.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from cadwright.tools.browser import BrowserTools
from cadwright.tools.browsing.desk import Desk

APP = "modeller"
SLEEP_S = 0.5  # before each observation, as BrowserGym has it
WORKER_S = 10.0


def times_ms(job: Callable[[], Any], rounds: int) -> list[float]:
    """Return wall milliseconds of each round, sorted, after one that is not counted."""
    job()
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        job()
        taken.append((time.perf_counter() - start) * 1e3)
    return sorted(taken)


def resets(desk: Desk, rounds: int) -> dict[str, list[float]]:
    """Return the times of four ways to a clean start."""
    found = {"soft reset (ours)": times_ms(lambda: desk.begin(APP), rounds)}
    app, origin = desk.app(APP), desk.app(APP).serve()
    host = desk.host

    # of its own: the desk closes every page that it did not open
    context = host.run(lambda: host.browser().new_context())

    def new_page() -> None:
        page = context.new_page()
        page.goto(origin)
        page.wait_for_selector("html[data-ready]", state="attached")
        page.close()

    def new_context() -> None:
        desk._replace(app, origin, {}, 1.0)

    def new_browser() -> None:
        host._drop_browser()
        desk._open = None
        desk._replace(app, origin, {}, 1.0)

    slow = max(3, rounds // 6)
    ways = {"new page": new_page, "new context": new_context, "new browser": new_browser}
    for name, way in ways.items():
        found[name] = times_ms(lambda way=way: host.run(way, timeout_s=60), slow)  # type: ignore[misc]
    return found


def steps(desk: Desk, rounds: int) -> dict[str, list[float]]:
    """Return the times of a step, ours and the ways of others, taking turns."""
    page = desk.begin(APP)
    tools, host = BrowserTools(desk.host, page), desk.host
    tools.click(0.187, 0.092)  # a box, so that there is something to draw

    def theirs(wait: Callable[[], None], shot: Callable[[], Any]) -> None:
        page.click(500.0, 420.0)
        wait()
        shot()
        page.elements()

    ways: dict[str, Callable[[], Any]] = {
        "full step (ours)": lambda: tools.click(0.488, 0.547),
        "with page.screenshot": lambda: host.run(
            lambda: theirs(lambda: bool(page.settle()), page.page.screenshot)
        ),
        "with a fixed sleep": lambda: host.run(
            lambda: theirs(lambda: time.sleep(SLEEP_S), page.page.screenshot)
        ),
    }
    return {name: times_ms(way, rounds) for name, way in ways.items()}


def worker(found: Any) -> None:
    """Step for a while and put the number of steps a second into a queue."""
    with Desk() as desk:
        tools = BrowserTools(desk.host, desk.begin(APP))
        tools.click(0.187, 0.092)
        end, count = time.monotonic() + WORKER_S, 0
        while time.monotonic() < end:
            tools.click(0.488, 0.547)
            count += 1
        found.put(count / WORKER_S)


def rates(num_workers: int) -> float:
    """Return steps a second of some workers together."""
    context = multiprocessing.get_context("spawn")
    found = context.Queue()
    workers = [context.Process(target=worker, args=(found,)) for _ in range(num_workers)]
    for one in workers:
        one.start()
    total = sum(float(found.get(timeout=120)) for _ in workers)
    for one in workers:
        one.join()
    return total


def table(title: str, found: dict[str, list[float]]) -> None:
    """Print medians, 90th percentiles and ratios to the first row."""
    print(f"\n| {title} | median ms | p90 ms | times ours |\n|---|---|---|---|")
    ours = statistics.median(next(iter(found.values())))
    for name, taken in found.items():
        median, late = statistics.median(taken), taken[int(len(taken) * 0.9)]
        print(f"| {name} | {median:.0f} | {late:.0f} | {median / ours:.1f} |", flush=True)


def main() -> int:
    """Run the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    rounds = 12 if parser.parse_args().quick else 36
    with Desk() as desk:
        desk.begin(APP)
        version = desk.host.run(lambda: desk.host.browser().version)
        print(f"Chromium {version}, {rounds} rounds")
        table("reset", resets(desk, rounds))
        table("step", steps(desk, rounds))
    one, two = rates(1), rates(2)
    print(
        f"\nsteps a second: {one:.1f} with one worker, {two:.1f} with two ({two / one:.2f} times)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
