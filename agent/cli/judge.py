"""``cadwright judge``: measure and score one part file or program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cadwright.agent.cli.common import MAX_TIME_S, JsonOption, Output, QuietOption
from cadwright.agent.cli.judge_request import (
    by_protocol,
    check_file,
    check_options,
    check_picture,
    check_reference,
    target_task,
)
from cadwright.agent.cli.redteam import red_team
from cadwright.tools.errors import Outcome, ToolError, UsageError
from cadwright.tools.geometry.part import Inspection, Measures, Notice, Part

if TYPE_CHECKING:
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task
    from cadwright.rewards.constraints.record import Constraint
    from cadwright.rewards.constraints.result import ConstraintReport
    from cadwright.rewards.score import Score

PartArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="PART", help="A part (step, brep, stl, obj, 3mf, glb) or a CadQuery program (.py)."
    ),
]
TaskOption = Annotated[
    str | None, typer.Option("--task", "-t", metavar="TASK", help="Score it as this task does.")
]
ReferenceOption = Annotated[
    Path | None,
    typer.Option("--reference", "-r", metavar="FILE", help="Score it against this part."),
]
ConstraintsOption = Annotated[
    Path | None,
    typer.Option("--constraints", "-c", metavar="FILE", help="Check it against these, .yaml."),
]
ProtocolOption = Annotated[
    str | None,
    typer.Option(
        "--protocol", metavar="NAME", help="Score it by this protocol, not as the task says."
    ),
]
PictureOption = Annotated[
    Path | None,
    typer.Option("--picture", metavar="FILE", help="Draw where it differs from the reference."),
]
RedTeamOption = Annotated[
    str | None,
    typer.Option("--redteam", metavar="SUITE|all", help="Try to cheat the scoring of these tasks."),
]
RecipeOption = Annotated[
    str | None,
    typer.Option("--recipe", metavar="NAME|FILE", help="Reward that --redteam tries to cheat."),
]
RaidFolderOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="DIR", help="Keep what --redteam tried; the same command goes on."
    ),
]
RaidersOption = Annotated[
    int | None,
    typer.Option(
        "-j", "--workers", metavar="N", min=1, max=64, help="Tasks of --redteam at once; 1 if not."
    ),
]
SampleOption = Annotated[
    int | None,
    typer.Option(
        "--sample", metavar="N", min=1, help="For --redteam: N tasks of each operation only."
    ),
]
ProgramLimitOption = Annotated[
    float,
    typer.Option("--time-limit", metavar="SECONDS", min=0.1, max=MAX_TIME_S, help="For a program."),
]


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What was found out about one file."""

    outcome: Outcome
    message: str = ""
    notices: tuple[Notice, ...] = ()
    measures: Measures | None = None
    score: Score | None = None
    report: ConstraintReport | None = None
    inspection: Inspection | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what ``judge --json`` prints."""
        return {
            "outcome": self.outcome.value,
            "message": self.message,
            "warnings": [notice.code for notice in self.notices],
            "measures": measures_json(self.measures) if self.measures is not None else None,
            "score": self.score.to_json() if self.score is not None else None,
            "constraints": self.report.to_json() if self.report is not None else None,
        }


def judge(
    part: PartArgument = None,
    task: TaskOption = None,
    reference: ReferenceOption = None,
    constraints: ConstraintsOption = None,
    protocol: ProtocolOption = None,
    picture: PictureOption = None,
    redteam: RedTeamOption = None,
    recipe: RecipeOption = None,
    out: RaidFolderOption = None,
    workers: RaidersOption = None,
    sample: SampleOption = None,
    time_limit: ProgramLimitOption = 60.0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Measure a part; score it against a task or a reference; check constraints.

    A program runs in the sandbox; a file is read by a worker of its own. Neither can harm the
    process that you type into. A program that fails is a result; the exit code is 2 where a file
    cannot be read and there is nothing to score it against.
    """
    from cadwright.envs.constraints_file import load_constraints
    from cadwright.envs.runtime import Runtime

    output = Output(as_json=as_json, quiet=quiet)
    of_raids = {"--recipe": recipe, "--out": out, "--sample": sample, "--workers": workers}
    of_parts = {"PART": part, "--task": task, "--reference": reference, "--protocol": protocol}
    of_parts |= {"--constraints": constraints, "--picture": picture}
    check_options(redteam, of_raids, of_parts)
    if redteam is not None:
        at_once = workers or 1
        return red_team(redteam, output, recipe=recipe, out=out, workers=at_once, per_kind=sample)
    if part is None:
        raise UsageError("give a part to judge, or --redteam SUITE")
    check_file(part)
    against = by_protocol(target_task(task, reference), protocol)
    check_picture(picture, against)
    asked = None if constraints is None else load_constraints(constraints)
    with Runtime.open() as runtime:
        check_reference(against, runtime)
        judgement = judge_file(part, against, runtime, time_limit_s=time_limit, asked=asked)
        caption = draw_difference(judgement, against, runtime, picture)
    show(output, part, judgement)
    if caption:
        output.line(f"{picture}: {caption}")
    output.finish(judgement.to_json())
    if (code := exit_code(part, judgement)) and quiet:
        output.complain(headline(part, judgement))
    return code


