"""``cadwright doctor``: what works on this machine, and what to do about the rest."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from cadwright.agent.cli.common import JsonOption, Output, QuietOption

if TYPE_CHECKING:
    from rich.table import Table

_PARTS = (
    ("cadquery", "modelling", "pip install cadquery"),
    ("manifold3d", "IoU", "pip install manifold3d"),
    ("moderngl", "rendering", "pip install moderngl"),
    ("pyrender-maintained", "rendering, physically based look", "pip install pyrender-maintained"),
    ("embreex", "rendering without GL", "pip install embreex"),
    ("gymnasium", "environments", "pip install gymnasium"),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor.

    Attributes:
        group: ``confinement``, ``rendering`` or ``packages``.
        name: What was looked at.
        works: Whether it works here.
        detail: What was found.
        remedy: What to do where it does not work.
    """

    group: str
    name: str
    works: bool
    detail: str
    remedy: str = ""


def doctor(as_json: JsonOption = False, quiet: QuietOption = False) -> int:
    """Say which walls, renderers and packages work here, and what to install for the rest.

    The exit code is 1 where model code cannot be run or nothing can be drawn.
    """
    from cadwright.agent.versions import versions

    output = Output(as_json=as_json, quiet=quiet)
    with output.progress.status("looking"):
        findings = [*confinement(), *rendering(), *packages()]
    output.text.print(_table(findings))
    missing = [finding for finding in findings if not finding.works and finding.remedy]
    for finding in missing:
        output.line(f"{finding.name}: {finding.remedy}", style="yellow")
    can_run = can_work(findings)
    verdict = "cadwright can run here" if can_run else "cadwright cannot run here yet"
    output.line(verdict, style="green" if can_run else "red")
    output.finish(
        {"works": can_run, "versions": versions(), "findings": [asdict(f) for f in findings]}
    )
    return 0 if can_run else 1


def confinement() -> list[Finding]:
    """Return the walls between model code and this machine."""
    from cadwright.tools.sandbox.capabilities import probe

    return [
        Finding("confinement", c.name, c.available, c.detail, "" if c.available else c.remedy)
        for c in probe()
    ]


def rendering() -> list[Finding]:
    """Return the renderers."""
    from cadwright.tools.rendering.backends import probe_backends

    return [
        Finding("rendering", b.name, b.available, b.detail, "" if b.available else b.remedy)
        for b in probe_backends()
    ]


def packages() -> list[Finding]:
    """Return the packages that commands need."""
    return [_package(name, use, remedy) for name, use, remedy in _PARTS]


def can_work(findings: list[Finding]) -> bool:
    """Whether there is a kernel to model with and something to draw with."""
    has_kernel = any(f.name == "cadquery" and f.works for f in findings)
    has_renderer = any(f.group == "rendering" and f.works for f in findings)
    return has_kernel and has_renderer


def _package(name: str, use: str, remedy: str) -> Finding:
    try:
        return Finding("packages", name, True, f"{metadata.version(name)}, {use}")
    except metadata.PackageNotFoundError:
        return Finding("packages", name, False, f"missing, {use}", remedy)


def _table(findings: list[Finding]) -> Table:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table("", "part", "works", "found", box=box.SIMPLE_HEAD, pad_edge=False)
    last = ""
    for finding in findings:
        group = finding.group if finding.group != last else ""
        if group and last:
            table.add_section()
        last = finding.group
        works = "[green]yes[/]" if finding.works else "[red]no[/]"
        table.add_row(group, escape(finding.name), works, escape(finding.detail))
    return table
