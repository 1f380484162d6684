"""Random-weight models, made once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from tiny_models import FAMILIES
from transformers.utils import logging

from cadwright.agent.models.local import LocalModel, open_model
from cadwright.agent.models.options import ModelOptions

logging.disable_progress_bar()
logging.set_verbosity_error()
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def family_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a family's model."""
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in made:
            made[name] = FAMILIES[name](tmp_path_factory.mktemp(name))
        return made[name]

    return folder


@pytest.fixture(scope="session")
def open_family(family_folder: Callable[[str], Path]) -> Callable[..., LocalModel]:
    """Return a family's model, loaded and checked; ``options`` are those of ``ModelOptions``."""

    def opened(name: str, **options: object) -> LocalModel:
        return open_model(ModelOptions(str(family_folder(name)), **options))  # type: ignore[arg-type]

    return opened
