"""The families, from the modules that hold them, loaded when somebody asks.

A module of families has ``FAMILIES: tuple[Family, ...]``. A module of domains that are no step
between designs (the mesh domains) has ``DOMAINS: tuple[Source, ...]``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from cadwright.envs.names import nearest
from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    from cadwright.envs.domains.domain import Source
    from cadwright.envs.domains.family import Family

# One line for each module, in any order: domains are sorted by id.
FAMILY_MODULES: tuple[str, ...] = (
    "compact",
    "parts_assemblies",
    "parts_bins",
    "parts_brackets",
    "parts_chains",
    "parts_collars",
    "parts_cooling",
    "parts_cooling_radial",
    "parts_couplings",
    "parts_enclosures",
    "parts_fasteners",
    "parts_forms",
    "parts_gears",
    "parts_gussets",
    "parts_hinges",
    "parts_housings",
    "parts_knobs",
    "parts_lids",
    "parts_links",
    "parts_manifolds",
    "parts_plates",
    "parts_pulleys",
    "parts_rollers",
    "parts_shafts",
    "parts_sheet",
    "parts_slots",
    "parts_springs",
    "parts_turned",
)
DOMAIN_MODULES: tuple[str, ...] = ("browser_tasks", "mesh_domains")

# A family whose parts change gets a higher number here, and with it other seeds of everything.
FAMILY_VERSIONS: Mapping[str, int] = {
    "electronics_enclosure": 2,
    "finned_heat_sink": 2,
    "flanged_bushing": 2,
    "grid_bin": 2,
    "grooved_pulley": 2,
    "hinge_leaf": 2,
    "hose_barb": 2,
    "manifold_block": 2,
    "tapped_block": 2,
}


@functools.cache
def families() -> Mapping[str, Family]:
    """Return every family by its name, in alphabetical order.

    Raises:
        UsageError: Two families have one name.
    """
    found: dict[str, Family] = {}
    for name in FAMILY_MODULES:
        for family in import_module(f"cadwright.envs.domains.{name}").FAMILIES:
            if family.name in found:
                raise UsageError(f"two families are called {family.name!r}")
            found[family.name] = family
    return dict(sorted(found.items()))


def family(name: str) -> Family:
    """Return a family by its name.

    Raises:
        UsageError: There is none of that name.
    """
    known = families()
    if name not in known:
        raise UsageError(f"no family {name!r}{nearest(name, known)}")
    return known[name]


def family_version(name: str) -> int:
    """Return the version of a family."""
    return FAMILY_VERSIONS.get(name, 1)


@functools.cache
def other_sources() -> tuple[Source, ...]:
    """Return the domains that modules bring whole."""
    modules = (import_module(f"cadwright.envs.domains.{name}") for name in DOMAIN_MODULES)
    return tuple(source for module in modules for source in module.DOMAINS)
