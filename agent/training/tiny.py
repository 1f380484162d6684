"""Train the embedded policy from scratch: ``cadwright train sft tiny``.

One model, one loss, two runs of about an hour each on one core. The first learns to read and to
model. The second goes on from it with its own mistakes in the mix, and learns to look at a result,
to correct it, to take back what made it worse, and to stop when it is right. Read it from the top:

    data       parts, measured sheets, unknown parts     (sheets.py, others.py)
    mistakes   what the first run makes instead          (mistakes.py)
    records    tasks in words and pictures, attempts     (records.py, wording.py)
    model      a 2.5 M parameter Qwen3-VL                (vlm.py, phrases.py)
    training   Muon for the hidden matrices, AdamW for the rest, cosine to 2 %
    check      greedy answers to held-out parts          (greedy.py)

Departures from common recipes: no pretraining; one token per unchanging phrase (phrases.py). A time
budget shortens the schedule instead of cutting it off.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cadwright.agent.training import talk, wording
from cadwright.agent.training.greedy import answers
from cadwright.agent.training.mistakes import FRESH, load_mistakes
from cadwright.agent.training.others import (
    load_ordinary,
    load_unknown,
    make_ordinary,
    make_strangers,
    make_unknown,
    unknown_families,
)
from cadwright.agent.training.phrases import build_tokenizer
from cadwright.agent.training.records import Bank, Record, Writer, program_of, table_of
from cadwright.agent.training.sheets import load_sheets, make_held_out, make_sheets
from cadwright.agent.training.vlm import (
    Encoder,
    Example,
    batch_of,
    build_model,
    fast_vision,
    loss_of,
)
from cadwright.envs.domains.compact import BY_NAME, FAMILIES
from cadwright.tools.rendering.measured import with_table

REPORT_S, CHECK_S, RELOAD_S = 30.0, 300.0, 240.0
CHECKED = 192  # held-out parts of a check
POOL = 16  # batches that are drawn at once and sorted by length, so that little is padding


@dataclass(slots=True)
class Progress:
    """How far the training is; saved with every checkpoint."""

    step: int = 0
    seconds: float = 0.0
    loss: float = math.nan

    def note(self, loss: float, seconds: float) -> None:
        """Count one step."""
        self.step += 1
        self.seconds += seconds
        self.loss = loss if math.isnan(self.loss) else 0.98 * self.loss + 0.02 * loss


def train(
    recipe: Mapping[str, Any],
    data: Path,
    out: Path,
    *,
    minutes: float | None = None,
    start: Path | None = None,
) -> None:
    """Train, with a checkpoint every few minutes; an interrupted run goes on where it was.

    Args:
        recipe: ``assets/training/tiny.yaml``.
        data: Folder with ``sheets``, ``unknown`` and ``ordinary.npz``, perhaps ``mistakes.npz``.
        out: Folder for the tokenizer, checkpoints and the log.
        start: Run whose tokenizer and weights to begin with.
        minutes: Time budget; the recipe's number of steps alone counts where it is None.
    """
    out.mkdir(parents=True, exist_ok=True)
    settings = recipe["training"]
    budget_s = 60.0 * minutes if minutes else math.inf
    rng = np.random.default_rng(recipe["seed"])
    tokenizer = load_tokenizer(start or out, rng)
    encoder = Encoder(tokenizer)
    model = build_model(tokenizer, recipe["model"], recipe["seed"])
    optimisers = make_optimisers(model, settings)
    progress = resume(out, model, optimisers)
    if start is not None and progress.step == 0:
        model.load_state_dict(torch.load(start / "checkpoint.pt", weights_only=True)["model"])
    rng = np.random.default_rng((recipe["seed"], progress.step))

    def share() -> float:
        return float(max(progress.step / settings["steps"], progress.seconds / budget_s))

    batches = endless_batches(data, recipe, encoder, rng)
    last_report = last_check = time.monotonic()
    with fast_vision():
        while share() < 1.0:
            began = time.monotonic()
            for optimiser, peak in optimisers:
                for group in optimiser.param_groups:
                    group["lr"] = peak * schedule(share(), settings)
            batch = batch_of(next(batches), encoder.image_id, tokenizer.pad_token_id)
            loss = loss_of(model, batch)
            for optimiser, _ in optimisers:
                optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clip"])
            for optimiser, _ in optimisers:
                optimiser.step()
            progress.note(loss.item(), time.monotonic() - began)
            if time.monotonic() - last_report > REPORT_S:
                last_report = time.monotonic()
                report(out, progress, settings["batch"])
            if time.monotonic() - last_check > CHECK_S:
                last_check = time.monotonic()
                save(out, model, optimisers, progress)
                check(out, model, tokenizer, encoder, check_tasks(data), progress)
        save(out, model, optimisers, progress)
        check(out, model, tokenizer, encoder, check_tasks(data), progress)


def make_data(recipe: Mapping[str, Any], folder: Path, *, processes: int) -> None:
    """Make what the training needs and does not lie in ``folder`` yet.

    Args:
        recipe: ``assets/training/tiny.yaml``.
        folder: Where to.
        processes: How many work at once.
    """
    data, seed = recipe["data"], recipe["data"]["seed"]
    make_held_out(folder / "held_out", data["held_out"], seed)
    make_sheets(folder / "sheets", data["sheets"], seed, processes=processes)
    make_unknown(folder / "unknown", data["unknown"], seed, processes=processes)
    make_strangers(folder / "strangers", data["strangers"], seed)
    sheets = load_sheets(folder / "sheets")[: data["ordinary"]]
    make_ordinary(folder / "ordinary.npz", sheets)


def schedule(share: float, settings: Mapping[str, float]) -> float:
    """Return the learning rate as a share of its peak: a linear start, then a cosine."""
    cosine = 0.5 * (1.0 + math.cos(math.pi * min(1.0, share)))
    last = settings["last"]
    return min(1.0, share / settings["warm_up"] + 1e-3) * (last + (1.0 - last) * cosine)


def make_optimisers(
    model: Any, settings: Mapping[str, float]
) -> list[tuple[torch.optim.Optimizer, float]]:
    """Return Muon for the hidden matrices and AdamW for the rest, each with its peak rate."""
    hidden = [
        p
        for n, p in model.named_parameters()
        if p.ndim == 2 and "embed" not in n and "head" not in n
    ]
    chosen = set(map(id, hidden))
    rest = [p for p in model.parameters() if id(p) not in chosen]
    muon = torch.optim.Muon(
        hidden,
        lr=settings["muon_lr"],
        weight_decay=settings["weight_decay"],
        momentum=0.95,
        adjust_lr_fn="match_rms_adamw",
    )
    adamw = torch.optim.AdamW(
        rest, lr=settings["adamw_lr"], betas=(0.9, 0.98), weight_decay=0.0, fused=True
    )
    return [(muon, settings["muon_lr"]), (adamw, settings["adamw_lr"])]


def endless_batches(
    data: Path,
    recipe: Mapping[str, Any],
    encoder: Encoder,
    rng: np.random.Generator,
) -> Iterator[list[Example]]:
    """Draw records, sort some batches' worth by length, and hand out the batches in any order."""
    size = recipe["training"]["batch"]
    loaded, known = -RELOAD_S, 0
    while True:
        if time.monotonic() - loaded > RELOAD_S and known < recipe["data"]["sheets"]:
            bank = load_bank(data)
            loaded, known = time.monotonic(), len(bank.sheets)
            writer = Writer(bank, recipe["mix"], rng)
        pool = [encode(encoder, writer.draw()) for _ in range(size * POOL)]
        pool.sort(key=lambda e: len(e.prompt) + len(e.answer))
        for start in rng.permutation(POOL) * size:
            yield pool[start : start + size]


