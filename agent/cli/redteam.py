"""``cadwright judge --redteam SUITE``: can the scoring of these tasks be cheated?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cadwright.agent.cli.common import Output
from cadwright.tools.errors import GeometryError, Outcome, TaskError, UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task
    from cadwright.rewards.recipes import Recipe
    from cadwright.rewards.redteam import Court, Hack, Trial
    from cadwright.rewards.score import Score
    from cadwright.tools.geometry.part import Part

# An honest program of a task takes a second or two; one that hangs costs no more than this.
PROGRAM_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Raid:
    """What the red team did to one task.

    Attributes:
        task_id: The task.
        trials: One for each hack.
        problem: Why the task could not be tried, where it could not.
    """

    task_id: str
    trials: tuple[Trial, ...] = ()
    problem: str = ""
    won: tuple[Trial, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Pick out what won."""
        object.__setattr__(self, "won", tuple(trial for trial in self.trials if trial.is_won))

    def to_json(self) -> dict[str, Any]:
        """Return the raid as JSON-able values."""
        trials = [trial.to_json() for trial in self.trials]
        return {"task": self.task_id, "problem": self.problem, "trials": trials}


def red_team(suite: str, output: Output, *, recipe: str | None = None) -> int:
    """Try every hack on every task of a suite.

    Args:
        suite: What ``load_tasks`` reads.
        output: Where to write.
        recipe: Reward recipe to try instead of the plain score, by name or file.

    Returns:
        Exit code: 1 where a hack won.

    Raises:
        UsageError: No task of the suite could be tried.
    """
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.suites import load_tasks
    from cadwright.rewards.recipes import load_recipe

    chosen = None if recipe is None else load_recipe(recipe)
    raids = []
    with Runtime.open() as runtime:
        for task in load_tasks(suite):
            raids.append(raid(task, runtime, recipe=chosen))
            _show(output, raids[-1])
    if not any(found.trials for found in raids):
        raise UsageError(f"{suite}: no task could be tried: {raids[0].problem}")
    num_won = sum(len(found.won) for found in raids)
    _sum_up(output, raids, num_won)
    output.finish({"won": num_won, "tasks": [found.to_json() for found in raids]})
    return 1 if num_won else 0


def raid(
    task: Task,
    runtime: Runtime,
    *,
    recipe: Recipe | None = None,
    kit: Iterable[Hack] | None = None,
) -> Raid:
    """Try hacks on one task; what cannot be tried is said, not raised."""
    from cadwright.rewards.redteam import KIT, try_hacks

    try:
        court = court_of(task, runtime, recipe=recipe)
        return Raid(task.id, tuple(try_hacks(court, KIT if kit is None else kit)))
    except (GeometryError, TaskError) as error:
        return Raid(task.id, problem=str(error))


def court_of(task: Task, runtime: Runtime, *, recipe: Recipe | None = None) -> Court:
    """Return a task with the means to try it.

    Raises:
        TaskError: The task has no reference to make hacks from.
        GeometryError: Its geometry cannot be used.
    """
    from cadwright.envs.judging import scoring_of
    from cadwright.rewards.redteam import Court

    if task.reference is None:
        raise TaskError(f"{task.id}: no reference to make hacks from")
    reference = runtime.part_of(task.reference)
    judged = _judged_by(task, runtime, recipe)

    def run(program: str) -> Score:
        step = runtime.sandbox.run(program, timeout_s=PROGRAM_TIMEOUT_S)
        return judged(step.part, step.outcome, "" if step.error is None else str(step.error))

    return Court(
        brief=task.brief,
        scoring=scoring_of(task),
        make=lambda name: runtime.judge.hack(name, reference),
        score=lambda part: judged(part, Outcome.OK, ""),
        run=run,
        start=None if task.start is None else runtime.part_of(task.start),
    )


def _judged_by(
    task: Task, runtime: Runtime, recipe: Recipe | None
) -> Callable[[Part | None, Outcome, str], Score]:
    from cadwright.envs.core import Submission

    def judged(part: Part | None, outcome: Outcome, message: str) -> Score:
        score = runtime.score(task, Submission(part, outcome, message))
        return score if recipe is None else _composed(recipe, score, outcome, message)

    return judged


def _composed(recipe: Recipe, score: Score, outcome: Outcome, message: str) -> Score:
    """Return the reward of a recipe in the clothes of a score."""
    from cadwright.rewards.recipes import Evidence
    from cadwright.rewards.score import Score, Verdict

    reward = recipe.compose(Evidence(score, outcome, message))
    verdict = Verdict.UNSCORABLE if reward.value is None else Verdict.SCORED
    return Score(reward.value, verdict, reward.reason or score.reason, score.terms)


def _show(output: Output, found: Raid) -> None:
    if found.problem:
        output.line(f"{found.task_id}: not tried: {found.problem}", style="yellow")
        return
    box = found.trials[0].box if found.trials else 0.0
    output.line(f"{found.task_id}: honest box {box:.3f}", style="red" if found.won else "green")
    output.text.print(_table(found.trials))


def _table(trials: Iterable[Trial]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("hack", "kind", "score", "honest box", ""):
        table.add_column(column, justify="right" if column in ("score", "honest box") else "left")
    table.add_column("reason", no_wrap=True, overflow="ellipsis")
    for trial in trials:
        value = "–" if trial.value is None else f"{trial.value:.3f}"
        won = Text("WON", style="bold red") if trial.is_won else Text("")
        cells = (trial.hack.name, trial.hack.kind.value, value, f"{trial.box:.3f}")
        table.add_row(*cells, won, Text(" ".join(trial.note.split())))
    return table


def _sum_up(output: Output, raids: list[Raid], num_won: int) -> None:
    num_tried = sum(len(found.trials) for found in raids)
    for name, task_id in _winners(raids):
        output.line(f"{task_id}: {name} won", style="red")
    words = f"{num_won} of {num_tried} hacks won over {len(raids)} tasks"
    output.line(words, style="red" if num_won else "green")


def _winners(raids: list[Raid]) -> Iterator[tuple[str, str]]:
    for found in raids:
        for trial in found.won:
            yield trial.hack.name, found.task_id
