"""The same drawing as scalable vector graphics, for people and for printing."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from cadwright.tools.drawing.lettering import runs, signs
from cadwright.tools.drawing.paper import WEIGHTS_MM, Fill, Item, Label, Path, Rgb, colour, dashed
from cadwright.tools.drawing.raster import SIGN_WEIGHT
from cadwright.tools.drawing.record import Drawing
from cadwright.tools.drawing.sheet import HEIGHT_MM, SHRINK, WIDTH_MM
from cadwright.tools.geometry.outlines import Curve

FONT = "Aileron, Helvetica, Arial, sans-serif"
_CAP_HALF = 0.35  # from the middle of a line of text to its foot, of the em


def svg_text(drawing: Drawing) -> str:
    """Return a drawing as an SVG document at the real size of its sheet."""
    size = SHRINK[drawing.data.sheet]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH_MM * size:.1f}mm" '
        f'height="{HEIGHT_MM * size:.1f}mm" viewBox="0 0 {WIDTH_MM:g} {HEIGHT_MM:g}">',
        f"<title>{escape(drawing.data.title)}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
        f'<g fill="none" stroke-linecap="round" font-family="{FONT}">',
        *(line for item in drawing.items for line in _element(item)),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _element(item: Item) -> Iterator[str]:
    if isinstance(item, Path):
        for piece in dashed(item.points, item.pen):
            yield _polyline(piece, WEIGHTS_MM[item.pen], colour(item))
    elif isinstance(item, Fill):
        yield f'<polygon points="{_coordinates(item.points)}" fill="{_hex(colour(item))}"/>'
    else:
        yield from _text(item)


def _text(label: Label) -> Iterator[str]:
    em = label.em_mm
    for line, (left, middle) in label.middles():
        for sign in signs(line):
            points = tuple((left + x * em, middle + y * em) for x, y in sign)
            yield _polyline(points, SIGN_WEIGHT * em, colour(label))
        for run in runs(line):
            yield (
                f'<text x="{left + run.left * em:.3f}" y="{middle + _CAP_HALF * em:.3f}" '
                f'font-size="{em:g}" fill="{_hex(colour(label))}" xml:space="preserve">'
                f"{escape(run.words)}</text>"
            )


def _polyline(points: Curve, weight_mm: float, ink: Rgb) -> str:
    stroke = f'stroke="{_hex(ink)}" stroke-width="{weight_mm:g}"'
    return f'<polyline points="{_coordinates(points)}" {stroke}/>'


def _hex(ink: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*ink)


def _coordinates(points: Curve) -> str:
    return " ".join(f"{x:.3f},{y:.3f}" for x, y in points)
