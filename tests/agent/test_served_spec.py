"""What ``openai:MODEL@URL?...`` may say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from served_run import GOOD, SUBMIT, run

from cadwright.agent.policies import make_policy
from cadwright.agent.policies.served_options import parse_served
from cadwright.tools.errors import DependencyError, UsageError


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("openai:", "needs a model and a URL"),
        ("openai:m", "needs a model and a URL"),
        ("openai:@http://host/v1", "needs a model and a URL"),
        ("openai:m@http://user:pw@host/v1", "password"),
        ("openai:m@http://host/v1?api_key=sk", "key_env"),
        ("openai:m@http://host/v1?temprature=0", "did you mean 'temperature'"),
        ("openai:m@http://host/v1?temperature=hot", "must be a number"),
        ("openai:m@http://host/v1?temperature=nan", "must be a number"),
        ("openai:m@http://host/v1?max_tokens=0", "more than 0"),
        ("openai:m@http://host/v1?stream=maybe", "0 or 1"),
        ("openai:m@http://host/v1?dialect=klingon", "one of auto"),
        ("openai:m@http://host/v1?price_in=1", "together"),
        ("openai:m@http://host/v1?connect_s=1e300", "connect_s must be at most"),
        ("openai:m@http://[::1/v1", "cannot be read"),
        ("openai:m@http://host:port/v1", "cannot be read"),
        ("openai:m@http://host:99999/v1", "cannot be read"),
        ("openai:m\udcff@http://host/v1", "cannot be read"),
        ("openai:m@http://\u2488com/v1", "is no URL"),
    ],
)
def test_a_wrong_spec_is_refused_in_words(spec: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make_policy(spec)


@pytest.mark.parametrize("key", ["ключ", "sk\nsecond"], ids=["cyrillic", "lines"])
def test_a_key_that_no_header_can_carry_is_refused_unquoted(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match="OPENAI_API_KEY holds no key") as refused:
        make_policy("openai:m@http://host/v1")
    assert key not in str(refused.value)


def test_the_line_end_of_a_key_from_a_file_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-a-file\n")
    result, _ = run(tmp_path / "e", [GOOD, SUBMIT])
    assert result.fault is None


def test_a_model_name_may_hold_anything() -> None:
    served = parse_served("org/a@b:c@https://host:1/v1?images=")
    assert (served.model, served.url) == ("org/a@b:c", "https://host:1/v1")
    assert served.options.images is None


def test_without_the_client_library_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(DependencyError, match=r"pip install 'cadwright\[agent\]'"):
        make_policy("openai:m@http://127.0.0.1:1/v1")


def test_the_system_message_can_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "system.txt").write_text("Build well.\n", encoding="utf-8")
    _, server = run(tmp_path / "e", [GOOD, SUBMIT], f"system={tmp_path}/system.txt")
    assert server.requests[0]["messages"][0]["content"] == "Build well."
    with pytest.raises(UsageError, match=r"none\.txt: no such file"):
        make_policy(f"openai:m@http://h/v1?system={tmp_path}/none.txt")
