"""Where a person sits: asks a line, edits a text. A test hands in its own."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cadwright.agent.terminal import visible
from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

END_OF_TEXT = "."  # a line that ends text typed without an editor, as in mail since 1971


class Desk(Protocol):
    """How a policy talks with a person."""

    def show(self, text: str, *, style: str = "") -> None:
        """Show a text as it is."""

    def ask(self, prompt: str) -> str | None:
        """Return a line, or None where the person ends it (Ctrl-C, Ctrl-D, end of a pipe)."""

    def edit(self, text: str, suffix: str) -> str | None:
        """Return ``text`` as the person changed it, or None where they gave up."""


class TerminalDesk:
    """A plain terminal, on standard error: standard output belongs to results.

    Args:
        console: Where to, or None for standard error.
        editor: Command of an editor; ``VISUAL`` or ``EDITOR`` where it is None, and typing line
            by line where that is empty.
    """

    def __init__(self, console: Console | None = None, *, editor: str | None = None) -> None:
        from rich.console import Console

        self._console = console or Console(stderr=True, highlight=False)
        found = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
        self._editor = shlex.split(found if editor is None else editor)

    def show(self, text: str, *, style: str = "") -> None:
        """Print a text; no markup in it is obeyed."""
        from rich.text import Text

        self._console.print(Text(visible(text), style=style), soft_wrap=True)

    def ask(self, prompt: str) -> str | None:
        """Print a prompt and return the line."""
        from rich.text import Text

        try:
            return self._console.input(Text(prompt, style="bold"))
        except (EOFError, KeyboardInterrupt):
            self.show("")
            return None

    def edit(self, text: str, suffix: str) -> str | None:
        """Open the editor on ``text``, or take lines up to a lone full stop."""
        if self._editor and sys.stdin.isatty():
            return self._edit_file(text, suffix)
        if text:
            self.show(text, style="dim")
        self.show(f"type the new text; {END_OF_TEXT!r} on a line of its own ends it")
        lines: list[str] = []
        while (line := self.ask("| ")) is not None:
            if line == END_OF_TEXT:
                return "\n".join(lines)
            lines.append(line)
        return None

    def _edit_file(self, text: str, suffix: str) -> str | None:
        with tempfile.TemporaryDirectory(prefix="cadwright-") as folder:
            path = Path(folder) / f"turn{suffix}"
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
            try:
                code = subprocess.run([*self._editor, str(path)], check=False).returncode
            except OSError as error:
                raise UsageError(f"editor {self._editor[0]!r}: {error.strerror}") from error
            return self._saved(path) if code == 0 else None

    def _saved(self, path: Path) -> str | None:
        """Return what an editor left, or None where it is no text that could be sent."""
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            self.show(f"what the editor saved cannot be read as UTF-8: {error}", style="red")
            return None
