"""What the documents show works as it stands: code runs, tasks lint, command lines parse."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

from cadwright.agent.cli.app import app, run_command
from cadwright.envs.lint import lint
from cadwright.envs.runtime import Runtime
from cadwright.envs.suites import load_tasks

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCUMENTS = (README, *sorted((ROOT / "docs").glob("*.md")))


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(), re.DOTALL | re.MULTILINE)


def python_blocks() -> list[object]:
    return [
        pytest.param(block, id=f"{document.stem}-{number}")
        for document in DOCUMENTS
        for number, block in enumerate(blocks(document, "python"), start=1)
    ]


def command_lines() -> list[str]:
    return re.findall(r"^\|[^|]*\| `(cadwright [^`]+)` \|$", README.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def folder_after_make_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("newcomer")
    demo = ["run", "demo", "--policy", "scripted", "--out", str(folder / "runs" / "demo")]
    assert run_command([*demo, "--quiet"]) == 0
    return folder


@pytest.mark.parametrize("block", python_blocks())
def test_python_in_the_documents_runs_as_it_stands(
    block: str, folder_after_make_demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder_after_make_demo)
    exec(compile(block, "document", "exec"), {"__name__": "__main__"})  # our own text


def test_the_task_file_in_the_documents_passes_lint(tmp_path: Path) -> None:
    text, *_ = blocks(ROOT / "docs" / "tasks.md", "yaml")
    path = tmp_path / "my_tasks.yaml"
    path.write_text(text)
    (task,) = load_tasks(path).tasks
    with Runtime.open() as runtime:
        assert not lint(task, runtime.judge, runtime.sandbox).findings


def test_the_readme_names_every_command() -> None:
    named = {line.split()[1] for line in command_lines()} | {"doctor"}
    commands = {command.name for command in app.registered_commands}
    assert named == commands | {group.name for group in app.registered_groups}


@pytest.mark.parametrize("line", command_lines())
def test_a_command_line_in_the_readme_parses(line: str) -> None:
    command = typer.main.get_command(app)
    words = [*shlex.split(line)[1:], "--help"]  # unknown words are refused before help is shown
    assert command.main(words, standalone_mode=False) == 0
