"""Letters A to H and digits as bitmaps, for pictures that must not depend on a font library."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

HEIGHT_PX, WIDTH_PX, GAP_PX = 10, 5, 2

_ROWS = {  # five dots a row, seven rows, octal-free: each row as five characters
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
    """Return where the ink of a line of text is, (7, n) bool."""
    glyphs = []
    for letter in text:
        rows = [[dot == "#" for dot in row] for row in _ROWS[letter].split()]
        glyphs.append(np.pad(np.array(rows), ((0, 0), (0, GAP_PX))))
    return np.hstack(glyphs)
