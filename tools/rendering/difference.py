"""Colour both surfaces by their distance to each other, so that one sees where parts differ.

Two pictures by the same cameras: the part, coloured by the distance to the reference (what is too
much or out of place), and the reference, coloured by the distance to the part (what is missing).
Distances are measured from every pixel, point to triangle, and not signed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cadwright.tools.geometry.closest import distance_to_triangles
from cadwright.tools.rendering.frame import Frame, Pixels, Renderer, render_id
from cadwright.tools.rendering.ink import Cell, Ink, length_text, text_px
from cadwright.tools.rendering.layout import Layout, Notes
from cadwright.tools.rendering.overlay import union_of
from cadwright.tools.rendering.scene import Scene
from cadwright.tools.rendering.topology import Floats
from cadwright.tools.tool import ImageBlock

# Points that find the triangles near a pixel; the distance itself is exact for those triangles.
NUM_POINTS, NUM_CANDIDATES = 60_000, 4
# Beside an edge the nearest points may all lie round the corner: there more of them are tried.
NUM_MORE_CANDIDATES, DOUBTFUL_SPACINGS = 32, 3.0
# Below this share of the reference's diagonal surfaces agree; the scale is never shorter than
# SHORTEST_SCALE, or rounding would look like a difference.
AGREES, SHORTEST_SCALE = 1e-3, 1e-2
RAMP = np.array(
    [(0.72, 0.78, 0.76), (1.00, 0.86, 0.30), (1.00, 0.42, 0.20), (0.78, 0.06, 0.16), (0.40, 0, 0.3)]
)
LIGHTEN = 1.45  # the body is mid-grey; its lightest faces take the full colour


@dataclass(frozen=True, slots=True)
class Gaps:
    """Distances at the pixels of one layout, mm; infinite where the part is not.

    Attributes:
        frames: One for each cell.
        fields: (H, W) for each cell.
    """

    frames: tuple[Frame, ...]
    fields: tuple[Floats, ...]

    @property
    def seen(self) -> Floats:
        """(n,) distances at the pixels that show the part."""
        return np.concatenate([field[np.isfinite(field)] for field in self.fields])


def difference(
    renderer: Renderer, part: Scene, reference: Scene, *, view: str = "sheet", size: int = 512
) -> ImageBlock:
    """Draw where two parts differ, in one frame that holds both.

    Args:
        renderer: Backend.
        part: What was made; on the left.
        reference: What was wanted; on the right.
        view: ``sheet`` or the name of a view.
        size: Height of the picture in pixels without the scale below; the width is twice that.
    """
    points = np.concatenate([part.framed_points, reference.framed_points])
    layout = Layout.choose(view, union_of(part.box, reference.box), points, size)
    sides = [
        gaps_of(layout, renderer, scene, Target(other))
        for scene, other in ((part, reference), (reference, part))
    ]
    diagonal = 2.0 * reference.box.radius
    largest = [float(side.seen.max(initial=0.0)) for side in sides]
    reach = max(*largest, SHORTEST_SCALE * diagonal)
    halves = [
        _half(layout, side, reach, name)
        for side, name in zip(sides, ("the part", "the reference"), strict=True)
    ]
    pixels = np.concatenate([np.concatenate(halves, axis=1), _scale(layout, reach)])
    identity = render_id(renderer.name, f"difference|{layout.text}", pixels.shape[1::-1])
    return ImageBlock(pixels, identity, _caption(sides, largest, AGREES * diagonal))


def gaps_of(layout: Layout, renderer: Renderer, scene: Scene, target: Target) -> Gaps:
    """Measure the distance to the target at every pixel of a scene."""
    frames = layout.frames(renderer, scene)
    fields = []
    for frame in frames:
        field = np.full(frame.mask.shape, np.inf)
        field[frame.mask] = target.distances(points_of(frame))
        fields.append(field)
    return Gaps(tuple(frames), tuple(fields))


def points_of(frame: Frame) -> Floats:
    """Return (n, 3) mm, the points of the part under the pixels that show it, row by row."""
    height, width = frame.mask.shape
    rows, columns = np.nonzero(frame.mask)
    pixel = frame.camera.mm_per_px((width, height))
    local = np.stack(
        [
            (columns + 0.5 - width / 2.0) * pixel,
            (height / 2.0 - rows - 0.5) * pixel,
            frame.camera.depth_half_mm - frame.depth_mm[frame.mask],
        ],
        axis=1,
    )
    points: Floats = np.asarray(frame.camera.centre_mm) + local @ frame.camera.axes
    return points


class Target:
    """A surface that distances are measured to.

    Args:
        scene: Its triangles.
    """

    def __init__(self, scene: Scene) -> None:
        self._triangles: Floats = scene.vertices[scene.faces]
        self._areas = scene.areas

    def distances(self, points: Floats) -> Floats:
        """Return (n,) mm from points to the nearest of the triangles around their neighbours."""
        best = self._tried(points, NUM_CANDIDATES)
        spacing = np.sqrt(self._areas.sum() / NUM_POINTS)
        is_doubtful = (best > AGREES * spacing) & (best < DOUBTFUL_SPACINGS * spacing)
        best[is_doubtful] = self._tried(points[is_doubtful], NUM_MORE_CANDIDATES)
        return best

    def _tried(self, points: Floats, count: int) -> Floats:
        best = np.full(len(points), np.inf)
        if not len(points):
            return best
        tree, owners = self._near
        _, index = tree.query(points, k=[*range(1, count + 1)])
        for column in owners[index].T:
            best = np.minimum(best, distance_to_triangles(points, self._triangles[column]))
        return best

    @cached_property
    def _near(self) -> tuple[Any, np.ndarray[Any, np.dtype[np.intp]]]:
        """A search tree over points of the surface, and the triangle of each point."""
        from scipy.spatial import cKDTree

        rng = np.random.default_rng(0)
        share = self._areas / self._areas.sum()
        owners = np.concatenate(
            [np.arange(len(share)), rng.choice(len(share), NUM_POINTS, p=share)]
        )
        corners = np.sort(rng.random((len(owners), 2)), axis=1)
        weights = np.column_stack(
            [corners[:, 0], np.diff(corners, axis=1)[:, 0], 1 - corners[:, 1]]
        )
        return cKDTree(np.einsum("nk,nkj->nj", weights, self._triangles[owners])), owners


def colours(gaps: Floats, reach: float) -> Floats:
    """Return (..., 3) RGB in 0..1 for distances, the end of the ramp from ``reach`` on."""
    place = np.clip(gaps / reach, 0.0, 1.0) * (len(RAMP) - 1)
    low = np.minimum(place.astype(np.intp), len(RAMP) - 2)
    share = (place - low)[..., None]
    mixed: Floats = RAMP[low] * (1.0 - share) + RAMP[low + 1] * share
    return mixed


def _half(layout: Layout, gaps: Gaps, reach: float, name: str) -> Pixels:
    pictures = [_painted(frame, field, reach) for frame, field in _cells(gaps)]
    largest = length_text(float(gaps.seen.max(initial=0.0)))
    notes = Notes((f"{name}: up to {largest} away", f"{name}: {largest}", name))
    return layout.compose(pictures, np.zeros((0, 3)), notes)


def _cells(gaps: Gaps) -> zip[tuple[Frame, Floats]]:
    return zip(gaps.frames, gaps.fields, strict=True)


def _painted(frame: Frame, field: Floats, reach: float) -> Pixels:
    """Paint the part in the colours of its distances, shaded as it was drawn."""
    picture = frame.colour / 255.0
    shade = np.clip(picture[frame.mask].mean(axis=1) * LIGHTEN, 0.0, 1.0)
    picture[frame.mask] = colours(field[frame.mask], reach) * shade[:, None]
    return np.rint(picture * 255.0).astype(np.uint8)


def _scale(layout: Layout, reach: float) -> Pixels:
    """Draw the ramp with its ends named, as wide as both halves."""
    width, px = 2 * layout.size[0], text_px(layout.size[0] // 2)
    ink = Ink((width, 2 * px))
    ramp = colours(np.broadcast_to(np.linspace(0.0, 1.0, width // 2), (px, width // 2)), 1.0)
    ink.picture(Cell(width // 4, px // 2, width // 2, px), np.rint(ramp * 255).astype(np.uint8))
    for x, text, anchor in (
        (width // 4 - px, "0 mm", "rm"),
        (3 * width // 4 + px, length_text(reach), "lm"),
    ):
        ink.text((x, px), text, px=px, anchor=anchor)
    return ink.pixels()


def _caption(sides: list[Gaps], largest: list[float], agrees_mm: float) -> str:
    shares = [100.0 * float((side.seen <= agrees_mm).mean()) for side in sides]
    words = (
        f"{name} within {agrees_mm:.3g} mm on {share:.1f} % of what is seen, at most {most:.4g} mm"
        for name, share, most in zip(
            ("left, the part: the reference", "right, the reference: the part"),
            shares,
            largest,
            strict=True,
        )
    )
    return "distance between surfaces; " + "; ".join(words)
