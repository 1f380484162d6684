"""``cadwright report``: the table and page of a run, runs side by side, new scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cadwright.agent.cli.common import (
    JsonOption,
    Output,
    QuietOption,
    RecipeOption,
    path_of,
    why_refused,
)
from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    from cadwright.agent.evaluation.store import Row

RunsArgument = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Folders that `cadwright eval` made.")
]


def report(
    runs: RunsArgument,
    rescore_parts: Annotated[
        bool, typer.Option("--rescore", help="Score the stored parts again; nothing is run.")
    ] = False,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol", metavar="NAME", help="Score the stored parts by a published protocol."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", parser=path_of, metavar="FILE", help="Where the comparison goes."
        ),
    ] = None,
    recipe: RecipeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Make the report of a run again, set runs side by side, or score them by another protocol.

    Runs are compared task by task over what they share, and only where they were measured alike.
    """
    output = Output(as_json=as_json, quiet=quiet)
    if protocol is not None:
        return by_protocol(runs, protocol, output)
    if rescore_parts:
        for folder in runs:
            rescore(folder, output)
    if recipe is not None:
        from cadwright.agent.cli.rewards import reward_runs

        return reward_runs(runs, recipe, output)
    if len(runs) > 1:
        return _several(runs, out, output)
    if out is not None:
        raise UsageError("--out is for the comparison of several runs; one run keeps its report")
    return _one(runs[0], output)


def rescore(folder: Path, output: Output) -> None:
    """Give the parts of a run new scores, beside the rows as they were first written."""
    from cadwright.agent.evaluation.rescore import rescore_rows
    from cadwright.agent.evaluation.store import write_rescored

    write_rescored(folder, scored(folder, output, rescore_rows))


def by_protocol(folders: list[Path], protocol: str, output: Output) -> int:
    """Score the parts of runs by a published protocol; the runs keep their own scores."""
    from cadwright.agent.cli.tables import figures_table, measured_table
    from cadwright.agent.evaluation.protocols import rows_by, write_protocol
    from cadwright.rewards.scoring import Scoring

    Scoring.preset(protocol)  # a wrong name is refused before anything is scored
    figures = {}
    for folder in folders:
        rows = scored(folder, output, partial(rows_by, protocol))
        figures[folder.name] = write_protocol(folder, protocol, rows)
    output.text.print(figures_table(figures))
    for name, found in figures.items():
        output.text.print(measured_table(f"{name} by {protocol}", found["measured"]))
        output.line(f"scores: {found['out']}")
    output.finish({"protocol": protocol, "figures": list(figures.values())})
    return 1 if any(found["infra_errors"] for found in figures.values()) else 0


def scored(folder: Path, output: Output, score_rows: Callable[..., Iterator[Row]]) -> list[Row]:
    """Return the rows of a run as ``score_rows(rows, tasks, runtime, folder)`` scores them."""
    from rich.progress import track

    from cadwright.agent.cli.evaluate import some
    from cadwright.agent.evaluation.rescore import is_gone
    from cadwright.agent.evaluation.store import read_run
    from cadwright.agent.evaluation.summary import final_rows
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.suites import load_tasks

    config, rows = read_run(folder)
    tasks = {task.id: task for task in load_tasks(config["suite"])}
    gone = [row["task"] for row in final_rows(rows) if is_gone(row, folder)]
    if gone:
        output.remark(f"{folder}: {len(gone)} parts are gone and get no new score: {some(gone)}")
    with Runtime.open() as runtime:
        renewed = track(
            score_rows(rows, tasks, runtime, folder),
            description=f"scoring {folder.name}",
            total=config.get("num_episodes"),
            console=output.progress,
            disable=output.is_quiet,
        )
        return list(renewed)


def _one(folder: Path, output: Output) -> int:
    from cadwright.agent.cli.evaluate import show_figures
    from cadwright.agent.cli.longspec import show_long
    from cadwright.agent.evaluation.report import figures_of, write_report
    from cadwright.agent.evaluation.store import read_run

    is_written = True
    try:
        figures = write_report(folder)
    except OSError as error:  # the run of somebody else, or on a disk that is full
        is_written, figures = False, figures_of(folder)
        output.complain(f"no report was written: {why_refused(error)}")
    policy = read_run(folder)[0]["policy"]
    show_figures(output, folder, policy, figures, is_written=is_written)
    output.finish({**figures, **show_long([folder], output)})
    return 1 if figures["infra_errors"] else 0


def _several(folders: list[Path], out: Path | None, output: Output) -> int:
    from cadwright.agent.cli.longspec import show_long
    from cadwright.agent.cli.tables import figures_table
    from cadwright.agent.evaluation.compare import read_runs, shared_figures, write_comparison
    from cadwright.agent.evaluation.longspec import PAGE as LONG_PAGE

    runs = read_runs(folders)
    path = out or folders[-1] / "comparison.html"
    figures = shared_figures(runs)
    output.text.print(figures_table({run.label: f for run, f in zip(runs, figures, strict=True)}))
    try:
        write_comparison(runs, path)
        output.line(f"comparison: {path}")
    except OSError as error:
        if out is not None:  # the page is what was asked for
            raise
        output.complain(f"no comparison was written: {why_refused(error)}; --out says where to")
    long = show_long(folders, output, path.with_name(f"{path.stem}-{LONG_PAGE}"))
    data = {"runs": [str(run.folder) for run in runs], "figures": figures, "out": str(path)}
    output.finish({**data, **long})
    return 0
