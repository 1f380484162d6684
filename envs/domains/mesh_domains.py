"""The mesh domains: which operation is asked of which shape."""

from __future__ import annotations

from collections.abc import Mapping

from cadwright.envs.domains.domain import Source
from cadwright.envs.domains.mesh_plan import Maker, source_for
from cadwright.envs.domains.mesh_prismatic import PRISMATIC
from cadwright.envs.domains.mesh_questions import inspect
from cadwright.envs.domains.mesh_rounded import ROUNDED
from cadwright.envs.domains.mesh_scans import PROGRAMS, align, rebuild
from cadwright.envs.domains.mesh_solids import (
    combine,
    cut,
    hollow,
    join,
    mirror,
    split,
    thicken,
)
from cadwright.envs.domains.mesh_surfaces import decimate, lay, repair, turn, units

SHAPES = {shape.name: shape for shape in (*PRISMATIC, *ROUNDED)}

OPERATIONS: Mapping[str, tuple[Maker, tuple[str, ...]]] = {
    "align": (align, ("bracket", "housing", "lever", "plate")),
    "combine": (combine, ("disc", "plate", "wedge")),
    "cut": (cut, ("knob", "plate", "vase")),
    "decimate": (decimate, ("disc", "knob", "ring", "vase")),
    "hollow": (hollow, ("gutter", "tray", "wedge")),
    "inspect": (inspect, ("bracket", "disc", "wheel")),
    "join": (join, ("bracket", "disc", "plate")),
    "lay": (lay, ("bracket", "lever", "wedge")),
    "mirror": (mirror, ("disc", "housing", "plate")),
    "repair": (repair, ("bracket", "disc", "housing", "knob", "lever", "plate", "wheel")),
    "split": (split, ("bracket", "knob", "ring")),
    "thicken": (thicken, ("cover", "gutter", "tray")),
    "turn": (turn, ("bracket", "lever", "plate")),
    "units": (units, ("bracket", "disc", "wheel")),
}

DOMAINS: tuple[Source, ...] = (
    *(
        source_for(operation, SHAPES[name], make)
        for operation, (make, names) in OPERATIONS.items()
        for name in names
    ),
    *(source_for("rebuild", SHAPES[name], rebuild, env="cad") for name in sorted(PROGRAMS)),
)
