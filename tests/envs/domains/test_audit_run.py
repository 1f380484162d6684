"""An audit sums up its tasks and goes on where it stopped."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cadwright.envs.domains import audit_run
from cadwright.envs.domains.audit import DomainAudit, TaskAudit, of_domain
from cadwright.envs.domains.page import domains_page, rows_of
from cadwright.envs.domains.registry import domains, matching
from cadwright.tools.errors import InfraError

PAGE = Path(__file__).parents[3] / "docs" / "domains.md"


def row(difficulty=1, features=5, **scores):
    return TaskAudit(f"d/{difficulty}-0", "d", difficulty, features, **scores)


class FakeAuditor:
    """Finds nothing wrong with any task, and counts them."""

    seen = 0

    def __init__(self, runtime):
        del runtime

    def task(self, task):
        type(self).seen += 1
        return TaskAudit(task.id, task.domain, task.difficulty, task.difficulty, gold=1.0, box=0.5)


@pytest.fixture
def fake(monkeypatch):
    FakeAuditor.seen = 0
    monkeypatch.setattr(audit_run, "Auditor", FakeAuditor)
    return FakeAuditor


def lever():
    return matching("cad.*.*.lever")


def test_a_record_reads_back():
    one = row(gold=1.0, faults=("gold_score: 0.9",))
    assert TaskAudit.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_means_leave_out_what_has_no_score():
    audit = of_domain("d", (row(box=0.2), row(box=0.4), row()))
    assert audit.mean("box") == pytest.approx(0.3)
    assert audit.mean("unchanged") is None


@pytest.mark.parametrize("name", ["box", "unchanged"])
def test_a_domain_that_a_naive_answer_wins_is_at_fault(name):
    (fault,) = of_domain("d", (row(**{name: 0.95}),)).faults
    assert fault.startswith(f"{name}_wins")


def test_a_domain_whose_difficulty_does_not_rise_is_at_fault():
    flat = tuple(row(difficulty=level, features=5) for level in range(1, 6))
    (fault,) = of_domain("d", flat).faults
    assert fault.startswith("difficulty_flat")


def test_a_domain_whose_difficulty_rises_is_not():
    rising = tuple(row(difficulty=level, features=level) for level in range(1, 6))
    assert of_domain("d", rising).faults == ()


def test_faults_of_tasks_count():
    assert of_domain("d", (row(faults=("a: b", "c: d")),)).num_faults == 2


def test_an_audit_covers_every_seed_at_every_difficulty(fake):
    audits = audit_run.audit(lever(), samples=2)
    assert {len(one.tasks) for one in audits} == {10}
    assert [one.domain for one in audits] == [domain.id for domain in lever()]


def test_a_second_run_over_the_same_folder_audits_nothing(fake, tmp_path):
    first = audit_run.audit(lever(), samples=1, out=tmp_path)
    num_seen = fake.seen
    assert audit_run.audit(lever(), samples=1, out=tmp_path) == first
    assert fake.seen == num_seen


def test_a_run_with_other_tasks_audits_again(fake, tmp_path):
    audit_run.audit(lever(), samples=1, out=tmp_path)
    num_seen = fake.seen
    audit_run.audit(lever(), samples=2, out=tmp_path)
    assert fake.seen == 3 * num_seen


def test_a_task_that_our_machinery_failed_at_once_is_tried_again(monkeypatch):
    class Stumbling(FakeAuditor):
        def task(self, task):
            if super().task(task) and self.seen == 1:
                raise InfraError("the browser died")
            return super().task(task)

    Stumbling.seen = 0
    monkeypatch.setattr(audit_run, "Auditor", Stumbling)
    assert sum(one.num_faults for one in audit_run.audit(lever()[:1], samples=1)) == 0


def test_what_our_machinery_failed_at_is_audited_again_by_a_later_run(fake, tmp_path, monkeypatch):
    class Failing(FakeAuditor):
        def task(self, task):
            raise InfraError("the browser died")

    monkeypatch.setattr(audit_run, "Auditor", Failing)
    (failed,) = audit_run.audit(lever()[:1], samples=1, out=tmp_path)
    monkeypatch.setattr(audit_run, "Auditor", fake)
    (done,) = audit_run.audit(lever()[:1], samples=1, out=tmp_path)
    assert (failed.num_faults, done.num_faults) == (5, 0)


def test_what_a_folder_holds_can_be_shown_without_auditing(fake, tmp_path):
    first = audit_run.audit(lever(), samples=1, out=tmp_path)
    num_seen = fake.seen
    assert audit_run.recall(lever(), tmp_path) == first
    assert fake.seen == num_seen


def test_a_folder_that_holds_nothing_shows_domains_without_tasks(tmp_path):
    assert {len(one.tasks) for one in audit_run.recall(lever(), tmp_path)} == {0}


def test_units_are_families():
    names = {unit.name for unit in audit_run.units_of(domains())}
    assert names == {f"{domain.env}.{domain.family}" for domain in domains()}


def test_the_page_counts_every_domain_once():
    assert sum(line.count for line in rows_of(domains())) == len(domains())


def test_the_page_in_the_docs_has_the_domains_of_today():
    text = PAGE.read_text("utf-8")
    counts = re.findall(r"^\| (\w+) \| (\w+) \| (\w+) \| (\d+) \|", text, re.MULTILINE)
    today = [(r.env, r.operation, r.modality, str(r.count)) for r in rows_of(domains())]
    again = "write it again: cadwright tasks lint --all --samples 5 --table docs/domains.md"
    assert counts == today, again
    assert f"## {len(domains())} domains" in text, again


def test_a_whole_audit_leaves_no_row_of_the_page_without_its_gold():
    audits = [DomainAudit(one.id, (row(gold=1.0),)) for one in domains()]
    page = domains_page(audits)
    lines = [line for one in rows_of(domains()) for line in page.splitlines() if one.cells in line]
    assert len(lines) == len(rows_of(domains()))
    assert {line.split("|")[5].strip() for line in lines} == {"1.000"}


def test_the_page_shows_the_scores_of_an_audit():
    one = DomainAudit("cad.create.text.lever", (row(gold=1.0, box=0.25),))
    line = next(
        x for x in domains_page([one]).splitlines() if x.startswith("| cad | create | text")
    )
    assert line.endswith("| 1.000 | 0.25 (up to 0.25) | – |")


def test_there_are_hundreds_of_domains():
    assert len(domains()) >= 200


def test_the_longest_families_have_the_first_turns_beside_pages():
    units = audit_run.units_of(matching("*"))
    ordered = audit_run._ordered(units)
    assert sorted(unit.name for unit in ordered) == [unit.name for unit in units]
    weights = [unit.weight for unit in ordered if unit.env != "browser"]
    assert weights == sorted(weights, reverse=True)
    assert {unit.env == "browser" for unit in ordered[:2]} == {True, False}


def test_more_families_are_audited_at_once_than_there_are_processors(monkeypatch):
    monkeypatch.setattr(audit_run.os, "sched_getaffinity", lambda _: {0, 1})
    assert audit_run.default_workers() == 3
