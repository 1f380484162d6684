"""Rows as an evaluation writes them, for tests that need no evaluation."""

from __future__ import annotations

from typing import Any

from agent_fakes import CARD

from cadwright.rewards.score import Score, Term, Verdict


def score(iou: float | None, verdict: Verdict = Verdict.SCORED) -> dict[str, Any]:
    masked = verdict in (Verdict.UNSCORABLE, Verdict.INFRA_ERROR)
    terms = () if iou is None else (Term("iou", 1.0, iou, "ratio", iou),)
    value = None if masked else iou or 0.0
    return Score(value, verdict, f"because {verdict}", terms, CARD).to_json()


def row(task: str = "box", **changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "task": task,
        "variant": "",
        "policy": "fake",
        "seed": 0,
        "outcome": "ok",
        "end_reason": "submitted",
        "message": "",
        "turns": 2,
        "calls": 2,
        "score": score(1.0),
        "part_digest": "abc",
        "files": {},
        "fault": None,
        "seconds": 1.0,
        "attempt": 1,
        "is_final": True,
        "episode": f"episodes/{task}",
        "target": None,
        "session": "one",
        "elapsed_s": 1.0,
    }
    return {**values, **changes}


def failed(task: str, outcome: str = "python_error") -> dict[str, Any]:
    return row(task, outcome=outcome, score=score(None, Verdict.INVALID))


def broken(task: str, **changes: Any) -> dict[str, Any]:
    fault = {"area": "tool", "error": "WorkerCrash", "message": "died"}
    return row(task, outcome="infra_error", score=None, fault=fault, **changes)


def unscorable(task: str) -> dict[str, Any]:
    return row(task, score=score(None, Verdict.UNSCORABLE))
