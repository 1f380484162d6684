"""Parts of the modeller as a list of features, and the three things that follow from one list.

    document(shapes)   what the modeller opens
    program(shapes)    the same part in CadQuery, for the judge
    clicks(shapes)     the calls that model it at the screen, named as a person reads them

A shape says what differs from what a new feature has, so the clicks set nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cadwright.envs.domains.family import Number, number

Calls = list[dict[str, Any]]

# What the ribbon calls a feature, and what the list of features calls it.
BUTTONS = {
    "box": "Box",
    "cylinder": "Cylinder",
    "sphere": "Sphere",
    "cone": "Cone",
    "hole": "Hole",
    "linear": "Linear",
    "circular": "Circular",
    "mirror": "Mirror",
}
NAMES = {**BUTTONS, "linear": "Linear pattern", "circular": "Circular pattern"}

# Parameter, label of its field, value in a new feature.
_PLACE = (("x", "X", 0), ("y", "Y", 0), ("z", "Z", 0))
FIELDS: Mapping[str, Sequence[tuple[str, str, Number]]] = {
    "box": (
        ("width", "Width (X)", 40),
        ("depth", "Depth (Y)", 30),
        ("height", "Height (Z)", 10),
        *_PLACE,
    ),
    "cylinder": (("diameter", "Diameter", 20), ("height", "Height", 20), *_PLACE),
    "sphere": (("diameter", "Diameter", 20), *_PLACE),
    "cone": (
        ("bottom", "Bottom diameter", 20),
        ("top", "Top diameter", 10),
        ("height", "Height", 20),
        *_PLACE,
    ),
    "hole": (("x", "X", 0), ("y", "Y", 0), ("diameter", "Diameter", 6)),
    "linear": (("count", "Count", 3), ("spacing", "Spacing", 20)),
    "circular": (("count", "Count", 6), ("x", "Centre X", 0), ("y", "Centre Y", 0)),
    "mirror": (("offset", "Offset", 0),),
}
# Parameter, label of its list, what its values are called there; the first is a new feature's.
_OPERATION = {"operation": ("Operation", {"new": "New body", "add": "Add", "cut": "Cut"})}
CHOICES: Mapping[str, Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "box": _OPERATION,
    "cylinder": _OPERATION,
    "sphere": _OPERATION,
    "cone": _OPERATION,
    "linear": {"axis": ("Axis", {"X": "X axis", "Y": "Y axis", "Z": "Z axis"})},
    "circular": {"axis": ("Axis", {"Z": "Z axis", "X": "X axis", "Y": "Y axis"})},
    "mirror": {"plane": ("Plane", {"YZ": "YZ (side)", "XZ": "XZ (front)", "XY": "XY (top)"})},
    "hole": {},
}
# A place on the canvas inside of the part, seen from above with everything in view.
CANVAS = {"x": 0.48, "y": 0.56}


@dataclass(frozen=True, slots=True)
class Shape:
    """One feature.

    Attributes:
        type: Word in ``BUTTONS``.
        params: What differs from a new feature. ``source`` of a pattern and a mirror is the place
            of a shape in the list; a hole has ``offset``, the height of the face it is drilled in.
    """

    type: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """Return a parameter, the one of a new feature where nothing else is said."""
        usual: dict[str, Any] = {param: initial for param, _, initial in FIELDS[self.type]}
        usual |= {param: next(iter(words)) for param, (_, words) in CHOICES[self.type].items()}
        return self.params.get(name, usual.get(name))

    def having(self, **changes: Any) -> Shape:
        """Return a copy with other parameters."""
        return Shape(self.type, {**self.params, **changes})


Shapes = tuple[Shape, ...]


def feature_names(shapes: Shapes) -> tuple[str, ...]:
    """Return the names that the modeller gives, in order: ``Box 1``, ``Box 2``."""
    names: list[str] = []
    for shape in shapes:
        label = NAMES[shape.type]
        names.append(f"{label} {sum(n.rpartition(' ')[0] == label for n in names) + 1}")
    return tuple(names)


def document(shapes: Shapes) -> dict[str, Any]:
    """Return the modeller's document."""
    features = [
        {"id": f"f{place}", "type": shape.type, "name": name, "params": _params(shape)}
        for place, (shape, name) in enumerate(
            zip(shapes, feature_names(shapes), strict=True), start=1
        )
    ]
    return {"version": 1, "features": features}


def _params(shape: Shape) -> dict[str, Any]:
    params = dict(shape.params)
    if "source" in params:
        params["source"] = f"f{params['source'] + 1}"
    if shape.type == "hole":
        params |= {"plane": "XY"}
    return params


def clicks(shapes: Shapes) -> Calls:
    """Return the calls that model the shapes, one after the other, on an empty document."""
    calls: Calls = []
    for place, shape in enumerate(shapes):
        calls += _begin(shape, feature_names(shapes)[: place + 1], shapes)
        calls += settings(shape)
    return calls


