"""Parts and their measured sheets: what the embedded policy learns from.

Our own programs run through CadQuery, every part is measured and drawn as in an episode, and the
results are kept in shards on disk. Designs come in clusters of neighbours, a few millimetres apart:
each member is a target, and for the others an attempt that nearly got it.

    sheets/0003.npz    pictures (n, 160, 128) uint8, without dimension tables; reliefs (n, 3, 128,
                       128) uint8, of which overlays are made
    sheets/0003.json   for each of them family, values, cluster and what was measured
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cadwright.envs.domains.compact import FAMILIES
from cadwright.envs.domains.compact_grid import CompactFamily
from cadwright.envs.domains.family import Design, Number
from cadwright.tools.geometry.part import Measures
from cadwright.tools.rendering.measured import AXES, FINE, Frame, Grey, measured_sheet
from cadwright.tools.rendering.offset import Offset
from cadwright.tools.rendering.relief import FLAT_VIEWS, NOTHING, laid_over, offset, relief

HELD_OUT = 64  # one design in so many is never trained on
CLUSTER = 4  # designs that are neighbours of the first of them
SHARD = 400  # parts a file


@dataclass(frozen=True, slots=True)
class Facts:
    """What an episode tells about a part in words; the fields of ``Measures`` that it uses."""

    volume_mm3: float | None
    area_mm2: float
    size_mm: tuple[float, float, float]
    centre_mm: tuple[float, float, float]
    bodies: int
    num_faces: int
    num_holes: int

    @classmethod
    def of(cls, measures: Measures) -> Facts:
        """Take from measures what is told."""
        return cls(
            measures.volume_mm3,
            measures.area_mm2,
            measures.size_mm,
            measures.centre_mm,
            measures.bodies,
            measures.num_faces,
            len(measures.holes),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A part measured and drawn.

    Attributes:
        facts: What was measured.
        picture: Measured sheet, (160, 128) uint8, without a dimension table.
        relief: How high its material stands in each flat view, (3, 128, 128) uint8.
        middle: Of the bounding box, in mm; it comes to the middle of each view.
    """

    facts: Facts
    picture: Grey
    relief: Grey
    middle: tuple[float, float, float]

    def over(self, wanted: Drawing, sheet: Grey) -> npt.NDArray[np.uint8]:
        """Return this part laid over a wanted one, as an episode shows it, (160, 128, 3).

        Args:
            wanted: The wanted part.
            sheet: Its measured sheet, perhaps with a table.
        """
        return laid_over(sheet, self._beside(wanted), wanted.relief)

    def offset(self, wanted: Drawing) -> Offset:
        """Return how far this part is from a wanted one; see ``relief.offset``."""
        return offset(self._beside(wanted), wanted.relief)

    def _beside(self, wanted: Drawing) -> Grey:
        """Return the relief in the frame of a wanted part."""
        return _moved(self.relief, np.subtract(self.middle, wanted.middle))


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A part as the policy gets to know it.

    Attributes:
        family: Its name.
        values: The dimensions, in the order of the family.
        cluster: Number that neighbours share.
        drawing: What it measures and looks like.
    """

    family: str
    values: Mapping[str, Number]
    cluster: int
    drawing: Drawing

    @property
    def facts(self) -> Facts:
        """What was measured."""
        return self.drawing.facts

    @property
    def picture(self) -> Grey:
        """Its measured sheet, (160, 128) uint8, without a dimension table."""
        return self.drawing.picture


def is_held_out(family: str, values: Mapping[str, Number]) -> bool:
    """Whether a design belongs to the test half of the parameter space."""
    text = family + json.dumps(dict(values), sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) % HELD_OUT == 0


def make_sheets(folder: Path, count: int, seed: int, *, processes: int = 1) -> None:
    """Make shards until ``count`` parts lie in ``folder``; those that are there stay.

    Args:
        folder: Where the shards go.
        count: Parts over all shards, rounded up to whole shards.
        seed: Of the designs.
        processes: How many work at once.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = [n for n in range(-(-count // SHARD)) if not (folder / f"{n:04d}.json").exists()]
    if not missing:
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        jobs = [(folder, number, seed) for number in missing]
        for _ in pool.imap_unordered(_make_shard, jobs):
            pass


def make_held_out(folder: Path, count: int, seed: int) -> None:
    """Make parts of the test half, as many of each family, each a cluster of its own."""
    if (folder / "0000.json").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng((seed, 2))
    sheets = []
    for number in range(count):
        family = FAMILIES[number % len(FAMILIES)]
        design = family.sample(rng, 1)
        while not is_held_out(family.name, design.values):
            design = family.sample(rng, 1)
        sheets.append(_sheet(family, design, number))
    save_shard(folder, "0000", sheets)


def load_sheets(folder: Path) -> list[Sheet]:
    """Read every shard that is complete."""
    return [s for path in sorted(folder.glob("*.json")) for s in read_shard(path)]


def draw_program(program: str) -> Drawing:
    """Run one of our own programs, measure and draw its ``result``.

    Never give it a program that a model wrote: nothing confines it.
    """
    from cadwright.tools.geometry.inspect_shape import inspect_shape
    from cadwright.tools.geometry.part import Part, Tessellation

    names: dict[str, Any] = {}
    exec(compile(program, "<program>", "exec"), names)
    found = inspect_shape(Part(name="part"), names["result"].val().wrapped, Tessellation())
    measures, mesh = found.measures, found.mesh
    if measures is None or mesh is None:
        raise ValueError(f"no measures: {found.message}\n{program}")
    x, y, z = Frame.of(mesh).middle.tolist()
    return Drawing(Facts.of(measures), measured_sheet(mesh), relief(mesh), (x, y, z))


def clusters(rng: np.random.Generator) -> Iterator[tuple[CompactFamily, list[Design]]]:
    """Return endless clusters of neighbours, none of them held out."""
    while True:
        family = FAMILIES[int(rng.integers(len(FAMILIES)))]
        first = family.sample(rng, 1)
        designs = [first]
        while len(designs) < CLUSTER:
            changes = int(rng.choice((1, 1, 2, 3)))
            designs.append(family.neighbour(rng, first, changes=changes))
        if not any(is_held_out(family.name, d.values) for d in designs):
            yield family, designs


def _make_shard(job: tuple[Path, int, int]) -> int:
    folder, number, seed = job
    rng = np.random.default_rng((seed, number))
    sheets: list[Sheet] = []
    for cluster, (family, designs) in enumerate(clusters(rng)):
        sheets += [_sheet(family, design, number * SHARD + cluster) for design in designs]
        if len(sheets) >= SHARD:
            break
    save_shard(folder, f"{number:04d}", sheets)
    return number


def _sheet(family: CompactFamily, design: Design, cluster: int) -> Sheet:
    drawing = draw_program(family.inline_program(design))
    return Sheet(family.name, dict(design.values), cluster, drawing)


def save_shard(
    folder: Path, name: str, sheets: Sequence[Sheet], more: Sequence[Mapping[str, Any]] = ()
) -> None:
    """Write one shard; its JSON file comes last and says that it is complete.

    Args:
        folder: Where to.
        name: Of the files.
        sheets: Parts.
        more: What else the records of the parts say, one for each, where anything.
    """
    np.savez_compressed(
        folder / f"{name}.npz",
        pictures=np.stack([sheet.picture for sheet in sheets]),
        reliefs=np.stack([sheet.drawing.relief for sheet in sheets]),
    )
    records = [
        {
            "family": sheet.family,
            "values": dict(sheet.values),
            "cluster": sheet.cluster,
            "middle": sheet.drawing.middle,
            "facts": asdict(sheet.facts),
        }
        for sheet in sheets
    ]
    for record, extra in zip(records, more, strict=False):
        record.update(extra)
    (folder / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")


def read_shard(path: Path) -> Iterator[Sheet]:
    """Read one shard, by the path of its JSON file."""
    with np.load(path.with_suffix(".npz")) as arrays:
        pictures, reliefs = arrays["pictures"], arrays["reliefs"]
    records = json.loads(path.read_text("utf-8"))
    for record, picture, heights in zip(records, pictures, reliefs, strict=True):
        known: dict[str, Any] = record["facts"]
        known["size_mm"], known["centre_mm"] = tuple(known["size_mm"]), tuple(known["centre_mm"])
        drawing = Drawing(Facts(**known), picture, heights, tuple(record["middle"]))
        yield Sheet(record["family"], record["values"], record["cluster"], drawing)


def _moved(heights: Grey, by: npt.NDArray[np.float64]) -> Grey:
    """Return a relief as it is where its part stands ``by`` (3,) mm from the frame's middle.

    Exact for parts that a cut leaves alike wherever along Y it goes, as all compact families are
    whose middle is not at Y = 0. They are drawn at 1 px per mm.
    """
    moved = np.full_like(heights, NOTHING)
    for number, name in enumerate(FLAT_VIEWS):
        right, down, up = np.rint(AXES[name] @ by * FINE).astype(int)
        view = heights[number].astype(np.int16)
        if name != "front":  # what is cut ends at the plane of the cut, which has not moved
            view = np.where(view == NOTHING, NOTHING, np.clip(view + up, 1, 255))
        rows, columns = view.shape
        to_row, to_column = max(down, 0), max(right, 0)
        part = view[max(-down, 0) : rows - to_row, max(-right, 0) : columns - to_column]
        moved[number, to_row : to_row + part.shape[0], to_column : to_column + part.shape[1]] = part
    return moved
