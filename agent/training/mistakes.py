"""The policy's own mistakes: what it makes at first, drawn and measured as in an episode.

After the first run the policy is asked for parts that it was trained on, once greedily and some
times at random. An answer that is the wanted program with other numbers, or the program of another
family, becomes an attempt at the wanted part. Nothing that the policy wrote is run: its numbers are
read, and our own program of those numbers is.

    mistakes.npz    pictures (n, 160, 128) uint8, without dimension tables
    mistakes.json   for each of them what a sheet says, and the place of the wanted part
"""

from __future__ import annotations

import json
import multiprocessing
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cadwright.agent.training import talk, wording
from cadwright.agent.training.greedy import answers
from cadwright.agent.training.phrases import program_pieces
from cadwright.agent.training.records import table_of
from cadwright.agent.training.sheets import (
    Sheet,
    draw_program,
    is_held_out,
    load_sheets,
    read_shard,
    save_shard,
)
from cadwright.agent.training.vlm import Encoder, fast_vision, load_run
from cadwright.envs.domains.compact import BY_NAME, FAMILIES
from cadwright.envs.domains.compact_grid import CompactFamily
from cadwright.envs.domains.family import Design
from cadwright.tools.rendering.measured import with_table

Rng = np.random.Generator

NAME = "mistakes"
_PLACE = re.compile(r"\{(\w+)\}")


def design_of(said: str) -> tuple[str, Design] | None:
    """Return the family and the member whose program a call runs; None where it is no such program.

    Args:
        said: An ``execute`` call, as the policy writes it.
    """
    for family in FAMILIES:
        found = _pattern(family.name).fullmatch(said)
        if found is None:
            continue
        names = _PLACE.findall(family.steps[0].code)
        values = dict(zip(names, map(int, found.groups()), strict=True))
        design = Design({name: values[name] for name in family.grids})
        is_whole = talk.execute(family.inline_program(design)) == said
        if is_whole and family.is_possible(design):
            return family.name, design
    return None


def make_mistakes(recipe: Mapping[str, Any], data: Path, run: Path, *, processes: int = 1) -> None:
    """Ask the policy of a run for parts and write down what it got wrong, unless that was done.

    Args:
        recipe: ``assets/training/tiny.yaml``; of ``correction.mistakes`` it takes ``parts``,
            ``samples`` of each beside the greedy one, their ``temperature``, and the share of
            parts that are shown with a ``table``.
        data: Folder with ``sheets``, and where the files go.
        run: Folder with tokenizer and checkpoint.
        processes: How many draw at once.
    """
    if (data / f"{NAME}.json").exists():
        return
    settings, sheets = recipe["correction"]["mistakes"], load_sheets(data / "sheets")
    rng = np.random.default_rng((recipe["seed"], 4))
    chosen = rng.choice(len(sheets), min(settings["parts"], len(sheets)), replace=False)
    places = [int(place) for place in chosen]
    said = _said(*load_run(recipe, run), [sheets[p] for p in places], settings, rng)
    wrong = _wrong(sheets, places, said)
    jobs = [(name, dict(design.values)) for _, name, design in wrong]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        drawn = pool.map(_draw, jobs, chunksize=20)
    records = [
        {"wanted": p, "family": n, "values": v, "cluster": -1, "facts": asdict(facts)}
        for (p, _, _), (n, v), (_, facts) in zip(wrong, jobs, drawn, strict=True)
    ]
    save_shard(data, NAME, records, [picture for picture, _ in drawn])


def load_mistakes(folder: Path) -> dict[int, list[Sheet]]:
    """Read them, by the place of the wanted part; none where there are none."""
    path = folder / f"{NAME}.json"
    found: dict[int, list[Sheet]] = defaultdict(list)
    if path.exists():
        records = json.loads(path.read_text(encoding="utf-8"))
        for record, sheet in zip(records, read_shard(path), strict=True):
            found[record["wanted"]].append(sheet)
    return dict(found)


def _said(
    model: Any, tokenizer: Any, sheets: Sequence[Sheet], settings: Mapping[str, Any], rng: Rng
) -> list[tuple[str, ...]]:
    """Return every answer to each part, the greedy one first."""
    encoder = Encoder(tokenizer)
    examples = []
    for sheet in sheets:
        table = table_of(sheet) if rng.random() < settings["table"] else []
        words = wording.request(rng, BY_NAME[sheet.family].title)
        prompt = talk.asked(words, has_picture=True) + talk.turn()
        picture = with_table(sheet.picture, table)
        examples.append(encoder.example(talk.opening(), prompt, "", [picture]))
    torch.manual_seed(int(rng.integers(2**31)))
    heats = [0.0] + [settings["temperature"]] * settings["samples"]
    with fast_vision():
        rounds = [answers(model, tokenizer, examples, temperature=heat) for heat in heats]
    return list(zip(*rounds, strict=True))


def _wrong(
    sheets: Sequence[Sheet], places: Sequence[int], said: Sequence[Sequence[str]]
) -> list[tuple[int, str, Design]]:
    """Return the place of the wanted part, family and design of each mistake, none twice."""
    found = []
    for place, heard in zip(places, said, strict=True):
        wanted = sheets[place]
        for answer in dict.fromkeys(heard):
            made = design_of(answer)
            if made is None or is_held_out(made[0], made[1].values):
                continue
            if (made[0], dict(made[1].values)) != (wanted.family, dict(wanted.values)):
                found.append((place, *made))
    return found


def _draw(job: tuple[str, dict[str, Any]]) -> tuple[Any, Any]:
    family, values = job
    return draw_program(BY_NAME[family].inline_program(Design(values)))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    family: CompactFamily = BY_NAME[name]
    return re.compile(r"(\d+)".join(map(re.escape, program_pieces(family))))
