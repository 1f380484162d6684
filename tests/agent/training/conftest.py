"""A tokenizer, a model and a few parts, small enough for every test run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from cadwright.agent.cli.train import load_recipe
from cadwright.agent.training import wording
from cadwright.agent.training.export import export
from cadwright.agent.training.phrases import build_tokenizer
from cadwright.agent.training.records import Bank, Unknown
from cadwright.agent.training.sheets import Sheet, clusters, draw_program
from cadwright.agent.training.vlm import build_model
from cadwright.envs.domains.compact import FAMILIES

NUM_CLUSTERS = 4


@pytest.fixture(scope="session")
def recipe() -> dict[str, Any]:
    return load_recipe()


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    texts = wording.corpus(np.random.default_rng(0), FAMILIES, [])
    return build_tokenizer(texts, FAMILIES)


@pytest.fixture(scope="session")
def sheets() -> list[Sheet]:
    pytest.importorskip("cadquery")
    found = []
    drawn = clusters(np.random.default_rng(3))
    for number, (family, designs) in zip(range(NUM_CLUSTERS), drawn, strict=False):
        for design in designs:
            drawing = draw_program(family.inline_program(design))
            found.append(Sheet(family.name, design.values, number, drawing))
    return found


@pytest.fixture(scope="session")
def bank(sheets: list[Sheet]) -> Bank:
    ordinary = {place: np.full((128, 128, 3), 200, np.uint8) for place in range(len(sheets))}
    unknown = [Unknown(("a thing with four legs",), sheets[0].picture[::-1].copy())]
    return Bank(sheets, unknown, ordinary)


@pytest.fixture
def model(tokenizer: Any, recipe: dict[str, Any]) -> Any:
    return build_model(tokenizer, recipe["model"], seed=0).eval()


@pytest.fixture(scope="session")
def folder(
    tokenizer: Any, recipe: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return a model folder with random weights."""
    path = tmp_path_factory.mktemp("policy")
    export(build_model(tokenizer, recipe["model"], seed=0), tokenizer, path)
    return path
