"""Each operation makes tasks that hold together, from a family of three steps."""

from __future__ import annotations

import ast
import keyword

import numpy as np
import pytest
from block_family import BLOCK

from cadwright.envs.domains.catalogue import families
from cadwright.envs.domains.domain import Domain, Request
from cadwright.envs.domains.faults import KINDS, faults_of
from cadwright.envs.domains.plan import OPERATIONS
from cadwright.envs.domains.questions import questions
from cadwright.envs.domains.randomness import generator
from cadwright.envs.domains.registry import domains, generate, make_task
from cadwright.envs.task_record import task_from_json
from cadwright.rewards.answer import Answer, answer_score

SEEDS = range(12)
WAYS = [
    (operation.name, modality)
    for operation in OPERATIONS.values()
    for modality in operation.modalities
    if modality not in ("long", "measured") and operation.name != "lightweight"
]


def tasks(operation, modality="start", difficulties=(1, 2, 3, 4, 5)):
    made = Domain("cad", operation, modality, "block")
    return [
        make_task(made, BLOCK, OPERATIONS[operation], Request(seed, difficulty))
        for seed in SEEDS
        for difficulty in difficulties
    ]


@pytest.mark.parametrize(("operation", "modality"), WAYS, ids=".".join)
def test_a_task_reads_back_as_it_was_written(operation, modality):
    for task in tasks(operation, modality):
        assert task_from_json(task.to_json()) == task


@pytest.mark.parametrize(("operation", "modality"), WAYS, ids=".".join)
def test_the_brief_holds_no_line_of_the_answer(operation, modality):
    from cadwright.envs.lint_text import check_text

    codes = {finding.code for task in tasks(operation, modality) for finding in check_text(task)}
    assert "brief_leaks" not in codes


@pytest.mark.parametrize("operation", ["edit", "repair"])
def test_the_start_is_not_the_answer(operation):
    assert all(task.start != task.reference for task in tasks(operation))


def test_an_edit_says_what_changes_and_to_what():
    for task in tasks("edit", difficulties=(1,)):
        (change,) = task.meta["changes"]
        if change["kind"] in ("dimension", "move"):
            value = task.meta["dimensions"][change["name"]]
            assert str(value) in task.brief
            assert change["name"].replace("_", " ") in task.brief


def test_harder_edits_change_more():
    few, many = (
        sum(len(task.meta["changes"]) for task in tasks("edit", difficulties=(level,)))
        for level in (1, 5)
    )
    assert few < many


def test_an_edit_by_drawing_says_no_number():
    for task in tasks("edit", "drawing"):
        assert not any(character.isdigit() for character in task.brief)
        assert task.images[0].view == "drawing"


def test_what_is_to_be_completed_begins_like_the_answer_and_ends_before_it():
    for task in tasks("complete", "program"):
        given, whole = task.start.text(), task.reference.text()
        body = given.split("\n\n", 2)[2].strip()
        assert body in whole
        assert len(given) < len(whole)


def test_what_is_to_be_completed_has_only_the_numbers_of_its_steps():
    for task in tasks("complete", "program"):
        names = {node.id for node in ast.walk(ast.parse(task.start.text())) if is_read(node)}
        assigned = task.start.text().split("\n\n", 2)[1].splitlines()
        assert {line.partition(" = ")[0] for line in assigned} <= names


def is_read(node):
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def test_a_faulty_program_differs_from_the_answer_in_one_line():
    for task in tasks("debug", "program"):
        faulty, right = task.meta["given"].splitlines(), task.reference.text().splitlines()
        differ = [n for n, (a, b) in enumerate(zip(faulty, right, strict=True), 1) if a != b]
        assert differ == [task.meta["fault"]["line"]]


def test_faults_are_of_many_kinds():
    kinds = {
        fault.kind for seed in SEEDS for fault in faults_of(BLOCK, BLOCK.sample(generator(seed), 5))
    }
    assert kinds == set(KINDS)


