"""``cadwright judge --redteam SUITE``: can the scoring of these tasks be cheated?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent.cli.common import Output
from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from cadwright.agent.evaluation.raid import Case, Raid
    from cadwright.agent.evaluation.raid_store import RaidFile
    from cadwright.envs.task import Task
    from cadwright.rewards.recipes import Recipe
    from cadwright.rewards.redteam import Trial

SHIPPED = "all"  # every built-in suite
WIDTHS = {"hack": 21, "kind": 9, "verdict": 7}  # columns of words


@dataclass(frozen=True, slots=True)
class Tally:
    """How one hack fared over all tasks.

    Attributes:
        hack: Its name.
        kind: What is handed in.
        num_tried: Trials.
        num_left_out: Tasks that it does not apply to.
        closest: The trial that came closest to its box, or won, and the task; None without any.
        won: The tasks on which it won.
    """

    hack: str
    kind: str
    num_tried: int
    num_left_out: int
    closest: tuple[Trial, str] | None
    won: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the tally as JSON-able values."""
        trial, task = self.closest or (None, None)
        return {
            "hack": self.hack,
            "kind": self.kind,
            "tried": self.num_tried,
            "left_out": self.num_left_out,
            "best": None if trial is None else trial.value,
            "box": None if trial is None else trial.box,
            "task": task,
            "won": list(self.won),
        }


def red_team(
    suite: str,
    output: Output,
    *,
    recipe: str | None = None,
    out: Path | None = None,
    workers: int = 1,
    per_kind: int | None = None,
) -> int:
    """Try every hack on every task of a suite.

    Args:
        suite: What ``load_tasks`` reads, or ``all`` for every built-in suite.
        output: Where to write.
        recipe: Reward recipe to try instead of the plain score, by name or file.
        out: Folder that keeps the trials, so that the same command goes on after a stop.
        workers: Tasks at a time.
        per_kind: Only so many tasks of each operation and modality of each suite.

    Returns:
        Exit code: 1 where a hack won.

    Raises:
        UsageError: No task of the suite could be tried.
    """
    from cadwright.agent.evaluation.raid import plan, raid_all
    from cadwright.envs.runtime import Runtime
    from cadwright.rewards.recipes import load_recipe
    from cadwright.tools.sandbox import Sandbox

    chosen = None if recipe is None else load_recipe(recipe)
    cases = plan(tasks_to_try(suite, per_kind, output), recipe=chosen)
    with (
        _kept(out, chosen) as store,
        Sandbox() as sandbox,
        _progress(output, cases, store) as (known, on_trial),
    ):
        raids = raid_all(
            cases,
            lambda: Runtime.open(sandbox=sandbox),
            recipe=chosen,
            num_workers=workers,
            known=known,
            on_trial=on_trial,
        )
    if not any(found.trials for found in raids):
        raise UsageError(f"{suite}: no task could be tried: {raids[0].problem}")
    return _finish(output, raids)


def tasks_to_try(suite: str, per_kind: int | None, output: Output) -> list[Task]:
    """Return the tasks of a suite or of all that ship, or so many of each kind of each suite."""
    from cadwright.agent.evaluation.raid import sample
    from cadwright.envs.suites import builtin_suites, load_tasks

    tasks: list[Task] = []
    for name in builtin_suites() if suite == SHIPPED else (suite,):
        with output.progress.status(f"making the tasks of {name}"):
            loaded = load_tasks(name).tasks
        tasks += loaded if per_kind is None else sample(loaded, per_kind)
    return tasks


def tallies(raids: Iterable[Raid]) -> list[Tally]:
    """Return how each hack fared, in the order of the kit."""
    trials: dict[str, list[tuple[Trial, str]]] = {}
    for found in raids:
        for trial in found.trials:
            trials.setdefault(trial.hack.name, []).append((trial, found.task_id))
    return [_tally(name, made) for name, made in trials.items()]


def _tally(name: str, made: Sequence[tuple[Trial, str]]) -> Tally:
    tried = [(trial, task) for trial, task in made if not trial.is_left_out]
    return Tally(
        hack=name,
        kind=made[0][0].hack.kind.value,
        num_tried=len(tried),
        num_left_out=len(made) - len(tried),
        closest=max(tried, key=_lead, default=None),
        won=tuple(task for trial, task in tried if trial.is_won),
    )