def load_bank(data: Path) -> Bank:
    """Return everything that has been drawn so far."""
    sheets = load_sheets(data / "sheets")
    mistakes = {len(sheets) + place: made for place, made in load_mistakes(data).items()}
    fresh = [
        replace(sheet, cluster=-1 - sheet.cluster)
        for sheet in (load_sheets(data / FRESH) if mistakes else [])
    ]
    unknown, ordinary = load_unknown(data / "unknown"), load_ordinary(data / "ordinary.npz")
    return Bank([*sheets, *fresh], unknown, ordinary, mistakes)


def encode(encoder: Encoder, record: Record) -> Example:
    """Return a record as tokens."""
    return encoder.example(
        record.opening, record.prompt, record.answer, record.pictures, record.before
    )


def load_tokenizer(out: Path, rng: np.random.Generator) -> Any:
    """Return the run's tokenizer, made now where there is none."""
    from transformers import PreTrainedTokenizerFast

    folder = out / "tokenizer"
    if not folder.exists():
        others = [
            brief
            for family in unknown_families("train")
            for brief in family.briefs(family.sample(rng, 3))
        ]
        texts = wording.corpus(rng, FAMILIES, [*others, *(s.description for s in talk.TOOLS)])
        build_tokenizer(texts, FAMILIES).save_pretrained(folder)
    return PreTrainedTokenizerFast.from_pretrained(folder)


