"""The part families under test, and what their tests share."""

import importlib

import numpy as np

from cadwright.rewards.constraints.parse import parse_constraints

MODULES = (
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
FAMILIES = [
    family
    for module in MODULES
    for family in importlib.import_module(f"cadwright.envs.domains.{module}").FAMILIES
]
NAMES = [family.name for family in FAMILIES]
BY_NAME = dict(zip(NAMES, FAMILIES, strict=True))


def design_of(family, difficulty, seed=0):
    return family.sample(np.random.default_rng(seed), difficulty)


def unmet(judge, part, records):
    report = judge.check(part, parse_constraints(records))
    return [f"{r.id}: {r.verdict}: {r}" for r in (*report.unmet, *report.could_not_check)]
