"""What isolation costs: plate jobs by four ways of running them, then what a session costs.

    python benchmarks/sandbox.py            # everything, several minutes
    python benchmarks/sandbox.py --quick    # a tenth of the repetitions, for a first look

The job is a plate with fillets, four counterbores and a bore, as exact geometry and triangles,
without STEP. All ways do the same work, in one run, on all cores of a 2-core machine. "CPU" is
processor time per job of every process involved: read it first when the machine is shared.
Aims: ours at 30 jobs a second, 25 times a cold subprocess and 0.75 of a persistent worker;
reset and checkpoint medians of 15 ms; flat over 1,000 jobs; 10 MB for each of 1,000 sessions.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from cadwright.tools.sandbox import Sandbox
from cadwright.tools.sandbox.sandbox import CHECKPOINTS
from cadwright.tools.sandbox.sweep import children_of

WAYS_AT_ONCE = 2  # cores the aims are given for

PLATE = """
import cadquery as cq
result = (cq.Workplane("XY").box(80, 60, 10)
    .edges("|Z").fillet(6)
    .faces(">Z").workplane().rect(60, 40, forConstruction=True).vertices().cboreHole(5, 8, 4)
    .faces(">Z").workplane().hole(20))
"""


@dataclass(frozen=True)
class Way:
    """How fast one way of running jobs is."""

    name: str
    jobs_per_s: float
    cpu_ms: float
    isolation: str


def run_plate(_: int = 0) -> tuple[int, int]:
    """Do one job in this very process; returns sizes, so that nothing is skipped."""
    from cadwright.tools.sandbox import results

    namespace: dict[str, Any] = {}
    exec(compile(PLATE, "plate", "exec"), namespace)
    brep = results.brep_bytes(results.shape_of(namespace["result"]))
    blobs = results.mesh_of(brep)[1]
    return len(brep), len(blobs)


def single_threaded_kernel() -> None:
    """Give the baselines the kernel settings that ours has: they are faster with them."""
    from OCP.OSD import OSD_ThreadPool

    OSD_ThreadPool.DefaultPool_s(1)


def cpu_s(pids: list[int]) -> float:
    """Return the processor time of living processes and the children they have collected."""
    usage = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    own = sum(each.ru_utime + each.ru_stime for each in usage)
    return own + sum(_times(pid) for pid in pids)


def _times(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def measure(
    name: str,
    isolation: str,
    job: Callable[[int], object],
    jobs: int,
    pids: Callable[[], list[int]],
) -> Way:
    """Run jobs from two threads and time them."""
    with ThreadPoolExecutor(WAYS_AT_ONCE) as pool:
        list(pool.map(job, range(WAYS_AT_ONCE)))
        begin, cpu = time.perf_counter(), cpu_s(pids())
        list(pool.map(job, range(jobs)))
        seconds, cpu = time.perf_counter() - begin, cpu_s(pids()) - cpu
    return Way(name, jobs / seconds, 1000 * cpu / jobs, isolation)


def cold(jobs: int) -> Way:
    """A fresh interpreter for each job."""
    folder = str(Path(__file__).parent)
    code = f"import sys; sys.path.insert(0, {folder!r}); import sandbox as b; "
    code += "b.single_threaded_kernel(); b.run_plate()"
    command = [sys.executable, "-c", code]
    return measure(
        "cold subprocess", "process", lambda _: subprocess.run(command, check=True), jobs, list
    )


def forkserver(jobs: int) -> Way:
    """The standard library's fork server, with CadQuery imported in advance."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["cadquery", "cadwright.tools.geometry.tessellate"])
    own = os.getpid()
    with context.Pool(WAYS_AT_ONCE, maxtasksperchild=1) as pool:

        def job(number: int) -> None:
            pool.apply(run_plate, (number,))

        return measure("forkserver, preloaded", "process", job, jobs, lambda: children_of(own))


def _serve(link: Connection) -> None:
    single_threaded_kernel()
    while link.recv():
        link.send(run_plate())


def persistent(jobs: int) -> Way:
    """Two processes that do one job after the other: no isolation at all."""
    context = multiprocessing.get_context("spawn")
    links, processes = [], []
    for _ in range(WAYS_AT_ONCE):
        ours, theirs = context.Pipe()
        processes.append(context.Process(target=_serve, args=(theirs,), daemon=True))
        processes[-1].start()
        links.append(ours)

    def job(_: int) -> None:
        link = links.pop()
        link.send(True)
        link.recv()
        links.append(link)

    pids = [process.pid or 0 for process in processes]
    try:
        return measure("persistent worker", "none", job, jobs, lambda: pids)
    finally:
        for link in links:
            link.send(False)
        for process in processes:
            process.join()


