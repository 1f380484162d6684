"""The volumes of compact parts, worked out from their dimensions, mm³."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from cadwright.envs.domains.asking import cone, disc
from cadwright.envs.domains.family import Design


def _plate(d: Design) -> float:
    return d["length"] * d["width"] * d["thickness"]


def _block(d: Design) -> float:
    return d["length"] * d["width"] * d["height"]


def _round(radius: float) -> float:
    return disc(2 * radius)


def _countersunk_plate(d: Design) -> float:
    hole, sink = d["hole_diameter"], d["sink_diameter"]
    deep = (sink - hole) / 2  # 90 degrees
    return _plate(d) - disc(hole) * (d["thickness"] - deep) - cone(sink, hole, deep)


def _slotted_plate(d: Design) -> float:
    wide = d["slot_width"]
    slot = (d["slot_length"] - wide) * wide + disc(wide)
    return _plate(d) - slot * d["thickness"]


def _cross_plate(d: Design) -> float:
    arm = d["arm_width"]
    return (d["length"] + d["width"] - arm) * arm * d["thickness"]


def _counterbored_block(d: Design) -> float:
    deep = d["bore_depth"]
    drilled = disc(d["hole_diameter"]) * (d["height"] - deep) + disc(d["bore_diameter"]) * deep
    return _block(d) - drilled


def _step_block(d: Design) -> float:
    low = (d["length"] - d["step_length"]) * d["step_height"]
    return (d["step_length"] * d["height"] + low) * d["width"]


def _angle_profile(d: Design) -> float:
    thick = d["thickness"]
    return thick * (d["length"] + d["height"] - thick) * d["width"]


def _bolt_flange(d: Design) -> float:
    area = _round(d["radius"]) - disc(d["bore_diameter"])
    return (area - d["bolt_count"] * disc(d["bolt_diameter"])) * d["thickness"]


def _collar_bush(d: Design) -> float:
    low, high, bore = d["collar_height"], d["body_height"], disc(d["bore_diameter"])
    return (_round(d["collar_radius"]) - bore) * low + (_round(d["body_radius"]) - bore) * high


def _flatted_shaft(d: Design) -> float:
    r, flat = float(d["radius"]), float(d["flat_distance"])
    gone = r * r * math.acos(flat / r) - flat * math.sqrt(r * r - flat * flat)
    return (_round(r) - gone) * d["height"]


VOLUME: Mapping[str, Callable[[Design], float]] = {
    "bored_plate": lambda d: _plate(d) - disc(d["hole_diameter"]) * d["thickness"],
    "four_hole_plate": lambda d: _plate(d) - 4 * disc(d["hole_diameter"]) * d["thickness"],
    "two_hole_plate": lambda d: _plate(d) - 2 * disc(d["hole_diameter"]) * d["thickness"],
    "slotted_plate": _slotted_plate,
    "countersunk_plate": _countersunk_plate,
    "boss_plate": lambda d: _plate(d) + _round(d["boss_radius"]) * d["boss_height"],
    "cross_plate": _cross_plate,
    "pocket_block": lambda d: (
        _block(d) - d["pocket_length"] * d["pocket_width"] * d["pocket_depth"]
    ),
    "chamfered_block": lambda d: _block(d) - 2 * d["chamfer"] ** 2 * d["height"],
    "grooved_block": lambda d: _block(d) - d["length"] * d["groove_width"] * d["groove_depth"],
    "counterbored_block": _counterbored_block,
    "window_block": lambda d: _block(d) - d["window_length"] * d["window_height"] * d["width"],
    "step_block": _step_block,
    "wedge_block": lambda d: (d["base_length"] + d["top_length"]) / 2 * d["height"] * d["width"],
    "angle_profile": _angle_profile,
    "tee_profile": lambda d: _plate(d) + d["web_thickness"] * d["width"] * d["web_height"],
    "half_round_bar": lambda d: _round(d["radius"]) / 2 * d["width"],
    "hexagon_bar": lambda d: 3 * math.sqrt(3) / 8 * d["corner_diameter"] ** 2 * d["height"],
    "two_step_shaft": lambda d: (
        _round(d["lower_radius"]) * d["lower_length"]
        + _round(d["upper_radius"]) * d["upper_length"]
    ),
    "bolt_flange": _bolt_flange,
    "drilled_disc": lambda d: (
        (_round(d["radius"]) - d["hole_count"] * disc(d["hole_diameter"])) * d["thickness"]
    ),
    "plain_tube": lambda d: (_round(d["outer_radius"]) - _round(d["inner_radius"])) * d["height"],
    "collar_bush": _collar_bush,
    "flatted_shaft": _flatted_shaft,
}
