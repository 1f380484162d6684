"""The embedded policy behind ``transformers serve``: a server that we did not write.

The stock processor would want torchvision. So the folder under test names no class, and the server
finds ours, which is registered before it starts. What an artefact pins does not count that name.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import records

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("fastapi", reason="transformers[serving] is not installed")
pytest.importorskip("uvicorn", reason="transformers[serving] is not installed")

from cadwright.agent.episode import run_episode
from cadwright.agent.episode_result import EpisodeResult
from cadwright.agent.messages import Conversation, Message
from cadwright.agent.models.artefact import read_card
from cadwright.agent.policies.factory import make_policy
from cadwright.agent.policies.served import ServedPolicy
from cadwright.agent.policies.served_options import parse_served
from cadwright.assets import path
from cadwright.envs.core import EndReason
from cadwright.envs.runtime import Runtime
from cadwright.envs.suites import load_tasks
from cadwright.tools.errors import UsageError
from cadwright.tools.tool import TextBlock

SERVER = """
import sys
from transformers import AutoConfig
from transformers.cli.transformers import main
from cadwright.agent.models.processors import processor_class
processor_class(AutoConfig.from_pretrained(sys.argv[2]))
main()
"""
QUIETLY = ("--device", "cpu", "--dtype", "float32", "--host", "127.0.0.1", "--port", "0")
START_S, WAIT_S = 300.0, 0.05
(TASK,) = load_tasks("tiny#tiny/stepped-shaft").tasks


@dataclass(frozen=True, slots=True)
class Served:
    """A server and the options under which its model was trained."""

    folder: Path
    url: str
    terms: str

    def policy(self, options: str = "", model: str = "") -> ServedPolicy:
        spec = f"{model or self.folder}@{self.url}/v1?{self.terms}&attempts=1&{options}"
        return ServedPolicy("openai:tiny", parse_served(spec))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = _unnamed(tmp_path_factory.mktemp("served") / "tiny")
    log = folder.parent / "log.txt"
    command = [sys.executable, "-c", SERVER, "serve", str(folder), *QUIETLY]
    with log.open("wb") as file, subprocess.Popen(command, stdout=file, stderr=file) as server:
        try:
            yield Served(folder, _url_in(log, server), _terms_of(folder))
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime.open(backend="raycast") as opened:
        yield opened


@pytest.fixture(scope="module")
def local(
    served: Served, runtime: Runtime, tmp_path_factory: pytest.TempPathFactory
) -> EpisodeResult:
    """The same episode without a server."""
    policy = make_policy(f"hf:{served.folder}")
    return run_episode(TASK, policy, runtime, tmp_path_factory.mktemp("local") / "e")


@pytest.mark.parametrize("stream", ["1", "0"], ids=["streamed", "whole"])
def test_served_episode_is_the_local_one(
    served: Served, runtime: Runtime, local: EpisodeResult, tmp_path: Path, stream: str
) -> None:
    result = run_episode(TASK, served.policy(f"stream={stream}"), runtime, tmp_path / "e")
    assert (result.end_reason, result.fault) == (EndReason.SUBMITTED, None)
    assert _decided(tmp_path / "e") == _decided(local.folder)
    assert result.part_digest == local.part_digest


def test_a_call_that_its_limit_cuts_off_never_runs(
    served: Served, runtime: Runtime, tmp_path: Path
) -> None:
    policy = served.policy("max_tokens=3")
    run_episode(TASK, policy, runtime, tmp_path / "e")
    first = next(r for r in records(tmp_path / "e") if r["kind"] == "decision")
    assert [problem["code"] for problem in first["problems"]] == ["truncated"]


def test_an_unknown_part_is_declined(served: Served, runtime: Runtime, tmp_path: Path) -> None:
    (gear,) = load_tasks("tiny#tiny/gear").tasks
    result = run_episode(gear, served.policy(), runtime, tmp_path / "e")
    assert (result.end_reason, result.turns, result.calls) == (EndReason.STOPPED, 1, 0)


def test_another_model_is_refused_in_the_words_of_the_server(served: Served) -> None:
    asked = Conversation([Message("user", (TextBlock("Build a box."),))])
    with pytest.raises(UsageError, match="Server is pinned to"):
        served.policy(model="another").act(asked, ())


def _decided(folder: Path) -> list[tuple[Any, Any, Any]]:
    """Return the calls of each turn with the tokens read and written for them."""
    found = records(folder)
    calls = [r["tool_calls"] for r in found if r["kind"] == "message" and r["role"] == "assistant"]
    bills = [r["usage"] for r in found if r["kind"] == "decision"]
    return [
        (call, bill["prompt_tokens"], bill["completion_tokens"])
        for call, bill in zip(calls, bills, strict=True)
    ]


def _unnamed(folder: Path) -> Path:
    """Copy the embedded policy without what leads the server to torchvision."""
    shutil.copytree(Path(str(path("models/tiny"))), folder)
    (folder / "video_preprocessor_config.json").unlink()
    for name in ("processor_config.json", "tokenizer_config.json"):
        settings = json.loads((folder / name).read_text(encoding="utf-8"))
        settings.pop("processor_class", None)
        (folder / name).write_text(json.dumps(settings), encoding="utf-8")
    return folder


def _terms_of(folder: Path) -> str:
    """Return the terms of the model's card as options of a served policy."""
    card = read_card(folder)
    assert card is not None
    system = folder / "system.txt"
    system.write_text(card.system, encoding="utf-8")
    terms = {**card.budget, "max_tokens": card.max_new_tokens, "system": system}
    terms |= {"decline": card.decline}
    return "&".join(f"{name}={value}" for name, value in {**terms, "tool_images": "tool"}.items())


def _url_in(log: Path, server: subprocess.Popen[bytes]) -> str:
    """Wait until the server listens and return where."""
    for _ in range(int(START_S / WAIT_S)):
        said = log.read_text(encoding="utf-8", errors="replace")
        found = re.search(r"running on (http://\S+)", said)
        if found is not None:
            return found[1]
        if server.poll() is not None:
            pytest.fail(f"transformers serve ended: {said[-2000:]}")
        time.sleep(WAIT_S)
    pytest.fail("transformers serve did not start")
