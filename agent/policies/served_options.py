"""The spec of a served policy: ``openai:MODEL@URL?name=value&...``.

Everything that changes what a server is asked stands in the spec and so on record. A key never
does: it comes from the environment, and a URL or option that carries one is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, cast
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from cadwright.agent.context import ContextBudget
from cadwright.agent.tool_calls import DIALECTS
from cadwright.envs.names import nearest
from cadwright.tools.errors import UsageError

EXAMPLE = "openai:MODEL@http://127.0.0.1:8000/v1?temperature=0&max_tokens=2048&images=8"

LONGEST_S = 366 * 86_400.0  # the clock of a socket does not go on for ever


@dataclass(frozen=True, slots=True)
class ServedOptions:
    """How a server is asked.

    Attributes:
        temperature: Sampling temperature; empty leaves it to the server.
        top_p: Nucleus sampling; empty leaves it to the server.
        seed: Seed of every request; empty takes the episode's.
        max_tokens: Tokens of one reply.
        context: Tokens of one request, estimated; empty for no limit.
        images: Pictures in one request, those of the task included.
        image_px: Pixels of one picture, height times width.
        keep_renders: Newest renders that are kept; empty for as many as ``images`` allows.
        tool_text: Characters of one tool result.
        tools: ``native`` sends schemas to the server, ``text`` writes them into the prompt.
        tool_images: ``user`` sends pictures of results in a user message, ``tool`` where they are.
        dialect: How calls look in text, where the server delivers none.
        decline: How a reply begins that ends the episode without a part; empty where none does.
        repair: Whether lossless repairs of calls are made.
        stream: Whether replies are streamed.
        attempts: Requests of one turn, the first included.
        rpm: Requests a minute to this server, over all threads; empty for no limit.
        connect_s: Seconds until a connection stands.
        first_token_s: Seconds from a request to the first piece of its reply.
        stall_s: Seconds between two pieces.
        total_s: Seconds of one turn, all attempts and waiting included.
        price_in: Price of a million prompt tokens; empty where none is known.
        price_cached: Price of a million prompt tokens out of a cache; ``price_in`` where empty.
        price_out: Price of a million completion tokens.
        key_env: Environment variable that holds the key.
        system: File with a system message in place of the default one; an empty file for none.
    """

    temperature: float | None = 0.0
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int = 4096
    context: int | None = None
    images: int | None = 16
    image_px: int | None = 1_048_576
    keep_renders: int | None = None
    tool_text: int | None = 8000
    tools: Literal["native", "text"] = "native"
    tool_images: Literal["user", "tool"] = "user"
    dialect: str = "auto"
    decline: str = ""
    repair: bool = True
    stream: bool = True
    attempts: int = 6
    rpm: float | None = None
    connect_s: float = 10.0
    first_token_s: float = 120.0
    stall_s: float = 30.0
    total_s: float = 600.0
    price_in: float | None = None
    price_cached: float | None = None
    price_out: float | None = None
    key_env: str = "OPENAI_API_KEY"
    system: str = ""

    def __post_init__(self) -> None:
        _require_choice("tools", self.tools, ("native", "text"))
        _require_choice("tool_images", self.tool_images, ("user", "tool"))
        _require_choice("dialect", self.dialect, DIALECTS)
        for name in ("max_tokens", "attempts", "connect_s", "first_token_s", "stall_s", "total_s"):
            if getattr(self, name) <= 0:
                raise UsageError(f"openai: {name} must be more than 0")
        for name in ("connect_s", "first_token_s", "stall_s", "total_s"):
            if getattr(self, name) > LONGEST_S:
                raise UsageError(f"openai: {name} must be at most {LONGEST_S:.0f}")
        if self.rpm is not None and self.rpm <= 0:
            raise UsageError("openai: rpm must be more than 0")
        if (self.price_in is None) != (self.price_out is None):
            raise UsageError("openai: give price_in and price_out together, or neither")

    def budget(self, fixed_reply: bool = True) -> ContextBudget:
        """Return the context budget; the reply needs room in ``context`` too."""
        tokens = self.context
        if tokens is not None and fixed_reply:
            tokens -= self.max_tokens
            if tokens < 1:
                raise UsageError(
                    f"openai: max_tokens={self.max_tokens} leaves no room in context={self.context}"
                )
        return ContextBudget(tokens, self.images, self.image_px, self.keep_renders, self.tool_text)

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ServedSpec:
    """A model, where it is served, and how it is asked."""

    model: str
    url: str
    options: ServedOptions


def parse_served(argument: str) -> ServedSpec:
    """Read what follows ``openai:``.

    Raises:
        UsageError: It is not as the module says; the part that is wrong is named.
    """
    model, mark, rest = argument.rpartition("@http")
    try:
        argument.encode()
        parts = urlsplit(f"http{rest}" if mark else "")
        _ = parts.port  # read only here, and refused only here
    except ValueError as error:
        raise UsageError(f"openai: what follows the colon cannot be read ({error})") from error
    if not model or not parts.netloc:
        raise UsageError(f"openai needs a model and a URL: {EXAMPLE}")
    if parts.username is not None or parts.password is not None:
        raise UsageError("openai: no name or password in the URL; put the key into key_env")
    url = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    return ServedSpec(model, url, _options(dict(pairs)))


def _options(given: Mapping[str, str]) -> ServedOptions:
    kinds = {one.name: str(one.type) for one in fields(ServedOptions)}
    values: dict[str, Any] = {}
    for name, text in given.items():
        if name in ("api_key", "key"):
            raise UsageError("openai: a key in a spec would be on record; use key_env=VARIABLE")
        if name not in kinds:
            raise UsageError(f"openai: there is no option {name!r}{nearest(name, kinds)}")
        values[name] = _value(name, text, kinds[name])
    return ServedOptions(**values)


_READERS: Mapping[str, Callable[[str], object]] = {
    "int": int,
    "float": float,
    "bool": lambda text: {"0": False, "no": False, "1": True, "yes": True}[text],
}


def _value(name: str, text: str, kind: str) -> object:
    plain, _, optional = kind.partition(" | ")
    if text == "" and optional:
        return None
    read = _READERS.get(plain)
    if read is None:
        return text
    try:
        value = read(text)
    except (ValueError, KeyError) as error:
        wanted = {"int": "a whole number", "float": "a number", "bool": "0 or 1"}[plain]
        raise UsageError(f"openai: {name} must be {wanted}, not {text!r}") from error
    if plain != "bool" and not 0 <= cast(float, value) < float("inf"):
        raise UsageError(f"openai: {name} must be a number from 0, not {text}")
    return value


def _require_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise UsageError(f"openai: {name} is one of {', '.join(allowed)}, not {value!r}")
