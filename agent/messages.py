"""What policy and workspace say to each other: messages, turns and the conversation they form.

Images stay images. In memory a message holds pixels; on disk it holds the name of a file and a
digest of the pixels, so a conversation can be read, compared and replayed without decoding one.
Every value here survives ``to_json`` and back, also the odd ones that models write (``NaN``,
lone surrogates, arguments that are no object).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from cadwright.tools.tool import Block, ImageBlock, Pixels, TextBlock, ToolCall

if TYPE_CHECKING:
    from cadwright.agent.context_report import ContextReport
    from cadwright.envs.task import GeometrySource

Role = Literal["system", "user", "assistant", "tool"]
ProblemCode = Literal[
    "truncated",
    "unknown_tool",
    "invalid_arguments",
    "parse_error",
    "no_tool_call",
    "ambiguous",
    "skipped",  # a person held it back
]
SaveImage = Callable[[ImageBlock], str]
LoadImage = Callable[[str], Pixels]

_NON_FINITE = "$number"  # JSON has no NaN: {"$number": "nan"}


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a conversation.

    Attributes:
        role: Who speaks.
        blocks: Text and images in order.
        tool_calls: What an assistant message asks for.
        call_id: The call that a tool message answers.
    """

    role: Role
    blocks: tuple[Block, ...]
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""

    @property
    def text(self) -> str:
        """The text blocks, one per line."""
        return "\n".join(block.text for block in self.blocks if isinstance(block, TextBlock))

    @property
    def images(self) -> tuple[ImageBlock, ...]:
        """The images in order."""
        return tuple(block for block in self.blocks if isinstance(block, ImageBlock))


@dataclass(frozen=True, slots=True)
class Reencoded:
    """An earlier turn that a prompt holds in other tokens than the model wrote.

    Attributes:
        turn: Which; the first is 1.
        reason: Why its own tokens could not stand there.
    """

    turn: int
    reason: str


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """Tokens of one turn exactly as a model read and wrote them.

    Attributes:
        prompt_ids: Token ids that went in.
        completion_ids: Token ids that came out.
        logprobs: Log-probability of each completion id, or empty where the policy has none.
        reencoded: Earlier turns that stand in ``prompt_ids`` as text that was encoded again.
    """

    prompt_ids: tuple[int, ...]
    completion_ids: tuple[int, ...]
    logprobs: tuple[float, ...] = ()
    reencoded: tuple[Reencoded, ...] = ()


@dataclass(frozen=True, slots=True)
class CallProblem:
    """A call that a policy tried to make and that was not run.

    Attributes:
        code: What is wrong, as a stable word.
        message: What was given, what is allowed, what to do: the model reads this.
        name: The tool that was meant, where that is known.
        call: The call as a provider delivered it. Its ``id`` must be answered by a tool message;
            None where the call was only text, which a user message answers.
    """

    code: ProblemCode
    message: str
    name: str = ""
    call: ToolCall | None = None

    @property
    def is_failure(self) -> bool:
        """Whether a call went wrong: saying nothing is no call, nor is a person's decision."""
        return self.code not in ("no_tool_call", "skipped")


@dataclass(frozen=True, slots=True)
class Usage:
    """What deciding has cost, over every attempt, also those that failed.

    Attributes:
        prompt_tokens: Tokens read.
        completion_tokens: Tokens written.
        cost: In the currency of the prices that were given, or None without prices.
        attempts: Requests sent, or generations run.
        seconds: Wall time of all attempts and the waiting between them.
        cached_tokens: Of ``prompt_tokens``, those that a cache supplied.
        estimated_tokens: Of all tokens, those that nobody counted for us.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    attempts: int = 1
    seconds: float = 0.0
    cached_tokens: int = 0
    estimated_tokens: int = 0

    def plus(self, other: Usage) -> Usage:
        """Return the sum; a cost that one of the two lacks is taken from the other."""
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=math.fsum(costs) if costs else None,
            attempts=self.attempts + other.attempts,
            seconds=self.seconds + other.seconds,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            estimated_tokens=self.estimated_tokens + other.estimated_tokens,
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain data without the wall time, which a record keeps apart."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cached_tokens": self.cached_tokens,
            "estimated_tokens": self.estimated_tokens,
            "cost": self.cost,
            "attempts": self.attempts,
        }

    @classmethod
    def nothing(cls) -> Self:
        """Return the usage of no attempt: where a sum begins."""
        return cls(attempts=0)


@dataclass(frozen=True, slots=True)
class AssistantTurn:
    """What a policy decided: words, tool calls, or, for a privileged policy, a part file.

    Attributes:
        text: What the policy says. Calls that could not be read stay in it as they were written.
        tool_calls: Calls to run in order.
        tokens: Tokens of the turn, where the policy is a language model.
        gold: A part file handed in past the workspace. Only a policy that declares itself
            privileged may use it, and the trajectory records that it did.
        is_stop: The policy has nothing more to do and ends the episode without a submission.
        problems: Calls that were not run; the loop answers each.
        repairs: Names of the lossless repairs that made the calls readable.
        thinking: What the policy thought. It is recorded and never sent back.
        context: What of the conversation was sent for this turn, where a budget cut it.
        usage: What the turn has cost.
        author: Who wrote or changed the turn in the policy's place, such as ``human``.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tokens: TokenRecord | None = None
    gold: GeometrySource | None = None
    is_stop: bool = False
    problems: tuple[CallProblem, ...] = ()
    repairs: tuple[str, ...] = ()
    thinking: str = ""
    context: ContextReport | None = None
    usage: Usage | None = None
    author: str = ""

    @property
    def is_skipped(self) -> bool:
        """Whether a person held the turn back, which is no failure of the policy."""
        return any(problem.code == "skipped" for problem in self.problems)

    def as_message(self) -> Message:
        """Return the turn as the conversation keeps it."""
        blocks = (TextBlock(self.text),) if self.text else ()
        refused = tuple(problem.call for problem in self.problems if problem.call is not None)
        return Message("assistant", blocks, (*self.tool_calls, *refused))


