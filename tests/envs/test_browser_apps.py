"""Real third-party applications, worked through their own interface and judged by their export."""

from __future__ import annotations

import pytest

from cadwright.agent.episode import run_episode
from cadwright.agent.policies.expert import ExpertPolicy
from cadwright.envs.runtime import Runtime
from cadwright.envs.suites import load_tasks
from cadwright.tools.browsing.app import make_app
from cadwright.tools.browsing.app_jscad import package
from cadwright.tools.browsing.app_jupytercad import jupyter
from cadwright.tools.errors import DependencyError, UsageError

INSTALLED = {"jupytercad": jupyter, "jscad": package}
SOLVED = {"browser-apps/jupytercad-box": "jupytercad", "browser-apps/jscad-wider": "jscad"}


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize(("task_id", "app"), SOLVED.items(), ids=SOLVED.values())
def test_a_task_is_solved_through_the_interface(task_id, app, tmp_path):
    try:
        INSTALLED[app]()
    except DependencyError as error:
        pytest.skip(str(error))
    (task,) = load_tasks("browser-apps", ids=[task_id]).tasks
    with Runtime.open() as runtime:
        result = run_episode(task, ExpertPolicy(), runtime, tmp_path / "run")
    assert result.fault is None
    assert result.score.value == 1.0


def test_every_task_of_the_suite_is_solved_by_a_test():
    assert {task.id for task in load_tasks("browser-apps")} == set(SOLVED)


@pytest.mark.parametrize(
    ("app", "variable", "said"),
    [
        ("jupytercad", "CADWRIGHT_JUPYTER", "no such program"),
        ("jscad", "CADWRIGHT_JSCAD", "npm install"),
    ],
)
def test_an_app_that_is_not_there_says_how_to_get_it(app, variable, said, monkeypatch):
    monkeypatch.setenv(variable, "/nowhere")
    with pytest.raises(DependencyError, match=said):
        INSTALLED[app]()


def test_an_unknown_app_is_named():
    with pytest.raises(UsageError, match="allowed: modeller, jupytercad, jscad"):
        make_app("fusion")
