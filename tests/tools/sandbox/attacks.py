"""What an attacker would run. Each attack prints a line for every attempt.

``DENIED``: every attempt must fail. ``ENDURED``: the attack may run, and must do no harm.
``TARGETS`` is filled in with what the driver holds.
"""

from __future__ import annotations

import json
from typing import Any

from denied import DENIED
from endured import ENDURED

__all__ = ["DENIED", "ENDURED", "program"]

PRELUDE = """
import ctypes, os, platform, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
TARGETS = {targets}
def checked(value):
    if value < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return value
def syscall(number, *arguments):
    if isinstance(number, tuple):
        number = number[platform.machine() == "aarch64"]
    return checked(libc.syscall(*(ctypes.c_long(n) if isinstance(n, int) else n
                                  for n in (number, *arguments))))
def attempt(name, action):
    try:
        got = action()
    except BaseException as err:
        print("contained:", name, type(err).__name__, err, flush=True)
    else:
        print("ESCAPED:", name, repr(got)[:200], flush=True)
"""


def program(code: str, targets: dict[str, Any]) -> str:
    """Return the attack as a program that stands alone."""
    return PRELUDE.format(targets=f"__import__('json').loads({json.dumps(targets)!r})") + code
