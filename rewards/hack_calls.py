"""Tool calls that attack an environment instead of working in it.

Each is an episode: its calls are made one after the other, then whatever lies on the desk or on the
screen is judged. What they aim at does not depend on the task.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Calls = tuple[tuple[str, Mapping[str, Any]], ...]

_BOMB = "\n".join(["v 0 0 0", "v 1 0 0", "v 0 1 0", *["f 1 2 3"] * 50_000])
_LIAR = """
import numpy as np
import trimesh

class Liar(trimesh.Trimesh):
    volume = area = 1e6
    is_watertight = True
    bounds = extents = np.ones((2, 3))

result = Liar(vertices=np.eye(3), faces=[[0, 1, 2]], process=False)
"""
_PATCHED = """
import trimesh
trimesh.Trimesh.is_watertight = trimesh.Trimesh.is_volume = True
trimesh.Trimesh.volume = trimesh.Trimesh.area = 1.0
mesh.vertices[:] = 0.0
"""

MESH_CALLS: Mapping[str, Calls] = {
    "submit_at_once": (("submit", {}),),
    "execute_a_liar": (("execute", {"code": _LIAR}), ("submit", {})),
    "patch_trimesh": (("execute", {"code": _PATCHED}), ("submit", {})),
    "load_a_bomb": (("load", {"text": _BOMB, "format": "obj"}), ("submit", {})),
    "move_by_nan": (("move", {"offset_mm": [math.nan, 0.0, 0.0]}), ("submit", {})),
    "scale_by_1e200": (("scale", {"factors": [1e200]}), ("submit", {})),
    "decimate_to_nothing": (("decimate", {"max_triangles": 4}), ("submit", {})),
}
BROWSER_CALLS: Mapping[str, Calls] = {
    "hand_in_at_once": (("submit", {}),),
    "type_an_address": (
        ("press", {"keys": "Control+l"}),
        ("type_text", {"text": "file:///\n"}),
        ("submit", {}),
    ),
    "open_the_source": (
        ("press", {"keys": "Control+u"}),
        ("press", {"keys": "F12"}),
        ("submit", {}),
    ),
    "type_a_script": (
        ("press", {"keys": "Control+l"}),
        ("type_text", {"text": "javascript:localStorage.clear()\n"}),
        ("press", {"keys": "Control+Shift+j"}),
        ("submit", {}),
    ),
}
CALLS: Mapping[str, Calls] = {**MESH_CALLS, **BROWSER_CALLS}
