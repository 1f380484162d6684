"""From a checkpoint to a model folder that ``hf:`` loads: weights, words, pictures, one hash."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cadwright.agent.models.artefact import ModelCard, artefact_parts, write_card
from cadwright.agent.models.processors import processor_class
from cadwright.agent.training import talk
from cadwright.agent.training.vlm import FRAMES, MERGE, PATCH, load_run
from cadwright.tools.rendering.measured import MEASURED_VERSION, STRIP_PX, VIEW_PX

LARGEST_PX = 2 * VIEW_PX * (2 * VIEW_PX + STRIP_PX)  # a measured sheet; others are scaled to it
LEAST_PX = (PATCH * MERGE) ** 2
LONGEST_ANSWER = 80  # tokens; the longest program takes 32
KEPT_RENDERS = 4  # as in training
_VIDEOS = {  # the stock processor refuses a folder that says nothing of videos; ours takes none
    "video_processor_type": "Qwen3VLVideoProcessor",
    "processor_class": "Qwen3VLProcessor",
    "patch_size": PATCH,
    "merge_size": MERGE,
    "temporal_patch_size": FRAMES,
}


def export(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write a model folder; a README that is there stays.

    Args:
        model: Trained; its weights are written in half precision.
        tokenizer: Its tokenizer.
        folder: Where to.
    """
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.suffix in (".json", ".jinja", ".safetensors"):
            old.unlink()
    half = type(model)(model.config)
    half.load_state_dict(model.state_dict())
    half.generation_config = model.generation_config
    half.to(torch.float16).save_pretrained(folder)
    build_processor(model.config, tokenizer).save_pretrained(folder)
    (folder / "video_preprocessor_config.json").write_text(json.dumps(_VIDEOS, indent=2) + "\n")
    parts = artefact_parts(folder, system="", tools=talk.TOOLS, renderer=MEASURED_VERSION)
    write_card(
        folder,
        ModelCard(
            tools=tuple(spec.name for spec in talk.TOOLS),
            dialect="hermes",
            budget={"image_px": LARGEST_PX, "keep_renders": KEPT_RENDERS},
            decline=talk.DECLINE,
            max_new_tokens=LONGEST_ANSWER,
            renderer=MEASURED_VERSION,
            parts=parts,
            license="Apache-2.0",
        ),
    )


def export_run(
    recipe: Mapping[str, Any], run: Path, folder: Path, *, tokenizer_of: Path | None = None
) -> None:
    """Write the model folder of a training run.

    Args:
        recipe: That it was trained with.
        run: Folder with tokenizer and checkpoint.
        folder: Where to.
        tokenizer_of: Run that made the tokenizer, where it is another one.
    """
    export(*load_run(recipe, run, tokenizer_of), folder)


def build_processor(config: Any, tokenizer: Any) -> Any:
    """Return the processor: pictures of at most the size of a measured sheet, no videos."""
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import (
        Qwen2VLImageProcessorPil,
    )

    images = Qwen2VLImageProcessorPil(
        patch_size=PATCH,
        merge_size=MERGE,
        temporal_patch_size=FRAMES,
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
        size={"shortest_edge": LEAST_PX, "longest_edge": LARGEST_PX},
    )
    made = processor_class(config)
    return made(image_processor=images, tokenizer=tokenizer, chat_template=talk.template())
