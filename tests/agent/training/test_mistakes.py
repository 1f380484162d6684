"""The policy's own mistakes: read from what it says, drawn by our programs, used as attempts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cadwright.agent.training import mistakes, talk
from cadwright.agent.training.mistakes import design_of, load_mistakes, make_mistakes
from cadwright.agent.training.records import Bank, Writer, program_of
from cadwright.agent.training.sheets import Sheet
from cadwright.envs.domains.compact import FAMILIES
from cadwright.envs.domains.family import Design


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_call_tells_the_family_and_the_numbers(family: Any) -> None:
    for seed in range(5):
        design = family.sample(np.random.default_rng(seed), 1)
        found = design_of(talk.execute(family.inline_program(design)))
        assert found is not None
        assert dict(found[1].values) == dict(design.values)
        assert talk.execute(program_of(_sheet(*found))) == talk.execute(
            family.inline_program(design)
        )


@pytest.mark.parametrize(
    "said",
    [
        "",
        talk.SUBMIT,
        talk.DECLINE,
        talk.execute("import os\nresult = os.listdir()"),
        talk.execute("import cadquery as cq\n\nresult = cq.Workplane('XY').box(1,2,3)\n")[:-8],
    ],
)
def test_anything_else_is_no_member(said: str) -> None:
    assert design_of(said) is None


def test_code_behind_a_program_makes_it_no_member(sheets: list[Sheet]) -> None:
    program = program_of(sheets[0])
    assert design_of(talk.execute(program)) is not None
    assert design_of(talk.execute(program + "import os\n")) is None


def test_what_was_wrong_is_drawn_once_and_loads_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sheets: list[Sheet], recipe: dict[str, Any]
) -> None:
    wanted, other = sheets[0], sheets[1]
    right, wrong = (talk.execute(program_of(sheet)) for sheet in (wanted, other))
    monkeypatch.setattr(mistakes, "make_sheets", lambda *_, **__: None)
    monkeypatch.setattr(mistakes, "load_sheets", lambda folder: [wanted])
    monkeypatch.setattr(mistakes, "load_run", lambda recipe, run: (None, None))
    monkeypatch.setattr(mistakes, "_said", lambda *_: [(right, wrong, wrong, talk.DECLINE)])
    make_mistakes(recipe, tmp_path, tmp_path)
    monkeypatch.setattr(mistakes, "_said", lambda *_: pytest.fail("it asked again"))
    make_mistakes(recipe, tmp_path, tmp_path)
    [made] = load_mistakes(tmp_path)[0]
    assert (made.family, dict(made.values)) == (other.family, dict(other.values))
    assert np.array_equal(made.picture, other.picture)
    assert made.facts == other.facts


def test_own_mistakes_become_attempts_at_the_wanted_part(
    bank: Bank, sheets: list[Sheet], recipe: dict[str, Any]
) -> None:
    owned = Bank(bank.sheets, bank.unknown, bank.ordinary, {3: [sheets[8], sheets[12]]})
    mix = {**recipe["mix"], "decline": 0.0, "attempts": [0, 1, 0, 0], "tasks": [0, 0, 1]}
    writer = Writer(owned, {**mix, "own": 1.0, "right": 0.0}, np.random.default_rng(2))
    records = [writer.draw() for _ in range(20)]
    assert {r.answer for r in records} == {talk.execute(program_of(sheets[3])) + talk.STOP}
    for number in (8, 12):
        assert any(talk.execute(program_of(sheets[number])) in r.prompt for r in records)


def _sheet(name: str, design: Design) -> Sheet:
    return Sheet(name, design.values, 0, None)  # type: ignore[arg-type]
