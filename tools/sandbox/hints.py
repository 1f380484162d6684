"""One short hint for each failure that CadQuery and its kernel report in their own words."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hint:
    """What to try after a failure.

    Attributes:
        operations: Regular expression the operation's name must match in full; "" for any.
        message: Regular expression to be found in the message or the error's type.
        text: One sentence for the policy.
    """

    operations: str
    message: str
    text: str


_ROUNDING = (
    "use a size below half of the shortest edge next to it and thinner than every wall, or "
    "select fewer edges, or do it before the small features"
)

# The first that matches wins: specific before general.
HINTS = (
    Hint(
        "fillet|chamfer",
        "no edges|Fillets requires|Chamfers requires",
        ("the selector found no edges: check the selector string, for example .edges('|Z')"),
    ),
    Hint("fillet|fillet2D", "", f"the fillet cannot be built: {_ROUNDING}"),
    Hint("chamfer|chamfer2D", "", f"the chamfer cannot be built: {_ROUNDING}"),
    Hint(
        "shell|hollow",
        "",
        (
            "the wall cannot be built: use a smaller thickness, a negative one to go inwards, or "
            "shell before fillets and holes"
        ),
    ),
    Hint(
        "loft",
        "",
        ("loft needs two or more closed wires in order along one direction, none coincident"),
    ),
    Hint(
        "sweep",
        "",
        ("start the path at the profile and along its normal, with bends wider than the profile"),
    ),
    Hint(
        "revolve|twistExtrude",
        "",
        ("the profile must be closed and must not cross the axis of rotation"),
    ),
    Hint("offset2D", "", "the offset closes up the wire: use a smaller distance"),
    Hint(
        "",
        "Planar faces only|multiple objects selected",
        (
            "select one planar face before .workplane(), for example .faces('>Z'); for several "
            "coplanar ones use .workplane(centerOption='CenterOfMass')"
        ),
    ),
    Hint(
        "",
        "No pending wires|pending wires present|no pending",
        ("draw a closed profile (rect, circle, polyline(...).close()) right before this call"),
    ),
    Hint(
        "",
        "not closed|open wire|BRepBuilderAPI_WireNotClosed|wire.*closed",
        ("close the profile with .close() before extruding it"),
    ),
    Hint(
        "",
        "Disconnected|disconnected|BRep_API: command not done.*Wire",
        ("the edges do not join end to end: check the coordinates of the profile"),
    ),
    Hint(
        "",
        "no solid|Cannot find a solid|find a solid on the stack",
        ("this needs a solid earlier in the chain: extrude first, or start from the solid"),
    ),
    Hint(
        "",
        "Standard_NullObject|Null TopoDS|null shape|NoneType.*wrapped",
        ("a shape before this is empty: an earlier cut or intersect removed everything"),
    ),
    Hint(
        "",
        "list index out of range|has no objects|stack is empty|empty stack",
        ("the selector before this matched nothing: check it, or print(len(x.vals()))"),
    ),
    Hint(
        "",
        "gp_Dir|zero norm|gp_Vec|ConstructionError",
        ("a direction or length is zero, or points coincide: check the coordinates"),
    ),
    Hint(
        "",
        "Expected .* \\^ found|Expected end of text|ParseException",
        ("the selector string is not valid: examples are '>Z', '|X', '#Z', '%CIRCLE', '>Z and |X'"),
    ),
    Hint("", "font", "give an installed font name or fontPath="),
    Hint(
        "",
        "unexpected keyword argument|positional argument|No matching",
        ("check the arguments: help(cq.Workplane.<operation>) prints them"),
    ),
    Hint("", "can only be closed|Not enough|at least", "give more points or edges"),
    Hint(
        "",
        "Network is unreachable|Operation not permitted|getaddrinfo",
        ("there is no network and no subprocess here"),
    ),
    Hint(
        "",
        "Permission denied|Read-only file system|PermissionError",
        ("only the current folder is writable: use a relative path"),
    ),
    Hint("", "No such file", "only files written by this session exist: use a relative path"),
    Hint("", "No module named", "not installed here: use cadquery, numpy, the standard library"),
    Hint(
        "",
        "never closed|unmatched|EOF|unterminated",
        ("check brackets and quotes on this line and the lines before it"),
    ),
    Hint("", "invalid syntax|SyntaxError", "check this line and the end of the line before it"),
    Hint(
        "",
        "StdFail_NotDone|command not done|Standard_",
        ("the kernel cannot build this: change its sizes, or apply it to a simpler shape first"),
    ),
)


def hint_for(operation: str, error_type: str, message: str) -> str:
    """Return the hint for a failure, or "" when there is nothing useful to say.

    Args:
        operation: CadQuery operation that failed, or "".
        error_type: Name of the exception.
        message: Its message.
    """
    text = f"{error_type}: {message}"
    for hint in HINTS:
        if hint.operations and not re.fullmatch(hint.operations, operation):
            continue
        if re.search(hint.message, text, re.IGNORECASE):
            return hint.text
    return ""
