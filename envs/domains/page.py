"""The page ``docs/domains.md``: what domains there are, and how gold and naive answers score.

cadwright tasks lint --all --samples 5 --out audit --table docs/domains.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from cadwright.envs.domains.audit import DomainAudit
from cadwright.envs.domains.domain import Domain
from cadwright.envs.domains.registry import domains

_TEXT = """# Domains

A domain is a kind of task: environment, operation, modality and family, as in
`cad.create.text.flange`. Each has any number of tasks; the same seed gives the same task in any
process. This page is written by `cadwright tasks lint --all --samples 5 --table docs/domains.md`.

    cadwright tasks list                                  the tree of domains, and the suites
    cadwright tasks show cad.create.text.lever/3-17       one task; --hidden, --html FILE
    cadwright tasks make cad.create.text.lever -n 20 --out lever     task files that load again
    cadwright eval "domain:cad.edit.start?n=2&split=test" --policy ...
    cadwright tasks lint --all --samples 5 --out audit     a rerun goes on

## Operations

| operation | the task |
|---|---|
| create | make a member of the family |
| edit | change, add, remove or move something in a given part; the rest stays |
| repair | what is given was made from the specification and is wrong; nobody says where |
| complete | the first steps of a program are given |
| debug | a program stops with an error, and the message is given |
| inspect | answer with a number, by the tool `answer` |
| fit | make the part that fits a given one |
| lightweight | lose mass; keep the bounding box and every hole |

Tasks that begin with a part count what was gained over it, so handing it back unchanged is worth
0.

## Difficulty

What rises from 1 to 5:

- Families of many features: 1 is the bare body in round numbers, 2 has one feature, 5 has all of
  them and numbers with decimals.
- Compact families have one feature always. Up to 3 their numbers are whole, with more digits the
  harder; 4 has half millimetres and 5 tenths, and words tell one size (4) or three (5) by another.
- `measured`: compact parts in whole millimetres; from 4 on the sheet has no table of numbers.
- edit, repair: one change at 1 and 2, two at 3 and 4, three at 5.
- complete: the less of the program is given. debug: from a misspelt name to a size that the kernel
  refuses.
- inspect: 1 asks for the size of the whole, 2 for a size or the number of features, 3 for a volume
  or a ratio, 4 for a mass or a distance between axes, 5 for the share of its box that a part fills;
  where part or picture has no such answer, the nearest that it has.
- fit, lightweight: the features and numbers of the given part.
- long: also the document, of 1,000, 4,000, 16,000, 64,000 and 200,000 tokens.
- browser: up to 3 the numbers; from 4 on a size follows from the one that is there, what is to be
  deleted has no name, a mass is asked for instead of a volume.

Mesh tasks (and `cad.rebuild`) work on shapes with whole numbers at 1 and 2, half millimetres at 3
and 4, tenths at 5. Besides, from 1 to 5:

- repair: 1, 2, 3, 4, 6 holes of up to 1, 3, 4, 6, 8 triangles; 0, 5, 15, 25, 40 % of the triangles
  turned over; from 3 on duplicate and degenerate ones, from 4 on fins and tiny stray bodies, at 5
  cracks of 2 µm.
- decimate: to 60, 45, 32, 22, 15 % of the triangles.
- combine: so many features. join, split: 2, 3, 4, 5, 6 bodies, and the one that is wanted may be
  the largest, the second largest and so on.
- cut: one plane at 1 and 2, two from 3 on; they lean at 2 and 5.
- mirror: in X = 0 up to 2, in X or Y = 0 at 3, in a plane off the middle from 4 on.
- hollow: 0, 1, 1, 2, 2 drains, thinner walls from 4 on. thicken: to the outside up to 2, to the
  inside at 3, half to each side and thinner from 4 on.
- units: the unit is told up to 2, one size of the part from 3 on; from 4 on it has to be set down
  on Z = 0 as well.
