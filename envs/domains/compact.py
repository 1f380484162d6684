"""The 24 compact families together: what the embedded policy knows."""

from __future__ import annotations

from cadwright.envs.domains import compact_blocks, compact_plates, compact_turned
from cadwright.envs.domains.compact_grid import CompactFamily

FAMILIES: tuple[CompactFamily, ...] = (
    *compact_plates.FAMILIES,
    *compact_blocks.FAMILIES,
    *compact_turned.FAMILIES,
)
BY_NAME = {family.name: family for family in FAMILIES}
