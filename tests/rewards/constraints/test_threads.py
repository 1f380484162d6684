"""The table of threads against the rules it follows, and the ways a thread may be written."""

import pytest

from cadwright.rewards.constraints.field import ConstraintFault
from cadwright.rewards.constraints.parse import parse_constraint, to_plain
from cadwright.rewards.constraints.threads import THREADS

DRILL_SLACK = 0.051  # drills come in tenths from 3 mm on: 6.75 is drilled 6.8


def bore(thread, fit="tap"):
    return parse_constraint({"kind": "thread_hole", "thread": thread, "fit": fit}).bore


@pytest.mark.parametrize("name", THREADS)
def test_a_drill_is_the_diameter_less_the_pitch(name):
    thread = THREADS[name]
    core = thread.diameter_mm - thread.pitch_mm
    assert thread.holes["tap"] == pytest.approx(core, abs=DRILL_SLACK)


@pytest.mark.parametrize("name", THREADS)
def test_a_screw_passes_and_looser_fits_are_wider(name):
    thread = THREADS[name]
    widths = [thread.diameter_mm, *(thread.holes[fit] for fit in ("close", "normal", "loose"))]
    assert widths == sorted(set(widths))


def test_a_coarse_thread_has_the_largest_pitch_of_its_diameter():
    for thread in THREADS.values():
        same = [t for t in THREADS.values() if t.diameter_mm == thread.diameter_mm]
        assert thread.is_coarse == (thread.pitch_mm == max(t.pitch_mm for t in same))


@pytest.mark.parametrize(
    ("name", "fit", "wanted"),
    [
        ("M3.5", "tap", 2.9),
        ("M8x1", "tap", 7.0),
        ("M14", "tap", 12.0),
        ("M18", "normal", 20.0),
        ("M22", "close", 23.0),
        ("M30", "loose", 35.0),
        ("M64", "tap", 58.0),
    ],
)
def test_known_holes(name, fit, wanted):
    assert bore(name, fit) == wanted


@pytest.mark.parametrize("written", ["M8x1", "m8x1", "M8 x 1", "M8×1.0", " M8X1 "])
def test_a_thread_may_be_written_in_many_ways(written):
    asked = parse_constraint({"kind": "thread_hole", "thread": written})
    assert to_plain(asked)["thread"] == "M8x1"


def test_the_coarse_pitch_may_be_named():
    assert bore("M8x1.25") == bore("M8")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("M8x2", "nearest are M8, M8x1, M8x0.75"),
        ("M65", "nearest are M60, M64"),
        ("UNC1/4", "a metric thread from M1 to M64"),
        (8, "a metric thread"),
    ],
)
def test_what_is_no_thread_names_the_nearest(written, message):
    with pytest.raises(ConstraintFault, match=message):
        bore(written)
