"""``cadwright run``: one episode, live."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cadwright.agent.cli.common import (
    BackendOption,
    JsonOption,
    OutOption,
    Output,
    PolicyOption,
    QuietOption,
    RecipeOption,
    SeedOption,
    StrictOption,
    TierOption,
    TimeLimitOption,
    absolute_spec,
    one_task,
    slug,
)
from cadwright.tools.errors import UsageError

if TYPE_CHECKING:
    from cadwright.agent.episode_result import EpisodeResult

PATIENCE_S = 24 * 3600.0  # of an episode with a person in it, where no limit is given

TaskArgument = Annotated[
    str,
    typer.Argument(metavar="TASK", help="A task: demo, FILE.yaml, SUITE#ID, cadprompt:PATH#ID."),
]


StepOption = Annotated[
    bool,
    typer.Option("--step", help="Look at each turn first: approve, edit, skip, take over, quit."),
]


def run(
    task: TaskArgument,
    policy: PolicyOption = "tiny",
    tier: TierOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
    time_limit: TimeLimitOption = None,
    backend: BackendOption = "auto",
    strict: StrictOption = False,
    recipe: RecipeOption = None,
    step: StepOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Run one episode and watch it: what the policy does, what it sees, what it scores.

    The episode folder holds the trajectory, every picture, the part (BREP, STL, STEP), its view
    sheet and the score. `cadwright replay` runs it again.
    """
    from cadwright.agent.cli.live import LiveView
    from cadwright.agent.cli.rewards import show_reward
    from cadwright.agent.episode import run_episode
    from cadwright.agent.evaluation.report import write_episode_page
    from cadwright.agent.evaluation.worker import Settings
    from cadwright.agent.models.options import with_tier
    from cadwright.agent.policies import make_policy
    from cadwright.agent.policies.desk import TerminalDesk
    from cadwright.agent.policies.policy import visible_to
    from cadwright.agent.policies.stepped import SteppedPolicy
    from cadwright.agent.rewarding import reward_of
    from cadwright.envs.runtime import Runtime
    from cadwright.rewards.recipes import load_recipe

    output = Output(as_json=as_json, quiet=quiet)
    composition = None if recipe is None else load_recipe(recipe)
    chosen = one_task(task, output.remark)
    decider = make_policy(with_tier(policy, tier, scenario="interactive"))
    output.remarks_on(decider)
    is_manned = step or decider.name == "human"
    if step and decider.name != "human":  # who decides each turn has nothing to approve
        decider = SteppedPolicy(decider, TerminalDesk())
    folder = free_folder(out or Path("runs") / slug(chosen.id))
    patience_s = PATIENCE_S if is_manned and time_limit is None else time_limit
    limited = Settings(folder, time_limit_s=patience_s).limited(chosen)
    variants = decider.variants(visible_to(decider, chosen)) or ("",)
    with (
        _told_where(output, folder),
        Runtime.open(backend=backend, is_strict=strict) as runtime,
    ):
        result = run_episode(
            limited,
            decider,
            runtime,
            folder,
            seed=seed,
            variant=variants[0],
            suite=absolute_spec(task),
            on_event=LiveView(output.text, folder),
        )
        reward = None
        if composition is not None:
            reward = reward_of(folder, composition, runtime=runtime, task=limited)
    page = write_episode_page(folder)
    show_result(output, result, page)
    data = result_json(result)
    if reward is not None:
        show_reward(output, reward)
        data["reward"] = reward.to_json()
    output.finish(data)
    return exit_code(result)


@contextmanager
def _told_where(output: Output, folder: Path) -> Iterator[None]:
    """Say where the record of an interrupted episode is: it is as complete as any other."""
    from cadwright.agent.evaluation.report import write_episode_page

    try:
        yield
    except KeyboardInterrupt:
        if write_episode_page(folder) is not None:
            output.remark(f"interrupted; the record is complete: {folder}")
        raise


def exit_code(result: EpisodeResult) -> int:
    """Return 1 for a fault of our own, 2 for a policy that cannot play this task."""
    if result.fault is None:
        return 0
    return 2 if result.fault.error == UsageError.__name__ else 1


def result_json(result: EpisodeResult) -> dict[str, object]:
    """Return what ``run --json`` prints."""
    return {
        "outcome": result.outcome.value,
        "end_reason": result.end_reason.value,
        "message": result.message,
        "turns": result.turns,
        "score": result.score.to_json() if result.score is not None else None,
        "out": str(result.folder),
    }


def show_result(output: Output, result: EpisodeResult, page: Path | None) -> None:
    """Print score and files."""
    from cadwright.agent.cli.tables import bill, score_table
    from cadwright.envs.core import EndReason

    if result.score is not None:
        output.text.print(score_table(result.score.to_json()))
    if text := bill(result.to_json()):
        output.line(text)
    if result.fault is not None:
        output.complain(f"broken: {result.message}")
    elif result.end_reason is EndReason.CONTEXT_LIMIT:
        output.line(result.message, style="yellow")
    files = {**result.files, "trajectory": "trajectory.jsonl"}
    if page is not None:
        files["page"] = page.name
    for role, name in files.items():
        output.line(f"{role:>10}  {result.folder / name}")


def free_folder(wanted: Path) -> Path:
    """Return ``wanted``, or beside it the first of ``wanted-2``, ... that holds no episode."""
    from cadwright.agent.trajectory import FILE_NAME

    folder, number = wanted, 1
    while (folder / FILE_NAME).exists():
        number += 1
        folder = wanted.with_name(f"{wanted.name}-{number}")
    return folder
