"""An episode as it happens, in a terminal: turns, calls, results, notices, pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cadwright.agent.cli.common import is_broken_pipe, write_to_nobody
from cadwright.agent.events import Began, Decided, Ended, Event, Executed, Refused, Writing
from cadwright.agent.messages import to_plain
from cadwright.agent.terminal import visible
from cadwright.tools.errors import Outcome
from cadwright.tools.tool import TextBlock, ToolCall

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

MAX_LINES = 24  # of code or text shown; all of it is in the trajectory
MAX_CHARS = 20_000  # of any text shown: to wrap a brief of megabytes takes minutes
DRAFT_LINES = 8  # of a turn that is being written


class LiveView:
    """Prints events.

    Args:
        console: Where to.
        folder: Of the episode, so that pictures can be named by their path.
    """

    hears_writing = True

    def __init__(self, console: Console, folder: Path) -> None:
        self._console = console
        self._folder = folder
        self._is_watched = not console.quiet  # a quiet console renders, and then drops it
        self._draft = _Draft(console)

    def __call__(self, event: Event) -> None:
        """Show one event; once the reader of a pipe has left, the episode goes on unwatched."""
        if not self._is_watched:
            return
        try:
            self._show(event)
        except (BrokenPipeError, SystemExit) as error:
            if not is_broken_pipe(error):
                raise
            self._is_watched = False
            write_to_nobody()

    def _show(self, event: Event) -> None:
        if not isinstance(event, Writing):
            self._draft.clear()
        match event:
            case Writing():
                self._draft.add(event.text)
            case Began():
                self._began(event)
            case Decided():
                self._decided(event)
            case Executed():
                self._executed(event)
            case Refused():
                self._text(
                    f"← not run ({event.problem.code}): {event.problem.message}", style="bold red"
                )
            case Ended():
                self._console.print(f"\nended: [bold]{event.reason.value}[/]; scoring ...")

    def _began(self, event: Began) -> None:
        self._rule(event.task_id)
        names = iter(event.images)
        for block in event.blocks:
            if isinstance(block, TextBlock):
                self._text(block.text)
            else:
                where = self._folder / next(names, "")
                self._text(f"picture: {where}  {block.caption or block.render_id}", style="dim")

    def _decided(self, event: Decided) -> None:
        self._console.print()
        self._rule(f"turn {event.turn}  {event.seconds:.1f} s")
        if event.assistant.text:
            self._text(event.assistant.text, style="italic")
        if event.assistant.gold is not None:
            self._text(f"hands in the gold part {event.assistant.gold.name}", style="yellow")
        for call in event.assistant.tool_calls:
            self._call(call)

    def _call(self, call: ToolCall) -> None:
        from rich.padding import Padding
        from rich.syntax import Syntax

        arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
        code = arguments.get("code")
        if not isinstance(code, str):
            shown = ", ".join(f"{key}={to_plain(value)!r}" for key, value in arguments.items())
            self._text(f"→ {call.name}({shown})", style="bold cyan")
            return
        self._text(f"→ {call.name}", style="bold cyan")
        syntax = Syntax(
            _head(_cut(code)),
            "python",
            theme="ansi_dark",
            background_color="default",
            word_wrap=True,
        )
        self._console.print(Padding(syntax, (0, 0, 0, 4)))

    def _executed(self, event: Executed) -> None:
        is_ok = event.result.outcome is Outcome.OK
        self._text(
            f"← {event.call.name} {event.result.outcome.value}  {event.result.seconds:.2f} s",
            style="bold green" if is_ok else "bold red",
        )
        self._text(_cut(event.result.text), indent=4)
        for name in event.images:
            self._text(f"picture: {self._folder / name}", style="dim", indent=4)

    def _rule(self, title: str) -> None:
        from rich.markup import escape

        self._console.rule(f"[bold]{escape(visible(title))}[/]", align="left", style="dim")

    def _text(self, text: str, *, style: str = "", indent: int = 2) -> None:
        """Print text of anybody's making: no markup in it is obeyed."""
        from rich.padding import Padding
        from rich.text import Text

        self._console.print(Padding(Text(_head(text), style=style), (0, 0, 0, indent)))


class _Draft:
    """The end of what a policy is writing; the finished turn takes its place in a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._text = ""
        self._live: Live | None = None

    def add(self, text: str) -> None:
        """Show more of it; in a file or a pipe nothing could be taken away again."""
        from rich.live import Live

        self._text += text
        if self._live is None and self._console.is_terminal:
            self._live = Live(
                console=self._console,
                get_renderable=self._tail,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start(refresh=True)

    def clear(self) -> None:
        """Take it away."""
        live, self._live, self._text = self._live, None, ""
        if live is not None:
            live.stop()

    def _tail(self) -> Text:
        from rich.text import Text

        lines = self._text.split("\n")[-DRAFT_LINES:]
        return Text(visible("\n".join(lines)), style="dim", no_wrap=True, overflow="ellipsis")


def _head(text: str) -> str:
    hidden = len(text) - MAX_CHARS
    shown = visible(text[:MAX_CHARS])
    return shown if hidden <= 0 else f"{shown}... {hidden} more characters"


def _cut(text: str) -> str:
    lines = text.rstrip().split("\n")
    if len(lines) <= MAX_LINES:
        return "\n".join(lines)
    hidden = len(lines) - MAX_LINES
    return "\n".join([*lines[:MAX_LINES], f"... {hidden} more lines"])
