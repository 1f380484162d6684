"""The page about protocols names all of them, and nothing else."""

import re
from pathlib import Path

from cadwright.rewards.protocols.presets import PUBLISHED

PAGE = Path(__file__).parents[2] / "docs" / "protocols.md"


def test_the_page_lists_every_protocol():
    assert re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.M) == list(PUBLISHED)
