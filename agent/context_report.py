"""The record of what was sent for one turn, and how to make it again.

A ``ContextReport`` holds figures and the ``Edit`` of every block that went out other than the
conversation holds it. It is small: pictures appear as digests, texts as lengths.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np

from cadwright.agent.messages import Message, pixels_digest
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import Block, ImageBlock, Pixels, TextBlock

EditKind = Literal["picture_dropped", "picture_scaled", "text_cut"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One block that was sent other than the conversation holds it.

    Attributes:
        message: Place of its message; leading system messages are not counted.
        block: Place in that message.
        kind: What was done.
        text: The line that stands in its place or, for a cut text, at its end.
        kept_chars: Characters that a cut text kept.
        size_px: Height and width of a scaled picture.
        sha256: Digest of the pixels sent, so that a rebuilt picture can be checked.
    """

    message: int
    block: int
    kind: EditKind
    text: str = ""
    kept_chars: int = 0
    size_px: tuple[int, int] | None = None
    sha256: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return plain data without what is empty."""
        return {name: value for name, value in asdict(self).items() if value not in ("", None)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Edit:
        """Return the edit that ``to_json`` wrote."""
        size = data.get("size_px")
        return cls(**{**data, "size_px": None if size is None else (size[0], size[1])})


@dataclass(frozen=True, slots=True)
class ContextReport:
    """What was sent for one turn, beside what the conversation held.

    Attributes:
        tokens_sent: Tokens that went out, by ``counter``.
        tokens_full: Tokens that the whole conversation would have been.
        images_sent: Pictures that went out.
        images_full: Pictures of the whole conversation.
        counter: How tokens were counted.
        num_messages: Messages that the conversation held.
        edits: What was replaced. The conversation and these give what was sent.
    """

    tokens_sent: int
    tokens_full: int
    images_sent: int
    images_full: int
    counter: str
    num_messages: int
    edits: tuple[Edit, ...] = field(default=())

    @property
    def images_dropped(self) -> int:
        """Pictures that a line of text stands for."""
        return self._count("picture_dropped")

    @property
    def images_scaled(self) -> int:
        """Pictures that were sent smaller than they are."""
        return self._count("picture_scaled")

    @property
    def texts_cut(self) -> int:
        """Tool results whose text was shortened."""
        return self._count("text_cut")

    @property
    def tokens_dropped(self) -> int:
        """Tokens that were saved."""
        return self.tokens_full - self.tokens_sent

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        plain = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "edits"}
        return {**plain, "edits": [edit.to_json() for edit in self.edits]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ContextReport:
        """Return the report that ``to_json`` wrote."""
        return cls(**{**data, "edits": tuple(Edit.from_json(edit) for edit in data["edits"])})

    def _count(self, kind: EditKind) -> int:
        return sum(edit.kind == kind for edit in self.edits)


@dataclass(frozen=True, slots=True)
class ContextTotals:
    """What all turns of an episode sent, beside what the whole conversations would have been."""

    turns: int = 0
    tokens_sent: int = 0
    tokens_full: int = 0
    images_sent: int = 0
    images_full: int = 0
    images_scaled: int = 0
    texts_cut: int = 0

    def plus(self, report: ContextReport) -> ContextTotals:
        """Return the totals with one more turn."""
        return ContextTotals(
            turns=self.turns + 1,
            tokens_sent=self.tokens_sent + report.tokens_sent,
            tokens_full=self.tokens_full + report.tokens_full,
            images_sent=self.images_sent + report.images_sent,
            images_full=self.images_full + report.images_full,
            images_scaled=self.images_scaled + report.images_scaled,
            texts_cut=self.texts_cut + report.texts_cut,
        )

    def plus_unsent(self, report: ContextReport) -> ContextTotals:
        """Return the totals with a turn that was too long to be asked for: all of it dropped."""
        return replace(
            self,
            tokens_full=self.tokens_full + report.tokens_full,
            images_full=self.images_full + report.images_full,
        )


def rebuild(messages: Sequence[Message], report: ContextReport) -> tuple[Message, ...]:
    """Make again what was sent, from the conversation on record.

    Args:
        messages: The whole conversation; later messages than the report knows are left out.
        report: Of the turn in question.

    Raises:
        UsageError: A scaled picture does not come out as it was sent.
    """
    first = num_system(messages)
    sent = apply_edits(messages[: first + report.num_messages], report.edits)
    for edit in report.edits:
        block = sent[first + edit.message].blocks[edit.block]
        if isinstance(block, ImageBlock) and pixels_digest(block.pixels) != edit.sha256:
            raise UsageError(
                f"message {edit.message}, block {edit.block}: the picture does not come out as it "
                "was sent; another version of Pillow scaled it"
            )
    return sent


def apply_edits(messages: Sequence[Message], edits: Iterable[Edit]) -> tuple[Message, ...]:
    """Return ``messages`` with the replacements made."""
    first = num_system(messages)
    edited = list(messages)
    for edit in edits:
        message = edited[first + edit.message]
        blocks = list(message.blocks)
        blocks[edit.block] = _edited(blocks[edit.block], edit)
        edited[first + edit.message] = replace(message, blocks=tuple(blocks))
    return tuple(edited)


def _edited(block: Block, edit: Edit) -> Block:
    if isinstance(block, TextBlock):
        return TextBlock(block.text[: edit.kept_chars] + edit.text)
    if edit.size_px is None:
        return TextBlock(edit.text)
    return replace(block, pixels=scaled(block.pixels, edit.size_px))


def scaled(pixels: Pixels, size_px: tuple[int, int]) -> Pixels:
    """Return a picture at another size: (H, W, 3) uint8 in, (*size_px, 3) uint8 out."""
    from PIL import Image

    height, width = size_px
    image = Image.fromarray(np.ascontiguousarray(pixels))
    # reducing_gap: a 12-megapixel drawing in a tenth of the time, with no difference to be seen.
    small = image.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)
    return np.asarray(small, dtype=np.uint8)


def num_system(messages: Sequence[Message]) -> int:
    """Return how many system messages lead."""
    return next((i for i, m in enumerate(messages) if m.role != "system"), len(messages))
