"""The render worker: drawn apart, replaced when it dies, gone when its client goes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from shapes import box, cylinder, plate

from cadwright.tools.errors import Outcome, ToolError, UsageError, WorkerCrash, WorkerTimeout
from cadwright.tools.geometry.part import Inspection, Part
from cadwright.tools.rendering.client import RenderClient
from cadwright.tools.rendering.frame import RenderFailure


def pid_of(client: RenderClient) -> int:
    worker = client._slot.worker
    assert worker is not None
    return worker.pid


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_two_workers_draw_the_same_bytes(shared: RenderClient) -> None:
    other = RenderClient()
    one, two = shared.sheet(plate()), other.sheet(plate())
    other.close()
    assert np.array_equal(one.pixels, two.pixels)
    assert one.render_id == two.render_id


def test_every_kind_of_picture_comes_over_the_wire(shared: RenderClient) -> None:
    mesh = plate()
    sheet = shared.sheet(mesh, size=128)
    assert shared.view(mesh, "top", size=96, highlight=[1]).pixels.shape == (96, 96, 3)
    assert shared.view(mesh, direction=(30.0, 20.0), size=96).caption.startswith("az 30 el 20")
    assert shared.section(mesh, axis="y", size=96).pixels.shape == (96, 96, 3)
    assert shared.thumbnail(mesh).pixels.shape == (160, 160, 3)
    assert "100.0 %" in shared.overlay(mesh, sheet).caption
    assert "100.0 %" in shared.overlay(mesh, mesh, view="iso", size=96).caption


def test_a_frame_carries_all_channels(shared: RenderClient) -> None:
    frame = shared.frame(box(), "front", size=64)
    assert frame.colour.shape == frame.normals.shape == (64, 64, 3)
    assert np.array_equal(np.isfinite(frame.depth_mm), frame.face_ids >= 0)


def test_an_inspection_and_a_part_are_drawn_like_their_mesh(shared: RenderClient) -> None:
    mesh = box()
    plain = shared.thumbnail(mesh).pixels
    inspected = Inspection(Outcome.OK, "", None, mesh, None)
    assert np.array_equal(shared.thumbnail(inspected).pixels, plain)
    assert np.array_equal(shared.thumbnail(Part(mesh=mesh)).pixels, plain)


def test_a_part_is_sent_once(client: RenderClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client.thumbnail(plate())
    sent: list[int] = []
    worker = client._slot.worker
    assert worker is not None
    ask = type(worker).ask

    def spy(self: object, header: object, blobs: list[bytes], timeout_s: float) -> object:
        sent.append(len(blobs))
        return ask(self, header, blobs, timeout_s)  # type: ignore[arg-type]

    monkeypatch.setattr(type(worker), "ask", spy)
    client.sheet(plate())
    assert sent == [0]


def test_more_parts_than_the_worker_keeps_are_sent_again(shared: RenderClient) -> None:
    meshes = [box(z=10.0 + k) for k in range(10)]
    first = [shared.thumbnail(mesh).pixels for mesh in meshes]
    again = [shared.thumbnail(mesh).pixels for mesh in meshes]
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


def test_a_part_without_a_mesh_is_refused(shared: RenderClient) -> None:
    with pytest.raises(ToolError, match="inspect the part first"):
        shared.sheet(Part(brep=b"x"))


def test_an_error_of_the_worker_keeps_its_words_and_its_worker(shared: RenderClient) -> None:
    shared.thumbnail(box())
    before = pid_of(shared)
    with pytest.raises(ToolError, match="did you mean 'iso'"):
        shared.view(box(), "izo")
    assert pid_of(shared) == before


def test_a_killed_worker_is_replaced_unnoticed(client: RenderClient) -> None:
    one = client.sheet(plate())
    os.kill(pid_of(client), signal.SIGKILL)
    two = client.sheet(plate())
    assert np.array_equal(one.pixels, two.pixels)
    assert client.backend_note == ""


def test_a_worker_that_hangs_is_ended_and_replaced() -> None:
    client = RenderClient(call_s=1.0)
    client._call_s = 30.0
    client.thumbnail(box())
    hung = pid_of(client)
    client._call_s = 0.5
    os.kill(hung, signal.SIGSTOP)
    with pytest.raises(WorkerTimeout, match=r"0\.5 s"):
        client.thumbnail(box())
    assert not is_alive(hung)
    client._call_s = 30.0
    assert client.thumbnail(box()).pixels.shape == (160, 160, 3)
    client.close()


def test_without_opengl_the_ray_tracer_draws_and_says_so() -> None:
    client = RenderClient(gl_device=99)
    block = client.sheet(box(), size=128)
    assert block.render_id.startswith("raycast-fallback/")
    assert "drawn by the ray tracer" in block.caption
    assert "device index 99" in client.backend_note
    client.close()


def test_a_named_backend_fails_instead_of_falling_back() -> None:
    client = RenderClient("moderngl", gl_device=99)
    with pytest.raises(RenderFailure, match="EGL"):
        client.sheet(box())
    client.close()


def test_a_part_that_kills_every_worker_is_not_blamed_on_the_driver(
    client: RenderClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.thumbnail(box())

    def crash(*_: object) -> None:
        raise WorkerCrash("the render worker died")

    with monkeypatch.context() as patch:
        patch.setattr("cadwright.tools.rendering.client._Request.send", crash)
        with pytest.raises(WorkerCrash):
            client.thumbnail(box())
    assert client.backend_note == ""
    assert client.thumbnail(box()).render_id.startswith("moderngl/")


def test_an_unknown_backend_is_refused_before_anything_starts() -> None:
    with pytest.raises(UsageError, match="use auto, moderngl"):
        RenderClient("opengl")


def test_several_threads_share_a_client(shared: RenderClient) -> None:
    meshes = [box(), cylinder(), plate()]
    alone = [shared.thumbnail(mesh).pixels for mesh in meshes]
    seen: dict[int, np.ndarray] = {}

    def draw(k: int) -> None:
        seen[k] = shared.thumbnail(meshes[k % 3]).pixels

    threads = [threading.Thread(target=draw, args=(k,)) for k in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(seen[k], alone[k % 3]) for k in range(9))


def test_closing_twice_leaves_no_process_and_no_descriptor() -> None:
    before = open_files()
    client = RenderClient()
    client.thumbnail(box())
    pid = pid_of(client)
    client.close()
    client.close()
    assert not is_alive(pid)
    assert open_files() == before


def test_a_forgotten_client_takes_its_worker_along() -> None:
    client = RenderClient()
    client.thumbnail(box())
    pid = pid_of(client)
    del client
    assert not is_alive(pid)


def test_a_client_that_failed_to_start_leaves_no_descriptor() -> None:
    before = open_files()
    client = RenderClient("moderngl", gl_device=99)
    with pytest.raises(RenderFailure):
        client.thumbnail(box())
    assert open_files() == before


def test_a_worker_dies_with_a_killed_main_process() -> None:
    code = (
        "import sys, time\n"
        "from cadwright.tools.rendering.client import RenderClient\n"
        "from cadwright.tools.rendering.probe import tetrahedron\n"
        "client = RenderClient(); client.thumbnail(tetrahedron())\n"
        "sys.stdout.write(f'{client._slot.worker.pid}\\n'); sys.stdout.flush(); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as main:
        assert main.stdout is not None
        pid = int(main.stdout.readline())
        assert is_alive(pid)
        main.kill()
    deadline = time.monotonic() + 10.0
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(pid)


def test_the_worker_gives_up_files_and_network(shared: RenderClient) -> None:
    shared.thumbnail(box())
    worker = shared._slot.worker
    assert worker is not None
    status = Path(f"/proc/{worker.pid}/status").read_text()
    assert "NoNewPrivs:\t1" in status
    if Path("/sys/kernel/security/landlock").exists() or worker.walls[1:]:
        assert "landlock_files" in worker.walls


def test_the_main_process_loads_no_gl() -> None:
    code = (
        "import sys\n"
        "import cadwright.tools.rendering.client\n"
        "loaded = {'moderngl', 'OpenGL', 'pyrender', 'embreex', 'manifold3d', 'cv2', 'trimesh'}\n"
        "sys.exit(bool(loaded & set(sys.modules)))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
