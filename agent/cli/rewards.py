"""Composed rewards on the command line: of one episode, and of the episodes of runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent.cli.common import Output
from cadwright.agent.cli.tables import number
from cadwright.agent.terminal import visible

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from cadwright.envs.runtime import Runtime
    from cadwright.envs.task import Task
    from cadwright.rewards.breakdown import RewardBreakdown
    from cadwright.rewards.group import GroupStatistics
    from cadwright.rewards.recipes import Recipe


def show_reward(output: Output, reward: RewardBreakdown) -> None:
    """Print a reward, every term by name."""
    output.text.print(_reward_table(reward))


def reward_runs(folders: Sequence[Path], recipe_name: str, output: Output) -> int:
    """Compose the rewards of all episodes of runs; nothing is run but what has to be measured.

    Each episode keeps its ``reward.json``.
    """
    from cadwright.envs.runtime import Runtime
    from cadwright.rewards.recipes import load_recipe

    recipe = load_recipe(recipe_name)
    figures: dict[str, Any] = {}
    with Runtime.open() as runtime:
        for folder in folders:
            figures[str(folder)] = _reward_run(folder, recipe, runtime, output)
    data = {"recipe": recipe.name, "version": recipe.version, "digest": recipe.digest}
    output.finish(data | {"runs": figures})
    return 0


def _reward_run(folder: Path, recipe: Recipe, runtime: Runtime, output: Output) -> dict[str, Any]:
    from cadwright.rewards.group import group_statistics

    by_task: dict[str, list[RewardBreakdown]] = defaultdict(list)
    for task_id, reward in _rewards(folder, recipe, runtime, output):
        by_task[task_id].append(reward)
    whole = group_statistics([reward for group in by_task.values() for reward in group])
    groups = [group_statistics(group) for group in by_task.values() if len(group) > 1]
    num_silent = sum(group.is_zero_signal for group in groups)
    output.text.print(_run_table(recipe, whole))
    if groups:
        output.line(f"groups without a signal: {num_silent} of {len(groups)}")
    return {
        "episodes": whole.size,
        "masked": whole.num_masked,
        "mean": whole.total.mean,
        "std": whole.total.std,
        "terms": {name: spread.mean for name, spread in whole.components.items()},
        "groups": len(groups),
        "zero_signal_groups": num_silent,
    }


def _rewards(
    folder: Path, recipe: Recipe, runtime: Runtime, output: Output
) -> Iterator[tuple[str, RewardBreakdown]]:
    from rich.progress import track

    from cadwright.agent.evaluation.store import read_run
    from cadwright.agent.evaluation.summary import final_rows
    from cadwright.agent.rewarding import reward_of
    from cadwright.tools.errors import UsageError

    config, rows = read_run(folder)
    tasks = _tasks(config["suite"], output)
    finals = final_rows(rows)
    for row in track(
        finals,
        description=f"rewarding {folder.name}",
        console=output.progress,
        disable=output.is_quiet,
    ):
        episode, task = folder / row["episode"], tasks.get(row["task"])
        try:
            reward = reward_of(episode, recipe, runtime=runtime, task=task)
        except UsageError as error:  # deleted or damaged: the others have a reward all the same
            output.remark(f"no reward: {error}")
            continue
        yield row["task"], reward


def _tasks(suite: str, output: Output) -> dict[str, Task]:
    """Return the tasks by id; a suite that is gone costs only what it would have measured."""
    from cadwright.envs.suites import load_tasks
    from cadwright.tools.errors import UsageError

    try:
        return {task.id: task for task in load_tasks(suite)}
    except UsageError as error:
        output.remark(f"no constraints and no steps: {error}")
        return {}


def _reward_table(reward: RewardBreakdown) -> Table:
    title = "" if reward.recipe is None else f"{reward.recipe.name} v{reward.recipe.version}"
    table = _table("term", "credit", "share", "note")
    for term in reward.terms:
        table.add_row(
            _plain(term.name), number(term.value), number(term.weight, 2), _plain(term.note)
        )
    table.add_section()
    value, reason = number(reward.value), _plain(reward.reason)
    table.add_row(_plain(f"reward {title}"), value, "", reason, style="bold")
    return table


def _run_table(recipe: Recipe, group: GroupStatistics) -> Table:
    table = _table("term", "mean", "spread", "note")
    for name, spread in group.components.items():
        spread_text = number(spread.std)
        table.add_row(_plain(name), number(spread.mean), spread_text, f"{spread.count} have one")
    table.add_section()
    note = f"{group.size} episodes, {group.num_masked} masked"
    title = _plain(f"reward {recipe.name} v{recipe.version}")
    table.add_row(title, number(group.total.mean), number(group.total.std), note, style="bold")
    return table


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index in (1, 2) else "left")
    return table


def _plain(text: str) -> Text:
    """Return text whose brackets are no markup: notes hold what a model wrote."""
    from rich.text import Text

    return Text(visible(text))
