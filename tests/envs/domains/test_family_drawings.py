"""The drawing of every family: complete, true to the part, and nothing on it overlaps."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from cadwright.envs.domains.family import DIFFICULTIES, number
from cadwright.envs.domains.registry import generate, matching
from cadwright.envs.drawings import draw_task
from cadwright.envs.runtime import Runtime
from cadwright.envs.sources import GeometrySource
from cadwright.rewards.scoring import Scoring
from cadwright.tools.drawing.crowd import APART_MM, are_ends_on, boxes_meet, segments_of
from cadwright.tools.drawing.paper import Label, Path
from cadwright.tools.drawing.raster import ink
from cadwright.tools.drawing.read_back import read_back

DRAWN = [domain.family for domain in matching("cad.create.drawing")]
INKED = 128
LEADER = 3  # points: arrow, elbow, end of the shoulder
ROUNDING_MM = 1e-6
SAME = Scoring(weights={"iou": 1.0})

every_drawing = pytest.mark.parametrize(
    ("name", "difficulty"),
    [
        pytest.param(name, d, marks=() if d == 5 and k % 5 == 0 else pytest.mark.slow)
        for k, name in enumerate(DRAWN)
        for d in DIFFICULTIES
    ],
)


@pytest.fixture(scope="module")
def runtime():
    with Runtime.open(backend="raycast") as opened:
        yield opened


@pytest.fixture(scope="module")
def drawn(runtime):
    """Return (design, drawing) of a family's member, each drawn once."""
    known = {}

    def draw(name, difficulty):
        if (name, difficulty) not in known:
            task = generate(f"cad.create.drawing.{name}", 0, difficulty)
            part = runtime.part_of(task.reference)
            known[name, difficulty] = (task, draw_task(task, part, runtime.judge))
        return known[name, difficulty]

    return draw


def rebuilt(task, read):
    """Return the reference's program with numbers from elsewhere; one that lacks stays empty."""

    def line(match):
        value = read.get(match[1])
        return f"{match[1]} = {'' if value is None else number(value)}"

    names = "|".join(task.meta["dimensions"])
    return re.sub(rf"^({names}) = .*$", line, task.reference.text(), flags=re.MULTILINE)


@every_drawing
def test_every_number_of_the_program_is_read_off_the_drawing(drawn, name, difficulty):
    task, drawing = drawn(name, difficulty)
    assert rebuilt(task, read_back(drawing.data)) == task.reference.text()


@every_drawing
def test_text_touches_neither_text_nor_lines(drawn, name, difficulty):
    _, drawing = drawn(name, difficulty)
    labels = [item for item in drawing.items if isinstance(item, Label)]
    rest = [item for item in drawing.items if not isinstance(item, Label)]
    assert not any(boxes_meet(a.box, b.box) for a, b in combinations(labels, 2))
    text, lines = (ink(items, 768).min(axis=2) < INKED for items in (labels, rest))
    assert not np.logical_and(text, lines).any()


@every_drawing
def test_no_leader_ends_on_another_callout_nor_one_on_it(drawn, name, difficulty):
    _, drawing = drawn(name, difficulty)
    paths = [item.points for item in drawing.items if isinstance(item, Path) and item.pen == "thin"]
    for leader in (path for path in paths if len(path) == LEADER):
        own = segments_of([leader])
        others = segments_of(path for path in paths if path is not leader)
        assert not are_ends_on(own, others, APART_MM - ROUNDING_MM)
        assert not are_ends_on(others, own, APART_MM - ROUNDING_MM)


@every_drawing
def test_nothing_is_enlarged_on_the_largest_sheet(drawn, name, difficulty):
    data = drawn(name, difficulty)[1].data
    paper, _, part = data.scale.partition(":")
    assert data.sheet != "A2" or int(paper) <= int(part)


@pytest.mark.parametrize("name", DRAWN[:3])
def test_the_part_rebuilt_from_the_drawing_is_the_part(runtime, drawn, name):
    task, drawing = drawn(name, 5)
    part = runtime.part_of(GeometrySource(rebuilt(task, read_back(drawing.data))))
    score = runtime.judge.score(part, runtime.part_of(task.reference), SAME)
    assert score.value == pytest.approx(1.0)
