"""Parts and their measured sheets: what the embedded policy learns from.

Our own programs run through CadQuery, every part is measured and drawn as in an episode, and the
results are kept in shards on disk. Designs come in clusters of neighbours, a few millimetres apart:
each member is a target, and for the others an attempt that nearly got it.

    sheets/0003.npz    pictures (n, 160, 128) uint8, without dimension tables
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

from cadwright.envs.domains.compact import FAMILIES
from cadwright.envs.domains.compact_grid import CompactFamily
from cadwright.envs.domains.family import Design, Number
from cadwright.tools.geometry.part import Measures
from cadwright.tools.rendering.measured import Grey, measured_sheet

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
class Sheet:
    """A part as the policy gets to know it.

    Attributes:
        family: Its name.
        values: The dimensions, in the order of the family.
        cluster: Number that neighbours share.
        facts: What was measured.
        picture: (160, 128) uint8, without a dimension table.
    """

    family: str
    values: Mapping[str, Number]
    cluster: int
    facts: Facts
    picture: Grey


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
    records, pictures = [], []
    for number in range(count):
        family = FAMILIES[number % len(FAMILIES)]
        design = family.sample(rng, 1)
        while not is_held_out(family.name, design.values):
            design = family.sample(rng, 1)
        picture, facts = draw_program(family.inline_program(design))
        pictures.append(picture)
        records.append(_record(family, design, number, facts))
    save_shard(folder, "0000", records, pictures)


def load_sheets(folder: Path) -> list[Sheet]:
    """Read every shard that is complete."""
    return [s for path in sorted(folder.glob("*.json")) for s in read_shard(path)]


def draw_program(program: str) -> tuple[Grey, Facts]:
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
    return measured_sheet(mesh), Facts.of(measures)


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
    records, pictures = [], []
    for cluster, (family, designs) in enumerate(clusters(rng)):
        for design in designs:
            picture, facts = draw_program(family.inline_program(design))
            pictures.append(picture)
            records.append(_record(family, design, number * SHARD + cluster, facts))
        if len(records) >= SHARD:
            break
    save_shard(folder, f"{number:04d}", records, pictures)
    return number


def _record(family: CompactFamily, design: Design, cluster: int, facts: Facts) -> dict[str, Any]:
    return {
        "family": family.name,
        "values": dict(design.values),
        "cluster": cluster,
        "facts": asdict(facts),
    }


def save_shard(
    folder: Path, name: str, records: Sequence[Mapping[str, Any]], pictures: Sequence[Grey]
) -> None:
    """Write one shard; its JSON file comes last and says that it is complete."""
    np.savez_compressed(folder / f"{name}.npz", pictures=np.stack(pictures))
    (folder / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")


def read_shard(path: Path) -> Iterator[Sheet]:
    """Read one shard, by the path of its JSON file."""
    with np.load(path.with_suffix(".npz")) as arrays:
        pictures = arrays["pictures"]
    for record, picture in zip(json.loads(path.read_text("utf-8")), pictures, strict=True):
        known: dict[str, Any] = record["facts"]
        known["size_mm"], known["centre_mm"] = tuple(known["size_mm"]), tuple(known["centre_mm"])
        facts = Facts(**known)
        yield Sheet(record["family"], record["values"], record["cluster"], facts, picture)
