"""From a spec such as ``replay:programs.jsonl`` to a policy."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Protocol, runtime_checkable

from cadwright.agent.policies.expert import ExpertPolicy
from cadwright.agent.policies.policy import Policy
from cadwright.agent.policies.random import RandomPolicy
from cadwright.agent.policies.replay import ReplayPolicy, read_programs
from cadwright.agent.policies.scripted import ScriptedPolicy, read_script
from cadwright.envs.names import nearest
from cadwright.tools.errors import UsageError

Builder = Callable[[str, str], Policy]  # (whole spec, what follows the colon) -> policy


def make_policy(spec: str) -> Policy:
    """Make the policy that ``spec`` names: a kind, or ``kind:argument``.

    Raises:
        UsageError: The kind is unknown (the nearest one is named) or its argument is unusable.
    """
    kind, _, argument = spec.partition(":")
    builder = _BUILDERS.get(kind)
    if builder is None:
        raise UsageError(f"there is no policy {kind!r}{nearest(kind, _BUILDERS)}")
    return builder(spec, argument)


@runtime_checkable
class Shareable(Protocol):
    """A policy that holds something heavy, such as a model, that others can use with it."""

    def twin(self) -> Policy:
        """Return another policy on the same thing, for another thread."""


def maker_of(policy: Policy, spec: str) -> Callable[[], Policy]:
    """Return what makes further policies like ``policy``: one model serves them all."""
    return policy.twin if isinstance(policy, Shareable) else lambda: make_policy(spec)


def _expert(spec: str, argument: str) -> Policy:
    if argument not in ("", "pixels"):
        raise UsageError(f"expert takes pixels after the colon, or nothing: {spec}")
    return ExpertPolicy(name=spec, by_place=argument == "pixels")


def _random(spec: str, argument: str) -> Policy:
    _refuse_argument(spec, argument)
    return RandomPolicy(name=spec)


def _replay(spec: str, argument: str) -> Policy:
    if not argument:
        raise UsageError("replay needs a file or folder of programs: replay:programs.jsonl")
    return ReplayPolicy(read_programs(Path(argument)), name=f"replay:{Path(argument).name}")


def _scripted(spec: str, argument: str) -> Policy:
    turns = read_script(Path(argument)) if argument else None
    name = f"scripted:{Path(argument).name}" if argument else spec
    return ScriptedPolicy(turns, name=name)


def _hf(spec: str, argument: str) -> Policy:
    if not argument:
        raise UsageError("hf needs a model: hf:FOLDER or hf:OWNER/NAME")
    from cadwright.agent.policies.hf import make_hf_policy

    return make_hf_policy(spec, argument)


def _human(spec: str, argument: str) -> Policy:
    _refuse_argument(spec, argument)
    from cadwright.agent.policies.human import HumanPolicy

    return HumanPolicy(name=spec)


def _openai(spec: str, argument: str) -> Policy:
    from cadwright.agent.policies.served import make_served_policy

    return make_served_policy(spec, argument)


def _tiny(spec: str, argument: str) -> Policy:
    """The embedded policy: an ordinary model folder that ships with the package."""
    if argument and not argument.startswith("?"):
        raise UsageError(f"tiny takes options after the colon, as in tiny:?tier=fast: {spec}")
    folder = Path(str(resources.files("cadwright.assets"))) / "models" / "tiny"
    if not (folder / "config.json").is_file():
        raise UsageError(
            "policy tiny: this installation holds no model weights (assets/models/tiny); "
            "train them with: cadwright train sft tiny"
        )
    return _hf(spec, f"{folder}{argument}")


def _refuse_argument(spec: str, argument: str) -> None:
    if argument:
        raise UsageError(f"policy {spec.partition(':')[0]!r} takes nothing after the colon: {spec}")


_BUILDERS: dict[str, Builder] = {
    "expert": _expert,
    "hf": _hf,
    "human": _human,
    "openai": _openai,
    "random": _random,
    "replay": _replay,
    "scripted": _scripted,
    "tiny": _tiny,
}
