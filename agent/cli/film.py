"""``cadwright film``: an episode as moving pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cadwright.agent.cli.common import JsonOption, Output, QuietOption


def film_episode(
    episode: Annotated[Path, typer.Argument(metavar="EPISODE", help="An episode folder.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="A .gif, .png or .webp; EPISODE/film.webp."
        ),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Make a film of the pictures of an episode, with the call that led to each."""
    from cadwright.agent.film import save_film
    from cadwright.agent.trajectory import read_trajectory

    output = Output(as_json=as_json, quiet=quiet)
    target = out or episode / "film.webp"
    with output.progress.status("drawing"):
        num_frames = save_film(read_trajectory(episode), target)
    output.line(f"{num_frames} frames in {target}")
    output.finish({"frames": num_frames, "file": str(target)})
    return 0
