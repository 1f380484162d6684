"""Gymnasium ids, registered through the ``gymnasium.envs`` entry point.

``gymnasium.make("cadwright/Cad-v0", suite="smoke")`` therefore works in a spawned worker that
never imported cadwright.
"""

from __future__ import annotations


def register_envs() -> None:
    """Register every environment; called by Gymnasium when it is imported."""
    import gymnasium

    gymnasium.register(id="cadwright/Cad-v0", entry_point="cadwright.envs.cad:CadEnv")
