"""A local model, checked and ready for any number of conversations: what ``hf:`` stands on."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Any

from cadwright.agent.models.artefact import ModelCard
from cadwright.agent.models.engine import CACHE_BYTES, Engine
from cadwright.agent.models.family import Runner, family_of
from cadwright.agent.models.loading import LoadedModel, load_model
from cadwright.agent.models.options import ModelOptions
from cadwright.agent.models.pictures import PictureReader
from cadwright.agent.models.prompts import PromptBuilder
from cadwright.agent.models.rendering import Rendering
from cadwright.agent.models.selfcheck import (
    TOLERANCES,
    check_cache,
    check_splicing,
    check_template,
)
from cadwright.agent.models.speculation import Draft, Lookup, Speculator
from cadwright.agent.models.tiers import TierPlan, plan_tier

DEFAULT_CONTEXT = 32_768  # tokens of a prompt and its answer, where the model names no limit


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A checked model; conversations on it may run in any number of threads.

    Attributes:
        loaded: Weights, tokenizer, processor, card.
        engine: Answers prompts.
        rendering: How its template wants messages.
        plan: What its tier comes to.
        notes: What a person should know, one line each.
        encoding: Held while a prompt is built: fast tokenizers do not like two threads at once.
    """

    loaded: LoadedModel
    engine: Engine
    rendering: Rendering
    plan: TierPlan
    notes: tuple[str, ...] = ()
    encoding: threading.Lock = field(default_factory=threading.Lock)

    @property
    def card(self) -> ModelCard:
        """What its folder says about it."""
        return self.loaded.card

    @property
    def context(self) -> int:
        """Most tokens of a prompt and its answer."""
        return self.engine.runner.max_tokens or DEFAULT_CONTEXT

    def prompt_builder(self) -> PromptBuilder:
        """Return a builder of its own for one conversation at a time."""
        return _builder(self.loaded, self.engine, self.rendering)


def open_model(options: ModelOptions) -> LocalModel:
    """Load a model, check it, and prepare its tier.

    Raises:
        UsageError: It cannot be used: missing, mismatched, or its template loses something.
        DependencyError: A package that it needs is not installed.
    """
    loaded = load_model(options)
    plan = plan_tier(options, family_of(loaded.model))
    engine = Engine(
        loaded.model,
        loaded.tokenizer,
        cache_tokens=options.cache_tokens,
        speculator=_speculator(plan, options),
    )
    rendering, notes = _checked(loaded, engine, options)
    return LocalModel(loaded, engine, rendering, plan, (*loaded.notes, *plan.notes, *notes))


def _checked(
    loaded: LoadedModel, engine: Engine, options: ModelOptions
) -> tuple[Rendering, tuple[str, ...]]:
    """Run the start-up checks."""
    dialect = loaded.card.dialect if options.dialect == "auto" else options.dialect
    template = check_template(
        loaded.template_owner,
        placeholder=str(loaded.processor.image_token) if loaded.processor is not None else "",
        may_describe_tools=dialect != "auto",
        name=loaded.name,
    )
    builder = _builder(loaded, engine, template.rendering)
    tolerance = TOLERANCES[str(loaded.model.dtype).removeprefix("torch.")]
    if options.quant != "none":
        tolerance = 1.0  # 8-bit activations are scaled per pass: pieces differ by design
    notes = (*check_cache(engine, builder, tolerance=tolerance), *check_splicing(builder))
    return template.rendering, (*template.notes, *notes)


def _builder(loaded: LoadedModel, engine: Engine, rendering: Rendering) -> PromptBuilder:
    image_token_id = engine.family.image_token_id
    reader = None
    if loaded.processor is not None:
        reader = PictureReader(loaded.processor, image_token_id)
    return PromptBuilder(
        loaded.template_owner,
        loaded.tokenizer,
        reader,
        rendering,
        image_token_id=image_token_id,
        stops=engine.stops,
    )


def _speculator(plan: TierPlan, options: ModelOptions) -> Speculator | None:
    if plan.guess == "lookup":
        return Lookup()
    if plan.guess == "draft":
        runner = _draft_runner(options)
        return Draft(runner, options.cache_tokens or CACHE_BYTES // runner.bytes_per_token)
    return None


def _draft_runner(options: ModelOptions) -> Runner:
    model: Any = load_model(replace(options, source=options.draft, adapter="", draft="")).model
    return Runner(model, family_of(model))
