"""Four 256 px views with edges, by all three backends in one run.

    python benchmarks/rendering.py                 # plate and sphere, table on standard output
    python benchmarks/rendering.py --pictures DIR  # also what was drawn

Needs neither CadQuery nor a GPU: the plate is made by manifold3d. The backends take turns, a few
pictures each, so a busy machine slows all of them alike; read the ratios first. "best" is the
fastest picture, "CPU" the processor time of the whole process, driver threads included. Aim:
moderngl draws the plate in 15 ms or less on software GL.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import manifold3d
import numpy as np
from PIL import Image

from cadwright.tools.geometry.part import Mesh
from cadwright.tools.rendering.backends import gl_environment, make_renderer
from cadwright.tools.rendering.camera import SheetCameras
from cadwright.tools.rendering.client import RenderClient
from cadwright.tools.rendering.frame import Renderer
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.views import view_sheet

VIEW_PX = 256
TURNS, WARM_UP, PICTURES = 5, 1, 5  # each turn draws a warm-up and then what is measured
BACKENDS = ("moderngl", "pyrender", "raycast")


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of one runner: median and best wall time, median processor time."""

    wall: float
    best: float
    cpu: float


def plate() -> Mesh:
    """Return an 80 x 60 x 10 mm plate with a bore and four counterbored holes, 1,856 triangles."""
    make = manifold3d.Manifold
    solid = make.cube((80.0, 60.0, 10.0), True) - make.cylinder(30, 12, 12, 72, True)
    for x in (-30.0, 30.0):
        for y in (-20.0, 20.0):
            solid -= make.cylinder(30.0, 3.0, 3.0, 48, True).translate((x, y, 0.0))
            solid -= make.cylinder(8.0, 6.0, 6.0, 48).translate((x, y, 2.0))
    return mesh_of(solid)


def sphere() -> Mesh:
    """Return a sphere of 82 thousand triangles that is one face."""
    mesh = mesh_of(manifold3d.Manifold.sphere(10.0, 404))
    return Mesh(mesh.vertices, mesh.faces, np.zeros_like(mesh.face_ids))


def mesh_of(solid: manifold3d.Manifold) -> Mesh:
    """Return a manifold as a mesh whose face ids are its flat facets."""
    raw = solid.to_mesh64()
    ids = np.unique(np.asarray(raw.face_id), return_inverse=True)[1].astype(np.int32)
    vertices = np.asarray(raw.vert_properties)[:, :3].copy()
    return Mesh(vertices, np.asarray(raw.tri_verts, dtype=np.int32), ids)


def race(runners: dict[str, Callable[[], object]]) -> dict[str, Times]:
    """Let the runners take turns; return their times by name."""
    wall: dict[str, list[float]] = {name: [] for name in runners}
    cpu: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(TURNS):
        for name, run in runners.items():
            for picture in range(WARM_UP + PICTURES):
                before, start = time.process_time(), time.perf_counter()
                run()
                if picture >= WARM_UP:
                    wall[name].append((time.perf_counter() - start) * 1e3)
                    cpu[name].append((time.process_time() - before) * 1e3)
    median = statistics.median
    return {n: Times(median(wall[n]), min(wall[n]), median(cpu[n])) for n in runners}


def four_views(renderer: Renderer, scene: Scene) -> Callable[[], object]:
    """Return a run that draws the four views of a sheet with all channels, without labels."""
    cameras = SheetCameras.around(scene.box, scene.framed_points).ordered
    return lambda: renderer.render(scene, cameras, (VIEW_PX, VIEW_PX))


def new_part(renderer: Renderer, mesh: Mesh) -> Callable[[], object]:
    """Return a run that prepares, uploads and draws a part never seen before as a sheet."""
    shift = iter(range(1, 1_000_000))

    def run() -> object:
        scene = Scene(Mesh(mesh.vertices + next(shift), mesh.faces, mesh.face_ids))
        return view_sheet(renderer, scene, size=2 * VIEW_PX)

    return run


def table(title: str, times: dict[str, Times]) -> None:
    """Print one race with ratios of the medians to its first runner."""
    first = next(iter(times.values())).wall
    print(f"\n{title}\n{'':34}{'wall ms':>9}{'best':>9}{'CPU ms':>9}{'ratio':>8}")
    for name, t in times.items():
        print(f"  {name:32}{t.wall:9.1f}{t.best:9.1f}{t.cpu:9.1f}{t.wall / first:8.1f}")


def main() -> None:
    """Run every race."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path, help="folder for what was drawn")
    folder = parser.parse_args().pictures
    renderers = {name: make_renderer(name) for name in BACKENDS}
    for name, renderer in renderers.items():
        print(f"{name:10} {renderer.device}")
    client = RenderClient()
    for part, mesh in (("plate", plate()), ("sphere", sphere())):
        scene = Scene(mesh)
        title = f"{part}, {len(mesh.faces):,} triangles"
        views = {n: four_views(r, scene) for n, r in renderers.items()}
        table(f"{title}: four {VIEW_PX} px views with edges, depth, normals, ids", race(views))
        whole = {
            "sheet, part known": lambda s=scene: view_sheet(renderers["moderngl"], s),
            "sheet, part new": new_part(renderers["moderngl"], mesh),
            "sheet by the worker, part known": lambda m=mesh: client.sheet(m),
        }
        table(f"{title}: the {2 * VIEW_PX} px view sheet with labels, moderngl", race(whole))
        if folder is not None:
            save(folder / f"{part}.png", [view_sheet(r, scene).pixels for r in renderers.values()])
    client.close()


def save(path: Path, pictures: list[np.ndarray]) -> None:
    """Write pictures side by side."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.concatenate(pictures, axis=1)).save(path)
    print(f"wrote {path}")


if __name__ == "__main__":
    import os

    os.environ.update(gl_environment())
    sys.exit(main())
