"""What the script of a report does, in a real browser, from a file and without a network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from rows import failed, row, score
from test_report import make_run

from cadwright.agent.evaluation.report import write_report

pytestmark = pytest.mark.browser

ROWS = [
    row("a", score=score(0.2)),
    row("b", score=score(0.9)),
    failed("c"),
    failed("d", outcome="timeout"),
]


def play(folder: Path, script: str) -> object:
    """Open the report, run ``script`` in it and return what it returns."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium on this machine")
    make_run(folder, ROWS)
    write_report(folder)
    page = (folder / "report.html").read_text(encoding="utf-8")
    tail = f"<script>document.title = JSON.stringify((() => {{{script}}})());</script></body>"
    path = folder / "played.html"
    path.write_text(page.replace("</body>", tail), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    done = subprocess.run(
        [chromium, *flags, "--dump-dom", path.as_uri()], capture_output=True, text=True, check=True
    )
    found = re.search(r"<title>(.*?)</title>", done.stdout)
    assert found is not None
    return json.loads(found[1])


VISIBLE = "return rows.filter((r) => !r.hidden).map((r) => r.dataset.task.trim());"


def test_chip_filters_by_status(tmp_path: Path) -> None:
    click = "chips.find((c) => c.dataset.status === 'timeout').click();"
    assert play(tmp_path, click + VISIBLE) == ["d"]


def test_two_chips_show_both(tmp_path: Path) -> None:
    click = "chips.filter((c) => c.dataset.status !== 'ok').forEach((c) => c.click());"
    assert play(tmp_path, click + VISIBLE) == ["c", "d"]


def test_search_narrows_and_counts(tmp_path: Path) -> None:
    script = "search.value = 'PYTHON'; search.dispatchEvent(new Event('input'));"
    assert play(tmp_path, script + "return shown.textContent;") == "1 of 4 rows"


def test_first_click_on_a_number_puts_the_best_on_top_and_gaps_last(tmp_path: Path) -> None:
    script = "document.querySelector('th[data-key=iou]').click();"
    order = "return [...body.rows].map((r) => r.dataset.task.trim());"
    assert play(tmp_path, script + order) == ["b", "a", "c", "d"]


def test_second_click_turns_the_order_and_leaves_gaps_last(tmp_path: Path) -> None:
    script = "const h = document.querySelector('th[data-key=iou]'); h.click(); h.click();"
    order = "return [...body.rows].map((r) => r.dataset.task.trim());"
    assert play(tmp_path, script + order) == ["a", "b", "c", "d"]


def test_search_without_a_match_says_so(tmp_path: Path) -> None:
    script = "search.value = 'zzz'; search.dispatchEvent(new Event('input'));"
    assert play(tmp_path, script + "return empty.hidden;") is False
