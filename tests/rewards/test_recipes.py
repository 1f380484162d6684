from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from cadwright.rewards.breakdown import RewardBreakdown, require_same_recipe
from cadwright.rewards.calls import CallRecord
from cadwright.rewards.consistency import Built
from cadwright.rewards.constraints.result import (
    CheckVerdict,
    ConstraintReport,
    ConstraintResult,
)
from cadwright.rewards.group import group_statistics
from cadwright.rewards.process import discounted
from cadwright.rewards.recipes import Evidence, Recipe, load_recipe, read_recipe, recipe_names
from cadwright.rewards.score import Score, Term, Verdict
from cadwright.rewards.scorer import failure_score, infra_score
from cadwright.rewards.scoring import Scoring
from cadwright.rewards.terms import FAILED_CREDIT
from cadwright.tools.errors import Outcome, UsageError
from cadwright.tools.geometry.part import Hole, Measures

SHIPPED = ("create", "edit", "mesh", "repair")
SCORING = Scoring.preset("absolute")

MEASURES = Measures(
    volume_mm3=48_000.0,
    area_mm2=12_000.0,
    bbox_mm=((0.0, 0.0, 0.0), (80.0, 60.0, 10.0)),
    bodies=1,
    is_watertight=True,
    is_valid=True,
    centre_mm=(40.0, 30.0, 5.0),
    inertia_mm5=None,
    num_faces=10,
    num_edges=24,
    num_triangles=100,
    open_edges=0,
    faces_by_kind={"plane": 6, "cylinder": 4},
    holes=(Hole(6.0, (0.0, 0.0, 1.0), (0.0, 0.0, 5.0), 10.0, True),) * 4,
)


def scored(value: float) -> Score:
    terms = (
        Term("validity", 0.1, None, "", 1.0),
        Term("iou", 0.9, value, "ratio", value),
        Term("constraints", 0.5, None, "", value),
    )
    return Score(value, Verdict.SCORED, "measured", terms)


def execute(code: str) -> CallRecord:
    return CallRecord("execute", {"code": code}, has_changed=True)


GOLD = Evidence(
    score=scored(1.0),
    outcome=Outcome.OK,
    statements=("An 80 x 60 x 10 mm plate with four 6 mm holes.",),
    calls=(execute("plate"), execute("holes"), CallRecord("submit")),
    built=Built(MEASURES),
    potentials=(0.3, 0.7, 1.0, 1.0),
)
WRONG = replace(GOLD, score=scored(0.4), potentials=(0.3, 0.4, 0.4, 0.4))
FLAWLESS_MANNERS = replace(GOLD, score=scored(0.1), potentials=(0.1, 0.1, 0.1, 0.1))


def failed(outcome: Outcome) -> Evidence:
    score = failure_score(Outcome.NO_RESULT, "there is no part to score", SCORING)
    return replace(GOLD, score=score, outcome=outcome, built=None, potentials=())


def result(name: str, credit: float = 0.0) -> ConstraintResult:
    verdict = CheckVerdict.MET if credit == 1.0 else CheckVerdict.RESIDUAL
    return ConstraintResult(name, "volume", "", "", 0.0, "mm3", 0.0, credit, verdict, "")


def value(recipe: str, evidence: Evidence) -> float:
    found = load_recipe(recipe).compose(evidence).value
    assert found is not None
    return found


def written(body: str) -> Recipe:
    return read_recipe(dedent(body), "my.yaml")


def test_the_shipped_recipes_are_found_by_name() -> None:
    assert recipe_names() == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_a_gold_trajectory_scores_one(name: str) -> None:
    assert value(name, GOLD) == 1.0


@pytest.mark.parametrize("name", SHIPPED)
def test_a_wrong_part_scores_below_half(name: str) -> None:
    assert value(name, WRONG) < 0.5


@pytest.mark.parametrize("name", SHIPPED)
def test_manners_do_not_pay_without_a_part(name: str) -> None:
    rude = replace(FLAWLESS_MANNERS, statements=(), calls=(), potentials=(0.1,))
    assert value(name, FLAWLESS_MANNERS) == pytest.approx(value(name, rude), abs=0.01)


