"""Letters A to H and digits as bitmaps, for pictures that must not depend on a font library."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

GAP_PX = 2  # after each letter
TALL = 2  # pixels of a dot, so that a number fills its cell

_ROWS = {  # seven rows of five dots
    " ": "..... ..... ..... ..... ..... ..... .....",
    "0": ".###. #...# #..## #.#.# ##..# #...# .###.",
    "1": "..#.. .##.. ..#.. ..#.. ..#.. ..#.. .###.",
    "2": ".###. #...# ....# ...#. ..#.. .#... #####",
    "3": "##### ...#. ..#.. ...#. ....# #...# .###.",
    "4": "...#. ..##. .#.#. #..#. ##### ...#. ...#.",
    "5": "##### #.... ####. ....# ....# #...# .###.",
    "6": "..##. .#... #.... ####. #...# #...# .###.",
    "7": "##### ....# ...#. ..#.. .#... .#... .#...",
    "8": ".###. #...# #...# .###. #...# #...# .###.",
    "9": ".###. #...# #...# .#### ....# ...#. .##..",
    "A": ".###. #...# #...# ##### #...# #...# #...#",
    "B": "####. #...# #...# ####. #...# #...# ####.",
    "C": ".###. #...# #.... #.... #.... #...# .###.",
    "D": "####. #...# #...# #...# #...# #...# ####.",
    "E": "##### #.... #.... ####. #.... #.... #####",
    "F": "##### #.... #.... ####. #.... #.... #....",
    "G": ".###. #...# #.... #.### #...# #...# .###.",
    "H": "#...# #...# #...# ##### #...# #...# #...#",
}


def written(text: str) -> npt.NDArray[np.bool_]:
    """Return where the ink of a line of text is, (14, n) bool: each dot is two pixels high."""
    glyphs = []
    for letter in text:
        rows = [[dot == "#" for dot in row] for row in _ROWS[letter].split()]
        glyphs.append(np.pad(np.array(rows), ((0, 0), (0, GAP_PX))))
    return np.repeat(np.hstack(glyphs), TALL, axis=0)
