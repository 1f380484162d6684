"""Draw the pictures of docs/drawings.md: python docs/images/make_drawings.py (needs CadQuery)."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from cadwright.envs.domains.registry import generate
from cadwright.envs.drawings import draw_task
from cadwright.envs.runtime import Runtime

HERE = Path(__file__).parent
TASKS = {
    "drawing-clevis.png": ("cad.create.drawing.clevis", 2),
    "drawing-flange.png": ("cad.create.drawing.oval_flange", 2),
}


def main() -> None:
    """Draw everything."""
    with Runtime.open() as runtime:
        for name, (domain, seed) in TASKS.items():
            task = generate(domain, seed, 5)
            assert task.reference is not None  # a drawing shows it
            drawing = draw_task(task, runtime.part_of(task.reference), runtime.judge)
            Image.fromarray(drawing.pixels).save(HERE / name, optimize=True)


if __name__ == "__main__":
    main()
