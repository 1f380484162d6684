from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from agent_fakes import make_task
from fake_run import run_fakes
from rich.console import Console

from cadwright.agent.cli.common import Output
from cadwright.agent.cli.longspec import heat_table, show_long
from cadwright.agent.evaluation.longspec import (
    HeatMap,
    colour_of,
    heat_map,
    svg,
    tokens_text,
)
from cadwright.agent.evaluation.plan import scenario_of
from cadwright.agent.evaluation.store import RunFolder
from cadwright.agent.evaluation.summary import summarise


def row(tokens: int, depth: float, value: float | None, number: int = 1) -> dict[str, Any]:
    score = {"verdict": "scored", "value": value, "reason": "", "terms": [], "card": None}
    context = {
        "turns": 2, "tokens_sent": 900, "tokens_full": 1000, "images_sent": 3, "images_full": 5,
        "images_scaled": 1, "texts_cut": 0,
    }  # fmt: skip
    return {
        "task": f"spec-{tokens}-{depth}-{number}", "variant": "", "policy": "p", "seed": 0,
        "outcome": "ok" if value is not None else "infra_error", "end_reason": "submitted",
        "message": "", "turns": 2, "calls": 2, "score": score if value is not None else None,
        "part_digest": "", "files": {}, "fault": None, "seconds": 1.0, "attempt": 1,
        "episode": "episodes/x", "is_final": True, "session": "s", "elapsed_s": 1.0,
        "long": {"tokens": tokens, "depth": depth}, "context": context, "target": None,
    }  # fmt: skip


def grid() -> list[dict[str, Any]]:
    return [
        row(tokens, depth, 1.0 if tokens * depth < 4000 else 0.3, number)
        for tokens in (1000, 4000, 16000)
        for depth in (0.0, 0.5, 1.0)
        for number in (1, 2)
    ]


def a_map(rows: list[dict[str, Any]]) -> HeatMap:
    map_ = heat_map("p", rows)
    assert map_ is not None
    return map_


def test_each_cell_holds_the_share_of_its_episodes() -> None:
    map_ = a_map([*grid(), row(1000, 0.0, 0.2, 3)])
    assert map_.lengths == (1000, 4000, 16000)
    assert map_.depths == (0.0, 0.5, 1.0)
    assert map_.cells[0, 0].share == pytest.approx(2 / 3)
    assert map_.cells[2, 2].share == 0.0
    assert sum(cell.total for cell in map_.cells.values()) == 19


def test_our_own_failures_are_left_out_and_counted() -> None:
    map_ = a_map([*grid(), row(1000, 0.0, None, 9)])
    assert map_.num_masked == 1
    assert map_.cells[0, 0].total == 2


def test_a_run_without_lengths_has_no_map() -> None:
    plain = [{key: value for key, value in one.items() if key != "long"} for one in grid()]
    assert heat_map("p", plain) is None


def test_many_lengths_and_depths_share_bins_and_lose_no_episode() -> None:
    rows = [row(500 + 37 * n, n / 99, 1.0, n) for n in range(100)]
    map_ = a_map(rows)
    assert map_.lengths == (256, 512, 1024, 2048, 4096)[-len(map_.lengths) :]
    assert map_.depths == (0.1, 0.3, 0.5, 0.7, 0.9)
    assert sum(cell.total for cell in map_.cells.values()) == 100


def test_the_picture_is_valid_and_shows_every_cell() -> None:
    tree = ElementTree.fromstring(svg(a_map(grid())))
    squares = [one for one in tree.iter() if one.tag.endswith("rect")]
    assert len(squares) == 9
    texts = [one.text for one in tree.iter() if one.tag.endswith("text")]
    assert {"100%", "0%", "1k", "4k", "16k", "2/2", "50%"} <= set(texts)


def test_a_cell_that_nobody_ran_is_empty() -> None:
    rows = [one for one in grid() if (one["long"]["tokens"], one["long"]["depth"]) != (4000, 0.5)]
    assert (1, 1) not in a_map(rows).cells
    assert "stroke-dasharray" in svg(a_map(rows))


@pytest.mark.parametrize(
    ("count", "text"), [(500, "500"), (1000, "1k"), (1500, "1.5k"), (128_000, "128k"), (2e6, "2M")]
)
def test_tokens_in_short(count: float, text: str) -> None:
    assert tokens_text(count) == text


def test_colours_go_one_way() -> None:
    greens = [colour_of(share / 10)[0][1] for share in range(11)]
    assert greens == sorted(greens, reverse=True)


def test_the_terminal_shows_the_map() -> None:
    console = Console(width=100, record=True, file=None)
    with console.capture() as captured:
        console.print(heat_table(a_map(grid())))
    assert "16k" in captured.get()
    assert "100%" in captured.get()


def test_the_page_sets_policies_side_by_side_with_what_they_sent(tmp_path: Path) -> None:
    folders = []
    for name in ("one", "two"):
        config = {"policy": name, "suite": "long-spec"}
        with RunFolder(tmp_path / name, config) as store:
            for one in grid():
                store.append(one)
        folders.append(tmp_path / name)
    found = show_long(folders, Output(quiet=True), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert [one["policy"] for one in found["long"]] == ["one", "two"]
    assert '<td class="num">900</td><td class="num">100</td>' in page
    assert (tmp_path / "two/episodes/x/index.html").as_uri() in page


def test_a_plain_run_shows_nothing(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", {"policy": "p", "suite": "s"}):
        pass
    assert show_long([tmp_path / "run"], Output(quiet=True)) == {}
    assert not (tmp_path / "run/long-spec.html").exists()


@pytest.mark.parametrize(
    "meta",
    [{"long": {"tokens": 4000, "depth": 0.5}}, {"num_tokens": 4000, "depth": 0.5}],
    ids=["nested", "generated"],
)
def test_rows_carry_length_and_depth_of_their_task(tmp_path: Path, meta: dict[str, Any]) -> None:
    task = make_task("deep", meta=meta)
    rows = run_fakes(tmp_path / "run", {"deep": {"": "good deep"}}, tasks=[task, make_task("flat")])
    assert [row.get("long") for row in rows] == [{"tokens": 4000, "depth": 0.5}]


@pytest.mark.parametrize("workers", [1, 4])
def test_tier_auto_knows_a_suite_of_long_specifications(workers: int) -> None:
    long = make_task("a", meta={"num_tokens": 4000, "depth": 0.5})
    assert scenario_of([long, long], workers) == "long"
    plain = "batch" if workers > 1 else "interactive"
    assert scenario_of([long, make_task("b")], workers) == plain


def test_the_bill_runs_over_all_attempts() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 1, "cost": 0.25, "attempts": 2}
    broken = {**row(1000, 0.0, None), "is_final": False, "usage": usage}
    fine = {**row(1000, 0.0, 1.0), "attempt": 2, "usage": usage}
    total = summarise([broken, fine])["usage"]
    assert total == {"prompt_tokens": 20, "completion_tokens": 2, "cost": 0.5, "attempts": 4}


def test_a_bill_without_prices_has_no_cost() -> None:
    usage = {"prompt_tokens": 10, "cost": None}
    found = summarise([{**row(1000, 0.0, 1.0), "usage": usage}])
    assert found["usage"] == {"prompt_tokens": 10, "cost": None}
    assert summarise([row(1000, 0.0, 1.0)])["usage"] is None