def exit_code(path: Path, judgement: Judgement) -> int:
    """Return 1 where we failed, 2 where a file cannot be read and nothing was scored, else 0."""
    if judgement.outcome is Outcome.INFRA_ERROR:
        return 1
    is_answered = judgement.inspection is not None or judgement.score is not None
    return 0 if is_answered or path.suffix.lower() == ".py" else 2


def judge_file(
    path: Path,
    task: Task | None,
    runtime: Runtime,
    *,
    time_limit_s: float = 60.0,
    asked: Sequence[Constraint] | None = None,
) -> Judgement:
    """Find out what ``path`` holds; score it where there is a task, check what is asked of it."""
    if path.suffix.lower() == ".py":
        step = runtime.sandbox.run(_program(path), timeout_s=time_limit_s)
        if step.outcome is not Outcome.OK or step.part is None:
            message = str(step.error) if step.error is not None else ""
            score = score_without_part(step.outcome, message, task, runtime)
            return Judgement(step.outcome, message, step.notices, score=score)
        return judge_part(step.part, step.notices, task, runtime, asked=asked)
    try:
        part = runtime.judge.read(path)
    except ToolError as error:
        score = score_without_part(error.outcome, str(error), task, runtime)
        return Judgement(error.outcome, str(error), score=score)
    return judge_part(part, (), task, runtime, asked=asked)


def score_without_part(
    outcome: Outcome, message: str, task: Task | None, runtime: Runtime
) -> Score | None:
    """Score what made no part as an episode that made none; None without a task."""
    from cadwright.envs.core import Submission

    return None if task is None else runtime.score(task, Submission(None, outcome, message))


def judge_part(
    part: Part,
    notices: tuple[Notice, ...],
    task: Task | None,
    runtime: Runtime,
    *,
    asked: Sequence[Constraint] | None = None,
) -> Judgement:
    """Measure a part; score it where there is a task, check what is asked of it.

    Args:
        part: The part.
        notices: What was noticed while it was made.
        task: What to score it against, or None.
        runtime: Measures and scores.
        asked: Constraints to check; None takes those of the task.
    """
    from cadwright.envs.core import Submission

    inspection: Inspection = runtime.judge.inspect(part)
    score = None
    if task is not None:
        submission = Submission(part, inspection.outcome, inspection.message, inspection)
        score = runtime.score(task, submission)
    return Judgement(
        inspection.outcome,
        inspection.message,
        _unique((*notices, *part.notices, *inspection.notices, *_told(score))),
        inspection.measures,
        score,
        _report(part, task, runtime, asked),
        inspection,
    )


def _report(
    part: Part, task: Task | None, runtime: Runtime, asked: Sequence[Constraint] | None
) -> ConstraintReport | None:
    from cadwright.envs.judging import check_for

    if asked is not None:
        source = None if task is None else task.start
        start = None if source is None else runtime.part_of(source)
        return runtime.judge.check(part, asked, start=start)
    if task is None or not task.constraints:
        return None
    return check_for(task, part, runtime.judge, runtime.part_of)


def measures_json(measures: Measures) -> dict[str, Any]:
    """Return measures under the names that ``judge --json`` promises."""
    low, high = measures.bbox_mm
    return {
        "volume_mm3": measures.volume_mm3,
        "area_mm2": measures.area_mm2,
        "bbox_mm": [list(low), list(high)],
        "bodies": measures.bodies,
        "watertight": measures.is_watertight,
        "valid": measures.is_valid,
    }


def draw_difference(
    judgement: Judgement, task: Task | None, runtime: Runtime, path: Path | None
) -> str:
    """Write the picture of where part and reference differ; return its caption.

    Both are drawn where they stand: what the score's alignment forgives still shows.

    Returns:
        What the picture says in words, empty where none was asked for.
    """
    from cadwright.agent.trajectory import png

    if path is None or task is None or task.reference is None:
        return ""
    if judgement.inspection is None or judgement.inspection.mesh is None:
        return "not written: the part has no surface to draw"
    reference = runtime.judge.inspect(runtime.part_of(task.reference))
    block = runtime.renderer.difference(judgement.inspection, reference)
    path.write_bytes(png(block))
    return block.caption


def show(output: Output, path: Path, judgement: Judgement) -> None:
    """Print the judgement for people."""
    from cadwright.agent.cli.tables import constraints_table, measures_table, score_table

    is_ok = judgement.outcome is Outcome.OK
    output.line(headline(path, judgement), style="green" if is_ok else "red")
    for notice in judgement.notices:
        output.line(f"{notice.code}: {notice.message}", style="yellow")
    if judgement.measures is not None:
        output.text.print(measures_table(judgement.measures))
    if judgement.score is not None:
        output.text.print(score_table(judgement.score.to_json()))
    if judgement.report is not None:
        output.text.print(constraints_table(judgement.report))


def headline(path: Path, judgement: Judgement) -> str:
    """Return how it ended in one line."""
    message = f": {judgement.message}" if judgement.message else ""
    return f"{path.name}: {judgement.outcome.value}{message}"


def _program(path: Path) -> str:
    from cadwright.envs.sources import read_text

    return read_text(path)


def _told(score: Score | None) -> tuple[Notice, ...]:
    return () if score is None else score.notices


def _unique(notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
    return tuple({notice.code: notice for notice in reversed(notices)}.values())[::-1]
