"""``check_env``: the contract that every cadwright environment keeps, checked end to end.

Gymnasium's checker looks at types and shapes. This one adds what training runs break on: hostile
actions, replays that differ, scores that are missing at the end, processes that stay behind.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cadwright.tools.errors import CadwrightError

if TYPE_CHECKING:
    from cadwright.envs.tool_env import Observation, ToolEnv

HOSTILE_ACTIONS = (
    "",
    "done",
    "null",
    "[]",
    '{"name": "no_such_tool", "arguments": {}}',
    '{"name": "execute", "arguments": {"code": 3}}',
    '{"name": "execute", "arguments": [1]}',
    '{"name": "submit", "arguments": {"name": NaN}}',
    '{"name": "Ø12 – 槽"}',
    "[" * 10_000,
)


class CheckFailure(CadwrightError):
    """An environment breaks its contract; the message names the check and what was seen."""


def check_env(make: Callable[[], ToolEnv], actions: Sequence[str]) -> tuple[str, ...]:
    """Run every check against fresh environments from ``make``.

    Args:
        make: Returns a new environment over one fixed task.
        actions: An episode that ends with ``submit``.

    Returns:
        The names of the checks that passed, in order.

    Raises:
        CheckFailure: The first check that failed.
    """
    checks: dict[str, Callable[[], None]] = {
        "gymnasium's own checker is silent": lambda: check_gymnasium(make),
        "close is safe before reset and twice": lambda: check_close(make),
        "a hostile action is an observation": lambda: check_hostile(make),
        "the episode ends with a score": lambda: check_score(make, actions),
        "the same actions give the same bytes": lambda: check_replay(make, actions),
        "a copy starts afresh": lambda: check_copy(make),
    }
    for name, check in checks.items():
        try:
            check()
        except CheckFailure as failure:
            raise CheckFailure(f"{name}: {failure}") from failure
    return tuple(checks)


def _require(is_met: bool, message: str) -> None:
    if not is_met:
        raise CheckFailure(message)


def check_gymnasium(make: Callable[[], ToolEnv]) -> None:
    """Gymnasium's own checker finds nothing and warns of nothing."""
    from gymnasium.utils.env_checker import check_env as gymnasium_check

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gymnasium_check(make())
    _require(not caught, f"warned: {caught[0].message if caught else ''}")


def check_close(make: Callable[[], ToolEnv]) -> None:
    """``close`` is safe before ``reset`` and twice."""
    env = make()
    env.close()
    env.reset(seed=0)
    env.close()
    env.close()


def check_hostile(make: Callable[[], ToolEnv]) -> None:
    """Hostile actions are answered, not rewarded, and end nothing."""
    env = make()
    try:
        for action in HOSTILE_ACTIONS:
            env.reset(seed=0)
            observation, reward, terminated, _, _ = env.step(action)
            _require(env.observation_space.contains(observation), f"{action[:40]!r}: not in space")
            _require(not terminated, f"{action[:40]!r} terminated the episode")
            _require(reward == 0.0, f"{action[:40]!r} was rewarded with {reward}")
    finally:
        env.close()


def check_score(make: Callable[[], ToolEnv], actions: Sequence[str]) -> None:
    """The last step carries a score in [0, 1], or None and a mask."""
    env = make()
    try:
        terminated, info = _play(env, actions)[-1][2:]
        _require(bool(terminated), "submit did not terminate the episode")
        score = info.get("score")
        _require(score is not None, "no score in info at the end")
        value = getattr(score, "value", None)
        _require(value is None or 0.0 <= value <= 1.0, f"the score {value!r} is not in [0, 1]")
        _require(info["is_masked"] == (value is None), "is_masked disagrees with the score")
    finally:
        env.close()


def check_replay(make: Callable[[], ToolEnv], actions: Sequence[str]) -> None:
    """The same seed and actions give the same bytes."""
    runs = []
    for _ in range(2):
        env = make()
        try:
            runs.append(_play(env, actions))
        finally:
            env.close()
    for turn, (first, second) in enumerate(zip(*runs, strict=True)):
        where = "reset" if turn == 0 else f"turn {turn}"
        _require(first[0]["text"] == second[0]["text"], f"{where}: the text differs")
        same = np.array_equal(first[0]["image"], second[0]["image"])
        _require(same, f"{where}: the picture differs")
        _require(first[1] == second[1], f"{where}: rewards {first[1]} and {second[1]}")


def check_copy(make: Callable[[], ToolEnv]) -> None:
    """A deep copy of a running environment is one that was not started."""
    env = make()
    try:
        env.reset(seed=0)
        twin = copy.deepcopy(env)
        try:
            observation, _ = twin.reset(seed=0)
            _require(twin.observation_space.contains(observation), "not in space")
        finally:
            twin.close()
    finally:
        env.close()


Turn = tuple["Observation", Any, bool, dict[str, Any]]


def _play(env: ToolEnv, actions: Sequence[str]) -> list[Turn]:
    """Return (observation, reward, terminated, info) of the reset and of every turn."""
    observation, info = env.reset(seed=0)
    turns: list[Turn] = [(observation, 0.0, False, info)]
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        _require(env.observation_space.contains(observation), "an observation is not in its space")
        turns.append((observation, reward, terminated, info))
        if terminated or truncated:
            break
    return turns
