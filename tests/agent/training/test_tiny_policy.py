"""The embedded policy as it ships: it loads, sees, models, corrects, submits, and declines."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from cadwright.agent.episode import run_episode
from cadwright.agent.models.artefact import read_card
from cadwright.agent.policies.factory import make_policy
from cadwright.agent.policies.hf import HfPolicy
from cadwright.agent.training import talk
from cadwright.assets import path
from cadwright.envs.core import EndReason
from cadwright.envs.runtime import Runtime
from cadwright.envs.suites import load_tasks
from cadwright.envs.task import Task
from cadwright.tools.errors import UsageError
from cadwright.tools.rendering.measured import MEASURED_VERSION

FOLDER = Path(str(path("models/tiny")))
LARGEST_MB = 20
LONGEST_PROMPT = 60  # tokens of a task with a measured sheet


@pytest.fixture(scope="module")
def policy() -> Iterator[HfPolicy]:
    made = make_policy("tiny")
    assert isinstance(made, HfPolicy)
    yield made
    made.close()


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime.open(backend="raycast") as opened:
        yield opened


def task(name: str) -> Task:
    return load_tasks(f"tiny#tiny/{name}").tasks[0]


def test_the_folder_is_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < LARGEST_MB * 2**20


def test_the_card_names_the_renderer_of_this_package() -> None:
    card = read_card(FOLDER)
    assert card is not None
    assert card.renderer == MEASURED_VERSION


def test_a_measured_task_is_modelled_and_handed_in(
    policy: HfPolicy, runtime: Runtime, tmp_path: Path
) -> None:
    result = run_episode(task("bolt-flange"), policy, runtime, tmp_path / "episode")
    assert result.fault is None
    assert result.end_reason is EndReason.SUBMITTED
    assert result.score is not None
    assert result.score.value is not None
    assert result.score.value > 0.9
    events = (tmp_path / "episode" / "trajectory.jsonl").read_text(encoding="utf-8")
    tokens = [json.loads(line).get("tokens") for line in events.splitlines()]
    first = next(t for t in tokens if t)
    assert len(first["prompt_ids"]) <= LONGEST_PROMPT


def test_it_sees_what_is_wrong_and_corrects_it(
    policy: HfPolicy, runtime: Runtime, tmp_path: Path
) -> None:
    result = run_episode(task("stepped-shaft"), policy, runtime, tmp_path / "episode")
    assert result.end_reason is EndReason.SUBMITTED
    assert result.calls > 2
    assert result.score is not None
    assert result.score.value == pytest.approx(1.0)


def test_an_unknown_part_is_declined(policy: HfPolicy, runtime: Runtime, tmp_path: Path) -> None:
    result = run_episode(task("gear"), policy, runtime, tmp_path / "episode")
    assert result.end_reason is EndReason.STOPPED
    assert result.calls == 0


def test_other_words_for_a_tool_fail_loudly(policy: HfPolicy) -> None:
    from cadwright.agent.messages import Conversation, Message
    from cadwright.tools.tool import TextBlock

    changed = [replace(spec, description="Something else.") for spec in talk.TOOLS]
    conversation = Conversation([Message("user", (TextBlock("A tube."),))])
    policy.reset(task("gear").public(), 0)
    with pytest.raises(UsageError, match="tool execute"):
        policy.act(conversation, changed)


@pytest.mark.parametrize(
    ("file", "old", "new", "part"),
    [
        ("chat_template.jinja", "{%", " {%", "chat template"),
        ("generation_config.json", '"suppress_tokens"', '"token_ids"', "generation settings"),
    ],
    ids=["template", "generation"],
)
def test_a_changed_file_fails_loudly(
    tmp_path: Path, file: str, old: str, new: str, part: str
) -> None:
    copy = tmp_path / "tiny"
    shutil.copytree(FOLDER, copy)
    text = (copy / file).read_text(encoding="utf-8")
    assert old in text
    (copy / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError, match=part):
        make_policy(f"hf:{copy}")
