from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import FakeRuntime, failing_score, make_task
from fake_run import many, run_fakes
from rows import broken, failed, row, score, unscorable

from cadwright.agent.evaluation.compare import read_runs, shared_figures, write_comparison
from cadwright.agent.evaluation.report import cards_of, histogram, status_of, write_report
from cadwright.agent.evaluation.rescore import rescore_rows
from cadwright.agent.evaluation.store import RunFolder, read_run, write_rescored
from cadwright.agent.evaluation.summary import summarise
from cadwright.tools.errors import UsageError

CONFIG = {"suite": "smoke", "policy": "expert", "num_episodes": 1, "version": "0"}


def make_run(folder: Path, rows: list[dict[str, Any]], **config: Any) -> Path:
    with RunFolder(folder, {**CONFIG, **config}) as store:
        for entry in rows:
            store.append(entry)
    return folder


class Tags(HTMLParser):
    """Collects addresses and the number of table rows."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.num_rows = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.num_rows += tag == "tr"
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]


def test_report_needs_nothing_from_outside(tmp_path: Path) -> None:
    run_fakes(tmp_path, many(3))
    write_report(tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(a.startswith(("data:", "episodes/")) for a in Tags(page).addresses)
    assert not re.search(r"https?://|@import|url\(", page)


def test_report_has_a_row_and_a_page_for_each_episode(tmp_path: Path) -> None:
    run_fakes(tmp_path, many(3))
    write_report(tmp_path)
    tags = Tags((tmp_path / "report.html").read_text(encoding="utf-8"))
    pages = [address for address in tags.addresses if address.startswith("episodes/")]
    assert tags.num_rows == 1 + 6
    assert all((tmp_path / page).is_file() for page in pages)
    assert len(pages) == 6


def test_report_holds_thumbnails_of_target_and_result(tmp_path: Path) -> None:
    run_fakes(tmp_path, {"a": {"": "good a"}})
    write_report(tmp_path)
    tags = Tags((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert sum(address.startswith("data:image/jpeg") for address in tags.addresses) == 2


def test_what_a_model_wrote_is_escaped(tmp_path: Path) -> None:
    make_run(tmp_path, [row("<script>alert(1)</script>", message="<b>'\"")])
    write_report(tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;b&gt;" in page


def test_half_a_surrogate_pair_does_not_stop_a_report(tmp_path: Path) -> None:
    make_run(tmp_path, [row("a", message="\ud800")])
    write_report(tmp_path)
    assert "\\ud800" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_report_of_an_empty_run_says_so(tmp_path: Path) -> None:
    make_run(tmp_path, [])
    assert write_report(tmp_path)["n"] == 0


@pytest.mark.parametrize(
    ("entry", "status"),
    [
        (row("a"), "ok"),
        (failed("a"), "python_error"),
        (broken("a"), "infra_error"),
        (unscorable("a"), "unscorable"),
    ],
    ids=["ok", "failed", "broken", "unscorable"],
)
def test_status_is_one_word(entry: dict[str, Any], status: str) -> None:
    assert status_of(entry) == status


def test_histogram_counts_every_scored_part() -> None:
    rows = [row(str(n), score=score(n / 10)) for n in range(11)]
    bins = histogram([*rows, failed("x"), unscorable("y")])
    assert sum(bins) == 11
    assert bins[-1] == 1


def test_equal_cards_are_shown_once() -> None:
    assert len(cards_of([row("a"), row("b"), failed("c")])) == 1


def test_comparison_is_over_what_the_runs_share(tmp_path: Path) -> None:
    first = make_run(tmp_path / "1", [row("a"), row("b", score=score(0.0))])
    second = make_run(tmp_path / "2", [row("a", score=score(0.5))], policy="random")
    runs = read_runs([first, second])
    assert [figures["n"] for figures in shared_figures(runs)] == [1, 1]
    write_comparison(runs, tmp_path / "c.html")
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "-0.500" in page


def test_runs_that_were_measured_otherwise_are_refused_by_field(tmp_path: Path) -> None:
    other = score(1.0)
    other["card"]["num_points"] = 99
    first = make_run(tmp_path / "1", [row("a")])
    second = make_run(tmp_path / "2", [row("a", score=other)])
    with pytest.raises(UsageError, match=r"task a: .*'num_points'"):
        read_runs([first, second])


def test_runs_without_a_common_task_are_refused(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / "1", [row("a")]), make_run(tmp_path / "2", [row("b")])]
    with pytest.raises(UsageError, match="nothing to compare"):
        read_runs(runs)


def test_runs_of_one_policy_are_told_apart(tmp_path: Path) -> None:
    runs = read_runs([make_run(tmp_path / name, [row("a")]) for name in ("one", "two")])
    assert [run.label for run in runs] == ["expert (one)", "expert (two)"]


def test_parts_are_scored_again_without_running_anything(tmp_path: Path) -> None:
    programs = {"a": {"": "good a"}, "b": {"": "bad"}}
    rows = run_fakes(tmp_path, programs, open_runtime=lambda: FakeRuntime(failing_score))
    assert summarise(rows)["infra_errors"] == 2
    tasks = {name: make_task(name) for name in programs}
    renewed = list(rescore_rows(rows, tasks, FakeRuntime(), tmp_path))  # type: ignore[arg-type]
    write_rescored(tmp_path, renewed)
    figures = summarise(read_run(tmp_path)[1])
    assert figures["infra_errors"] == 0
    assert figures["iou"]["mean_all"] == 0.5


def test_episode_that_broke_before_its_part_is_not_scored_again(tmp_path: Path) -> None:
    rows = run_fakes(tmp_path, {"a": {"": "crash"}})
    tasks = {"a": make_task("a")}
    assert not list(rescore_rows(rows, tasks, FakeRuntime(), tmp_path))  # type: ignore[arg-type]
