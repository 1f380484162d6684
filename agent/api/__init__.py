"""cadwright: a native multimodal agent runtime for tool-driven 3D and CAD work.

This file is ``import cadwright``. It stays light: a name loads its module on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cadwright.agent.episode import run_episode
    from cadwright.agent.policies.factory import make_policy
    from cadwright.envs.cad import CadEnv
    from cadwright.envs.checker import check_env
    from cadwright.envs.registration import register_envs
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.suites import load_tasks
    from cadwright.envs.task import Task
    from cadwright.rewards.judge import Judge
    from cadwright.rewards.score import Score
    from cadwright.rewards.scoring import Scoring
    from cadwright.tools.geometry.part import Part
    from cadwright.tools.sandbox import Sandbox

__version__ = "0.1.0"

_WHERE = {
    "CadEnv": "cadwright.envs.cad",
    "Judge": "cadwright.rewards.judge",
    "Part": "cadwright.tools.geometry.part",
    "Runtime": "cadwright.envs.runtime",
    "Sandbox": "cadwright.tools.sandbox",
    "Score": "cadwright.rewards.score",
    "Scoring": "cadwright.rewards.scoring",
    "Task": "cadwright.envs.task",
    "check_env": "cadwright.envs.checker",
    "load_tasks": "cadwright.envs.suites",
    "make_policy": "cadwright.agent.policies.factory",
    "register_envs": "cadwright.envs.registration",
    "run_episode": "cadwright.agent.episode",
}

__all__ = [
    "CadEnv",
    "Judge",
    "Part",
    "Runtime",
    "Sandbox",
    "Score",
    "Scoring",
    "Task",
    "__version__",
    "check_env",
    "load_tasks",
    "make_policy",
    "register_envs",
    "run_episode",
]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'cadwright' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