class Conversation:
    """Messages in the order they were sent. It only ever grows."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages = list(messages)

    def append(self, message: Message) -> None:
        """Add ``message`` at the end."""
        self._messages.append(message)

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, oldest first."""
        return tuple(self._messages)

    @property
    def num_turns(self) -> int:
        """How many turns the policy has taken."""
        return sum(message.role == "assistant" for message in self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)


def pixels_digest(pixels: Pixels) -> str:
    """Return the hash of an image: its size and its (H, W, 3) uint8 pixels."""
    return hashlib.sha256(repr(pixels.shape).encode() + pixels.tobytes()).hexdigest()


def message_to_json(message: Message, save_image: SaveImage) -> dict[str, Any]:
    """Return ``message`` as plain data; each image goes through ``save_image`` to a file name."""
    return {
        "role": message.role,
        "blocks": [_block_to_json(block, save_image) for block in message.blocks],
        "tool_calls": [call_to_json(call) for call in message.tool_calls],
        "call_id": message.call_id,
    }


def message_from_json(data: Mapping[str, Any], load_image: LoadImage) -> Message:
    """Return the message that ``message_to_json`` wrote."""
    return Message(
        role=cast(Role, data["role"]),
        blocks=tuple(_block_from_json(block, load_image) for block in data["blocks"]),
        tool_calls=tuple(call_from_json(call) for call in data["tool_calls"]),
        call_id=data["call_id"],
    )


def call_to_json(call: ToolCall) -> dict[str, Any]:
    """Return a call as plain data, whatever its arguments hold."""
    return {"name": call.name, "arguments": to_plain(call.arguments), "id": call.id}


def call_from_json(data: Mapping[str, Any]) -> ToolCall:
    """Return the call that ``call_to_json`` wrote."""
    return ToolCall(data["name"], from_plain(data["arguments"]), data.get("id", ""))


def problem_to_json(problem: CallProblem) -> dict[str, Any]:
    """Return a problem as plain data."""
    call = call_to_json(problem.call) if problem.call is not None else None
    return {
        "code": problem.code, "message": problem.message, "name": problem.name, "call": call
    }  # fmt: skip


def problem_from_json(data: Mapping[str, Any]) -> CallProblem:
    """Return the problem that ``problem_to_json`` wrote."""
    call = call_from_json(data["call"]) if data["call"] is not None else None
    return CallProblem(data["code"], data["message"], data["name"], call)


def to_plain(value: Any) -> Any:
    """Return ``value`` in strict JSON types; NaN and infinities become ``{"$number": "nan"}``."""
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {_NON_FINITE: repr(value)}
    if value is None or isinstance(value, str | int | float):
        return value
    return repr(value)


def from_plain(value: Any) -> Any:
    """Undo ``to_plain``."""
    if isinstance(value, Mapping):
        if set(value) == {_NON_FINITE}:
            return float(value[_NON_FINITE])
        return {key: from_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    return value


def _block_to_json(block: Block, save_image: SaveImage) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    return {
        "type": "image",
        "file": save_image(block),
        "sha256": pixels_digest(block.pixels),
        "render_id": block.render_id,
        "caption": block.caption,
    }


def _block_from_json(data: Mapping[str, Any], load_image: LoadImage) -> Block:
    if data["type"] == "text":
        return TextBlock(data["text"])
    return ImageBlock(load_image(data["file"]), data["render_id"], data["caption"])
