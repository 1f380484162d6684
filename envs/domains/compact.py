"""The 24 compact families together: what the embedded policy knows."""

from __future__ import annotations

from dataclasses import replace

from cadwright.envs.domains import compact_blocks, compact_plates, compact_turned
from cadwright.envs.domains.compact_drawings import ANNOTATE
from cadwright.envs.domains.compact_grid import CompactFamily

FAMILIES: tuple[CompactFamily, ...] = tuple(
    replace(family, annotate=ANNOTATE[family.name])
    for module in (compact_plates, compact_blocks, compact_turned)
    for family in module.FAMILIES
)
BY_NAME = {family.name: family for family in FAMILIES}