@pytest.mark.parametrize("name", SHIPPED)
def test_failures_are_graded_below_every_valid_part(name: str) -> None:
    order = sorted(FAILED_CREDIT, key=lambda outcome: FAILED_CREDIT[outcome])
    values = [value(name, failed(outcome)) for outcome in order]
    values.append(value(name, FLAWLESS_MANNERS))
    assert values == sorted(set(values))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_group_of_unlike_failures_has_a_signal(name: str) -> None:
    recipe = load_recipe(name)
    group = group_statistics([recipe.compose(failed(outcome)) for outcome in FAILED_CREDIT])
    assert not group.is_zero_signal


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(replace(GOLD, score=None, outcome=Outcome.INFRA_ERROR), id="broken episode"),
        pytest.param(replace(GOLD, score=infra_score("died", SCORING)), id="broken judge"),
        pytest.param(replace(GOLD, score=Score(None, Verdict.UNSCORABLE, "open")), id="unscorable"),
    ],
)
def test_what_is_not_the_policys_doing_is_masked(name: str, evidence: Evidence) -> None:
    found = load_recipe(name).compose(evidence)
    assert found.value is None
    assert found.reason.startswith("masked by")


def test_an_edit_handed_back_unchanged_earns_the_floor_only() -> None:
    untouched = replace(GOLD, score=scored(0.9), potentials=(0.9, 0.9, 0.9, 0.9))
    assert value("edit", untouched) == pytest.approx(0.05)


def test_an_edit_whose_start_nobody_scored_is_masked() -> None:
    assert load_recipe("edit").compose(replace(GOLD, potentials=())).value is None


def test_constraints_are_counted_where_the_score_does_not_say() -> None:
    score = Score(1.0, Verdict.SCORED, "measured", (Term("iou", 1.0, 1.0, "ratio", 1.0),))
    halfway = replace(GOLD, score=score, report=ConstraintReport((result("a", 1.0), result("b"))))
    term = load_recipe("create").compose(halfway).term("constraints")
    assert term is not None
    assert (term.value, term.note) == (0.5, "1 of 2 met")


def test_constraints_that_nobody_could_check_mask_and_are_not_dropped() -> None:
    score = Score(0.9, Verdict.SCORED, "measured", (Term("iou", 1.0, 0.9, "ratio", 0.9),))
    failed = replace(GOLD, score=score, report_failure="the worker was killed")
    found = load_recipe("create").compose(failed)
    assert (found.value, found.reason) == (None, "masked by constraints: the worker was killed")


@pytest.mark.parametrize("name", SHIPPED)
def test_step_rewards_add_up_to_what_no_policy_can_change(name: str) -> None:
    steps = [load_recipe(name).compose(evidence).steps for evidence in (GOLD, WRONG)]
    assert discounted(steps[0], 1.0) == pytest.approx(discounted(steps[1], 1.0))
    assert steps[0] != steps[1]


def test_every_term_is_there_by_name() -> None:
    names = {term.name for term in load_recipe("create").compose(GOLD).terms}
    assert {"score", "validity", "constraints", "claims", "calls_valid", "calls_cost"} <= names


MINIMAL = """\
    recipe: mine
    version: 1
    reward: score
"""


def test_a_recipe_may_be_one_term() -> None:
    assert written(MINIMAL).compose(WRONG).value == 0.4


def test_a_recipe_can_declare_terms_of_its_own() -> None:
    recipe = written(
        """\
        recipe: mine
        version: 1
        terms: {beauty: as judged by a person}
        reward: {product: [score, beauty]}
        """
    )
    found = recipe.compose(replace(GOLD, extra={"beauty": 0.25}))
    assert found.value == 0.25


def test_a_value_for_an_undeclared_term_is_refused() -> None:
    with pytest.raises(UsageError, match="no term 'beauty'"):
        written(MINIMAL).compose(replace(GOLD, extra={"beauty": 1.0}))


