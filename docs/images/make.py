"""Draw the pictures of docs/rendering.md: python docs/images/make.py (needs CadQuery)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from cadwright.tools.geometry.client import GeometryClient
from cadwright.tools.geometry.part import Inspection
from cadwright.tools.rendering.client import RenderClient
from cadwright.tools.rendering.ink import Cell, Ink
from cadwright.tools.sandbox import Sandbox

HERE = Path(__file__).parent

FLANGE = """
import cadquery as cq
body = cq.Workplane().circle(45).extrude(10).faces(">Z").workplane().circle(26).extrude(28)
body = body.faces(">Z").workplane().hole(34).faces(">Z").chamfer(1.2)
ring = body.faces("<Z").workplane().polarArray(36, 0, 360, 8)
result = ring.hole(7).edges(cq.selectors.BoxSelector((-30, -30, 9), (30, 30, 11))).fillet(2)
"""

BRACKET = """
import cadquery as cq
side = [(0, 0), (60, 0), (60, 8), (8, 8), (8, {height}), (0, {height})]
body = cq.Workplane("XZ").polyline(side).close().extrude(40).edges("|Y and >X").fillet(3)
body = body.edges("|X and >Z").fillet({corner})
body = body.faces("<Z").workplane(origin=(0, -20, 0)).pushPoints([(42, -11), (42, 11)]).hole(7)
result = body.faces("<X").workplane(origin=(0, -20, 32)).hole({bore})
"""


def inspect(sandbox: Sandbox, geometry: GeometryClient, code: str) -> Inspection:
    """Run a program and measure what it makes."""
    step = sandbox.run(code)
    if step.part is None:
        raise SystemExit(f"{step.outcome}: {step.error}")
    return geometry.inspect(step.part)


def save(name: str, *pictures: np.ndarray) -> None:
    """Write pictures side by side."""
    Image.fromarray(np.concatenate(pictures, axis=1)).save(HERE / name, optimize=True)


def backends(part: Inspection) -> list[np.ndarray]:
    """Draw one view with each backend, with the backend's name below it."""
    pictures = []
    for name in ("moderngl", "pyrender", "raycast"):
        client = RenderClient(name)
        pixels = client.view(part, "iso", size=420).pixels
        client.close()
        ink = Ink((420, 420))
        ink.picture(Cell(0, 0, 420, 420), pixels)
        ink.text((210, 408), name, px=20, anchor="ms")
        pictures.append(ink.pixels())
    return pictures


def sizes(client: RenderClient, part: Inspection) -> np.ndarray:
    """Draw one sheet at the sizes that models see."""
    canvas = np.full((512, 512 + 8 + 256, 3), 255, dtype=np.uint8)
    canvas[:, :512] = client.sheet(part, size=512).pixels
    canvas[:256, 520:] = client.sheet(part, size=256).pixels
    canvas[264 : 264 + 128, 520 : 520 + 128] = client.sheet(part, size=128).pixels
    canvas[:, 515:517] = 214
    return canvas


def main() -> None:
    """Draw everything."""
    client = RenderClient()
    with Sandbox() as sandbox:
        geometry = GeometryClient(sandbox.worker(entry="cadwright.rewards.jobs"))
        flange = inspect(sandbox, geometry, FLANGE)
        wanted = inspect(sandbox, geometry, BRACKET.format(height=50, corner=10, bore=18))
        made = inspect(sandbox, geometry, BRACKET.format(height=56, corner=4, bore=14))
    save("backends.png", *backends(flange))
    save("sheet.png", sizes(client, wanted))
    cut, oblique = (client.section(flange, axis="y", look=look).pixels for look in ("flat", "iso"))
    save("section.png", cut, oblique)
    save("overlay.png", client.overlay(made, wanted).pixels)
    kinds = ("colour", "depth", "normals", "faces")
    save("channels.png", *(client.view(flange, size=320, kind=kind).pixels for kind in kinds))
    client.close()


if __name__ == "__main__":
    main()
