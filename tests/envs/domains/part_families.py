"""The part families under test, and what their tests share."""

import importlib

import numpy as np

from cadwright.envs.domains.catalogue import FAMILY_MODULES
from cadwright.rewards.constraints.parse import parse_constraints

MODULES = tuple(name for name in FAMILY_MODULES if name.startswith("parts_"))
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
