from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rows import row

from cadwright.agent.evaluation.store import RESULTS, RunFolder, read_run, write_rescored
from cadwright.tools.errors import UsageError

CONFIG = {"suite": "smoke", "policy": "expert", "seed": 0, "num_episodes": 2}


def test_rows_survive_reopening(tmp_path: Path) -> None:
    with RunFolder(tmp_path, CONFIG) as store:
        store.append(row("a"))
    with RunFolder(tmp_path, CONFIG) as store:
        store.append(row("b"))
        assert [r["task"] for r in store.rows()] == ["a", "b"]


@pytest.mark.parametrize("cut", [1, 10, 200])
def test_torn_last_line_is_repaired_before_the_next_row(tmp_path: Path, cut: int) -> None:
    with RunFolder(tmp_path, CONFIG) as store:
        store.append(row("a"))
        store.append(row("b"))
    path = tmp_path / RESULTS
    path.write_bytes(path.read_bytes()[:-cut])
    with RunFolder(tmp_path, CONFIG) as store:
        store.append(row("c"))
    assert [json.loads(line)["task"] for line in path.read_text().splitlines()] == ["a", "c"]


def test_other_settings_are_refused_by_name(tmp_path: Path) -> None:
    with RunFolder(tmp_path, CONFIG):
        pass
    with pytest.raises(UsageError, match="seed was 0 and is now 1"):
        RunFolder(tmp_path, {**CONFIG, "seed": 1})


def test_second_writer_is_refused(tmp_path: Path) -> None:
    with RunFolder(tmp_path, CONFIG), pytest.raises(UsageError, match="another evaluation"):
        RunFolder(tmp_path, CONFIG)


def test_lock_is_free_after_a_refusal(tmp_path: Path) -> None:
    with RunFolder(tmp_path, CONFIG):
        pass
    with pytest.raises(UsageError):
        RunFolder(tmp_path, {**CONFIG, "seed": 1})
    with RunFolder(tmp_path, CONFIG):
        pass


def test_new_scores_leave_the_first_rows_as_they_were(tmp_path: Path) -> None:
    with RunFolder(tmp_path, CONFIG) as store:
        store.append(row("a", message="first"))
    before = (tmp_path / RESULTS).read_bytes()
    write_rescored(tmp_path, [row("a", message="second")])
    assert (tmp_path / RESULTS).read_bytes() == before
    assert read_run(tmp_path)[1][0]["message"] == "second"


def test_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run here"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    "damage",
    ["garbage", "[1]", "{", '{"seconds": 1e999}', '{"seconds": NaN}', "[" * 100_000],
    ids=["text", "list", "torn", "infinite", "no number", "deep"],
)
def test_a_damaged_line_is_named(tmp_path: Path, damage: str) -> None:
    with RunFolder(tmp_path, CONFIG) as store:
        store.append(row("a"))
    with (tmp_path / RESULTS).open("a") as file:
        file.write(damage + "\n")
    with pytest.raises(UsageError, match=r"results\.jsonl:2: damaged"):
        read_run(tmp_path)


def test_a_damaged_run_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(UsageError, match=r"run\.json: damaged"):
        read_run(tmp_path)
    with pytest.raises(UsageError, match=r"run\.json: damaged"):
        RunFolder(tmp_path, CONFIG)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"task": ...}, "task is missing"),
        ({"attempt": "1"}, "attempt must be a whole number, not '1'"),
        ({"is_final": 1}, "is_final must be true or false, not 1"),
        ({"score": {"value": 1.0}}, "score.verdict is missing"),
        ({"score": 1.0}, "score must be an object or null, not 1.0"),
        ({"fault": {}}, "fault.area is missing"),
        ({"episode": "../../elsewhere"}, "'../../elsewhere' lies outside the run"),
        ({"episode": "/elsewhere"}, "'/elsewhere' lies outside the run"),
    ],
)
def test_a_line_that_is_no_row_is_named_with_its_field(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    damaged = {key: value for key, value in (row("a") | changes).items() if value is not ...}
    with RunFolder(tmp_path, CONFIG) as store:
        store.append(row("a"))
        store.append(damaged)
    with pytest.raises(UsageError, match=rf"results\.jsonl:2: damaged \(.*{re.escape(said)}"):
        read_run(tmp_path)


def test_a_record_of_another_kind_is_no_row(tmp_path: Path) -> None:
    with RunFolder(tmp_path, CONFIG):
        pass
    (tmp_path / RESULTS).write_text('{"kind": "something else"}\n')
    with pytest.raises(UsageError, match=r"results\.jsonl:1: damaged \(task is missing\)"):
        read_run(tmp_path)


def test_a_run_file_without_its_suite_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(UsageError, match=r"run\.json: damaged \(suite is missing\)"):
        read_run(tmp_path)
