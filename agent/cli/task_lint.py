"""``cadwright tasks lint``: prove the tasks of a suite sane, or those of every domain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cadwright.agent.cli.common import JsonOption, LimitOption, Output, QuietOption
from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from cadwright.envs.domains.audit import DomainAudit
    from cadwright.envs.domains.domain import Domain
    from cadwright.envs.findings import LintReport
    from cadwright.envs.tasks_file import LoadedSuite

MOST_FAULTS = 40  # lines of faults; the rest is in the files of --out
_SCORES = ("gold", "box", "unchanged")

SuiteArgument = Annotated[
    str | None,
    typer.Argument(metavar="SUITE", help="A suite: smoke, FILE.yaml, FOLDER, domain:ID."),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        "-j", min=1, help="Families audited at once.", show_default="one more than processors"
    ),
]


def lint_suite(
    suite: SuiteArgument = None,
    is_all: Annotated[bool, typer.Option("--all", help="Audit the domains instead.")] = False,
    domain: Annotated[
        str, typer.Option("--domain", metavar="ID", help="Only domains that begin so; * is a word.")
    ] = "",
    samples: Annotated[
        int,
        typer.Option(
            "--samples", min=0, help="Seeds at each difficulty; 0 shows what --out holds already."
        ),
    ] = 5,
    jobs: JobsOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Keeps what was found; a rerun goes on."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option("--table", metavar="FILE.md", help="Write the table of domains for docs."),
    ] = None,
    limit: LimitOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Prove tasks sane: references read, are valid and score 1.0; gold answers pass.

    With --all every domain is audited: its tasks are linted and answered naively, by the bounding
    box of the wanted part and by the start handed back. The exit code is 2 where a task or a
    domain has an error.
    """
    output = Output(as_json=as_json, quiet=quiet)
    if (suite is None) != (is_all or bool(domain)):
        raise UsageError("give a suite, or --all (or --domain ID) for the domains")
    if suite is not None:
        return _lint(suite, limit, output)
    return _audit(domain, samples, jobs, out, table, output)


def _lint(suite: str, limit: int | None, output: Output) -> int:
    from rich.progress import track

    from cadwright.envs.bench import Workbench
    from cadwright.envs.lint import lint
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.suites import load_tasks

    loaded = load_tasks(suite, limit)
    with Runtime.open() as runtime:
        bench = Workbench.of(runtime)
        tasks = track(loaded.tasks, "linting", console=output.progress, disable=output.is_quiet)
        reports = [lint(task, runtime.judge, runtime.sandbox, workbench=bench) for task in tasks]
    num_bad = _show_lint(output, loaded, reports)
    output.finish(
        {
            "n": len(loaded),
            "errors": num_bad,
            "reports": [report.to_json() for report in reports if report.findings],
            "refused": list(map(str, loaded.refused)),
        }
    )
    return 2 if num_bad else 0


def _show_lint(output: Output, suite: LoadedSuite, reports: Sequence[LintReport]) -> int:
    """Print what was found; return how many tasks cannot be used."""
    for report in reports:
        for finding in report.findings:
            style = "red" if finding.level == "error" else "yellow"
            output.line(f"{report.task_id}: {finding.code}: {finding.message}", style=style)
    for refusal in suite.refused:
        output.line(f"refused: {refusal}", style="red")
    num_bad = sum(not report.is_clean for report in reports) + len(suite.refused)
    output.line(f"{len(suite)} tasks, {num_bad} with errors")
    return num_bad


def _audit(
    pattern: str,
    samples: int,
    jobs: int | None,
    out: Path | None,
    table: Path | None,
    output: Output,
) -> int:
    from cadwright.envs.domains.audit_run import recall
    from cadwright.envs.domains.registry import domains, matching

    chosen = matching(pattern) if pattern else domains()
    if samples:
        audits = _audited(chosen, samples, jobs, out, output)
    elif out is not None:
        audits = recall(chosen, out)
    else:
        raise UsageError("--samples 0 shows what an earlier run left: give its --out")
    _show_audit(output, audits)
    if table is not None:
        from cadwright.envs.domains.page import domains_page

        table.write_text(domains_page(audits), encoding="utf-8")
        output.line(f"wrote {table}")
    num_faults = sum(one.num_faults for one in audits)
    output.finish(_summary(audits, num_faults))
    return 2 if num_faults else 0


def _audited(
    chosen: Sequence[Domain], samples: int, jobs: int | None, out: Path | None, output: Output
) -> tuple[DomainAudit, ...]:
    from rich.progress import Progress

    from cadwright.envs.domains.audit_run import audit, default_workers, units_of

    jobs = default_workers() if jobs is None else jobs
    with Progress(console=output.progress, disable=output.is_quiet) as progress:
        bar = progress.add_task("auditing", total=len(units_of(chosen)))

        def advance(name: str, num_tasks: int) -> None:
            progress.update(bar, advance=1, description=f"{name}: {num_tasks} tasks")

        return audit(chosen, samples=samples, num_workers=jobs, out=out, on_done=advance)


def _show_audit(output: Output, audits: Sequence[DomainAudit]) -> None:
    if not output.is_quiet:
        output.text.print(audit_table(audits))
    faults = [line for one in audits for line in _fault_lines(one)]
    for line in faults[:MOST_FAULTS]:
        output.line(line, style="red")
    if len(faults) > MOST_FAULTS:
        output.line(f"... and {len(faults) - MOST_FAULTS} more faults", style="red")
    num_tasks = sum(len(one.tasks) for one in audits)
    output.line(f"{len(audits)} domains, {num_tasks} tasks, {len(faults)} faults")


def _fault_lines(audit: DomainAudit) -> list[str]:
    lines = [f"{audit.domain}: {fault}" for fault in audit.faults]
    return lines + [f"{task.id}: {fault}" for task in audit.tasks for fault in task.faults]


def audit_table(audits: Sequence[DomainAudit]) -> Table:
    """Return one row for each domain: tasks, mean scores of gold and naive answers, faults."""
    from rich.table import Table

    found = Table("domain", box=None)
    for name in ("tasks", *_SCORES, "faults"):
        found.add_column(name, justify="right")
    for one in audits:
        scores = (_shown(one.mean(name)) for name in _SCORES)
        style = "red" if one.num_faults else ""
        found.add_row(one.domain, str(len(one.tasks)), *scores, str(one.num_faults), style=style)
    return found


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _summary(audits: Sequence[DomainAudit], num_faults: int) -> dict[str, Any]:
    return {
        "n": sum(len(one.tasks) for one in audits),
        "errors": num_faults,
        "domains": [
            {
                "id": one.domain,
                "tasks": len(one.tasks),
                **{name: one.mean(name) for name in _SCORES},
                "faults": _fault_lines(one),
            }
            for one in audits
        ],
    }
