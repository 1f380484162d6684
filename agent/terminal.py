"""Text of anybody's making, as a terminal may show it.

What a model, a server or a program wrote can hold control sequences that clear the screen, retitle
the window or hide a line. Everything of that kind is spelled out before it is printed; records and
pages keep the text as it was.
"""

from __future__ import annotations

import re

# C0 but tab and line ends, DEL and C1, halves of surrogate pairs, and marks that turn text round.
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]"
)


def visible(text: str) -> str:
    r"""Return ``text`` with each control character spelled out, as in ``\x1b``."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