def save(out: Path, model: Any, optimisers: Any, progress: Progress) -> None:
    """Write a checkpoint; the one before it stays until the new one is whole."""
    state = {
        "model": model.state_dict(),
        "optimisers": [optimiser.state_dict() for optimiser, _ in optimisers],
        "progress": (progress.step, progress.seconds, progress.loss),
    }
    torch.save(state, out / "checkpoint.tmp")
    (out / "checkpoint.tmp").replace(out / "checkpoint.pt")


def resume(out: Path, model: Any, optimisers: Any) -> Progress:
    """Load the run's checkpoint where there is one."""
    path = out / "checkpoint.pt"
    if not path.exists():
        return Progress()
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    for (optimiser, _), saved in zip(optimisers, state["optimisers"], strict=True):
        optimiser.load_state_dict(saved)
    return Progress(*state["progress"])


def check_tasks(data: Path) -> dict[str, list[tuple[Record, str]]]:
    """Return held-out first turns by kind of task, each with the right program."""
    rng = np.random.default_rng(99)
    found: dict[str, list[tuple[Record, str]]] = {"text": [], "table": [], "views": []}
    for sheet in load_sheets(data / "held_out")[:CHECKED]:
        family = BY_NAME[sheet.family]
        for kind, records in found.items():
            words = "Model the part in the picture."
            if kind == "text":
                words = family.wordings[int(rng.integers(3))].format(**sheet.values)
            table = table_of(sheet) if kind == "table" else []
            prompt = talk.asked(words, has_picture=True) + talk.turn()
            picture = (with_table(sheet.picture, table),)
            records.append((Record(talk.opening(), prompt, "", picture), program_of(sheet)))
    return found


def check(
    out: Path,
    model: Any,
    tokenizer: Any,
    encoder: Encoder,
    tasks: Mapping[str, list[tuple[Record, str]]],
    progress: Progress,
) -> None:
    """Say how many held-out parts come out exactly, from each kind of task."""
    model.eval()
    line: dict[str, Any] = {"minutes": round(progress.seconds / 60, 1), "step": progress.step}
    for kind, records in tasks.items():
        said = answers(model, tokenizer, [encode(encoder, record) for record, _ in records])
        right = [talk.execute(code) == text for text, (_, code) in zip(said, records, strict=True)]
        line[kind] = round(float(np.mean(right)), 3) if right else None
    model.train()
    log(out, line)


def report(out: Path, progress: Progress, batch: int) -> None:
    """Write one line of the log."""
    rate = progress.step * batch / progress.seconds
    log(
        out,
        {
            "minutes": round(progress.seconds / 60, 2),
            "step": progress.step,
            "loss": round(progress.loss, 4),
            "records_per_s": round(rate, 1),
        },
    )


def log(out: Path, line: Mapping[str, Any]) -> None:
    """Append a line to the log of the run."""
    with (out / "log.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(dict(line)) + "\n")
