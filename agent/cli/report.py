"""``cadwright report``: the table and page of a run, runs side by side, new scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cadwright.agent.cli.common import JsonOption, Output, QuietOption

RunsArgument = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Folders that `cadwright eval` made.")
]


def report(
    runs: RunsArgument,
    rescore_parts: Annotated[
        bool, typer.Option("--rescore", help="Score the stored parts again; nothing is run.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where the comparison goes."),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Make the report of a run again, or set runs side by side.

    Runs are compared task by task over what they share, and only where they were measured alike.
    """
    output = Output(as_json=as_json, quiet=quiet)
    if rescore_parts:
        for folder in runs:
            rescore(folder, output)
    return _one(runs[0], output) if len(runs) == 1 else _several(runs, out, output)


def rescore(folder: Path, output: Output) -> None:
    """Give the parts of a run new scores, beside the rows as they were first written."""
    from rich.progress import track

    from cadwright.agent.evaluation.rescore import rescore_rows
    from cadwright.agent.evaluation.store import read_run, write_rescored
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.suites import load_tasks

    config, rows = read_run(folder)
    tasks = {task.id: task for task in load_tasks(config["suite"])}
    with Runtime.open() as runtime:
        renewed = track(
            rescore_rows(rows, tasks, runtime, folder),
            description=f"scoring {folder.name}",
            total=config["num_episodes"],
            console=output.progress,
            disable=output.is_quiet,
        )
        write_rescored(folder, list(renewed))


def _one(folder: Path, output: Output) -> int:
    from cadwright.agent.cli.evaluate import show_figures
    from cadwright.agent.evaluation.report import write_report
    from cadwright.agent.evaluation.store import read_run

    figures = write_report(folder)
    show_figures(output, folder, read_run(folder)[0]["policy"], figures)
    output.finish(figures)
    return 1 if figures["infra_errors"] else 0


def _several(folders: list[Path], out: Path | None, output: Output) -> int:
    from cadwright.agent.cli.tables import figures_table
    from cadwright.agent.evaluation.compare import read_runs, shared_figures, write_comparison

    runs = read_runs(folders)
    path = out or folders[-1] / "comparison.html"
    write_comparison(runs, path)
    figures = shared_figures(runs)
    output.text.print(figures_table({run.label: f for run, f in zip(runs, figures, strict=True)}))
    output.line(f"comparison: {path}")
    output.finish({"runs": [str(run.folder) for run in runs], "figures": figures, "out": str(path)})
    return 0
