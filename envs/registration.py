"""Gymnasium ids.

Gymnasium 1.x loads no plug-ins, so somebody has to import this module:
``cadwright.register_envs()`` does, and so does the long form
``gymnasium.make("cadwright.envs.registration:cadwright/Cad-v0")``. Spawned vector workers get the
whole spec and need neither.
"""

from __future__ import annotations

import gymnasium

IDS = {
    "cadwright/Browser-v0": "cadwright.envs.browser:BrowserEnv",
    "cadwright/Cad-v0": "cadwright.envs.cad:CadEnv",
    "cadwright/Mesh-v0": "cadwright.envs.mesh:MeshEnv",
}


def register_envs() -> None:
    """Register every environment with Gymnasium. Idempotent."""
    for name, entry_point in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point=entry_point)


register_envs()
