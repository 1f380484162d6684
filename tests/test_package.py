"""The package as a user gets it: light to import, whole in the wheel, guarded folder names."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import cadwright

ROOT = Path(__file__).parent.parent
FOLDERS = ("agent", "assets", "envs", "rewards", "tools")
HEAVY = ("OCP", "cadquery", "gymnasium", "moderngl", "numpy", "rich", "torch", "trimesh", "typer")


def _run(code: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def test_import_loads_nothing_heavy(tmp_path: Path) -> None:
    code = f"import sys, cadwright; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert _run(code, tmp_path).strip() == "[]"


def test_every_public_name_loads() -> None:
    assert cadwright.__all__ == sorted(cadwright.__all__)
    assert all(getattr(cadwright, name) is not None for name in cadwright.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = cadwright.nonsense


@pytest.mark.parametrize("folder", FOLDERS)
def test_bare_folder_names_are_refused(folder: str) -> None:
    assert f"import cadwright.{folder}, not the bare folder name" in _run(f"import {folder}", ROOT)


def test_the_wheel_holds_every_module_and_asset(tmp_path: Path) -> None:
    build = f"from setuptools import build_meta as b; b.build_wheel({str(tmp_path)!r})"
    copy = tmp_path / "tree"
    _copy_tree(copy)
    subprocess.run([sys.executable, "-c", build], cwd=copy, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    packed = {n for n in zipfile.ZipFile(wheel).namelist() if n.startswith("cadwright/")}
    assert packed == _expected()


def _copy_tree(target: Path) -> None:
    target.mkdir()
    wanted = [*FOLDERS, "pyproject.toml", "README.md", "LICENSE"]
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *wanted]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes((ROOT / name).read_bytes())


def _expected() -> set[str]:
    found = set()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                name = path.relative_to(ROOT).as_posix()
                found.add("cadwright/" + name.removeprefix("agent/api/"))
    return found