def settings(shape: Shape, *, only: Iterable[str] | None = None) -> Calls:
    """Return the calls that set the fields of the feature that is open.

    Args:
        shape: What the fields should hold.
        only: Parameters to set; those that differ from a new feature where it is None.
    """
    calls: Calls = []
    wanted = set(shape.params if only is None else only)
    for param, label, _ in FIELDS[shape.type]:
        if param in wanted:
            text = number(shape.value(param))
            calls.append(_call("set_ref", "textbox", label, text=text))
    for param, (label, words) in CHOICES[shape.type].items():
        if param in wanted:
            calls.append(_call("click_ref", "combobox", label))
            calls.append(_call("click_ref", "option", words[shape.value(param)]))
    return calls


def opened(name: str) -> Calls:
    """Return the call that opens a feature of the list."""
    return [_call("click_ref", "treeitem", name)]


def pressed(label: str) -> Calls:
    """Return the call that presses a button."""
    return [_call("click_ref", "button", label)]


def submitted() -> Calls:
    """Return the call that hands in."""
    return [{"name": "submit", "arguments": {}}]


def _begin(shape: Shape, names: Sequence[str], shapes: Shapes) -> Calls:
    """Add a feature; a hole needs a face, a pattern needs the feature that it repeats."""
    if shape.type == "hole":
        look = [*pressed("Top"), {"name": "click", "arguments": dict(CANVAS)}]
        return [*look, *pressed(BUTTONS["hole"])]
    calls = pressed(BUTTONS[shape.type])
    if "source" in shape.params:
        source = names[shape.params["source"]]
        calls.append(_call("click_ref", "combobox", "Feature"))
        calls.append(_call("click_ref", "option", source))
    return calls


def _call(name: str, role: str, label: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "arguments": {"ref": {"role": role, "name": label}, **more}}


def program(shapes: Shapes) -> str:
    """Return CadQuery code for the same part; bodies that stay apart are one compound."""
    lines = ["import cadquery as cq", ""]
    for place, shape in enumerate(shapes):
        lines += _lines(place, shape, shapes)
    return "\n".join([*lines, ""])


def _lines(place: int, shape: Shape, shapes: Shapes) -> list[str]:
    if shape.type in ("linear", "circular", "mirror"):
        source = shape.params["source"]
        made = [f"tool_{source}{step}" for step in _STEPS[shape.type](shape)]
        verb = _verb(shapes[source])
        return [f"result = result.{verb}({tool})" for tool in made]
    made_of = f"tool_{place} = {_SOLIDS[shape.type](shape)}"
    if place == 0:
        return [made_of, f"result = tool_{place}"]
    if shape.value("operation") == "new":
        return [made_of, f"result = result.add(tool_{place}).combine(glue=False, clean=False)"]
    return [made_of, f"result = result.{_verb(shape)}(tool_{place})"]


def _verb(shape: Shape) -> str:
    is_cut = shape.type == "hole" or shape.value("operation") == "cut"
    return "cut" if is_cut else "union"


def _at(shape: Shape) -> str:
    return ", ".join(number(shape.value(axis)) for axis in "xyz")


def _box(shape: Shape) -> str:
    size = ", ".join(number(shape.value(name)) for name in ("width", "depth", "height"))
    return f"cq.Workplane().box({size}, centered=False).translate(({_at(shape)}))"


def _cylinder(shape: Shape) -> str:
    radius, height = shape.value("diameter") / 2, number(shape.value("height"))
    return f"cq.Workplane().circle({radius}).extrude({height}).translate(({_at(shape)}))"


def _sphere(shape: Shape) -> str:
    return f"cq.Workplane().sphere({shape.value('diameter') / 2}).translate(({_at(shape)}))"


def _cone(shape: Shape) -> str:
    low, high = shape.value("bottom") / 2, shape.value("top") / 2
    height = number(shape.value("height"))
    solid = f"cq.Solid.makeCone({low}, {high}, {height})"
    return f"cq.Workplane({solid}).translate(({_at(shape)}))"


def _hole(shape: Shape) -> str:
    radius, top = shape.value("diameter") / 2, shape.params["offset"]
    spot = f"{number(shape.value('x'))}, {number(shape.value('y'))}, {number(top)}"
    return f"cq.Workplane().circle({radius}).extrude(-{number(top * 2)}).translate(({spot}))"


def _linear(shape: Shape) -> list[str]:
    axis, spacing = shape.value("axis"), shape.value("spacing")
    steps = []
    for step in range(1, shape.value("count")):
        shift = [number(step * spacing) if a == axis else "0" for a in "XYZ"]
        steps.append(f".translate(({', '.join(shift)}))")
    return steps


def _circular(shape: Shape) -> list[str]:
    x, y, count = number(shape.value("x")), number(shape.value("y")), shape.value("count")
    turn = f".rotate(({x}, {y}, 0), ({x}, {y}, 1), "
    return [f"{turn}{360 / count * step})" for step in range(1, count)]


def _mirror(shape: Shape) -> list[str]:
    plane, offset = shape.value("plane"), number(shape.value("offset"))
    point = {"YZ": f"({offset}, 0, 0)", "XZ": f"(0, {offset}, 0)", "XY": f"(0, 0, {offset})"}
    return [f'.mirror("{plane}", {point[plane]})']


_SOLIDS = {"box": _box, "cylinder": _cylinder, "sphere": _sphere, "cone": _cone, "hole": _hole}
_STEPS = {"linear": _linear, "circular": _circular, "mirror": _mirror}
