"""Processors that need Pillow only, for families whose stock processor wants torchvision.

Many processors of transformers build a video processor beside the image processor, and every video
processor needs torchvision. We send no videos. ``image_only`` makes a subclass that leaves the
video processor out and is otherwise the same. It is used on a machine with torchvision too: a
folder that we saved has no settings for videos, and a model gives the same answers everywhere.

The trap this file closes: where ``AutoProcessor`` knows no processor class for a folder it returns
a bare tokenizer, without an error, and the model is blind from then on. ``load_processor`` never
returns one, and registers what it made, so that others who call ``AutoProcessor`` get it too.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from typing import Any, cast

from cadwright.tools.errors import DependencyError, UsageError

_VIDEO = "video_processor"
_MISSING = re.compile(r"requires the (\w+) library|Missing optional dependencies: (\w+)")


def load_processor(source: str, config: Any) -> Any:
    """Return the processor of a vision-language model.

    Args:
        source: Model folder or name.
        config: Its ``PreTrainedConfig``.

    Raises:
        UsageError: transformers knows no processor for this family.
        DependencyError: The family needs torchvision for images too, or another package.
    """
    processor = _load(processor_class(config), source, config)
    if not hasattr(processor, "image_processor") or not hasattr(processor, "tokenizer"):
        kind = type(processor).__name__
        raise UsageError(f"{source}: the processor {kind} does not take text with images")
    processor.tokenizer.padding_side = "left"  # on the right, padding would come before the answer
    return processor


def processor_class(config: Any) -> type[Any]:
    """Return the processor class for a model's config, image-only where the stock takes videos."""
    from transformers import AutoProcessor
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING

    if type(config) not in PROCESSOR_MAPPING:
        raise UsageError(f"transformers has no processor for models of type {config.model_type!r}")
    stock = cast("type[Any]", PROCESSOR_MAPPING[type(config)])
    if _VIDEO not in inspect.signature(stock.__init__).parameters:
        return stock
    _do_without_number_words(stock)
    made = image_only(stock)
    AutoProcessor.register(type(config), made, exist_ok=True)
    return made


def image_only(stock: type[Any]) -> type[Any]:
    """Return ``stock`` without its video processor."""
    if issubclass(stock, _ImageOnly):
        return stock
    members = {"__doc__": f"{stock.__name__} for images only.", "stock_name": stock.__name__}
    return type(f"ImageOnly{stock.__name__}", (_ImageOnly, stock), members)


class _NoVideos:
    """What a stock method asks its video processor for, also where nothing is a video."""

    num_frames = None
    fps = None


class _ImageOnly:
    """Mixed in before a processor class: a missing video processor is what we want."""

    stock_name = ""
    video_processor = _NoVideos()

    @classmethod
    def get_attributes(cls) -> list[str]:
        """Name the parts that transformers loads, checks and saves."""
        names: list[str] = super().get_attributes()  # type: ignore[misc]
        return [name for name in names if name != _VIDEO]

    @classmethod
    def from_args_and_dict(cls, args: Any, processor_dict: dict[str, Any], **kwargs: Any) -> Any:
        """Build it from its loaded parts: the stock constructor still counts the missing one."""
        loaded = iter(args)
        places = super().get_attributes()  # type: ignore[misc]
        filled = [None if name == _VIDEO else next(loaded) for name in places]
        return super().from_args_and_dict(filled, processor_dict, **kwargs)  # type: ignore[misc]

    def to_dict(self) -> dict[str, Any]:
        """Return its settings under the stock name: nobody else knows ours."""
        return {**super().to_dict(), "processor_class": self.stock_name}  # type: ignore[misc]


def _load(made: type[Any], source: str, config: Any) -> Any:
    try:
        processor = made.from_pretrained(source)
        if _has_torchvision():  # it scales pictures otherwise, by a hair, than Pillow does
            _use_pillow(processor, source)
        return processor
    except (ImportError, ValueError) as error:
        need = _need(error)
        if need is None:
            raise
        raise DependencyError(
            f"{source}: the processor of {config.model_type} needs {need}"
        ) from error


def _need(error: Exception) -> str | None:
    """Return the package that a paragraph of transformers asks for, and how to get it."""
    named = _MISSING.search(str(error))
    if named is not None:
        package = (named[1] or named[2]).lower()
        return f"{package}, which is not installed; run: pip install {package}"
    if isinstance(error, ImportError):
        return f"a package: {str(error).strip().splitlines()[0]}"
    return None


def _use_pillow(processor: Any, source: str) -> None:
    from transformers import AutoImageProcessor

    processor.image_processor = AutoImageProcessor.from_pretrained(source, backend="pil")


def _do_without_number_words(stock: type[Any]) -> None:
    """Let a processor load without num2words, which SmolVLM needs for sentences about videos."""
    module = sys.modules[stock.__module__]
    if getattr(module, "num2words", _number_words) is None:
        module.num2words = _number_words  # type: ignore[attr-defined]


def _number_words(number: int) -> str:
    raise DependencyError("videos need num2words; run: pip install num2words")


def _has_torchvision() -> bool:
    return importlib.util.find_spec("torchvision") is not None