FAULTS = [
    ("reward: scor", r"my\.yaml:3: unknown term 'scor': did you mean 'score'"),
    ("reward: {summ: [score]}", r"my\.yaml:3: 'summ' is no kind of node: did you mean 'sum'"),
    ("reward: {sum: [score], weigth: 1}", r"my\.yaml:3: unknown field 'weigth' of sum: did you"),
    ("reward: {sum: [score], weight: 1}", r"my\.yaml:3: a weight counts only under a sum"),
    ("reward:\n  sum:\n  - score\n  - {term: iou, weight: -1}", r"my\.yaml:6: .*weight is -1"),
    ("reward:\n  sum:\n  - {term: iou, weight: 0}", r"my\.yaml:4: .*must be above 0"),
    ("reward:\n  minimum: []", r"my\.yaml:4: .*list of 1 to"),
    ("reward:\n  gate: validity", r"my\.yaml:3: reward lacks the field 'then'"),
    ("reward:\n  gate: validity\n  then: score\n  floor: 2", r"my\.yaml:6: .*floor is 2"),
    ("reward:\n  sum: [score]\n  product: [iou]", r"my\.yaml:3: reward is both sum and product"),
    ("reward:\n  sum: [score]\n  on_missing: zero", r"my\.yaml:5: unknown on_missing 'zero'"),
    ("reward: score\nprocess: {gamma: 2}", r"my\.yaml:4: process\.gamma is 2"),
    ("reward: score\ncalls: {budgets: 3}", r"my\.yaml:4: unknown field 'budgets': did you mean"),
    ("reward: score\nreward: iou", r"my\.yaml:4: 'reward' is given twice"),
    ("reward: score\nterms: {score: mine}", r"my\.yaml:4: the term 'score' is taken"),
    ("reward: score\nrewards: iou", r"my\.yaml:4: unknown field 'rewards'"),
    ("about: nothing", r"my\.yaml:1: the recipe lacks the field 'reward'"),
    (
        "reward: {lexicographic: [score, iou], levels: 1}",
        "my.yaml:3: .*levels is 1: give a whole number",
    ),
]


@pytest.mark.parametrize(("body", "message"), FAULTS, ids=[row[0][:40] for row in FAULTS])
def test_a_fault_names_line_and_remedy(body: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_recipe(f"recipe: mine\nversion: 1\n{body}\n", "my.yaml")


def test_an_unknown_recipe_gets_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="did you mean 'create'"):
        load_recipe("creat")


def test_a_recipe_can_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(dedent(MINIMAL))
    assert load_recipe(path) == written(MINIMAL)


def test_the_recipe_in_the_documentation_can_be_used() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rewards.md").read_text("utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert read_recipe(block, "docs/rewards.md").compose(GOLD).value == 1.0


def digest(reward: str, rest: str = "") -> str:
    return read_recipe(f"recipe: a\nversion: 1\nreward: {reward}\n{rest}", "a.yaml").digest


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("{sum: [score, iou]}", "{sum: [iou, score], name: both}"),
        ("{sum: [score]}", "{sum: [{term: score, weight: 1.0}]}"),
    ],
)
def test_a_digest_tells_meaning_and_not_spelling(first: str, second: str) -> None:
    assert digest(first) == digest(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("{sum: [score, iou]}", "{product: [score, iou]}"),
        ("{sum: [score, iou]}", "{sum: [score, {term: iou, weight: 2}]}"),
        ("{lexicographic: [score, iou]}", "{lexicographic: [iou, score]}"),
    ],
)
def test_a_changed_number_is_a_changed_digest(first: str, second: str) -> None:
    assert digest(first) != digest(second)


def test_a_changed_budget_is_a_changed_digest() -> None:
    assert digest("score", "calls: {budget: 3}") != digest("score")


def test_rewards_of_two_recipes_refuse_comparison() -> None:
    rewards: list[RewardBreakdown] = [load_recipe(n).compose(GOLD) for n in ("create", "mesh")]
    with pytest.raises(UsageError, match="recipe name is 'create' in one and 'mesh'"):
        require_same_recipe(*rewards)
