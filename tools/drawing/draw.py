"""Draw a part: choose the scale, place views and callouts so that nothing overlaps, and ink it.

The largest standard scale wins at which everything that is to be said finds a place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cadwright.tools.drawing.callout import Callout
from cadwright.tools.drawing.crowd import Placed
from cadwright.tools.drawing.grid import arrange
from cadwright.tools.drawing.lettering import writable
from cadwright.tools.drawing.paper import Box, Item
from cadwright.tools.drawing.plan import Plan, bare_plan, plan_view
from cadwright.tools.drawing.raster import height_px, ink
from cadwright.tools.drawing.record import Drawing, DrawingData, DrawnDimension, DrawnView
from cadwright.tools.drawing.sheet import WIDTH_MM, Scale, SheetSettings, area, scales, sheet_items
from cadwright.tools.errors import GeometryError
from cadwright.tools.geometry.outlines import Flat, Outline, Outlines, Strokes

if TYPE_CHECKING:
    from cadwright.tools.geometry.client import GeometryClient
    from cadwright.tools.geometry.part import Part

ORTHOGRAPHIC = ("front", "top", "right")
OUTLINE_TIMEOUT_S = 60.0
ISO_SIZES = (0.9, 0.75, 0.6, 0.5, 0.4)  # of the other views' scale: the pictorial view fits in
PLAIN = SheetSettings()
MAX_SCALES = 14  # tried, from the largest at which the bare views fit


def draw_part(
    client: GeometryClient,
    part: Part,
    callouts: Sequence[Callout],
    settings: SheetSettings = PLAIN,
) -> Drawing:
    """Draw a part whose lines a geometry worker finds.

    Args:
        client: Asks the worker.
        part: Exact geometry.
        callouts: What the drawing says.
        settings: The sheet.

    Raises:
        GeometryError: The part is a mesh, or the callouts find no room at any scale.
        UsageError: A callout does not fit the part: its points are not its number apart.
    """
    views = (*ORTHOGRAPHIC, *(("iso",) if settings.is_iso_shown else ()))
    return draw(client.outlines(part, views, timeout_s=OUTLINE_TIMEOUT_S), callouts, settings)


def draw(
    outlines: Outlines, callouts: Sequence[Callout], settings: SheetSettings = PLAIN
) -> Drawing:
    """Draw lines and callouts on a sheet. Same input, same drawing.

    Args:
        outlines: The views; those of ``ORTHOGRAPHIC`` must be there.
        callouts: What the drawing says.
        settings: The sheet.

    Raises:
        GeometryError: The callouts find no room at any scale.
        UsageError: A callout does not fit the part.
    """
    by_view: dict[str, list[Callout]] = defaultdict(list)
    for callout in callouts:
        callout = replace(callout, text=writable(callout.text))
        if callout.points:
            by_view[callout.view].append(callout)
        else:
            note = callout.written()[0].replace("\n", " ")
            settings = replace(settings, notes=(*settings.notes, note))
    views = _needed({view.view: view for view in outlines.views}, by_view)
    for scale in _worth_trying(views, area(settings)):
        plans = _plans(views, outlines, by_view, scale)
        if plans is None:
            continue
        fitted = _fitted(plans, views.get("iso"), scale, settings)
        if fitted is not None:
            return _drawing(*fitted, outlines, scale, settings)
    raise GeometryError(f"{settings.title}: its {len(callouts)} callouts find no room on a sheet")


def _needed(
    views: Mapping[str, Outline], callouts: Mapping[str, Sequence[Callout]]
) -> dict[str, Outline]:
    """Leave out a side view that repeats the front view, as of everything turned."""
    needed = dict(views)
    if not callouts.get("right") and _is_alike(views["front"], views["right"]):
        del needed["right"]
    return needed


def _is_alike(a: Outline, b: Outline) -> bool:
    return _marks(a.visible) == _marks(b.visible) and _marks(a.hidden) == _marks(b.hidden)


def _marks(strokes: Strokes) -> set[tuple[float, ...]]:
    """Return every line by its ends, in either order, as far as a drawing can tell."""
    return {
        tuple(round(v, 2) + 0.0 for end in sorted((path[0], path[-1])) for v in end)
        for path in strokes.paths()
    }


def _worth_trying(views: Mapping[str, Outline], space: Box) -> Iterable[Scale]:
    """Yield scales at which the bare views fit, largest first."""
    boxes = {name: bare_plan(view, 1.0).view_box for name, view in views.items() if name != "iso"}
    sizes = {name: (box[2] - box[0], box[3] - box[1]) for name, box in boxes.items()}
    nothing = (0.0, 0.0)
    width = sizes["front"][0] + sizes.get("right", nothing)[0]
    height = sizes["front"][1] + sizes["top"][1]
    fitting = (
        scale
        for scale in scales()
        if width * scale.k < space[2] - space[0] and height * scale.k < space[3] - space[1]
    )
    for _, scale in zip(range(MAX_SCALES), fitting, strict=False):
        yield scale


def _plans(
    views: Mapping[str, Outline],
    outlines: Outlines,
    callouts: Mapping[str, Sequence[Callout]],
    scale: Scale,
) -> dict[str, Plan] | None:
    """Return the views with their callouts, or None where one has no room for its own."""
    plans = {}
    for name in ORTHOGRAPHIC:
        if name in views:
            plan = plan_view(views[name], outlines.axes, callouts.get(name, ()), scale.k)
            if plan is None:
                return None
            plans[name] = plan
    return plans


def _fitted(
    plans: dict[str, Plan], iso: Outline | None, scale: Scale, settings: SheetSettings
) -> tuple[dict[str, Plan], dict[str, Flat]] | None:
    """Return views and their places, a pictorial one among them where there is room for it."""
    space = area(settings)
    bare = arrange(plans, settings.angle, space)
    if bare is None or iso is None:
        return None if bare is None else (plans, bare)
    for share in ISO_SIZES:
        pictorial = bare_plan(replace(iso, hidden=Strokes()), share * scale.k)
        more = {**plans, "iso": pictorial}
        places = arrange(more, settings.angle, space)
        if places is not None:
            return more, places
    return plans, bare


def _drawing(
    plans: Mapping[str, Plan],
    places: Mapping[str, Flat],
    outlines: Outlines,
    scale: Scale,
    settings: SheetSettings,
) -> Drawing:
    px = settings.width_px / WIDTH_MM
    items: list[Item] = sheet_items(settings, scale)
    for name, plan in plans.items():
        items += [item.moved(*places[name]) for item in plan.items()]
    data = DrawingData(
        title=settings.title,
        sheet=scale.sheet,
        scale=str(scale),
        angle=settings.angle,
        width_px=settings.width_px,
        height_px=height_px(settings.width_px),
        px_per_mm=scale.k * px,
        views=tuple(_view(plan, places[name], px) for name, plan in plans.items()),
        dimensions=tuple(
            _dimension(placed, places[name], px)
            for name, plan in plans.items()
            for placed in plan.placed
        ),
        method=outlines.method,
    )
    return Drawing(data, tuple(items), ink(items, settings.width_px))


def _view(plan: Plan, at: Flat, px: float) -> DrawnView:
    return DrawnView(
        name=plan.outline.view,
        origin_px=_point(at, (0.0, 0.0), px),
        box_px=_box(plan.view_box, at, px),
        px_per_mm=plan.k * px,
    )


def _dimension(placed: Placed, at: Flat, px: float) -> DrawnDimension:
    text, fields = placed.callout.written()
    return DrawnDimension(
        name=placed.callout.name,
        kind=placed.callout.kind,
        view=placed.callout.view,
        text=text,
        fields=fields,
        value=placed.callout.value,
        ends_px=tuple(_point(end, at, px) for end in placed.ends),
        is_line=bool(placed.lane),
        text_box_px=_box(placed.label.box, at, px),
    )


def _point(point: Flat, at: Flat, px: float) -> Flat:
    return (round((point[0] + at[0]) * px, 3), round((point[1] + at[1]) * px, 3))


def _box(box: Box, at: Flat, px: float) -> Box:
    left, top = _point((box[0], box[1]), at, px)
    right, low = _point((box[2], box[3]), at, px)
    return (left, top, right, low)
