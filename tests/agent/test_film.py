"""The film of an episode shows each picture with the call that led to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from agent_fakes import HEADER
from PIL import Image

from cadwright.agent.film import BAR_PX, call_text, frames, save_film
from cadwright.agent.messages import Message
from cadwright.agent.trajectory import (
    Trajectory,
    TrajectoryWriter,
    read_trajectory,
)
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import ImageBlock, TextBlock, ToolCall, ToolResult

CALLS = (
    ToolCall("click", {"x": 0.5, "y": 0.25}, "1"),
    ToolCall("measure", {}, "2"),
    ToolCall("drag", {"path": [[0.1, 0.1], [0.9, 0.8]]}, "3"),
)


def picture(grey: int) -> ImageBlock:
    return ImageBlock(np.full((60, 80, 3), grey, np.uint8), f"test:{grey}")


@pytest.fixture
def trajectory(tmp_path: Path) -> Trajectory:
    """Three calls; the second answers without a picture."""
    with TrajectoryWriter(tmp_path) as log:
        log.record("header", HEADER)
        for number, call in enumerate(CALLS):
            images = () if call.name == "measure" else (picture(100 + number),)
            result = ToolResult(call.name, "ok", images)
            log.result(call, result)
            log.message(Message("tool", (TextBlock("ok"), *images), call_id=call.id))
    return read_trajectory(tmp_path)


def test_there_is_one_frame_for_each_result_with_a_picture(trajectory):
    captions = [frame.caption for frame in frames(trajectory)]
    assert captions == ["1/2  click 0.500, 0.250", "2/2  drag  path=[[0.1, 0.1], [0.9, 0.8]]"]


def test_the_place_of_a_click_is_drawn_and_the_rest_is_left(trajectory):
    pixels = next(frames(trajectory)).pixels
    assert pixels.shape == (60 + BAR_PX, 80, 3)
    assert tuple(pixels[15, 40 - 15]) == (220, 40, 40)
    assert tuple(pixels[58, 2]) == (100, 100, 100)


@pytest.mark.parametrize("suffix", [".gif", ".png", ".webp"])
def test_a_film_moves(trajectory, tmp_path, suffix):
    target = tmp_path / f"film{suffix}"
    assert save_film(trajectory, target) == 2
    with Image.open(target) as film:
        assert film.n_frames == 2


def test_another_format_is_refused(trajectory, tmp_path):
    with pytest.raises(UsageError, match=r"one of .gif"):
        save_film(trajectory, tmp_path / "film.mp4")


def test_an_episode_without_pictures_has_no_film(tmp_path):
    with TrajectoryWriter(tmp_path) as log:
        log.record("header", HEADER)
    with pytest.raises(UsageError, match="no result"):
        save_film(read_trajectory(tmp_path), tmp_path / "film.gif")


def test_long_arguments_are_cut_and_odd_ones_are_no_fault():
    assert len(call_text({"name": "execute", "arguments": {"code": "a " * 500}})) < 100
    assert call_text({"name": "click", "arguments": [1, 2]}) == "click"
