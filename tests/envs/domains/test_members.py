"""Members are drawn alike in any process, and no two splits share one."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from block_family import BLOCK

from cadwright.envs.domains.catalogue import FAMILY_MODULES, families
from cadwright.envs.domains.domain import Domain, Request
from cadwright.envs.domains.plan import OPERATIONS
from cadwright.envs.domains.randomness import generator
from cadwright.envs.domains.registry import make_task
from cadwright.envs.domains.seeds import Members, split_of, splits_for
from cadwright.envs.domains.sizing import is_graded, size_of
from cadwright.tools.errors import UsageError

SEEDS = range(40)


def member(split="train", seed=0, difficulty=3, family=BLOCK, **more):
    drawn = Members(family, version=1, split=split, seed=seed, difficulty=difficulty)
    return drawn.draw(**more)


def program_of(split, seed):
    return BLOCK.program(member(split, seed))


def test_the_same_words_give_the_same_numbers():
    first, second = (generator("block", 1, "train").integers(1 << 30, size=8) for _ in range(2))
    assert first.tolist() == second.tolist()


def test_other_words_give_other_numbers():
    first, second = (generator("block", n).integers(1 << 30, size=8) for n in (1, 2))
    assert first.tolist() != second.tolist()


def test_a_member_is_the_same_in_another_process():
    code = (
        "from cadwright.envs.domains.registry import domains, generate\n"
        "import sys, json\n"
        "task = generate(domains()[int(sys.argv[1])].id, 11, 4)\n"
        "sys.stdout.write(json.dumps(task.to_json(), sort_keys=True))"
    )
    import json

    from cadwright.envs.domains.registry import domains, generate

    known = domains()
    for place in (0, len(known) // 2, len(known) - 1):
        done = subprocess.run(
            [sys.executable, "-c", code, str(place)],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": str(place + 1)},
        )
        task = generate(known[place].id, 11, 4)
        assert done.stdout == json.dumps(task.to_json(), sort_keys=True)


@pytest.mark.parametrize("split", splits_for(BLOCK))
def test_a_member_belongs_to_the_split_it_was_drawn_for(split):
    assert {split_of(BLOCK, member(split, seed)) for seed in SEEDS} == {split}


def test_no_program_is_in_two_splits():
    train, validation, test = (
        {program_of(split, seed) for seed in SEEDS} for split in splits_for(BLOCK)
    )
    assert not train & validation
    assert not train & test
    assert not validation & test


def test_a_held_out_family_has_one_split_of_its_own():
    held_out = replace(BLOCK, split="held_out")
    assert splits_for(held_out) == ("out_of_family",)
    assert split_of(held_out, member("out_of_family", family=held_out)) == "out_of_family"


def test_some_families_are_held_out():
    assert {family.split for family in families().values()} == {"train", "held_out"}


def test_a_member_has_as_many_steps_as_asked():
    design = member(difficulty=1, num_steps=3)
    assert len(BLOCK.steps_of(design)) >= 3


def test_a_split_without_members_is_named():
    nobody = replace(BLOCK, is_possible=lambda design: False)
    with pytest.raises(UsageError, match="no member of difficulty 3"):
        member(family=nobody)


def test_a_family_that_knows_no_difficulty_is_graded_by_the_size_of_its_members():
    flat = replace(BLOCK, name="flat", sample=lambda rng, difficulty: BLOCK.sample(rng, 3))
    assert is_graded(BLOCK)
    assert not is_graded(flat)
    sizes = [
        [size_of(flat, member(seed=seed, difficulty=level, family=flat)) for seed in SEEDS]
        for level in (1, 5)
    ]
    assert sum(sizes[0]) < sum(sizes[1])


def test_every_module_of_families_is_there():
    from importlib import import_module

    for name in FAMILY_MODULES:
        assert import_module(f"cadwright.envs.domains.{name}").FAMILIES


def test_another_version_of_a_family_draws_other_members():
    first = Members(BLOCK, version=1, split="train", seed=0, difficulty=3).draw()
    second = Members(BLOCK, version=2, split="train", seed=0, difficulty=3).draw()
    assert first != second


def test_every_modality_asks_for_the_same_part():
    made = [
        make_task(
            Domain("cad", "create", modality, "block"), BLOCK, OPERATIONS["create"], Request(3, 4)
        )
        for modality in ("text", "views", "partial", "drawing")
    ]
    assert len({task.reference for task in made}) == 1
    assert len({task.brief for task in made}) == 4