def test_the_error_of_a_debug_task_stands_in_its_brief():
    for task in tasks("debug", "program"):
        fault = task.meta["fault"]
        assert f"line {fault['line']}: {fault['error']}" in task.brief


def test_questions_are_of_many_kinds():
    kinds = {
        question.kind
        for seed in SEEDS
        for question in questions(BLOCK, BLOCK.sample(generator(seed), 1), generator("q", seed))
    }
    assert kinds >= {"extent", "dimension", "volume", "mass", "share"}


def test_the_gold_answer_of_a_question_is_right():
    for task in tasks("inspect"):
        (call,) = task.gold.calls
        assert call.name == "answer"
        score = answer_score(call.arguments["value"], Answer.from_dict(task.answer))
        assert score.value == 1.0


def test_a_question_about_a_picture_gives_no_part_to_measure():
    assert all(task.start is None for task in tasks("inspect", "views"))


def test_a_question_about_a_drawing_is_not_answered_in_words():
    for task in tasks("inspect", "drawing"):
        value = f"{task.answer['value']:g}"
        assert f" {value} " not in task.brief.replace("mm", "")


def test_views_say_some_numbers_and_not_all():
    for task in tasks("create", "views", difficulties=(3, 5)):
        said = [v for v in task.meta["dimensions"].values() if f" {v} mm" in task.brief]
        assert 0 < len(said) < len(task.meta["dimensions"])


def test_a_drawing_carries_what_the_family_says_of_the_part():
    for task in tasks("create", "drawing"):
        notes = task.meta["drawing"]
        values = {mark["name"]: mark["value"] for mark in notes["annotations"]}
        assert values["bore"] == task.meta["dimensions"]["bore"]
        assert notes["projection"] in ("first", "third")


def test_what_fits_is_another_part_than_the_given_one():
    assert all(task.start != task.reference for task in tasks("fit"))


def test_difficulty_rises_with_what_there_is_to_get_right():
    for operation in ("create", "edit", "repair", "debug"):
        modality = OPERATIONS[operation].modalities[0]
        easy, hard = (
            sum(task.meta["features"] for task in tasks(operation, modality, (level,)))
            for level in (1, 5)
        )
        assert easy < hard


def test_a_misspelt_name_is_no_word_of_python():
    family = families()["z_bracket"]  # its width, a letter less, is one
    design = family.sample(np.random.default_rng(0), 1)
    wrong = {f.error.split("'")[1] for f in faults_of(family, design) if f.kind == "name"}
    assert wrong
    assert not any(map(keyword.iskeyword, wrong))


FIT = [domain.id for domain in domains() if domain.operation == "fit"]


@pytest.mark.parametrize("domain", FIT)
def test_a_fit_is_asked_for_once_and_not_without_the_given_part(domain):
    for level in (1, 3, 5):
        brief = generate(domain, 0, level).brief
        assert brief.count("Make ") == 1
        assert "measured on the given part" in brief


def test_what_fits_into_a_bore_is_told_by_the_bore():
    for task in (generate("cad.fit.start.clevis", seed, 3) for seed in range(6)):
        diameter = task.constraints[0]["size"][1]
        assert f"{diameter:g}" not in task.brief


def test_a_spring_has_one_hand():
    for operation in ("create.text", "repair.start", "edit.start"):
        for seed in SEEDS:
            brief = generate(f"cad.{operation}.compression_spring", seed, 1 + seed % 5).brief
            assert sum(f"{hand}-handed" in brief for hand in ("right", "left")) < 2


def test_a_feature_is_taken_out_by_its_name():
    brief = generate("cad.edit.start.hex_standoff", 4, 4).brief
    assert "Take out the countersink of 9, as if the part had never had that." in brief


def test_what_is_made_lighter_stays_as_many_bodies_as_it_was():
    assert "It stays one solid body." in generate("cad.lightweight.start.clevis", 0, 3).brief
    assert "It stays 2 separate solid" in generate("cad.lightweight.start.box_with_lid", 0, 3).brief
