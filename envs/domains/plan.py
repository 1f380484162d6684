"""Which domains there are: not every family times every operation, but those that make sense.

Every family is made from words. The other ways of asking are spread over the families, so that
each has several and none has all: which ones is drawn from the family's name, and stays when
other families come.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from cadwright.envs.domains.complete import COMPLETE
from cadwright.envs.domains.create import CREATE
from cadwright.envs.domains.debug import DEBUG
from cadwright.envs.domains.domain import Operation
from cadwright.envs.domains.edit import EDIT
from cadwright.envs.domains.family import Family
from cadwright.envs.domains.fit import FIT
from cadwright.envs.domains.lighten import LIGHTWEIGHT
from cadwright.envs.domains.modalities import is_tellable
from cadwright.envs.domains.questions import INSPECT
from cadwright.envs.domains.repair import REPAIR

OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (CREATE, EDIT, REPAIR, COMPLETE, DEBUG, INSPECT, FIT, LIGHTWEIGHT)
}


@dataclass(frozen=True, slots=True)
class Offer:
    """An operation told in one way, and the share of the families that have it."""

    operation: Operation
    modality: str
    share: float = 1.0


PLAN = (
    Offer(CREATE, "text"),
    Offer(CREATE, "views", 0.35),
    Offer(CREATE, "partial", 0.3),
    Offer(CREATE, "measured", 0.5),
    Offer(CREATE, "drawing", 0.6),
    Offer(CREATE, "long", 0.25),
    Offer(EDIT, "start", 0.5),
    Offer(EDIT, "program", 0.2),
    Offer(EDIT, "drawing", 0.3),
    Offer(REPAIR, "start", 0.25),
    Offer(REPAIR, "program", 0.25),
    Offer(COMPLETE, "program", 0.4),
    Offer(DEBUG, "program", 0.35),
    Offer(INSPECT, "start", 0.3),
    Offer(INSPECT, "views", 0.15),
    Offer(INSPECT, "drawing", 0.25),
    Offer(FIT, "start"),
    Offer(LIGHTWEIGHT, "start"),
)


def offers_for(family: Family) -> Iterator[Offer]:
    """Yield what is offered for a family."""
    for offer in PLAN:
        is_drawn = _draw(offer, family) < offer.share
        if is_drawn and is_tellable(family, offer.modality) and offer.operation.is_offered(family):
            yield offer


def _draw(offer: Offer, family: Family) -> float:
    words = f"{offer.operation.name}.{offer.modality}.{family.name}"
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4], "big") / 2**32
