"""Faults for programs to be debugged, each with the error that running it gives.

A fault is a change of one line. What Python and the kernel say to it is known beforehand, so a
task is made without running anything; lint runs it and holds the two against each other.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from cadwright.envs.domains.family import Design, Family, Step

_MISSPELT = {
    "extrude": "extrud",
    "fillet": "filet",
    "chamfer": "chamfr",
    "circle": "circel",
    "rect": "rectangle",
    "workplane": "workPlane",
    "faces": "face",
    "edges": "edge",
    "hole": "drill",
    "cut": "subtract",
    "union": "unite",
    "pushPoints": "pushpoints",
    "revolve": "revolv",
    "polyline": "polyLine",
}
_MISSING = {  # what Python says of a call without arguments
    "extrude": "missing 1 required positional argument: 'until'",
    "cutBlind": "missing 1 required positional argument: 'until'",
    "fillet": "missing 1 required positional argument: 'radius'",
    "chamfer": "missing 1 required positional argument: 'length'",
    "circle": "missing 1 required positional argument: 'radius'",
    "hole": "missing 1 required positional argument: 'diameter'",
    "rect": "missing 2 required positional arguments: 'xLen' and 'yLen'",
}
_SIMPLE_CALL = r"\.({names})\(([^()]+)\)"
_ASSIGNMENT = re.compile(r"\w+ = (cq\.Workplane\(|\w+\.)")


@dataclass(frozen=True, slots=True)
class Fault:
    """One faulty program.

    Attributes:
        kind: ``name``, ``method``, ``argument``, ``keyword``, ``selector``, ``selection``,
            ``size`` or ``syntax``.
        program: The whole program, the fault in it.
        line: 1-based line that the error names.
        error: What running it gives, its type in front: ``NameError: name 'bor' is not defined``.
        num_good_steps: Steps before the one with the fault.
    """

    kind: str
    program: str
    line: int
    error: str
    num_good_steps: int


@dataclass(frozen=True, slots=True)
class _Slip:
    """A line as it should not be, and the error that it gives."""

    line: str
    error: str


def faults_of(family: Family, design: Design) -> tuple[Fault, ...]:
    """Return every fault that can be put into the program of a design."""
    steps = family.steps_of(design)
    return tuple(
        fault
        for index, step in enumerate(steps)
        for kind, slips in _slips(step, {d.name for d in family.dimensions})
        for fault in _placed(family, design, index, kind, slips)
    )


def _placed(
    family: Family, design: Design, index: int, kind: str, slips: Iterable[tuple[str, _Slip]]
) -> Iterator[Fault]:
    steps, right = family.steps_of(design), family.program(design)
    for before, slip in slips:
        code = steps[index].code.replace(before, slip.line, 1)
        faulty = (*steps[:index], replace(steps[index], code=code), *steps[index + 1 :])
        program = _headed(right, replace(family, steps=faulty).program(design))
        lines = zip(right.splitlines(), program.splitlines(), strict=False)
        number = next((n for n, (a, b) in enumerate(lines, 1) if a != b), None)
        if number is not None:
            yield Fault(kind, program, number, slip.error, index)


def _headed(right: str, faulty: str) -> str:
    """Return a program under the header of the right one: a fault leaves the numbers alone."""
    return "\n\n".join([*right.split("\n\n", 2)[:2], *faulty.split("\n\n", 2)[2:]])


def _slips(step: Step, names: set[str]) -> Iterator[tuple[str, list[tuple[str, _Slip]]]]:
    lines = list(_whole_lines(step.code))
    for kind, make in _KINDS.items():
        yield kind, [(line, slip) for line in lines for slip in make(line, names)]


def _whole_lines(code: str) -> Iterator[str]:
    """Yield lines that are statements by themselves, about workplanes: their errors are known."""
    depth = 0
    for line in code.splitlines():
        opened = line.count("(") - line.count(")")
        is_known = not any(word in line for word in ("Sketch", ".val()", "lambda", "#"))
        if depth == 0 and opened == 0 and is_known and _ASSIGNMENT.match(line):
            yield line
        depth += opened


def _name(line: str, names: set[str]) -> Iterator[_Slip]:
    for name in re.findall(r"\{(\w+)\}", line)[:1]:
        wrong = name[: len(name) // 2] + name[len(name) // 2 + 1 :]
        if wrong not in names and len(name) > 3 and not keyword.iskeyword(wrong):
            yield _Slip(
                line.replace("{" + name + "}", wrong, 1),
                f"NameError: name '{wrong}' is not defined",
            )


def _method(line: str, names: set[str]) -> Iterator[_Slip]:
    for match in re.finditer(r"\.(\w+)\(", line):
        if match[1] in _MISSPELT:
            wrong = _MISSPELT[match[1]]
            yield _Slip(
                line[: match.start()] + f".{wrong}(" + line[match.end() :],
                f"AttributeError: 'Workplane' object has no attribute '{wrong}'",
            )
            return


def _argument(line: str, names: set[str]) -> Iterator[_Slip]:
    for match in re.finditer(_SIMPLE_CALL.format(names="|".join(_MISSING)), line):
        yield _Slip(
            line[: match.start()] + f".{match[1]}()" + line[match.end() :],
            f"TypeError: Workplane.{match[1]}() {_MISSING[match[1]]}",
        )
        return


def _keyword(line: str, names: set[str]) -> Iterator[_Slip]:
    for match in re.finditer(r"\.extrude\(([^()=,]+)\)", line):
        yield _Slip(
            line[: match.start()] + f".extrude(height={match[1]})" + line[match.end() :],
            "TypeError: Workplane.extrude() got an unexpected keyword argument 'height'",
        )
        return


def _selector(line: str, names: set[str]) -> Iterator[_Slip]:
    for match in re.finditer(r'\.(faces|edges)\("([|<>#])([XYZ])"\)', line):
        wrong = f'.{match[1]}("{match[2]}{match[3]}{match[3]}")'
        yield _Slip(
            line[: match.start()] + wrong + line[match.end() :],
            f"ParseException: Expected end of text, found '{match[3]}'  "
            "(at char 2), (line:1, col:3)",
        )
        return


def _selection(line: str, names: set[str]) -> Iterator[_Slip]:
    for match in re.finditer(r'\.edges\("\|([XYZ])"\)\.(fillet|chamfer)\(', line):
        wrong = f'.edges("|{match[1]} and #{match[1]}").{match[2]}('
        yield _Slip(
            line[: match.start()] + wrong + line[match.end() :],
            f"ValueError: {match[2].capitalize()}s requires that edges be selected",
        )
        return


def _size(line: str, names: set[str]) -> Iterator[_Slip]:
    for match in re.finditer(r"\.(fillet|chamfer)\(\{(\w+)\}\)", line):
        wrong = f".{match[1]}(100 * {{{match[2]}}})"
        yield _Slip(
            line[: match.start()] + wrong + line[match.end() :],
            "StdFail_NotDone: BRep_API: command not done",
        )
        return


def _syntax(line: str, names: set[str]) -> Iterator[_Slip]:
    if line.endswith(")"):
        yield _Slip(line[:-1], "SyntaxError: '(' was never closed")


_KINDS: dict[str, Callable[[str, set[str]], Iterator[_Slip]]] = {
    "name": _name,
    "syntax": _syntax,
    "method": _method,
    "argument": _argument,
    "keyword": _keyword,
    "selector": _selector,
    "selection": _selection,
    "size": _size,
}
KINDS = tuple(_KINDS)
