"""``ComputerUse``: the browser's actions as a ``Dict`` space, so that ``sample()`` works.

Each sample is one action of a person at a screen, and means the same as the JSON tool call that it
becomes. Text and keys are drawn from short lists: random letters teach nobody anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from cadwright.envs.observation import UnicodeText
from cadwright.envs.tool_env import Observation, ToolEnv

KINDS = (
    "screenshot",
    "click",
    "double_click",
    "right_click",
    "move",
    "drag",
    "scroll",
    "type_text",
    "press",
    "click_ref",
    "set_ref",
    "submit",
)
KEYS = ("Enter", "Escape", "Tab", "Backspace", "Delete", "Control+a", "Control+y", "Control+z")
MODIFIERS = ("Control", "Shift", "Alt")
MAX_REF = 256
MAX_TEXT = 64
MAX_NOTCHES = 10.0

Action = Mapping[str, Any]


class ComputerUse(gymnasium.ActionWrapper[Observation, Any, str]):
    """Wraps a browser environment: takes ``Dict`` actions, gives it JSON tool calls.

    Args:
        env: A browser environment.
        allow_submit: Whether a sample may end the episode.
    """

    def __init__(self, env: ToolEnv, *, allow_submit: bool = True) -> None:
        super().__init__(env)
        self.kinds = KINDS if allow_submit else KINDS[:-1]
        self.action_space = spaces.Dict(
            {
                "kind": spaces.Discrete(len(self.kinds)),
                "at": spaces.Box(0, 1, (2,), np.float32),
                "to": spaces.Box(0, 1, (2,), np.float32),
                "ref": spaces.Discrete(MAX_REF, start=1),
                "text": UnicodeText(MAX_TEXT),
                "key": spaces.Discrete(len(KEYS)),
                "held": spaces.MultiBinary(len(MODIFIERS)),
                "notches": spaces.Box(-MAX_NOTCHES, MAX_NOTCHES, (2,), np.float32),
            }
        )

    def action(self, action: Action) -> str:
        """Return the JSON tool call that an action means."""
        return json.dumps(call_of(action, self.kinds))


def call_of(action: Action, kinds: tuple[str, ...] = KINDS) -> dict[str, Any]:
    """Return the tool call that an action means; what its kind does not use is left out."""
    kind = kinds[int(action["kind"])]
    at = _place(action["at"])
    held = [name for name, is_down in zip(MODIFIERS, action["held"], strict=True) if is_down]
    right, down = (float(n) for n in action["notches"])
    point = {"x": at[0], "y": at[1]}
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "click": ("click", {**point, "held": held}),
        "double_click": ("click", {**point, "count": 2}),
        "right_click": ("click", {**point, "button": "right"}),
        "move": ("move", point),
        "drag": ("drag", {"path": [at, _place(action["to"])], "held": held}),
        "scroll": ("scroll", {**point, "down": down, "right": right}),
        "type_text": ("type_text", {"text": str(action["text"])}),
        "press": ("press", {"keys": KEYS[int(action["key"])]}),
        "click_ref": ("click_ref", {"ref": int(action["ref"])}),
        "set_ref": ("set_ref", {"ref": int(action["ref"]), "text": str(action["text"])}),
    }
    name, arguments = calls.get(kind, (kind, {}))
    return {"name": name, "arguments": arguments}


def _place(values: Any) -> list[float]:
    return [float(value) for value in values]
