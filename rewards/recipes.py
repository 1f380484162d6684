"""A recipe names a composition: which terms, how they are combined, what calls may cost.

Recipes are YAML files. Four ship with the package: ``create``, ``edit``, ``repair`` and ``mesh``.
A recipe has a version and a digest of what it means; rewards of unlike recipes refuse to be
compared. `Recipe.compose` is a pure function from the evidence of an episode to its reward.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from cadwright import assets
from cadwright.rewards.breakdown import Reading, RecipeCard, RewardBreakdown
from cadwright.rewards.calls import CallBudget, CallRecord, call_readings
from cadwright.rewards.compose import Node, evaluate, shares
from cadwright.rewards.consistency import Built, consistency_readings
from cadwright.rewards.constraints.result import ConstraintReport
from cadwright.rewards.constraints.values import nearest
from cadwright.rewards.outcome import OUTCOME_TERMS, outcome_readings
from cadwright.rewards.process import process_readings, shaping_rewards, viable_prefix
from cadwright.rewards.recipe_nodes import (
    RecipeFault,
    node_to_plain,
    number,
    parse_node,
    text,
    whole,
)
from cadwright.rewards.score import Score
from cadwright.tools.errors import Outcome, UsageError
from cadwright.tools.files import read_text
from cadwright.tools.yaml_lines import YamlFault, parse_yaml

LAYER_TERMS = (
    *OUTCOME_TERMS,
    *("improvement", "viable_steps"),
    *("calls_valid", "calls_useful", "calls_fresh", "calls_cost"),
    *("claims", "plan"),
)
FIELDS = ("recipe", "version", "about", "terms", "reward", "calls", "process")
MAX_VERSION = 100_000
MAX_SCALE = 1e3


@dataclass(frozen=True, slots=True)
class ProcessPlan:
    """How single steps are rewarded beside the total.

    Attributes:
        gamma: The trainer's discount.
        scale: Factor on the potentials.
    """

    gamma: float = 1.0
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything a reward is made of, measured already.

    Attributes:
        score: The judge's score of the final part, or None where there is none.
        outcome: How the episode ended.
        message: The reason in words.
        statements: The assistant's own words, turn by turn.
        calls: Tool calls in order.
        built: Measures and features of the final part, where they are known.
        report: How the part stands to the task's constraints, where the score does not say.
        report_failure: Why there is no report though there should be one: our failure.
        potentials: Score of the part before the first call and after each call; None where it is
            not known, empty where nobody scored the steps.
        extra: Readings of terms that the recipe declares itself, by name.
    """

    score: Score | None
    outcome: Outcome
    message: str = ""
    statements: tuple[str, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    built: Built | None = None
    report: ConstraintReport | None = None
    report_failure: str = ""
    potentials: tuple[float | None, ...] = ()
    extra: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A named composition.

    Attributes:
        name: Its name.
        version: Raised whenever its numbers change.
        reward: The tree.
        about: One sentence.
        terms: Terms of the user's own: what each means, by name.
        calls: What tool calls may cost.
        process: How steps are rewarded, or None where they are not.
    """

    name: str
    version: int
    reward: Node
    about: str = ""
    terms: Mapping[str, str] = field(default_factory=dict)
    calls: CallBudget = field(default_factory=CallBudget)
    process: ProcessPlan | None = None

    @property
    def card(self) -> RecipeCard:
        """What a reward carries to say how it was made."""
        return RecipeCard(self.name, self.version, self.digest)

    @property
    def asks(self) -> frozenset[str]:
        """The terms that the tree names, counted or not: nothing else needs to be measured."""
        return frozenset(shares(self.reward))

    @property
    def digest(self) -> str:
        """Hash of everything that can change a number; labels and comments do not."""
        meaning = {
            "reward": node_to_plain(self.reward),
            "calls": asdict(self.calls),
            "process": None if self.process is None else asdict(self.process),
        }
        return hashlib.sha256(json.dumps(meaning, sort_keys=True).encode()).hexdigest()[:16]

    def compose(self, evidence: Evidence) -> RewardBreakdown:
        """Return the reward of an episode.

        Raises:
            UsageError: A number of the evidence is none; the message names it.
        """
        outcomes = [call.outcome for call in evidence.calls]
        score = evidence.score
        final = None if score is None else score.value
        readings = {
            **self._outcome_readings(evidence),
            **process_readings(outcomes, evidence.potentials, final),
            **call_readings(evidence.calls, self.calls),
            **consistency_readings(evidence.statements, evidence.built),
            **own_readings(self.terms, evidence.extra),
        }
        return replace(
            evaluate(self.reward, readings),
            steps=self._steps(evidence.potentials),
            viable_prefix=viable_prefix(outcomes) if outcomes else None,
            recipe=self.card,
            card=None if score is None else score.card,
        )

    def _outcome_readings(self, evidence: Evidence) -> dict[str, Reading]:
        return outcome_readings(
            evidence.score,
            evidence.outcome,
            evidence.message,
            report=evidence.report,
            report_failure=evidence.report_failure,
        )

    def _steps(self, potentials: tuple[float | None, ...]) -> tuple[float, ...]:
        if self.process is None:
            return ()
        return shaping_rewards(potentials, gamma=self.process.gamma, scale=self.process.scale)


def recipe_names() -> tuple[str, ...]:
    """Return the recipes that ship with the package."""
    names = (entry.name for entry in assets.path("recipes").iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def load_recipe(name_or_path: str | Path) -> Recipe:
    """Return a recipe by its name, or from a YAML file.

    Raises:
        UsageError: There is none, or its file has a fault: the file, the line, what was given and
            what is allowed.
    """
    path = Path(name_or_path)
    if str(name_or_path) in recipe_names():
        resource = assets.path(f"recipes/{name_or_path}.yaml")
        return read_recipe(resource.read_text("utf-8"), f"recipe {name_or_path}")
    if not path.exists():
        known = nearest(name_or_path, recipe_names())
        raise UsageError(f"there is no recipe or file {str(name_or_path)!r}{known}")
    return read_recipe(read_text(path), str(path))


def read_recipe(source: str, origin: str) -> Recipe:
    """Return the recipe in a YAML text.

    Args:
        source: The text.
        origin: The file's name, for messages.

    Raises:
        UsageError: The first fault with its line.
    """
    try:
        tree = parse_yaml(source, expected="a recipe")
    except YamlFault as err:
        raise UsageError(f"{origin}:{err.line}: {err}") from err
    try:
        return recipe_from_plain(tree.data)
    except RecipeFault as err:
        raise UsageError(f"{origin}:{tree.line_of(err.where)}: {err}") from err


def recipe_from_plain(data: object) -> Recipe:
    """Return the recipe that plain data describe.

    Raises:
        RecipeFault: The first fault with the path of its field.
    """
    if not isinstance(data, Mapping):
        raise RecipeFault((), "a recipe is a mapping with the fields recipe, version and reward")
    _known(data, FIELDS, ())
    for name in ("recipe", "version", "reward"):
        if data.get(name) is None:
            raise RecipeFault((), f"the recipe lacks the field {name!r}")
    own = _own_terms(data.get("terms") or {})
    return Recipe(
        name=text(data["recipe"], ("recipe",)),
        version=whole(data["version"], ("version",), MAX_VERSION),
        about=str(data.get("about") or ""),
        terms=own,
        reward=parse_node(data["reward"], (*LAYER_TERMS, *own), ("reward",)),
        calls=_budget(data.get("calls") or {}),
        process=None if data.get("process") is None else _process(data["process"]),
    )


def own_readings(
    terms: Mapping[str, str], values: Mapping[str, float | None]
) -> dict[str, Reading]:
    """Return the readings of the terms that a recipe declares itself.

    Raises:
        UsageError: A value is given for a term that the recipe does not declare.
    """
    for name in values:
        if name not in terms:
            raise UsageError(f"the recipe declares no term {name!r}{nearest(name, terms)}")
    return {name: Reading(name, values.get(name), note=about) for name, about in terms.items()}


def _own_terms(data: object) -> dict[str, str]:
    if not isinstance(data, Mapping):
        raise RecipeFault(("terms",), "terms: give what each term means, by name")
    for name in data:
        if name in LAYER_TERMS:
            raise RecipeFault(("terms", name), f"the term {name!r} is taken: give another name")
    return {text(name, ("terms",)): str(about or "") for name, about in data.items()}


def _budget(data: object) -> CallBudget:
    fields = _mapping(data, ("budget", "costs"), "calls")
    costs = fields.get("costs") or {}
    if not isinstance(costs, Mapping):
        raise RecipeFault(("calls", "costs"), "calls.costs: give the cost of a call by tool")
    return CallBudget(
        number(fields.get("budget", CallBudget().budget), ("calls", "budget"), 1e-6, 1e6),
        {
            str(name): number(cost, ("calls", "costs", name), 0.0, 1e6)
            for name, cost in costs.items()
        },
    )


def _process(data: object) -> ProcessPlan:
    fields = _mapping(data, ("gamma", "scale"), "process")
    return ProcessPlan(
        number(fields.get("gamma", 1.0), ("process", "gamma"), 1e-6, 1.0),
        number(fields.get("scale", 1.0), ("process", "scale"), 0.0, MAX_SCALE),
    )


def _mapping(data: object, names: tuple[str, ...], where: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise RecipeFault((where,), f"{where} is {data!r}: give a mapping of {', '.join(names)}")
    _known(data, names, (where,))
    return data


def _known(data: Mapping[Any, Any], names: tuple[str, ...], where: tuple[str, ...]) -> None:
    for key in data:
        if key not in names:
            raise RecipeFault((*where, key), f"unknown field {key!r}{nearest(key, names)}")
