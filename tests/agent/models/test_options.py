"""A wrong option of a model is one clear line; the command line's tier ends up in the spec."""

from dataclasses import fields
from pathlib import Path

import pytest

from cadwright.agent.models.options import ModelOptions, parse_options, with_tier
from cadwright.tools.errors import UsageError


def test_options_are_read_from_the_spec() -> None:
    options = parse_options("some/folder?dtype=bfloat16&temperature=0.7&tier=fast&repair=off")
    assert options == ModelOptions(
        "some/folder", dtype="bfloat16", temperature=0.7, tier="fast", repair=False
    )


def test_every_option_can_be_read(tmp_path: Path) -> None:
    values = {
        "adapter": str(tmp_path),
        "draft": str(tmp_path),
        "dialect": "hermes",
        "decline": "No",
    }
    values |= {"dtype": "float32", "device": "cpu", "quant": "int8", "tier": "auto"}
    values |= {"scenario": "batch", "temperature": "1", "top_p": "0.5", "top_k": "4"}
    values |= {"max_new_tokens": "64", "images": "8", "max_pixels": "4096", "context": "512"}
    values |= {"cache_tokens": "0", "repair": "on"}
    assert set(values) == {field.name for field in fields(ModelOptions)} - {"source"}
    parse_options("m?" + "&".join(f"{name}={value}" for name, value in values.items()))


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("", "hf needs a model"),
        ("m?tempature=1", "did you mean 'temperature'"),
        ("m?dtype=float23", "did you mean 'float32'"),
        ("m?quant=int4", "did you mean 'int8'"),
        ("m?temperature=hot", "must be a number from 0 to 5"),
        ("m?temperature=nan", "must be a number from 0 to 5"),
        ("m?top_p=0", "must be a number from 0.01 to 1"),
        ("m?images=0", "must be a whole number from 1"),
        ("m?max_new_tokens=1.5", "must be a whole number"),
        ("m?adapter=nowhere", "there is no such folder"),
        ("m?repair=yes", "allowed: off, on"),
        ("m?dialect=", "dialect is empty"),
    ],
)
def test_wrong_option_is_named(argument: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_options(argument)


@pytest.mark.parametrize(
    ("spec", "tier", "expected"),
    [
        ("hf:m", None, "hf:m"),
        ("hf:m", "fast", "hf:m?tier=fast"),
        ("hf:m?images=4", "fast", "hf:m?images=4&tier=fast"),
        ("hf:m", "auto", "hf:m?tier=auto&scenario=batch"),
        ("hf:m?tier=auto&scenario=long", None, "hf:m?tier=auto&scenario=long"),
        ("tiny", "fast", "tiny:?tier=fast"),
        ("expert", None, "expert"),
    ],
)
def test_tier_of_the_command_line_joins_the_spec(
    spec: str, tier: str | None, expected: str
) -> None:
    assert with_tier(spec, tier, scenario="batch") == expected


def test_tier_for_a_policy_without_a_model_is_refused() -> None:
    with pytest.raises(UsageError, match="policy 'expert' has no tiers"):
        with_tier("expert", "fast", scenario="batch")


def test_unknown_tier_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'fast'"):
        with_tier("hf:m", "fest", scenario="batch")
