"""The policy's own mistakes: what it makes at first, drawn and measured as in an episode.

After the first run the policy is asked for parts that it has never seen, once greedily and some
times at random: parts that it was trained on it knows by heart, and would hardly get wrong. An
answer that is the wanted program with other numbers, or the program of another family, becomes an
attempt at the wanted part. Nothing that the policy wrote is run: its numbers are read, and our own
program of those numbers is.

    fresh           the parts, as sheets
    mistakes.npz    pictures and reliefs, as in a shard of sheets
    mistakes.json   for each of them what a sheet says, and the place of the wanted part
"""

from __future__ import annotations

import json
import multiprocessing
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
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
    make_sheets,
    read_shard,
    save_shard,
)
from cadwright.agent.training.vlm import Encoder, fast_vision, load_run
from cadwright.envs.domains.compact import BY_NAME, FAMILIES
from cadwright.envs.domains.compact_grid import CompactFamily
from cadwright.envs.domains.family import Design
from cadwright.tools.rendering.measured import with_table

Rng = np.random.Generator

NAME, FRESH = "mistakes", "fresh"
FRESH_SEED = 1000  # far from the seeds of sheets
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
        recipe: ``assets/training/tiny.yaml``; of ``correction.mistakes`` it takes the number of
            ``parts``, ``samples`` of each beside the greedy one, their ``temperature``, and the
            share of parts that are shown with a ``table``.
        data: Folder where the files go, and the parts, in ``fresh``.
        run: Folder with tokenizer and checkpoint.
        processes: How many draw at once.
    """
    if (data / f"{NAME}.json").exists():
        return
    settings = recipe["correction"]["mistakes"]
    make_sheets(data / FRESH, settings["parts"], FRESH_SEED + recipe["seed"], processes=processes)
    sheets = load_sheets(data / FRESH)
    said = _said(*load_run(recipe, run), sheets, settings, np.random.default_rng(recipe["seed"]))
    wrong = _wrong(sheets, said)
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        made = pool.map(_draw, [(name, design) for _, name, design in wrong], chunksize=20)
    save_shard(data, NAME, made, [{"wanted": place} for place, _, _ in wrong])


def load_mistakes(folder: Path) -> dict[int, list[Sheet]]:
    """Read them, by the place of the wanted part in ``fresh``; none where there are none."""
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


def _wrong(sheets: Sequence[Sheet], said: Sequence[Sequence[str]]) -> list[tuple[int, str, Design]]:
    """Return the place of the wanted part, family and design of each mistake, none twice."""
    found = []
    for place, (wanted, heard) in enumerate(zip(sheets, said, strict=True)):
        for answer in dict.fromkeys(heard):
            made = design_of(answer)
            if made is None or is_held_out(made[0], made[1].values):
                continue
            if (made[0], dict(made[1].values)) != (wanted.family, dict(wanted.values)):
                found.append((place, *made))
    return found


def _draw(job: tuple[str, Design]) -> Sheet:
    name, design = job
    return Sheet(name, dict(design.values), -1, draw_program(BY_NAME[name].inline_program(design)))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    family: CompactFamily = BY_NAME[name]
    return re.compile(r"(\d+)".join(map(re.escape, program_pieces(family))))
