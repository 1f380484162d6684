"""What is none of the families, and what is no measured sheet: the policy must know its limits.

Unknown parts are members of the other families of this package (those of their training half) and
random heaps of solids. Ordinary view sheets are what ``execute`` shows in a task that has no
measured sheet.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cadwright.agent.training.records import Unknown, program_of
from cadwright.agent.training.sheets import Sheet, draw_program
from cadwright.agent.training.vlm import Pixels
from cadwright.envs.domains.catalogue import families
from cadwright.envs.domains.compact import BY_NAME
from cadwright.envs.domains.family import Family

Rng = np.random.Generator

SHARD = 250
ORDINARY_PX = 128  # what the image processor makes of a view sheet of 512 px
DIFFICULTIES = 5


def unknown_families(split: str) -> list[Family]:
    """Return the families of one half that are not compact."""
    return [f for f in families().values() if f.name not in BY_NAME and f.split == split]


def heap(rng: Rng) -> str:
    """Return the program of solids put together without a plan."""
    code = f"result = {_solid(rng)}"
    for _ in range(int(rng.integers(2, 6))):
        verb = "union" if rng.random() < 0.65 else "cut"
        spot = ",".join(str(int(v)) for v in rng.integers(-16, 17, size=3))
        code += f".{verb}({_solid(rng)}.translate(({spot})))"
    return f"import cadquery as cq\n\n{code}\n"


def _solid(rng: Rng) -> str:
    a, b, c = (int(v) for v in rng.integers(6, 34, size=3))
    plane = str(rng.choice(["XY", "XZ", "YZ"]))
    solids = (
        f"cq.Workplane('{plane}').box({a},{b},{c})",
        f"cq.Workplane('{plane}').circle({max(a // 2, 3)}).extrude({b})",
        f"cq.Workplane('{plane}').sphere({max(a // 2, 4)})",
        f"cq.Workplane('{plane}').polygon({int(rng.integers(3, 9))},{a}).extrude({b})",
        f"cq.Workplane('{plane}').rect({a},{b}).workplane(offset={c}).rect({a // 3},3).loft()",
        f"cq.Workplane('{plane}').circle({a // 2}).workplane(offset={c}).circle(2).loft()",
    )
    return str(rng.choice(solids, p=(0.35, 0.25, 0.08, 0.14, 0.09, 0.09)))


def make_unknown(folder: Path, count: int, seed: int, *, processes: int = 1) -> None:
    """Draw unknown parts until ``count`` of them lie in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = range(-(-count // SHARD))
    missing = [n for n in wanted if not (folder / f"{n:04d}.json").exists()]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        pool.map(_make_shard, [(folder, number, seed) for number in missing], chunksize=1)


def make_strangers(folder: Path, count: int, seed: int) -> None:
    """Draw parts of the families that only the test may know, as many of each."""
    if (folder / "0000.json").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng((seed, 3))
    strangers = unknown_families("held_out")
    pictures: list[Pixels] = []
    briefs: list[tuple[str, ...]] = []
    for number in range(count):
        family = strangers[number % len(strangers)]
        design = family.sample(rng, 1 + number % DIFFICULTIES)
        pictures.append(draw_program(family.program(design)).picture)
        briefs.append(family.briefs(design))
    _write(folder, 0, pictures, briefs)


def load_unknown(folder: Path) -> list[Unknown]:
    """Read every shard that is complete."""
    found = []
    for path in sorted(folder.glob("*.json")):
        with np.load(path.with_suffix(".npz")) as arrays:
            pictures = arrays["pictures"]
        briefs = json.loads(path.read_text("utf-8"))
        found += [Unknown(tuple(b), p) for b, p in zip(briefs, pictures, strict=True)]
    return found


def _make_shard(job: tuple[Path, int, int]) -> None:
    folder, number, seed = job
    rng = np.random.default_rng((seed, number, 1))
    known = unknown_families("train")
    pictures: list[Pixels] = []
    briefs: list[tuple[str, ...]] = []
    while len(pictures) < SHARD:
        program, words = _unknown_part(rng, known)
        try:
            picture = draw_program(program).picture
        except (ValueError, RuntimeError):  # a heap may fall apart or vanish: take another one
            continue
        pictures.append(picture)
        briefs.append(words)
    _write(folder, number, pictures, briefs)


def _write(
    folder: Path, number: int, pictures: Sequence[Pixels], briefs: Sequence[Sequence[str]]
) -> None:
    np.savez_compressed(folder / f"{number:04d}.npz", pictures=np.stack(pictures))
    (folder / f"{number:04d}.json").write_text(json.dumps(briefs), encoding="utf-8")


def _unknown_part(rng: Rng, known: Sequence[Family]) -> tuple[str, tuple[str, ...]]:
    if not known or rng.random() < 0.5:
        return heap(rng), ()
    family = known[int(rng.integers(len(known)))]
    design = family.sample(rng, int(rng.integers(1, DIFFICULTIES + 1)))
    return family.program(design), family.briefs(design)


def make_ordinary(path: Path, sheets: Sequence[Sheet]) -> None:
    """Draw ordinary view sheets of parts, through the renderer of an episode, into one file."""
    from cadwright.tools.rendering.client import RenderClient

    if path.exists():
        return
    client = RenderClient()
    pictures = [small(client.sheet(_inspected(program_of(sheet))).pixels) for sheet in sheets]
    client.close()
    np.savez_compressed(path, pictures=np.stack(pictures))


def load_ordinary(path: Path) -> dict[int, Pixels]:
    """Read them, by the place of their parts; none where they have not been drawn."""
    if not path.exists():
        return {}
    with np.load(path) as arrays:
        return dict(enumerate(arrays["pictures"]))


def small(pixels: Pixels) -> Pixels:
    """Return a view sheet as budget and image processor hand it on."""
    from PIL import Image

    side = ORDINARY_PX
    image = Image.fromarray(pixels).resize((143, 143), Image.Resampling.LANCZOS)
    return np.asarray(image.resize((side, side), Image.Resampling.BICUBIC), dtype=np.uint8)


def _inspected(program: str) -> Any:
    from cadwright.tools.geometry.inspect_shape import inspect_shape
    from cadwright.tools.geometry.part import Part, Tessellation

    names: dict[str, Any] = {}
    exec(compile(program, "<program>", "exec"), names)
    return inspect_shape(Part(name="part"), names["result"].val().wrapped, Tessellation())
