"""Documents from outside: what is left out is filled in, what is wrong is refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest
from modeller_driver import HOOK, Modeller, feature
from playwright.sync_api import Error

pytestmark = pytest.mark.browser

SKETCH = {"points": [{"id": "p1", "x": 0, "y": 0}], "entities": []}

WRONG: dict[str, tuple[Any, str]] = {
    "no document": ({"features": []}, "not a document of version 1"),
    "another version": ({"version": 2, "features": []}, "not a document of version 1"),
    "unit": ({"version": 1, "units": "ft", "features": []}, "units ft: use mm, cm, in"),
    "type": ({"version": 1, "features": [{"id": "f1", "type": "torus"}]}, "has the type torus"),
    "id": ({"version": 1, "features": [{"id": "x", "type": "box"}]}, "use f1, f2"),
    "twice": ({"version": 1, "features": [feature("box", 1), feature("box", 1)]}, "the same id"),
    "text for a number": (
        {"version": 1, "features": [feature("box", 1, width="60")]},
        "f1 width must be a number",
    ),
    "negative size": (
        {"version": 1, "features": [feature("box", 1, width=-1)]},
        "f1 width: -1 was given: enter more than 0",
    ),
    "choice": (
        {"version": 1, "features": [feature("box", 1, operation="melt")]},
        "f1 operation: use new, add, cut",
    ),
    "line to nowhere": (
        {
            "version": 1,
            "features": [
                feature(
                    "sketch",
                    1,
                    **{**SKETCH, "entities": [{"id": "e1", "type": "line", "a": "p1", "b": "p9"}]},
                )
            ],
        },
        "f1 e1 ends at no point",
    ),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_a_wrong_document_is_refused_and_the_open_one_stays(
    modeller: Modeller, case: tuple[Any, str]
) -> None:
    document, message = case
    modeller.reset(feature("box", 1))
    with pytest.raises(Error, match=message):
        modeller.page.evaluate(f"d => {HOOK}.load(d)", document)
    assert modeller.volume() == pytest.approx(12000)


def test_what_is_left_out_is_filled_in(modeller: Modeller) -> None:
    modeller.page.evaluate(
        f"d => {HOOK}.load(d)", {"version": 1, "features": [{"id": "f1", "type": "box"}]}
    )
    document = modeller.state()["document"]
    assert document["features"][0]["name"] == "Box 1"
    assert document["features"][0]["params"]["width"] == 40
    assert document["next"] == 2


def test_the_hash_does_not_depend_on_the_order_of_keys(modeller: Modeller) -> None:
    modeller.reset(feature("box", 1, width=60, depth=40))
    first = modeller.state()["hash"]
    modeller.reset(feature("box", 1, depth=40, width=60))
    assert modeller.state()["hash"] == first
