"""``cadwright train``: train the embedded policy from scratch, and examine it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cadwright.tools.errors import DependencyError, UsageError

app = typer.Typer(help="Train and examine the embedded policy.", no_args_is_help=True)
sft_app = typer.Typer(help="Supervised training.", no_args_is_help=True)
app.add_typer(sft_app, name="sft")

RunOption = Annotated[
    Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the run: data, checkpoints.")
]
ThreadsOption = Annotated[
    int, typer.Option("--threads", metavar="N", min=1, help="Processor cores to use.")
]


@sft_app.command("tiny")
def sft_tiny(
    out: RunOption = Path("runs/tiny"),
    minutes: Annotated[
        float | None,
        typer.Option("--minutes", min=0.1, help="Time budget of the training itself."),
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="Steps of a batch.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0)] = None,
    sheets: Annotated[
        int | None, typer.Option("--sheets", min=400, help="Parts to learn from.")
    ] = None,
    threads: ThreadsOption = 2,
) -> None:
    """Make the data, train, and write a model folder that hf:DIR/model loads.

    Two runs: the first learns to read and to model, the second to look at its results and to
    correct its own mistakes. DIR/single is the model after the first. Stop it any time: the same
    command goes on where it was.
    """
    torch = _torch()
    from cadwright.agent.training.export import export_run
    from cadwright.agent.training.mistakes import make_mistakes
    from cadwright.agent.training.tiny import make_data, train

    torch.set_num_threads(threads)
    recipe = load_recipe()
    if seed is not None:
        recipe["seed"] = seed
    if steps is not None:
        recipe["training"]["steps"] = steps
    if sheets is not None:
        recipe["data"]["sheets"] = sheets
    make_data(recipe, out, processes=threads)
    first, second = (None, None) if minutes is None else (0.65 * minutes, 0.35 * minutes)
    train(recipe, out, out / "first", minutes=first)
    export_run(recipe, out / "first", out / "single")
    make_mistakes(recipe, out, out / "first", processes=threads)
    corrections = correction_recipe(recipe)
    train(corrections, out, out / "second", minutes=second, start=out / "first")
    export_run(recipe, out / "second", out / "model", tokenizer_of=out / "first")
    typer.echo(f"{out / 'model'}: run it with --policy hf:{out / 'model'}")


@app.command("examine")
def examine_tiny(
    folder: Annotated[Path, typer.Argument(metavar="MODEL", help="Folder of the model.")],
    data: Annotated[
        Path, typer.Option("--data", metavar="DIR", help="Folder of the run that holds the data.")
    ] = Path("runs/tiny"),
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="JSON file of the rows.")
    ] = None,
    threads: ThreadsOption = 2,
) -> None:
    """Put a thousand held-out parts and as many traps to the policy and print a table."""
    _torch().set_num_threads(threads)
    from cadwright.agent.training.examine import examine, misses, save_rows, table

    rows = examine(folder, data)
    if out is not None:
        save_rows(rows, out)
    typer.echo(table(rows))
    for line in misses(rows):
        typer.echo(f"missed: {line}")


def load_recipe() -> dict[str, Any]:
    """Return the recipe of the embedded policy."""
    import yaml

    from cadwright import assets

    recipe = yaml.safe_load(assets.path("training/tiny.yaml").read_text(encoding="utf-8"))
    if not isinstance(recipe, Mapping):
        raise UsageError("assets/training/tiny.yaml holds no mapping")
    return dict(recipe)


def correction_recipe(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return the recipe of the second run, which learns to look at results."""
    changed = recipe["correction"]
    return {
        **recipe,
        "seed": recipe["seed"] + 1000,
        "mix": {**recipe["mix"], **changed["mix"]},
        "training": {**recipe["training"], **changed["training"]},
    }


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise DependencyError(
            "torch is not installed; run: pip install 'cadwright[agent]'"
        ) from error
    return torch
