"""Load a local model with everything that belongs to it.

Vision-language models come through ``AutoModelForImageTextToText``; a text-only model loads too and
is told about pictures in words. What an option cannot do on this machine is an error in one line,
never a silent fallback.
"""

from __future__ import annotations

import hashlib
import importlib.util
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cadwright.agent.models.artefact import ModelCard, check_folder, read_card
from cadwright.agent.models.folders import model_folder, reading, refuse_pointers
from cadwright.agent.models.options import ModelOptions
from cadwright.agent.models.processors import load_processor
from cadwright.tools.errors import DependencyError, UsageError

SMALL_MODEL = 256 * 2**20  # bytes of weights that load in a moment
WHOLE_FILE = 64 * 2**20  # bytes of weights up to which all of them are hashed
SAMPLES, SAMPLE_BYTES = 64, 65_536  # of larger files
_WEIGHTS = ("*.safetensors", "*.bin")


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model, ready to generate.

    Attributes:
        name: Folder name or hub name.
        model: The transformers model, in evaluation mode.
        tokenizer: Its tokenizer, padding on the left.
        processor: Its processor, or None for a text-only model.
        card: What its folder says about it, defaults where it says nothing.
        digest: Of weights and settings.
        notes: What a person should know, one line each.
    """

    name: str
    model: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    processor: Any = field(repr=False)
    card: ModelCard = field(default_factory=ModelCard)
    digest: str = ""
    notes: tuple[str, ...] = ()

    @property
    def device(self) -> Any:
        """Where the weights are."""
        return self.model.device

    @property
    def template_owner(self) -> Any:
        """What holds the chat template."""
        has_own = self.processor is not None and self.processor.chat_template
        return self.processor if has_own else self.tokenizer


def load_model(options: ModelOptions) -> LoadedModel:
    """Load the model that ``options`` name.

    Raises:
        UsageError: There is no such model, or it cannot be used as asked.
        DependencyError: torch, transformers or what an option needs is not installed.
    """
    _need_torch()
    source, folder = options.source, model_folder(options.source)
    card = read_card(folder)
    if card is not None:
        with reading(source, "its files cannot be read"):
            check_folder(card, folder)
    config = _config(source, folder)
    can_see = _is_image_text_to_text(config)
    with reading(source, "its processor or tokenizer cannot be loaded"):
        processor = load_processor(str(folder), config) if can_see else None
        tokenizer = processor.tokenizer if processor is not None else _tokenizer(folder)
    model, notes = _weights(options, folder, config, can_see=can_see)
    if not can_see:
        notes = ("this model cannot see: a line of text stands for each picture", *notes)
    return LoadedModel(
        name=folder.name if Path(source).expanduser().is_dir() else source,
        model=model,
        tokenizer=tokenizer,
        processor=processor,
        card=card or ModelCard(),
        digest=_digest(folder, options),
        notes=notes,
    )


def _need_torch() -> None:
    for name in ("torch", "transformers"):
        if importlib.util.find_spec(name) is None:
            raise DependencyError(f"{name} is not installed; run: pip install 'cadwright[agent]'")


def _config(source: str, folder: Path) -> Any:
    from transformers import AutoConfig

    with reading(source, "no model can be loaded from there"):
        return AutoConfig.from_pretrained(folder)


def _is_image_text_to_text(config: Any) -> bool:
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING

    return type(config) in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING


def _tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder, padding_side="left")


def _weights(
    options: ModelOptions, folder: Path, config: Any, *, can_see: bool
) -> tuple[Any, tuple[str, ...]]:
    """Return the model and what a person should know about its files."""
    from transformers import AutoModelForCausalLM, AutoModelForImageTextToText

    device = _device(options.device)
    maker = AutoModelForImageTextToText if can_see else AutoModelForCausalLM
    dtype = _dtype(options, config, device)
    refuse_pointers(folder)
    with reading(options.source, "the weights cannot be loaded"), _quiet(folder):
        model, found = maker.from_pretrained(
            folder,
            dtype=dtype,
            attn_implementation="sdpa",
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # counted below, where one line says it
        )
    notes = _compared(options.source, found)
    if options.adapter:
        model = _with_adapter(model, options)
    model = model.to(device).eval()
    return (_quantised(model, device) if options.quant == "int8" else model), notes


def _compared(source: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    """Refuse weights that transformers would make up, and name those that it leaves unused."""
    missing, unused = sorted(found["missing_keys"]), sorted(found["unexpected_keys"])
    if missing:
        raise UsageError(f"hf:{source}: {len(missing)} weights are missing: {missing[0]}")
    mismatched = sorted(found["mismatched_keys"])
    if mismatched:
        name, own, wanted = mismatched[0]
        raise UsageError(
            f"hf:{source}: {len(mismatched)} weights have other sizes than config.json says: "
            f"{name} has {tuple(own)}, not {tuple(wanted)}"
        )
    return (f"{len(unused)} of its weights are not used: {unused[0]}",) if unused else ()


@contextmanager
def _quiet(folder: Path) -> Iterator[None]:
    """Show no report of weights, which we give ourselves, and no bar for what loads in a moment."""
    from transformers.utils import logging

    size = sum(path.stat().st_size for name in _WEIGHTS for path in folder.glob(name))
    has_bar, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.set_verbosity_error()
    if size <= SMALL_MODEL:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bar:
            logging.enable_progress_bar()


def _device(wanted: str) -> Any:
    import torch

    if wanted == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(wanted)
    except RuntimeError as error:
        raise UsageError(f"hf: device is {wanted!r}: use auto, cpu, cuda, cuda:N or mps") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise UsageError("hf: device is 'cuda', but torch sees no GPU here: use device=cpu")
    if device.type == "mps" and not torch.backends.mps.is_available():
        raise UsageError("hf: device is 'mps', but there is none here: use device=cpu")
    return device


def _dtype(options: ModelOptions, config: Any, device: Any) -> Any:
    """Return float32 on a CPU unless asked otherwise: half precision is slower there."""
    import torch

    if options.quant == "int8" and options.dtype not in ("auto", "float32"):
        raise UsageError(f"hf: quant=int8 starts from float32, not from dtype={options.dtype}")
    if options.dtype != "auto":
        return getattr(torch, options.dtype)
    own = getattr(config, "dtype", None) or torch.bfloat16
    return torch.float32 if device.type == "cpu" else own


def _with_adapter(model: Any, options: ModelOptions) -> Any:
    try:
        from peft import PeftModel
    except ImportError as error:
        raise DependencyError("adapter needs peft; run: pip install 'cadwright[train]'") from error
    what = f"adapter {options.adapter} does not fit this model"
    with reading(options.source, what), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peft asks transformers by names that it will rename
        return PeftModel.from_pretrained(model, options.adapter).merge_and_unload()


def _quantised(model: Any, device: Any) -> Any:
    """Store the linear layers of the language model in 8 bits; the vision tower stays as it is."""
    import torch
    from torch.ao.quantization import quantize_dynamic

    if device.type != "cpu":
        raise UsageError(f"hf: quant=int8 runs on a CPU only, not on {device.type}")
    language = getattr(getattr(model, "model", model), "language_model", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch announces a successor that is a separate package
        if language is None:
            return quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
        quantize_dynamic(language, {torch.nn.Linear}, dtype=torch.qint8, inplace=True)
    return model


def _digest(folder: Path, options: ModelOptions) -> str:
    """Hash what decides the answers: settings, tokenizer, weights, adapter."""
    digest = hashlib.sha256(f"{options.dtype}|{options.quant}".encode())
    for root in filter(None, (folder, Path(options.adapter) if options.adapter else None)):
        for path in sorted(root.glob("*.json")):
            digest.update(path.name.encode() + path.read_bytes())
        for pattern in _WEIGHTS:
            for path in sorted(root.glob(pattern)):
                _hash_weights(digest, path)
    return digest.hexdigest()


def _hash_weights(digest: Any, path: Path) -> None:
    """Hash a weight file: all of a small one, samples of a large one."""
    size = path.stat().st_size
    digest.update(f"{path.name}{size}".encode())
    with path.open("rb") as file:
        if size <= WHOLE_FILE:
            digest.update(file.read())
            return
        for number in range(SAMPLES):
            file.seek(number * (size - SAMPLE_BYTES) // (SAMPLES - 1))
            digest.update(file.read(SAMPLE_BYTES))
