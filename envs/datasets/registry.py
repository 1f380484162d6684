"""The data sets by name. A new set is a module with a ``DataSet`` and a line here."""

from __future__ import annotations

from pathlib import Path

from cadwright.envs.datasets.cadgenbench import CADGENBENCH
from cadwright.envs.datasets.cadprompt import CADPROMPT
from cadwright.envs.datasets.cadqueryeval import CADQUERYEVAL
from cadwright.envs.datasets.cadtestbench import CADTESTBENCH
from cadwright.envs.datasets.dataset import DataSet

DATASETS: dict[str, DataSet] = {
    dataset.name: dataset for dataset in (CADPROMPT, CADQUERYEVAL, CADGENBENCH, CADTESTBENCH)
}


def recognise(path: Path) -> str | None:
    """Return the name of the data set that ``path`` looks like, or None."""
    return next((name for name, dataset in DATASETS.items() if dataset.recognises(path)), None)
