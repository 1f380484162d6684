"""``cadwright tasks``: list, show, make and lint tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from cadwright.agent.cli.common import JsonOption, LimitOption, Output, QuietOption
from cadwright.agent.cli.task_lint import lint_suite
from cadwright.agent.cli.task_show import show_task
from cadwright.tools.errors import UsageError
from cadwright.tools.files import size_of

app = typer.Typer(help="List, show, make and lint tasks.", no_args_is_help=True)

app.command("show")(show_task)
app.command("lint")(lint_suite)


@app.command("list")
def list_tasks(
    suite: Annotated[
        str | None,
        typer.Argument(metavar="SUITE", help="Leave it out for built-in suites and all domains."),
    ] = None,
    is_deep: Annotated[
        bool, typer.Option("--ids", help="Name every domain instead of counting.")
    ] = False,
    limit: LimitOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """List the tasks of a suite, or the suites and the tree of domains."""
    from cadwright.envs.suites import load_tasks

    output = Output(as_json=as_json, quiet=quiet)
    if suite is None:
        return _list_everything(output, is_deep=is_deep)
    loaded = load_tasks(suite, limit)
    for task in loaded:
        output.line(f"{task.id:<24} {task.domain:<28} {_first_line(task.brief)}")
    for refusal in loaded.refused:
        output.remark(f"left out: {refusal}")
    for notice in loaded.notices:
        output.remark(f"note: {notice}")
    output.finish(
        {"tasks": [task.id for task in loaded], "refused": list(map(str, loaded.refused))}
    )
    return 0


def _list_everything(output: Output, *, is_deep: bool) -> int:
    from cadwright.envs.domains.registry import domains
    from cadwright.envs.suites import builtin_suites, summary_of

    output.line("suites")
    for name in builtin_suites():
        known = summary_of(name)
        output.line(f"  {name:<12} {known.num_tasks:>4} tasks  {known.about}")
    ids = [domain.id for domain in domains()]
    output.line("")
    output.line(f"{len(ids)} domains (environment, operation, modality, families)")
    for line in _ids_by_modality(ids, is_deep=is_deep):
        output.line(f"  {line}")
    output.line("")
    output.line("one task: cadwright tasks show DOMAIN.FAMILY/DIFFICULTY-SEED; all ids: --ids")
    output.finish({"suites": list(builtin_suites()), "domains": ids})
    return 0


def _ids_by_modality(ids: Sequence[str], *, is_deep: bool) -> Iterator[str]:
    """Yield the tree of domains: a line for each environment, operation and modality."""
    from cadwright.envs.suites import branches

    for env in branches(ids):
        yield f"{env.name:<24} {env.count:>4}"
        for operation in env.children:
            yield f"  {operation.name:<22} {operation.count:>4}"
            for modality in operation.children:
                families = [family.name for family in modality.children]
                told = ", ".join(families) if is_deep else _some(families)
                yield f"    {modality.name:<20} {modality.count:>4}  {told}"


def _some(names: Sequence[str], limit: int = 4) -> str:
    more = f", ... {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


@app.command("make")
def make_tasks(
    what: Annotated[
        str,
        typer.Argument(metavar="DOMAIN|FILE", help="A domain, or a new task file, .yaml."),
    ],
    count: Annotated[
        int, typer.Option("-n", min=1, help="Tasks of the domain; difficulties go round.")
    ] = 5,
    difficulty: Annotated[
        int | None, typer.Option("--difficulty", "-d", min=1, max=5, help="Only this one.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="First seed.")] = 0,
    split: Annotated[
        str | None, typer.Option("--split", help="train, validation, test, out_of_family.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Folder for the files.")
    ] = None,
    brief: Annotated[
        str | None, typer.Option("--brief", help="For a FILE: what to make, in words.")
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option("--reference", "-r", help="For a FILE: the wanted part or its program."),
    ] = None,
    task_id: Annotated[
        str | None, typer.Option("--id", help="For a FILE: id; its name by default.")
    ] = None,
    scoring: Annotated[
        str, typer.Option("--scoring", help="For a FILE: scoring preset.")
    ] = "absolute",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Write tasks of a domain as files, or make one task file from a sentence and a part."""
    output = Output(as_json=as_json, quiet=quiet)
    if brief is not None or reference is not None:
        if brief is None or reference is None:
            raise UsageError("a new task file needs both --brief and --reference")
        if not brief.strip():
            raise UsageError("--brief is empty: say in words what to make")
        return _new_file(Path(what), brief, reference, task_id, scoring, output)
    return _write_tasks(what, count, difficulty, seed, split, out, output)


def _write_tasks(
    domain: str,
    count: int,
    difficulty: int | None,
    seed: int,
    split: str | None,
    out: Path | None,
    output: Output,
) -> int:
    from cadwright.envs.domains.registry import generate

    folder = out or Path(domain)
    tasks = [generate(domain, seed + n, difficulty, split=split) for n in range(count)]
    folder.mkdir(parents=True, exist_ok=True)
    for task in tasks:
        record = {key: value for key, value in task.to_json().items() if value not in (None, [])}
        (folder / f"{task.id.partition('/')[2]}.yaml").write_text(as_yaml(record), encoding="utf-8")
    output.line(f"made {count} tasks in {folder}; next: cadwright tasks lint {folder}")
    output.finish({"tasks": [task.id for task in tasks], "out": str(folder)})
    return 0


def _new_file(
    out: Path, brief: str, reference: Path, task_id: str | None, scoring: str, output: Output
) -> int:
    from cadwright.envs.sources import read_text
    from cadwright.envs.suites import load_tasks

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
    size_of(part)
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
    size_of(reference)


def _first_line(text: str, limit: int = 60) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= limit else line[: limit - 1] + "…"
