"""``cadwright replay``: run an episode again and prove that it gives the same."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from cadwright.agent.cli.common import JsonOption, Output, QuietOption, path_of
from cadwright.tools.errors import TaskError, UsageError


def replay_episode(
    episode: Annotated[Path, typer.Argument(metavar="EPISODE", help="An episode folder.")],
    suite: Annotated[
        str | None,
        typer.Option("--suite", metavar="SUITE", help="Where its task is, if it has moved."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", parser=path_of, metavar="DIR", help="Keep the new episode here."
        ),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Run the recorded actions again and compare texts, pictures, outcomes, part and score.

    The exit code is 0 where all is equal and 1 where anything differs.
    """
    from cadwright.agent.cli.tables import checks_table
    from cadwright.agent.replay import recorded_backend, replay
    from cadwright.agent.trajectory import read_trajectory
    from cadwright.envs.runtime import Runtime
    from cadwright.envs.suites import load_tasks

    output = Output(as_json=as_json, quiet=quiet)
    before = read_trajectory(episode)
    header = before.header
    spec = suite or header["suite"]
    if not spec:
        raise UsageError(f"{episode} does not say where its task came from: give --suite")
    try:
        (task,) = load_tasks(spec, ids=[header["task"]["id"]]).tasks
    except TaskError as error:
        if suite is not None:
            raise
        raise UsageError(f"{error}; where the task is now, --suite says") from error
    opened = Runtime.open(backend=recorded_backend(before))
    with opened as runtime, tempfile.TemporaryDirectory() as scratch:
        checks = replay(episode, task, runtime, out or Path(scratch) / "episode")
    output.text.print(checks_table(checks))
    is_same = all(check.is_equal for check in checks)
    output.finish(
        {
            "equal": is_same,
            "checks": [
                {"name": c.name, "compared": c.num_compared, "difference": c.difference}
                for c in checks
            ],
        }
    )
    return 0 if is_same else 1