def _lead(tried: tuple[Trial, str]) -> tuple[bool, float]:
    """Return how close a hack came, as a share of its box; what is worth nothing is a box too."""
    from cadwright.rewards.redteam import WORTHLESS

    trial, _ = tried
    return trial.is_won, (trial.value or 0.0) / max(trial.box, WORTHLESS)


def _kept(out: Path | None, recipe: Recipe | None) -> RaidFile | nullcontext[None]:
    from cadwright.agent.evaluation.raid_store import RaidFile, about
    from cadwright.agent.versions import versions

    return nullcontext() if out is None else RaidFile(out, about(recipe, versions()["cadwright"]))


@contextmanager
def _progress(
    output: Output, cases: Sequence[Case], store: RaidFile | None
) -> Iterator[tuple[dict[tuple[str, str], Trial], Callable[[Case, Trial], None]]]:
    """Show a bar; yields what is known already and what to call with each new trial."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    known = {} if store is None else store.known()
    total = sum(len(case.hacks) for case in cases)
    num_known = sum((case.key, hack.name) in known for case in cases for hack in case.hacks)
    if num_known:
        output.progress.print(f"going on: {num_known} of {total} trials are done")
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=output.progress, disable=output.is_quiet) as bar:
        shown = bar.add_task("red team", total=total, completed=num_known)

        def on_trial(case: Case, trial: Trial) -> None:
            if store is not None:
                store.append(case, trial)
            bar.update(shown, advance=1, description=f"{case.task.id[-40:]} {trial.hack.name}")

        yield known, on_trial


def _finish(output: Output, raids: Sequence[Raid]) -> int:
    """Print tables and the sum of it; return the exit code."""
    if len(raids) == 1:
        output.text.print(_trial_table(raids[0].trials))
    counted = tallies(raids)
    if len(raids) > 1:
        output.text.print(_tally_table(counted))
    for found in raids:
        if found.problem:
            output.line(f"{found.task_id}: not tried: {found.problem}", style="yellow")
        for trial in found.won:
            words = f"{found.task_id}: {trial.hack.name} won: {_number(trial.value)}"
            output.line(f"{words} against {trial.box:.3f}; {trial.note}", style="red")
    num_won = sum(len(tally.won) for tally in counted)
    num_tasks = sum(len(found.task_ids) for found in raids)
    words = (
        f"{num_won} of {sum(tally.num_tried for tally in counted)} hacks won over {num_tasks} "
        f"tasks, {len(raids)} of them unlike"
    )
    output.line(words, style="red" if num_won else "green")
    output.finish(
        {
            "won": num_won,
            "hacks": [tally.to_json() for tally in counted],
            "tasks": [found.to_json() for found in raids],
        }
    )
    return 1 if num_won else 0


def _trial_table(trials: Iterable[Trial]) -> Table:
    """Return what each hack got on one task."""
    table = _table("hack", "kind", "score", "box", "verdict", "reason")
    for trial in trials:
        verdict = _verdict(trial.is_won, is_tried=not trial.is_left_out)
        cells = (trial.hack.name, trial.hack.kind.value, _number(trial.value), f"{trial.box:.3f}")
        table.add_row(*cells, verdict, " ".join(trial.note.split()))
    return table


def _tally_table(counted: Iterable[Tally]) -> Table:
    """Return how each hack fared over many tasks, with the task where it came closest."""
    table = _table(
        "hack", "kind", "tries", "left out", "best", "honest box", "verdict", "closest on"
    )
    for tally in counted:
        trial, task = tally.closest or (None, "")
        best, box = (None, None) if trial is None else (trial.value, trial.box)
        counts = (str(tally.num_tried), str(tally.num_left_out))
        verdict = _verdict(bool(tally.won), is_tried=tally.num_tried > 0)
        table.add_row(tally.hack, tally.kind, *counts, _number(best), _number(box), verdict, task)
    return table


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    for column in columns[:-1]:
        width = WIDTHS.get(column)
        table.add_column(column, justify="left" if width else "right", min_width=width or 5)
    table.add_column(columns[-1], no_wrap=True, overflow="ellipsis", ratio=1)
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _verdict(is_won: bool, *, is_tried: bool) -> str:
    if is_won:
        return "[bold red]WON[/]"
    return "holds" if is_tried else "[dim]–[/]"
