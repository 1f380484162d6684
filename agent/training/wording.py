"""What a person may write: briefs with numbers, requests that go with a picture, noise.

A policy that was trained from nothing knows the words it was shown and no others, so it is shown
many. Each family's last wording, and whatever is named ``UNSEEN``, is kept for the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cadwright.envs.domains.compact_grid import CompactFamily
from cadwright.envs.domains.family import Number
from cadwright.envs.domains.sampling import tidy

Rng = np.random.Generator

UNSEEN_WORDING = -1  # place of the wording of a family that is kept for the test
UNSEEN_REQUESTS = (
    "Please look at the sheet and create this object in CAD",
    "Turn this technical picture into geometry.",
    "I need the component from the attached views; reproduce it.",
)
UNSEEN_SYSTEM = "You are a CAD agent who works with great care."

REQUESTS = (
    "Model the part in the picture.",
    "Model the part shown.",
    "Model the part as in the picture.",
    "Rebuild this part.",
    "Write CadQuery for this drawing.",
    "Create the shown object.",
    "Build this in CAD.",
    "Please reproduce the drawing.",
    "What code makes this?",
    "Draw it as a solid.",
    "CAD model of this image please.",
    "The picture shows the wanted part at 1 px per mm. Model it.",
    "Model the part on the measured sheet. Its grid lines are 10 mm apart.",
)
SYSTEMS = (
    "You design parts.",
    "Be precise.",
    "You are an engineer who writes code.",
    "Use the tools to build the part shown.",
    "You are a helpful assistant.",
    "Model mechanical parts with CadQuery. Lengths are mm.",
    "Work step by step and check your result.",
)
_NAMED = ("Make", "Model", "Create", "Build", "This is")
_CONVENTIONS = (" All lengths in mm, Z is up.", " All lengths in mm.", "", "")
_SALAD = (
    "please make create build draw model reproduce the this a an part object drawing shown here "
    "sheet views in from image picture as code cad script solid geometry component for me now look "
    "at attached exactly carefully write program that matches need turn into it with and to of"
).split()
_OPENERS = ("Model a ", "Make a ", "Create a ", "Build a ", "I need a ", "Design a ", "A ", "", "")
_JOINTS = (": ", ", ", " with ", "; ", " - ", " (", ". ", " having ")
_BETWEEN = (", ", ", ", "; ", " and ", " / ", ". ")
_FORMS = (
    "{label} {value}",
    "{label} {value} mm",
    "{label} of {value}",
    "{label} of {value} mm",
    "{value} mm {label}",
    "{label}: {value}",
    "{label} = {value}",
    "{label}={value}",
    "{value} {label}",
    "a {label} of {value} mm",
    "the {label} is {value}",
)
_SHORT = {
    "diameter": ("dia", "dia.", "diameter"),
    "radius": ("rad", "r", "radius"),
    "length": ("len", "L", "length"),
    "width": ("w", "width"),
    "height": ("h", "height"),
    "thickness": ("t", "thick", "thickness"),
    "count": ("number", "count"),
}
_THINGS = (
    "gear pulley sprocket propeller spring bearing crankshaft camshaft turbine impeller bottle cup "
    "chair table lamp phone hinge knob handle wheel tyre piston rocket boat ship car house tower "
    "bridge screw nut bolt thread worm rack ratchet cam valve nozzle funnel pipe elbow manifold "
    "heatsink fan housing enclosure lid clip hook carabiner wrench spanner hammer pliers drill "
    "chuck collet spindle rotor stator coil spoon fork knife vase teapot mug dragon cat dog head "
    "statue chess knight ring necklace spectacles glasses drone robot gripper finger hand skull "
    "leaf flower tree mountain star heart letter logo text sphere torus cone pyramid dome helix "
    "spiral lattice honeycomb truss beam girder engine gearbox clutch brake pedal saddle frame"
).split()
_KINDS = "small large simple twisted curved hollow spur helical planetary printed toothed".split()
_WITH = (
    "{n} teeth",
    "{n} blades",
    "pitch {n} mm",
    "{n} mm tall",
    "module {n}",
    "{n} spokes",
    "length {n}",
    "diameter {n}",
    "wall {n} mm",
    "M{n} thread",
    "{n} x {m} mm",
    "radius {n}",
)


def request(rng: Rng, title: str = "") -> str:
    """Return words that go with a picture and hold no number, with or without what it shows."""
    kind = rng.random()
    if title and kind < 0.2:
        article = "an" if title[0] in "aeiou" else "a"
        text = f"{rng.choice(_NAMED)} {article} {title}.{rng.choice(_CONVENTIONS)}"
    elif kind < 0.65:
        text = str(rng.choice(REQUESTS))
    else:
        text = " ".join(str(w) for w in rng.choice(_SALAD, int(rng.integers(3, 12))))
    return noisy(rng, text)


def brief(rng: Rng, family: CompactFamily, values: Mapping[str, Number]) -> str:
    """Return a design in words, one of very many ways."""
    if rng.random() < 0.55:
        template = family.wordings[int(rng.integers(len(family.wordings) - 1))]
        return noisy(rng, template.format(**values))
    return noisy(rng, composed(rng, family, values))


def composed(rng: Rng, family: CompactFamily, values: Mapping[str, Number]) -> str:
    """Return the title and the numbers in any order, each in its own form."""
    form, between = str(rng.choice(_FORMS)), str(rng.choice(_BETWEEN))
    is_mixed, is_short = rng.random() < 0.3, rng.random() < 0.25
    said = []
    for name in rng.permutation(list(values)) if rng.random() < 0.6 else list(values):
        label = str(name).replace("_", " ")
        label = _shortened(rng, label) if is_short else label
        shape = str(rng.choice(_FORMS)) if is_mixed else form
        said.append(shape.format(label=label, value=values[str(name)]))
    return str(rng.choice(_OPENERS)) + family.title + str(rng.choice(_JOINTS)) + between.join(said)


def oversized(rng: Rng, family: CompactFamily) -> str:
    """Return a brief with numbers far beyond those of the family, or with none at all."""
    if rng.random() < 0.3:
        return noisy(rng, f"{rng.choice(_OPENERS)}{family.title}{rng.choice(_CONVENTIONS)}")
    factor = float(rng.choice((2, 2.5, 3, 5, 10, 0.1, 0.25)))
    values = family.sample(rng, 1).values
    scaled = {name: tidy(value * factor) for name, value in values.items()}
    return brief(rng, family, scaled)


def unknown_thing(rng: Rng) -> str:
    """Return a request for something that is none of the families."""
    thing = str(rng.choice(_THINGS))
    if rng.random() < 0.5:
        thing = f"{rng.choice(_KINDS)} {thing}"
    text = str(rng.choice(_OPENERS)) + thing
    details = [
        str(d).format(n=int(rng.integers(1, 120)), m=int(rng.integers(1, 120)))
        for d in rng.choice(_WITH, int(rng.integers(0, 4)), replace=False)
    ]
    return noisy(rng, text + (" with " if details else "") + ", ".join(details))


def noisy(rng: Rng, text: str) -> str:
    """Return a text with other capitals and another end, as people write."""
    kind = rng.random()
    if kind < 0.25:
        text = text.lower()
    elif kind < 0.28:
        text = text.upper()
    if rng.random() < 0.3:
        text = text.rstrip(".") + str(rng.choice([".", "!", "", " please", ", thanks", "\n"]))
    return text


def corpus(rng: Rng, families: Sequence[CompactFamily], others: Sequence[str]) -> list[str]:
    """Return texts to learn subwords from."""
    texts = [*others, *REQUESTS, *SYSTEMS]
    for family in families:
        for _ in range(60):
            texts.append(brief(rng, family, family.sample(rng, 1).values))
        texts += [request(rng, family.title) for _ in range(10)]
        texts += [oversized(rng, family) for _ in range(10)]
    texts += [request(rng) for _ in range(400)]
    return texts + [unknown_thing(rng) for _ in range(1200)]


def _shortened(rng: Rng, label: str) -> str:
    words = label.split()
    return " ".join(str(rng.choice(_SHORT.get(word, (word,)))) for word in words)
