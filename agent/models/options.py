"""What can be chosen about a local model: the part of a policy spec after the question mark.

``hf:FOLDER?tier=fast&temperature=0.7&max_pixels=262144``. A wrong name or value is one clear line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from cadwright.envs.names import nearest
from cadwright.tools.errors import UsageError

DTYPES = ("auto", "float32", "bfloat16", "float16")
QUANTISATIONS = ("none", "int8")
TIERS = ("auto", "standard", "fast")
SCENARIOS = ("interactive", "batch", "long")
_LOCAL = ("hf", "tiny")  # kinds of policy that are a model on this machine


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How a model is loaded and how it generates.

    Attributes:
        source: Folder, or a name that the local Hugging Face cache holds; nothing is fetched.
        dtype: Of the weights; ``auto`` is float32 on a CPU and what the model says elsewhere.
        device: ``auto``, ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
        quant: ``int8`` stores the linear layers of the language model in 8 bits (CPU).
        adapter: Folder of a LoRA adapter, merged after loading.
        tier: ``standard``, ``fast``, or ``auto`` by scenario.
        scenario: What ``auto`` chooses for: ``interactive``, ``batch`` or ``long``.
        draft: Folder of a smaller model of the same tokenizer that speculates in tier ``fast``.
        temperature: 0 is greedy.
        top_p: Share of probability mass that is sampled from.
        top_k: How many tokens are sampled from; 0 for all.
        max_new_tokens: Longest answer; the model card's own, or 1024, where it is None.
        images: Most images of one prompt; the oldest beyond it become placeholders.
        max_pixels: Larger images are scaled down to this area before the model sees them; the
            card's own limit, or 1024 x 1024, where it is None.
        context: Most tokens of one prompt; the model's own limit where it is None.
        decline: How an answer begins that ends the episode without a part; the card's own words
            where it is empty.
        dialect: How calls are written, as in ``cadwright.agent.tool_calls``.
        cache_tokens: Tokens of past conversations that stay in memory, all sessions together;
            as many as fit into 2 GiB where it is None.
        repair: Whether near-miss calls are repaired, counted, and run.
    """

    source: str
    dtype: str = "auto"
    device: str = "auto"
    quant: str = "none"
    adapter: str = ""
    tier: str = "standard"
    scenario: str = "interactive"
    draft: str = ""
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    max_new_tokens: int | None = None
    images: int | None = None
    max_pixels: int | None = None
    context: int | None = None
    decline: str = ""
    dialect: str = "auto"
    cache_tokens: int | None = None
    repair: bool = True


def parse_options(argument: str) -> ModelOptions:
    """Read what follows ``hf:``.

    Raises:
        UsageError: There is no model, an option is unknown, or a value is not allowed.
    """
    source, _, query = argument.partition("?")
    if not source:
        raise UsageError("hf needs a model: hf:FOLDER or hf:NAME, for example hf:models/my-vlm")
    known = {field.name for field in fields(ModelOptions)} - {"source"}
    values: dict[str, Any] = {}
    for name, text in parse_qsl(query, keep_blank_values=True):
        if name not in known:
            raise UsageError(f"hf: there is no option {name!r}{nearest(name, known)}")
        values[name] = _READERS[name](name, text)
    return ModelOptions(source, **values)


def with_tier(spec: str, tier: str | None, *, scenario: str) -> str:
    """Return ``spec`` with a tier, and with the scenario that tier ``auto`` chooses by.

    Args:
        spec: Of any policy.
        tier: As asked for on the command line; None leaves the spec as it is.
        scenario: ``interactive``, ``batch`` or ``long``.

    Raises:
        UsageError: The policy is no local model, or there is no such tier.
    """
    kind = spec.partition(":")[0]
    is_local = kind in _LOCAL
    if tier is not None:
        if not is_local:
            raise UsageError(f"policy {kind!r} has no tiers: they are for {' and '.join(_LOCAL)}")
        spec = _with_option(spec, "tier", _choice(*TIERS)("tier", tier))
    is_auto = is_local and "tier=auto" in spec and "scenario=" not in spec
    return _with_option(spec, "scenario", scenario) if is_auto else spec


def _with_option(spec: str, name: str, value: str) -> str:
    if ":" not in spec:
        spec += ":"
    return f"{spec}{'&' if '?' in spec else '?'}{name}={value}"


def _choice(*allowed: str) -> Callable[[str, str], str]:
    def read(name: str, text: str) -> str:
        if text not in allowed:
            raise UsageError(f"hf: {name} is {text!r}{nearest(text, allowed)}")
        return text

    return read


def _whole(low: int, high: int) -> Callable[[str, str], int]:
    def read(name: str, text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise UsageError(f"hf: {name} is {text!r}: must be a whole number from {low} to {high}")
        return value

    return read


def _number(low: float, high: float) -> Callable[[str, str], float]:
    def read(name: str, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:  # also false for NaN
            raise UsageError(f"hf: {name} is {text!r}: must be a number from {low:g} to {high:g}")
        return value

    return read


def _text(name: str, text: str) -> str:
    if not text:
        raise UsageError(f"hf: {name} is empty")
    return text


def _folder(name: str, text: str) -> str:
    if not Path(_text(name, text)).is_dir():
        raise UsageError(f"hf: {name} is {text!r}: there is no such folder")
    return text


def _switch(name: str, text: str) -> bool:
    return _choice("on", "off")(name, text) == "on"


_READERS: Mapping[str, Callable[[str, str], Any]] = {
    "dtype": _choice(*DTYPES),
    "device": _text,
    "quant": _choice(*QUANTISATIONS),
    "adapter": _folder,
    "tier": _choice(*TIERS),
    "scenario": _choice(*SCENARIOS),
    "draft": _folder,
    "temperature": _number(0.0, 5.0),
    "top_p": _number(0.01, 1.0),
    "top_k": _whole(0, 1_000_000),
    "max_new_tokens": _whole(1, 65_536),
    "images": _whole(1, 1000),
    "max_pixels": _whole(1024, 64_000_000),
    "context": _whole(64, 10_000_000),
    "decline": _text,
    "dialect": _text,
    "cache_tokens": _whole(0, 100_000_000),
    "repair": _switch,
}
