"""A small family for tests of operations: a block with a bore, an optional slot and fillets."""

from cadwright.envs.domains.family import Annotation, Design, Dimension, Family, Mate, Step


def possible(d: Design) -> bool:
    return (
        d["bore"] + 4 <= d["width"]
        and d["slot_width"] + d["bore"] + 8 <= d["length"]
        and 2 * d["radius"] + 4 <= d["width"]
        and d["width"] <= d["length"]
    )


def sample(rng, difficulty: int) -> Design:
    names = ("slot", "rounded")[: max(0, difficulty - 1)]
    while True:
        values = {
            "length": int(rng.integers(30, 80)),
            "width": int(rng.integers(20, 50)),
            "height": int(rng.integers(8, 30)),
            "bore": int(rng.integers(4, 16)),
            "slot_width": int(rng.integers(3, 9)),
            "radius": int(rng.integers(2, 6)),
        }
        design = Design(values, frozenset(names))
        if possible(design):
            return design


def asked(d: Design):
    volume = (d["length"] * d["width"] - 3.141592653589793 * d["bore"] ** 2 / 4) * d["height"]
    records = [
        {
            "kind": "bounding_box",
            "size": [d["length"], d["width"], d["height"]],
            "centre": [0, 0, d["height"] / 2],
        },
        {"kind": "hole", "diameter": d["bore"], "at": [[0, 0, None]], "axis": "z"},
    ]
    if not d.options:
        records.append({"kind": "volume", "value": round(volume, 6)})
    return tuple(records)


def annotated(d: Design):
    corner = (d["length"] / 2, -d["width"] / 2, 0)
    return (
        Annotation("length", "linear", "top", ((-corner[0], corner[1], 0), corner)),
        Annotation("bore", "diameter", "top", ((0, 0, 0), (d["bore"] / 2, 0, 0)), "⌀{value} THRU"),
    )


def pin(d: Design) -> Mate:
    return Mate(
        f"A pin of diameter {d['bore']}, {d['height'] + 10} long, from Z = 0 up, on the Z axis.",
        f"import cadquery as cq\n\nresult = cq.Workplane().circle({d['bore']} / 2)"
        f".extrude({d['height']} + 10)\n",
    )


BLOCK = Family(
    name="block",
    title="test block",
    group="plates",
    dimensions=tuple(
        Dimension(name, "bore diameter" if name == "bore" else name.replace("_", " "))
        for name in ("length", "width", "height", "bore", "slot_width", "radius")
    ),
    steps=(
        Step(
            'result = cq.Workplane("XY").rect({length}, {width}).extrude({height})',
            "the block",
        ),
        Step('result = result.edges("|Z").fillet({radius})', "fillets of {radius}", "rounded"),
        Step('result = result.faces(">Z").workplane().hole({bore})', "a bore of {bore}"),
        Step(
            'slot = cq.Workplane("XY", origin=({length} / 2, 0, {height}))\n'
            "result = result.cut(slot.rect(4, {slot_width}).extrude(-{height}))",
            "a slot {slot_width} wide in the +X face",
            "slot",
        ),
    ),
    sample=sample,
    is_possible=possible,
    wordings=tuple(
        start + " {length} x {width} x {height} on Z = 0, a bore of {bore} through. {features}"
        for start in ("Block", "A block of", "Make a block:")
    ),
    options={
        "rounded": "The upright edges are rounded with R{radius}.",
        "slot": "A slot {slot_width} wide, 2 deep, is cut through the middle of the +X face.",
    },
    constrain=asked,
    annotate=annotated,
    mate=pin,
)
