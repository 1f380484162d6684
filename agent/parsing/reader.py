"""Reads one literal out of model text: JSON, or with lossless repair what was meant as JSON.

One hand-written reader does both. Strict, it takes RFC 8259 and nothing else. Lenient, it also
takes what has one reading only (a trailing comma, Python quotes, a raw newline, smart quotes,
``True``) and names each such repair. In both modes it refuses what has several readings or none:
a key given twice, ``NaN``, text that ends too soon. It never evaluates anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 32  # no tool takes more; a model in a loop writes thousands of brackets

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_PYTHON_WORDS: dict[str, Any] = {"True": True, "False": False, "None": None}
_NON_FINITE = {"NaN", "Infinity", "nan", "inf", "infinity"}
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_QUOTE_REPAIR = {"'": "python_quotes", "“": "smart_quotes", "‘": "smart_quotes"}


class Unreadable(Exception):
    """The text is not a literal.

    Args:
        message: What is wrong and where.
        code: The problem's code.
    """

    def __init__(self, message: str, code: str = "parse_error") -> None:
        super().__init__(message)
        self.code = code


class Reader:
    """A cursor over text.

    Args:
        text: What to read.
        is_lenient: Take what has one reading only, and say so in ``repairs``.
        at: Where to begin.
    """

    def __init__(self, text: str, *, is_lenient: bool, at: int = 0) -> None:
        self.text = text
        self.at = at
        self.repairs: set[str] = set()
        self._is_lenient = is_lenient

    def value(self, depth: int = 0) -> Any:
        """Read one value and leave the cursor behind it.

        Raises:
            Unreadable: There is none, or it has no single reading.
        """
        self.skip_space()
        if depth > MAX_DEPTH:
            raise Unreadable(f"nested more than {MAX_DEPTH} deep")
        char = self.peek()
        if char == "{":
            return self._object(depth)
        if char == "[":
            return self._array(depth)
        if char in _CLOSING:
            return self.string()
        if char == "-" or char.isdigit():
            return self._number()
        return self._word()

    def skip_space(self) -> None:
        """Move to the next character that is not white space."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def peek(self) -> str:
        """Return the character at the cursor.

        Raises:
            Unreadable: The text has ended.
        """
        if self.at >= len(self.text):
            raise Unreadable("the text ends in the middle of a call", "truncated")
        return self.text[self.at]

    def take(self, char: str) -> bool:
        """Move past white space and ``char`` where it is next."""
        self.skip_space()
        is_next = self.peek() == char
        self.at += is_next
        return is_next

    def expect(self, char: str) -> None:
        """Move past ``char``.

        Raises:
            Unreadable: Something else is there.
        """
        if not self.take(char):
            raise Unreadable(f"expected {char!r} {self.where()}")

    def where(self) -> str:
        """Return the place of the cursor in words."""
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        near = self.text[self.at : self.at + 12].split("\n")[0]
        return f"at line {line}, column {column}, before {near!r}"

    def repair(self, name: str) -> None:
        """Note a repair.

        Raises:
            Unreadable: Only strict JSON is taken.
        """
        if not self._is_lenient:
            raise Unreadable(f"not JSON ({name.replace('_', ' ')}) {self.where()}")
        self.repairs.add(name)

    def string(self) -> str:
        """Read a quoted string."""
        if self._is_lenient and self.text.startswith(('"""', "'''"), self.at):
            return self._triple_quoted()
        quote = self.peek()
        if quote in _QUOTE_REPAIR:
            self.repair(_QUOTE_REPAIR[quote])
        self.at += 1
        parts: list[str] = []
        while (char := self.peek()) != _CLOSING[quote]:
            parts.append(self._character(char, quote))
        self.at += 1
        return "".join(parts)

    def _character(self, char: str, quote: str) -> str:
        if char == "\\":
            return self._escape()
        if char < " ":
            self.repair("raw_newline" if char in "\r\n" else "raw_control_character")
        if quote in "“‘" and char in '"“‘':
            raise Unreadable(f"quotes of two kinds in one string {self.where()}", "ambiguous")
        self.at += 1
        return char

    def _escape(self) -> str:
        self.at += 1
        char = self.peek()
        self.at += 1
        if char in _ESCAPES:
            return _ESCAPES[char]
        if char == "u":
            return self._unicode_escape()
        if char == "'":
            self.repair("python_quotes")
            return char
        raise Unreadable(f"unknown escape \\{char} {self.where()}: write \\\\ for a backslash")

    def _unicode_escape(self) -> str:
        code = self._four_hex_digits()
        if 0xD800 <= code < 0xDC00 and self.text.startswith("\\u", self.at):
            before = self.at
            self.at += 2
            low = self._four_hex_digits()
            if 0xDC00 <= low < 0xE000:
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
            self.at = before
        return chr(code)

    def _four_hex_digits(self) -> int:
        digits = self.text[self.at : self.at + 4]
        if len(digits) < 4 and self.at + len(digits) == len(self.text):
            raise Unreadable("the text ends in the middle of a call", "truncated")
        if not re.fullmatch(r"[0-9a-fA-F]{4}", digits):
            raise Unreadable(f"\\u needs four hexadecimal digits {self.where()}")
        self.at += 4
        return int(digits, 16)

    def _triple_quoted(self) -> str:
        """Read a Python string of several lines; one with escapes has no plain JSON reading."""
        quote = self.text[self.at : self.at + 3]
        end = self.text.find(quote, self.at + 3)
        if end < 0:
            raise Unreadable("the text ends in the middle of a call", "truncated")
        body = self.text[self.at + 3 : end]
        if "\\" in body:
            raise Unreadable("a backslash in a triple-quoted string", "ambiguous")
        self.repair("python_quotes")
        self.at = end + 3
        return body

    def _number(self) -> int | float:
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            self.at += self.peek() == "-"
            return self._word()  # type: ignore[no-any-return]  # raises: -Infinity, or a lone sign
        if re.match(r"[\w.]", self.text[match.end() : match.end() + 1]):
            raise Unreadable(f"not a number {self.where()}")
        self.at = match.end()
        text = match.group()
        if text.lstrip("-").isdigit():
            return _whole(text)
        return _finite(text)

    def _word(self) -> Any:
        match = _WORD.match(self.text, self.at)
        if match is None:
            raise Unreadable(f"no value {self.where()}")
        word = match.group()
        if word in _NON_FINITE:
            raise Unreadable(f"{word} is not a number that a tool takes", "invalid_arguments")
        if word not in _WORDS:
            if word not in _PYTHON_WORDS:
                raise Unreadable(f"{word!r} is not a value {self.where()}")
            self.repair("python_words")
        self.at = match.end()
        return {**_WORDS, **_PYTHON_WORDS}[word]

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}

        def item() -> None:
            self.skip_space()
            if self.peek() not in _CLOSING:
                raise Unreadable(f"a key must be a quoted string {self.where()}")
            key = self.string()
            self.expect(":")
            if key in found:
                raise Unreadable(f"the key {key!r} is given twice", "invalid_arguments")
            found[key] = self.value(depth + 1)

        self._items("}", item)
        return found

    def _array(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self._items("]", lambda: found.append(self.value(depth + 1)))
        return found

    def _items(self, closing: str, read: Callable[[], None]) -> None:
        self.at += 1
        if self.take(closing):
            return
        while True:
            read()
            if self.take(closing):
                return
            self.expect(",")
            if self.take(closing):
                self.repair("trailing_comma")
                return


def _whole(text: str) -> int:
    if len(text) > 400:  # Python refuses more than 4300 digits with an exception of its own
        raise Unreadable("a number of more than 400 digits", "invalid_arguments")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise Unreadable(f"{text} is too large", "invalid_arguments")
    return value