def ours(sandbox: Sandbox, jobs: int) -> Way:
    """A confined process for each job."""

    def job(_: int) -> None:
        step = sandbox.run(PLATE, timeout_s=60, with_mesh=True)
        assert step.is_ok, step.error

    pid = sandbox.zygote_pid or 0
    return measure("cadwright sandbox", "confined process", job, jobs, lambda: [pid])


@contextmanager
def flat(sandbox: Sandbox, jobs: int) -> Iterator[None]:
    """Print what the jobs in this block leave behind."""

    def state() -> tuple[int, int, int]:
        zygote = sandbox.zygote_pid or 0
        return (
            _resident_kb(zygote) >> 10,
            len(os.listdir("/proc/self/fd")),
            len(children_of(zygote)),
        )

    before = state()
    yield
    time.sleep(0.5)
    after = state()
    print(
        f"\nafter {jobs} jobs: zygote {before[0]} -> {after[0]} MB, descriptors "
        f"{before[1]} -> {after[1]}, children {before[2]} -> {after[2]}"
    )


def _resident_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def latencies(sandbox: Sandbox, repetitions: int) -> None:
    """Print what a session's verbs cost, one at a time."""
    with sandbox.session() as session:
        report("session reset", [_timed(session.reset) for _ in range(repetitions)])
        steps = []
        for _ in range(max(1, repetitions // CHECKPOINTS)):
            session.reset()
            session.execute(PLATE)
            steps += [_timed(lambda: session.execute("x = 1")) for _ in range(CHECKPOINTS - 1)]
        report("checkpoint (a step that does nothing)", steps)
        steps = [_timed(lambda: session.execute("x = 1")) for _ in range(repetitions)]
        report("checkpoint, the oldest one dropped", steps)

    def open_and_close() -> None:
        sandbox.session().close()

    report("session open and close", [_timed(open_and_close) for _ in range(repetitions)])


def _timed(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return 1000 * (time.perf_counter() - begin)


def report(name: str, values_ms: list[float]) -> None:
    """Print median and spread."""
    low, high = min(values_ms), sorted(values_ms)[int(0.95 * len(values_ms))]
    median = statistics.median(values_ms)
    print(f"{name:40} median {median:6.1f} ms   best {low:6.1f}   95 % {high:6.1f}")


def idle_sessions(sandbox: Sandbox, count: int) -> None:
    """Print the memory of sessions that hold a part and wait."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # four descriptors a session
    code = "import cadquery as cq\nresult = cq.Workplane().box(9, 9, 9).faces('>Z').hole(2)"
    before, begin = _available_kb(), time.perf_counter()
    sessions = [sandbox.session() for _ in range(count)]
    empty = before - _available_kb()
    for session in sessions:
        step = session.execute(code + ".edges('|Z').fillet(1)", timeout_s=60)
        assert step.is_ok, step.error
    seconds, used = time.perf_counter() - begin, before - _available_kb()
    alive = sum(1 for session in sessions if session.execute("x = 1").is_ok)
    print(
        f"\n{count} idle sessions: {empty / count / 1024:.1f} MB each when fresh, "
        f"{used / count / 1024:.1f} MB with a part (two processes), "
        f"{1000 * seconds / count:.0f} ms to make one, {alive} alive"
    )
    begin = time.perf_counter()
    for session in sessions:
        session.close()
    print(f"closed in {1000 * (time.perf_counter() - begin) / count:.1f} ms each")
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _available_kb() -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))


def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    scale = 10 if parser.parse_args().quick else 1
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with Sandbox() as sandbox:
        walls = sandbox.run(PLATE).confinement
        ways = [cold(40 // scale), forkserver(200 // scale), persistent(400 // scale)]
        with flat(sandbox, 1000 // scale):
            ways.append(ours(sandbox, 1000 // scale))
        table(ways)
        latencies(sandbox, 200 // scale)
        idle_sessions(sandbox, 1000 // scale)
        print(f"\nwalls: {', '.join(walls)}")


def table(ways: list[Way]) -> None:
    """Print the ways side by side."""
    print(f"\n{'way':24}{'jobs/s':>8}{'CPU ms':>9}{'x cold':>8}{'x persistent':>14}  isolation")
    first, third = ways[0].jobs_per_s, ways[2].jobs_per_s
    for way in ways:
        ratios = f"{way.jobs_per_s / first:8.1f}{way.jobs_per_s / third:14.2f}"
        print(f"{way.name:24}{way.jobs_per_s:8.1f}{way.cpu_ms:9.1f}{ratios}  {way.isolation}")
    print()


if __name__ == "__main__":
    main()
