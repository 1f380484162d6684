import numpy as np
import pytest
from gymnasium.error import CustomSpaceError
from gymnasium.vector.utils import create_shared_memory
from hypothesis import given
from hypothesis import strategies as st

from cadwright.envs.observation import UnicodeText, blank, letterbox


@given(st.text(max_size=40))
def test_every_short_string_is_in_the_space(text: str) -> None:
    assert UnicodeText(40).contains(text)


def test_a_long_string_or_another_type_is_not() -> None:
    space = UnicodeText(3)
    assert not space.contains("four")
    assert not space.contains(3)


def test_sample_is_a_member() -> None:
    space = UnicodeText(50, seed=1)
    assert all(space.contains(space.sample()) for _ in range(50))


def test_shared_memory_is_refused_before_it_loses_text() -> None:
    with pytest.raises(CustomSpaceError, match="shared_memory=False"):
        create_shared_memory(UnicodeText(50), n=2)


@given(st.integers(1, 90), st.integers(1, 90))
def test_letterbox_keeps_shape_and_whole_picture(height: int, width: int) -> None:
    pixels = np.zeros((height, width, 3), np.uint8)
    boxed = letterbox(pixels, 32, 32)
    assert boxed.shape == (32, 32, 3)
    dark = (boxed == 0).all(axis=2)
    assert dark.any()
    assert dark.sum() <= min(height, 32) * min(width, 32)


def test_small_pictures_are_not_scaled_up() -> None:
    boxed = letterbox(np.zeros((4, 6, 3), np.uint8), 16, 16)
    assert (boxed == 0).all(axis=2).sum() == 24


def test_blank_is_background() -> None:
    assert (blank(8, 8) == 255).all()
