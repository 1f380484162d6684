"""The tokenizer of the embedded policy: a phrase book over a small byte-level BPE.

What never changes is one token: the tools as the prompt shows them, each piece of a program
between two numbers, the ways to begin and end a turn. Digits stand alone, so that a number is read
and written digit by digit. Everything else (briefs, results) is ordinary subwords, so that new
wording stays readable. A prompt costs about 40 tokens instead of 500, which is what makes training
on a CPU possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from cadwright.agent.training import talk
from cadwright.envs.domains.compact_grid import CompactFamily
from cadwright.tools.tool import ToolSpec

SPECIALS = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
VOCABULARY = 1200  # subwords and bytes, without the phrases
SHORTEST = 4  # characters of a phrase that is worth a token
_MARK = 7919  # stands for a number while a program is cut into pieces; in no program itself


def build_tokenizer(corpus: Iterable[str], families: Sequence[CompactFamily]) -> Any:
    """Return a ``PreTrainedTokenizerFast``.

    Args:
        corpus: Texts of people and tools, for the subwords.
        families: Whose programs become phrases.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(corpus, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        eos_token=talk.STOP,
        pad_token=SPECIALS[0],
        padding_side="left",
        model_max_length=2048,
        clean_up_tokenization_spaces=False,
    )
    tokenizer.add_tokens([AddedToken(p, normalized=False) for p in phrases(families)])
    tokenizer.chat_template = talk.template()
    return tokenizer


def phrases(families: Sequence[CompactFamily]) -> list[str]:
    """Return the texts that are one token each, in a fixed order."""
    found = [
        *_tool_phrases(talk.TOOLS),
        talk.SUBMIT,
        talk.UNDO,
        talk.UNDONE,
        talk.SAME_AGAIN,
        talk.DECLINE,
        *_turn_phrases(),
    ]
    for family in families:
        found += program_pieces(family)
    return sorted({p for p in found if len(p) >= SHORTEST})


def program_pieces(family: CompactFamily) -> list[str]:
    """Return the call of a family's program, cut at its numbers."""
    numbers = {name: str(_MARK) for name in family.grids}
    code = family.steps[0].code
    for name, word in numbers.items():
        code = code.replace("{" + name + "}", word)
    return talk.execute(f"import cadquery as cq\n\n{code}\n").split(str(_MARK))


def _turn_phrases() -> list[str]:
    return [f"<|im_start|>{role}\n" for role in ("system", "user", "tool", "assistant")]


def _tool_phrases(tools: Sequence[ToolSpec]) -> list[str]:
    """Return the whole list of tools, and its pieces between the descriptions."""
    whole = talk.opening("", tools).removeprefix("<|im_start|>system\n")
    whole = whole.removesuffix(f"{talk.STOP}\n")
    words = sorted({text for spec in tools for text in _descriptions(spec)}, key=len, reverse=True)
    cut = re.compile("(" + "|".join(re.escape(word) for word in words) + ")")
    return [whole, *cut.split(whole)]


def _descriptions(spec: ToolSpec) -> list[str]:
    """Return every description of a tool as JSON writes it."""
    properties = spec.parameters["properties"].values()
    texts = [spec.description, *(field["description"] for field in properties)]
    return [_escaped(text) for text in texts]


def _escaped(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)[1:-1]
