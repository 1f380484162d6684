"""``cadwright tasks``: list, show, make and lint tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cadwright.agent.cli.common import JsonOption, LimitOption, Output, QuietOption, one_task
from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    from cadwright.envs.findings import LintReport
    from cadwright.envs.tasks_file import LoadedSuite

app = typer.Typer(help="List, show, make and lint tasks.", no_args_is_help=True)

SuiteArgument = Annotated[
    str, typer.Argument(metavar="SUITE", help="A suite: smoke, FILE.yaml, FOLDER, cadprompt:PATH.")
]


@app.command("list")
def list_tasks(
    suite: Annotated[
        str | None, typer.Argument(metavar="SUITE", help="Leave it out for the built-in suites.")
    ] = None,
    limit: LimitOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """List the tasks of a suite, or the suites that come with the package."""
    from cadwright.envs.suites import builtin_suites, load_tasks

    output = Output(as_json=as_json, quiet=quiet)
    if suite is None:
        names = builtin_suites()
        for name in names:
            loaded = load_tasks(name)
            output.line(f"{name:<12} {len(loaded):>4} tasks  {loaded.about}")
        output.finish({"suites": list(names)})
        return 0
    loaded = load_tasks(suite, limit)
    for task in loaded:
        output.line(f"{task.id:<24} {task.domain:<28} {_first_line(task.brief)}")
    for refusal in loaded.refused:
        output.remark(f"left out: {refusal}")
    output.finish(
        {"tasks": [task.id for task in loaded], "refused": list(map(str, loaded.refused))}
    )
    return 0


@app.command("show")
def show_task(
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task: demo, SUITE#ID.")],
    with_hidden: Annotated[
        bool, typer.Option("--hidden", help="Also what a policy never sees.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Show one task as a policy sees it, or all of it."""
    from cadwright.agent.header import public_part

    output = Output(as_json=as_json, quiet=quiet)
    chosen = one_task(task)
    data: dict[str, Any] = chosen.to_json() if with_hidden else public_part(chosen)
    output.line(as_yaml(data))
    output.finish(data)
    return 0


@app.command("make")
def make_task(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="New task file, .yaml.")],
    brief: Annotated[str, typer.Option("--brief", help="What to make, in words.")],
    reference: Annotated[
        Path, typer.Option("--reference", "-r", help="The wanted part, or the program of it.")
    ],
    task_id: Annotated[
        str | None, typer.Option("--id", help="Id; the name of the file by default.")
    ] = None,
    scoring: Annotated[str, typer.Option("--scoring", help="Scoring preset.")] = "absolute",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Make a task file from a sentence and a part, and say what to do next."""
    from cadwright.envs.sources import read_text
    from cadwright.envs.suites import load_tasks

    output = Output(as_json=as_json, quiet=quiet)
    _check_new(out, reference)
    is_program = reference.suffix.lower() == ".py"
    source = {"program": read_text(reference)} if is_program else {"file": str(reference.resolve())}
    record = {
        "id": task_id or out.stem,
        "brief": brief,
        "reference": source,
        "scoring": scoring,
        "meta": {"gold": "reference"},
    }
    out.write_text(as_yaml(record), encoding="utf-8")
    try:
        (task,) = load_tasks(out).tasks
    except UsageError:
        out.unlink()  # else the corrected command would find its file name taken
        raise
    output.line(f"made {out}; next: cadwright tasks lint {out}")
    output.finish({"task": task.id, "out": str(out)})
    return 0


@app.command("lint")
def lint_suite(
    suite: SuiteArgument,
    limit: LimitOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Prove tasks sane: references read, are valid and score 1.0; gold answers pass.

    The exit code is 2 where a task has an error.
    """
    from rich.progress import track

    from cadwright.envs.lint import lint
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.suites import load_tasks

    output = Output(as_json=as_json, quiet=quiet)
    loaded = load_tasks(suite, limit)
    with Runtime.open() as runtime:
        tasks = track(loaded.tasks, "linting", console=output.progress, disable=output.is_quiet)
        reports = [lint(task, runtime.judge, runtime.sandbox) for task in tasks]
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


@app.command("derive")
def derive_constraints(
    part: Annotated[
        Path, typer.Argument(metavar="PART", help="A part, or the CadQuery program of one (.py).")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="New file, .yaml.")
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Propose constraints that a part meets: size, holes and patterns, edges, walls, symmetry."""
    from cadwright.envs.constraints_file import write_constraints
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.sources import GeometrySource
    from cadwright.rewards.constraints.parse import to_plain

    output = Output(as_json=as_json, quiet=quiet)
    if not part.is_file():
        raise UsageError(f"{part}: no such file")
    if out is not None:
        _check_new(out, part)
    with Runtime.open() as runtime:
        proposed = runtime.judge.derive(runtime.part_of(GeometrySource(part.absolute())))
    text = write_constraints(proposed, source=part.name)
    if out is None:
        output.line(text)
    else:
        out.write_text(text, encoding="utf-8")
        told = f"made {out}: {len(proposed)} constraints"
        output.line(f"{told}; check a part: cadwright judge PART --constraints {out}")
    output.finish({"constraints": [to_plain(one) for one in proposed]})
    return 0


def as_yaml(data: Mapping[str, Any]) -> str:
    """Return YAML in the order of ``data``, texts of several lines as blocks."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes long texts so that a person can edit them."""

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        style = "|" if "\n" in value else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    return str(yaml.dump(dict(data), Dumper=Dumper, sort_keys=False, allow_unicode=True))


def _check_new(out: Path, reference: Path) -> None:
    if out.suffix.lower() not in (".yaml", ".yml"):
        raise UsageError(f"{out}: a task file ends in .yaml")
    if out.exists():
        raise UsageError(f"{out} exists already: give another name")
    if not reference.is_file():
        raise UsageError(f"{reference}: no such file")


def _first_line(text: str, limit: int = 60) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= limit else line[: limit - 1] + "…"
