"""The heat map of ``cadwright eval long-spec``, in the terminal and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadwright.agent.cli.common import why_refused

if TYPE_CHECKING:
    from rich.table import Table

    from cadwright.agent.cli.common import Output
    from cadwright.agent.evaluation.longspec import Cell, HeatMap


def show_long(folders: Sequence[Path], output: Output, page: Path | None = None) -> dict[str, Any]:
    """Show success against length and depth where the tasks of the runs have them.

    Args:
        folders: Of the runs, one for each policy.
        output: Where to.
        page: Of the report; in the only folder where it is None.

    Returns:
        ``long`` with the cells of each run, or nothing where no task has a length and a depth.
    """
    from cadwright.agent.evaluation.longspec import PAGE, heat_map, write_long_report
    from cadwright.agent.evaluation.store import read_run

    runs = []
    for folder in folders:
        config, rows = read_run(folder)
        map_ = heat_map(config["policy"], rows)
        if map_ is not None:
            runs.append((map_, rows, folder))
            output.text.print(heat_table(map_))
    if not runs:
        return {}
    path = page or folders[0] / PAGE
    try:
        write_long_report(path, runs)
        output.line(f"long specifications: {path}")
    except OSError as error:
        output.complain(f"no heat map was written: {why_refused(error)}")
    return {"long": [map_.to_json() for map_, _, _ in runs]}


def heat_table(map_: HeatMap) -> Table:
    """Return a heat map as a table of coloured cells."""
    from rich.table import Table
    from rich.text import Text

    from cadwright.agent.evaluation.longspec import SUCCESS_SCORE, tokens_text

    title = f"{map_.label}: share of parts that score {SUCCESS_SCORE} or more"
    table = Table(title=Text(title), caption="tokens to the right, depth downwards", box=None)
    table.add_column("depth", justify="right", style="dim")
    for length in map_.lengths:
        table.add_column(tokens_text(length), justify="center", header_style="dim")
    for row, depth in enumerate(map_.depths):
        cells = [map_.cells.get((column, row)) for column in range(len(map_.lengths))]
        table.add_row(f"{depth:.0%}", *map(_cell_text, cells))
    return table


def _cell_text(cell: Cell | None) -> Any:
    from rich.text import Text

    from cadwright.agent.evaluation.longspec import colour_of

    if cell is None:
        return Text("·", style="dim")
    rgb, is_dark = colour_of(cell.share)
    ink = "white" if is_dark else "black"
    shown = f" {cell.share:>4.0%} {f'{cell.successes}/{cell.total}':>5} "
    return Text(shown, style=f"{ink} on rgb({rgb[0]},{rgb[1]},{rgb[2]})")
