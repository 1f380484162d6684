"""``cadwright eval``: a suite, in parallel, resumable."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cadwright.agent.cli.common import (
    BackendOption,
    JsonOption,
    LimitOption,
    OutOption,
    Output,
    PolicyOption,
    QuietOption,
    SeedOption,
    StrictOption,
    TierOption,
    TimeLimitOption,
    absolute_spec,
    slug,
)
from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    from cadwright.agent.evaluation.plan import Work
    from cadwright.agent.evaluation.worker import Settings
    from cadwright.agent.policies import Policy
    from cadwright.envs.tasks_file import LoadedSuite

SuiteArgument = Annotated[
    str, typer.Argument(metavar="SUITE", help="A suite: smoke, FILE.yaml, FOLDER, cadprompt:PATH.")
]
WorkersOption = Annotated[
    int, typer.Option("-j", "--workers", metavar="N", min=1, max=64, help="Episodes at a time.")
]
AttemptsOption = Annotated[
    int,
    typer.Option(
        "--attempts",
        metavar="N",
        min=1,
        max=10,
        help="Tries of an episode that we broke ourselves.",
    ),
]


def evaluate_suite(
    suite: SuiteArgument,
    policy: PolicyOption = "tiny",
    tier: TierOption = None,
    out: OutOption = None,
    workers: WorkersOption = 1,
    limit: LimitOption = None,
    seed: SeedOption = None,
    time_limit: TimeLimitOption = None,
    attempts: AttemptsOption = 2,
    backend: BackendOption = "auto",
    strict: StrictOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Run a policy over a suite and make a table that can be defended.

    Rows are on the disk as they end: stop it any time, even with kill -9, and the same command
    goes on where it was. The folder gets results.jsonl, summary.json and report.html.
    """
    from cadwright.agent.cli.longspec import show_long
    from cadwright.agent.evaluation import runner
    from cadwright.agent.evaluation.plan import plan, scenario_of
    from cadwright.agent.evaluation.report import write_report
    from cadwright.agent.evaluation.store import RunFolder
    from cadwright.agent.evaluation.worker import Settings
    from cadwright.agent.models.options import with_tier
    from cadwright.agent.policies.factory import make_policy, maker_of
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.suites import load_tasks
    from cadwright.tools.rendering.backends import check_backend
    from cadwright.tools.sandbox import Sandbox

    output = Output(as_json=as_json, quiet=quiet)
    check_backend(backend)  # before the folder remembers it
    if policy == "human" and workers > 1:
        raise UsageError(f"human plays one episode at a time: -j 1, not -j {workers}")
    loaded = load_tasks(suite)
    policy = with_tier(policy, tier, scenario=scenario_of(loaded.tasks, workers))
    decider = make_policy(policy)
    output.remarks_on(decider)
    works = plan(loaded.tasks, decider, limit)
    tell_about_suite(output, loaded, decider, works, limit)
    folder = out or Path("runs") / f"{slug(suite)}-{slug(policy)}"
    settings = Settings(folder, absolute_spec(suite), seed, time_limit, attempts)
    config = run_config(settings, works, decider, limit, backend)
    with (
        RunFolder(folder, config) as store,
        Sandbox(strict=strict) as sandbox,
        progress(output, works, store.rows()) as on_row,
    ):
        runner.evaluate(
            works,
            store,
            settings,
            lambda: Runtime.open(sandbox=sandbox, backend=backend),
            maker_of(decider, policy),
            num_workers=workers,
            on_row=on_row,
            on_stop=lambda number: output.remark(
                f"stopping when the episodes that still run are over ({number}); "
                "Ctrl-C again drops them"
            ),
        )
    figures = write_report(folder)
    show_figures(output, folder, policy, figures)
    figures.update(show_long([folder], output))
    output.finish(figures)
    return 1 if figures["infra_errors"] else 0


def run_config(
    settings: Settings, works: Sequence[Work], policy: Policy, limit: int | None, backend: str
) -> dict[str, Any]:
    """Return what makes two runs the same; resuming names the first difference, plainest first."""
    from cadwright.agent.header import task_digest
    from cadwright.agent.versions import versions

    tasks = {work.task.id: work.task for work in works}
    digests = "".join(task_digest(task) for task in tasks.values())
    return {
        "suite": settings.suite,
        "policy": policy.name,
        "limit": limit,
        "backend": backend,
        "seed": settings.seed,
        "time_limit_s": settings.time_limit_s,
        "max_attempts": settings.max_attempts,
        "suite_digest": hashlib.sha256(digests.encode()).hexdigest(),
        "policy_digest": policy.digest,
        "num_episodes": len(works),
        "version": versions()["cadwright"],
        "versions": versions(),
    }


def tell_about_suite(
    output: Output, suite: LoadedSuite, policy: Policy, works: Sequence[Work], limit: int | None
) -> None:
    """Say what was left out and what the loader did, before anything runs."""
    from cadwright.agent.policies.replay import ReplayPolicy

    lines = [f"left out: {refusal}" for refusal in suite.refused]
    lines += [f"note: {notice}" for notice in suite.notices]
    planned = {work.task.id for work in works}
    idle = [task.id for task in suite.tasks[:limit] if task.id not in planned]
    if idle:
        lines.append(
            f"{len(idle)} tasks left out, {policy.name} has nothing for them: {some(idle)}"
        )
    if isinstance(policy, ReplayPolicy):
        unknown = sorted(set(policy.programs) - {task.id for task in suite})
        if unknown:
            lines.append(f"{len(unknown)} program ids are not in the suite: {some(unknown)}")
    for line in lines:
        output.remark(line)


def some(names: Sequence[str]) -> str:
    """Return the first few names."""
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


@contextmanager
def progress(
    output: Output, works: Sequence[Work], rows: Sequence[dict[str, Any]]
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Show a bar with counts by outcome; yields what to call with each new row."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    wanted = {work.key for work in works}
    counts = Counter(
        row["outcome"]
        for row in rows
        if row["is_final"] and (row["task"], row["variant"]) in wanted
    )
    if counts:
        output.progress.print(f"going on: {counts.total()} of {len(works)} are done")
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=output.progress, disable=output.is_quiet) as bar:
        line = bar.add_task(_describe(counts), total=len(works), completed=counts.total())

        def on_row(row: dict[str, Any]) -> None:
            if row["is_final"]:
                counts[row["outcome"]] += 1
                bar.update(line, completed=counts.total(), description=_describe(counts))

        yield on_row


def show_figures(
    output: Output,
    folder: Path,
    policy: str,
    figures: dict[str, Any],
    *,
    is_written: bool = True,
) -> None:
    """Print the table and where the report is, where it could be written."""
    from cadwright.agent.cli.tables import bill, figures_table

    output.text.print(figures_table({policy: figures}))
    if text := bill(figures):
        output.line(text)
    for task, reason in figures["unscorable"]["tasks"].items():
        output.line(f"unscorable: {task}: {reason}", style="yellow")
    for said in figures["damaged"]:
        output.line(f"no page: {said}", style="yellow")
    if is_written:
        output.line(f"report: {folder / 'report.html'}")


def _describe(counts: Counter[str]) -> str:
    failed = counts.total() - counts["ok"]
    return (
        f"[green]{counts['ok']} ok[/] [red]{failed} failed[/]" if failed else f"{counts['ok']} ok"
    )
