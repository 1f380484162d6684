"""Records, phrases and the training loop of the embedded policy."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from cadwright.agent.training import talk, wording
from cadwright.agent.training.phrases import program_pieces
from cadwright.agent.training.records import Bank, Record, Writer, program_of, table_of
from cadwright.agent.training.sheets import Sheet, is_held_out, load_sheets, make_held_out
from cadwright.agent.training.tiny import schedule, train
from cadwright.agent.training.vlm import Encoder
from cadwright.envs.domains.compact import BY_NAME, FAMILIES
from cadwright.envs.domains.family import Design

LONGEST_PROMPT = 60  # tokens of a task with a picture: what makes training on a CPU possible
SETTINGS = {"warm_up": 0.1, "last": 0.02}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_program_is_its_phrases_and_numbers(family: Any) -> None:
    design = family.sample(np.random.default_rng(5), 1)
    said = talk.execute(family.inline_program(design))
    at = 0
    for piece in program_pieces(family):
        assert piece in said[at:]
        at = said.index(piece, at) + len(piece)
    assert at == len(said)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_tokens_give_the_text_back(tokenizer: Any, family: Any) -> None:
    design = family.sample(np.random.default_rng(6), 1)
    text = talk.asked(family.briefs(design)[-1], has_picture=False)
    text += talk.turn(talk.execute(family.inline_program(design)))
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == text


def test_a_task_with_a_picture_costs_few_tokens(tokenizer: Any, sheets: list[Sheet]) -> None:
    prompt = talk.asked("Model the part in the picture.", has_picture=True) + talk.turn()
    example = Encoder(tokenizer).example(talk.opening(), prompt, "", [sheets[0].picture])
    assert len(example.prompt) <= LONGEST_PROMPT


def test_records_depend_on_the_generator_alone(bank: Bank, recipe: dict[str, Any]) -> None:
    first, second = (Writer(bank, recipe["mix"], np.random.default_rng(8)) for _ in range(2))
    for _ in range(40):
        a, b = first.draw(), second.draw()
        assert (a.opening, a.prompt, a.answer) == (b.opening, b.prompt, b.answer)
        assert all(np.array_equal(x, y) for x, y in zip(a.pictures, b.pictures, strict=True))


def test_every_record_shows_what_its_prompt_announces(bank: Bank, recipe: dict[str, Any]) -> None:
    writer = Writer(bank, recipe["mix"], np.random.default_rng(9))
    for _ in range(200):
        record = writer.draw()
        assert record.prompt.count(talk.IMAGE) == len(record.pictures)
        assert record.answer.endswith(talk.STOP)


def test_an_attempt_that_is_right_is_handed_in(bank: Bank, recipe: dict[str, Any]) -> None:
    mix = {**recipe["mix"], "decline": 0.0, "attempts": [0, 1, 0, 0], "right": 1.0}
    writer = Writer(bank, mix, np.random.default_rng(10))
    assert all(writer.draw().answer == talk.SUBMIT + talk.STOP for _ in range(30))


def after(bank: Bank, sheets: list[Sheet], recipe: dict[str, Any], count: int) -> list[Record]:
    """Return records after so many attempts at most, none of them right."""
    owned = Bank(bank.sheets, bank.unknown, bank.ordinary, {0: [*sheets[1:4], sheets[9]]})
    share = {"decline": 0.0, "own": 1.0, "right": 0.0, "tasks": [0, 0, 1], "silent": 0.0}
    attempts = [float(count == number) for number in range(4)]
    mix = {**recipe["mix"], **share, "attempts": attempts}
    writer = Writer(owned, mix, np.random.default_rng(3))
    return [writer.draw() for _ in range(60)]


def off(record: Record) -> list[int]:
    """Return by how many pixels the attempts were off."""
    return list(map(int, re.findall(r"off by (\d+) px", record.prompt)))


def test_a_setback_is_taken_back_and_what_was_before_handed_in(
    bank: Bank, sheets: list[Sheet], recipe: dict[str, Any]
) -> None:
    said = {True: set(), False: set()}
    for record in after(bank, sheets, recipe, 2):
        if len(off(record)) == 2 and off(record)[0] < off(record)[1]:
            said[talk.UNDO in record.prompt].add(record.answer)
    assert said == {True: {talk.SUBMIT + talk.STOP}, False: {talk.UNDO + talk.STOP}}


def test_what_was_made_before_is_handed_in(
    bank: Bank, sheets: list[Sheet], recipe: dict[str, Any]
) -> None:
    records = [r for r in after(bank, sheets, recipe, 3) if talk.UNDO not in r.prompt]
    again = [r for r in records if "(as attempt " in r.prompt.rsplit("off by", 1)[1]]
    assert len(again) > 5
    assert {record.answer for record in again} == {talk.SUBMIT + talk.STOP}


def test_where_every_attempt_was_nearer_it_goes_on_and_stops_at_the_third(
    bank: Bank, sheets: list[Sheet], recipe: dict[str, Any]
) -> None:
    wanted = {talk.execute(program_of(sheet)) + talk.STOP for sheet in sheets}
    for count, right in ((2, wanted), (3, {talk.SUBMIT + talk.STOP})):
        found = [r for r in after(bank, sheets, recipe, count) if len(off(r)) == count]
        nearer = [r for r in found if off(r) == sorted(set(off(r)), reverse=True)]
        assert nearer
        assert {record.answer for record in nearer} <= right


def test_what_a_correction_changes_weighs_more(tokenizer: Any) -> None:
    block = FAMILIES[0].sample(np.random.default_rng(1), 1)
    name = next(iter(FAMILIES[0].grids))
    other = block.having(**{name: block[name] + 1})
    before, said = (talk.execute(FAMILIES[0].inline_program(d)) for d in (block, other))
    encoder = Encoder(tokenizer)
    assert set(encoder.example("", "", said, (), said).weights) == {1.0}
    weights = encoder.example("", "", said, (), before).weights
    assert 1 <= sum(weight > 1.0 for weight in weights) <= 2


def test_wordings_kept_for_the_test_are_not_trained_on() -> None:
    rng = np.random.default_rng(11)
    for family in FAMILIES:
        design = family.sample(rng, 1)
        kept = family.wordings[wording.UNSEEN_WORDING].format(**design.values).lower()
        said = {wording.brief(rng, family, design.values).lower() for _ in range(60)}
        assert not any(text.rstrip(".!\n") == kept.rstrip(".") for text in said)


def test_held_out_parts_are_held_out_and_written_once(tmp_path: Path) -> None:
    make_held_out(tmp_path, 3, seed=0)
    sheets = load_sheets(tmp_path)
    assert len(sheets) == 3
    assert all(is_held_out(s.family, s.values) for s in sheets)


def test_a_neighbour_is_another_member(sheets: list[Sheet]) -> None:
    rng = np.random.default_rng(12)
    for sheet in sheets:
        design = Design(sheet.values)
        other = BY_NAME[sheet.family].neighbour(rng, design, changes=2)
        assert BY_NAME[sheet.family].is_possible(other)
        assert dict(other.values) != dict(design.values)


@settings(max_examples=50, deadline=None)
@given(st.floats(0.0, 1.5))
def test_the_learning_rate_is_a_share_of_its_peak(share: float) -> None:
    assert 0.0 < schedule(share, SETTINGS) <= 1.0


def test_the_learning_rate_falls_after_the_warm_up() -> None:
    rates = [schedule(share, SETTINGS) for share in np.linspace(0.15, 1.0, 20)]
    assert rates == sorted(rates, reverse=True)


@pytest.fixture
def data(tmp_path: Path, sheets: list[Sheet], bank: Bank) -> Path:
    """Return a data folder like that of a run."""
    from cadwright.agent.training.sheets import save_shard

    for name in ("sheets", "held_out", "unknown"):
        (tmp_path / name).mkdir()
    save_shard(tmp_path / "sheets", "0000", sheets)
    save_shard(tmp_path / "held_out", "0000", sheets[:4])
    briefs = [list(unknown.briefs) for unknown in bank.unknown]
    (tmp_path / "unknown" / "0000.json").write_text(json.dumps(briefs), encoding="utf-8")
    drawn = np.stack([unknown.picture for unknown in bank.drawn])
    np.savez_compressed(tmp_path / "unknown" / "0000.npz", pictures=drawn)
    np.savez_compressed(tmp_path / "ordinary.npz", pictures=np.stack(list(bank.ordinary.values())))
    return tmp_path


def test_training_learns_and_goes_on_where_it_stopped(data: Path, recipe: dict[str, Any]) -> None:
    torch.manual_seed(0)
    short = {**recipe, "training": {**recipe["training"], "steps": 4, "batch": 4}}
    train(short, data, data / "run")
    longer = {**recipe, "training": {**recipe["training"], "steps": 6, "batch": 4}}
    train(longer, data, data / "run")
    lines = [json.loads(line) for line in (data / "run" / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines if "views" in line] == [4, 6]
    assert (data / "run" / "checkpoint.pt").exists()


def test_the_table_is_in_the_order_of_the_family(sheets: list[Sheet]) -> None:
    for sheet in sheets:
        names = [d.name for d in BY_NAME[sheet.family].dimensions]
        assert table_of(sheet) == [sheet.values[name] for name in names]
        assert program_of(sheet).count("\n") == 3