- turn: 1, 2, 2, 3, 3 turns, by quarters up to 2 and by any angle from 3 on, and a shift from 2 on.
- align: a scan with 0.01, 0.02, 0.03, 0.04, 0.05 mm of noise, turned by up to 40 degrees at 1 and
  any way after it. rebuild: twice that noise.
- inspect: area, volume, a level section, a section along any axis, the volume above a plane.
- lay: the numbers alone.

## Modalities

| modality | what the policy gets |
|---|---|
| text | words that say all |
| views | four rendered views and half of the sizes |
| partial | four rendered views and all sizes but one or two |
| measured | a small sheet at a fixed scale; up to difficulty 3 with the numbers |
| drawing | a dimensioned drawing, first or third angle |
| long | the words deep inside a document of 1,000 to 200,000 tokens |
| start | a part to work on, and words |
| program | a part to work on, its code in the brief, and words |

## Splits

A member of a family belongs to `train`, `validation` or `test` by a hash of its own program, so no
part is in two of them. Held-out families have the split `out_of_family` and no other.

"""


@dataclass(frozen=True, slots=True)
class Row:
    """The domains of one operation in one modality."""

    env: str
    operation: str
    modality: str
    count: int

    @property
    def cells(self) -> str:
        """The row up to the scores."""
        return f"| {self.env} | {self.operation} | {self.modality} | {self.count} |"


def rows_of(some: Sequence[Domain]) -> tuple[Row, ...]:
    """Return domains counted by environment, operation and modality."""
    keys = sorted({(d.env, d.operation, d.modality) for d in some})
    return tuple(
        Row(*key, sum((d.env, d.operation, d.modality) == key for d in some)) for key in keys
    )


def domains_page(audits: Sequence[DomainAudit]) -> str:
    """Return the page, scores from an audit beside the counts."""
    known = domains()
    lines = [
        f"## {len(known)} domains",
        "",
        "Gold is the known answer, box the bounding box of the wanted part (in `inspect`, what it",
        "would tell), unchanged the start handed back: means, and the highest of a domain for the",
        f"naive ones, over {sum(len(audit.tasks) for audit in audits):,} tasks. A dash stands",
        "where there is no such answer: nothing is given, or a box says nothing of what is asked.",
        "",
        "| environment | operation | modality | domains | gold | box | unchanged |",
        "|---|---|---|---|---|---|---|",
        *(_line(row, audits) for row in rows_of(known)),
        "",
        "## Families",
        "",
        "| family | domains | split |",
        "|---|---|---|",
        *_families(known),
    ]
    return _TEXT + "\n".join(lines) + "\n"


def _line(row: Row, audits: Sequence[DomainAudit]) -> str:
    start = f"{row.env}.{row.operation}.{row.modality}."
    mine = [audit for audit in audits if audit.domain.startswith(start)]
    gold = _mean(mine, "gold")
    return f"{row.cells} {gold} | {_naive(mine, 'box')} | {_naive(mine, 'unchanged')} |"


def _values(audits: Sequence[DomainAudit], name: str) -> list[float]:
    return [value for audit in audits if (value := audit.mean(name)) is not None]


def _mean(audits: Sequence[DomainAudit], name: str) -> str:
    values = _values(audits, name)
    return f"{fmean(values):.3f}" if values else "–"


def _naive(audits: Sequence[DomainAudit], name: str) -> str:
    values = _values(audits, name)
    return f"{fmean(values):.2f} (up to {max(values):.2f})" if values else "–"


def _families(known: Sequence[Domain]) -> list[str]:
    lines = []
    for name in sorted({(domain.env, domain.family) for domain in known}):
        mine = [d for d in known if (d.env, d.family) == name]
        told = ", ".join(f"{d.operation}.{d.modality}" for d in mine)
        split = "held out" if mine[0].splits == ("out_of_family",) else "all"
        lines.append(f"| {name[0]}: {name[1]} | {told} | {split} |")
    return lines
