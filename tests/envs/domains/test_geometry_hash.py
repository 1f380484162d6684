"""Splits share no part, whatever its program looks like."""

from __future__ import annotations

import pytest

from cadwright.envs.bench import Workbench
from cadwright.envs.domains.geometry_hash import geometry_hash
from cadwright.envs.domains.registry import domain, generate
from cadwright.envs.runtime import Runtime
from cadwright.envs.sources import GeometrySource

SEEDS = range(4)
FAMILIES = ("two_hole_plate", "plain_tube", "lever")


@pytest.fixture(scope="module")
def bench():
    with Runtime.open() as runtime:
        yield Workbench.of(runtime)


def hash_of(bench, program):
    return geometry_hash(bench.inspect(bench.part(GeometrySource(program))).measures)


def hashes(bench, family, split):
    name = f"cad.create.text.{family}"
    tasks = [generate(name, seed, 1, split=split) for seed in SEEDS]
    return {hash_of(bench, task.reference.text()) for task in tasks}


@pytest.mark.parametrize("family", FAMILIES)
def test_no_part_is_in_two_splits(family, bench):
    splits = domain(f"cad.create.text.{family}").splits
    found = [hashes(bench, family, split) for split in splits]
    assert sum(map(len, found)) == len(set.union(*found))


def test_one_part_has_one_hash_whichever_program_made_it(bench):
    start = "import cadquery as cq\nresult = cq.Workplane()"
    first = f"{start}.box(10, 20, 30, centered=(True, True, False))"
    second = f"{start}.rect(10, 20).extrude(30)"
    assert hash_of(bench, first) == hash_of(bench, second)


def test_another_part_has_another_hash(bench):
    start = "import cadquery as cq\nresult = cq.Workplane()"
    assert hash_of(bench, f"{start}.box(10, 20, 30)") != hash_of(bench, f"{start}.box(10, 20, 31)")
